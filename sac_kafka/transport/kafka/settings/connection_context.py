"""Hold what a Kafka connection needs in addition to `atlas.kafka.*`: the login's other settings and the driver."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.settings.entra import Entra
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.driver import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionContext:
    """Settings of a connection outside of `atlas.kafka.*`; `driver` is None outside of a driver."""

    kafka: Kafka = field(default_factory=Kafka)
    topic: str = ""
    entra: Entra = field(default_factory=Entra)
    driver: Driver | None = None


NO_CONTEXT = ConnectionContext()
"""The context of a connection that is configured by `atlas.kafka.*` alone."""
