"""Define the context of a Kafka connection, and its translated security settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sac_kafka.settings.entra import Entra
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.driver import Driver

if TYPE_CHECKING:
    from sac_kafka.transport.kafka.settings.oauth_tokens import TokenSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionContext:
    """Settings of a Kafka connection other than `atlas.kafka.*`; `driver` reads stores and passwords, None outside a driver.

    `runs_callback` is False if the token function of the settings must not be loaded.
    """

    kafka: Kafka = field(default_factory=Kafka)
    topic: str = ""
    entra: Entra = field(default_factory=Entra)
    driver: Driver | None = None
    runs_callback: bool = True


NO_CONTEXT = ConnectionContext()
"""The context if only `atlas.kafka.*` is set."""


@dataclass(frozen=True, slots=True)
class Secured:
    """Security settings for librdkafka, the source of OAuth tokens if Python provides them, and warnings.

    The repr contains no secrets.
    """

    config: dict[str, str] = field(default_factory=dict, repr=False)
    source: TokenSource | None = None
    warnings: tuple[str, ...] = ()
