"""What beside `atlas.kafka.*` says how Kafka is reached: the other settings of a login, and the driver that can help."""

from __future__ import annotations

from dataclasses import dataclass, field

from sac_kafka.settings.entra import Entra
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.driver import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is around the settings of a Kafka client; `driver` is None outside of a driver."""

    kafka: Kafka = field(default_factory=Kafka)
    topic: str = ""
    entra: Entra = field(default_factory=Entra)
    driver: Driver | None = None


NOTHING = Surroundings()
"""Where there is nothing but `atlas.kafka.*`."""
