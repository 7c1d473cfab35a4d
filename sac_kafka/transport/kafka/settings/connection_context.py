"""Define the context of a Kafka connection: settings other than `atlas.kafka.*`, and the driver."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.settings.entra import Entra
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.driver import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionContext:
    """Settings of a Kafka connection other than `atlas.kafka.*`; `driver` reads stores and passwords, None outside a driver."""

    kafka: Kafka = field(default_factory=Kafka)
    topic: str = ""
    entra: Entra = field(default_factory=Entra)
    driver: Driver | None = None


NO_CONTEXT = ConnectionContext()
"""The context if only `atlas.kafka.*` is set."""
