"""Define the translated security settings of a connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.transport.kafka.settings.oauth_tokens import TokenSource


@dataclass(frozen=True, slots=True)
class Secured:
    """Security settings for librdkafka, the source of OAuth tokens if Python provides them, and warnings.

    The repr contains no secrets.
    """

    config: dict[str, str] = field(default_factory=dict, repr=False)
    source: TokenSource | None = None
    warnings: tuple[str, ...] = ()
