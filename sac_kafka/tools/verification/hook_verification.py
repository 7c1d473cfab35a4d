"""Verify the entities that a running hook has sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from sac_kafka.atlas.sent_names import Sending, SentNames, TopicPlace
from sac_kafka.errors import SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.tools.verification.server import catalog_of
from sac_kafka.tools.verification.verification import Verification, verify
from sac_kafka.transport.base import Position
from sac_kafka.transport.http.failures import DRIVER_SETTINGS


class DeliveryState(Protocol):
    """State of delivery, as a spool reports it."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """Counters; `records` is the number of spooled records."""

    @property
    def in_flight(self) -> int:
        """Number of records that are handed over and not yet acknowledged."""

    def position(self) -> Position | None:
        """Return the position of the record that was delivered last."""


def verify_sent(settings: Settings, names: SentNames, delivery: DeliveryState, timeout_seconds: float) -> Verification:
    """Verify the entities that a hook has sent; an unreachable server is reported as `problem`, not raised."""
    try:
        return verify(
            catalog_of(settings, settings.rest.timeout_seconds, DRIVER_SETTINGS),
            names,
            timeout_seconds,
            topic=settings.sink.topic,
            sending=lambda known: _sending(known, delivery),
        )
    except SacKafkaError as e:
        return Verification(unchecked=names.omitted, problem=str(e))


def _sending(known: Sending, delivery: DeliveryState) -> Sending:
    """Add the position of the last delivered record: messages are sent in order, so all earlier ones are before it."""
    position = delivery.position()
    partition = position.log.rpartition("/")[2] if position is not None else ""
    place = TopicPlace(int(partition), position.end - 1) if position is not None and partition.isdecimal() else None
    return replace(known, place=place, is_spooled=bool(delivery.figures["records"] or delivery.in_flight))
