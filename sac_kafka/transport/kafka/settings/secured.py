"""What a part of the connection's security is for librdkafka."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.transport.kafka.settings.oauth_tokens import TokenSource


@dataclass(frozen=True, slots=True)
class Secured:
    """Settings of librdkafka, where Python gets its tokens their source, and warnings. The repr shows no secret."""

    config: dict[str, str] = field(default_factory=dict, repr=False)
    source: TokenSource | None = None
    warnings: tuple[str, ...] = ()
