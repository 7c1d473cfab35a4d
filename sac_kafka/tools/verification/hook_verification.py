"""Verify the entities that a running hook has sent."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.atlas.sent_names import Sending, SentNames, TopicPlace
from sac_kafka.errors import SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.tools.verification.server import catalog_of
from sac_kafka.tools.verification.verification import Verification, verify
from sac_kafka.transport.http.failures import DRIVER_SETTINGS
from sac_kafka.transport.spool.spool import Spool


def verify_sent(settings: Settings, names: SentNames, spool: Spool, timeout_seconds: float) -> Verification:
    """Verify the entities that a hook has sent; an unreachable server is reported as `problem`, not raised."""
    try:
        return verify(
            catalog_of(settings, settings.rest.timeout_seconds, DRIVER_SETTINGS),
            names,
            timeout_seconds,
            topic=settings.sink.topic,
            sending=lambda known: _sending(known, spool),
        )
    except SacKafkaError as e:
        return Verification(unchecked=names.omitted, problem=str(e))


def _sending(known: Sending, spool: Spool) -> Sending:
    """Add the position of the last delivered record: messages are sent in order, so all earlier ones are before it."""
    position = spool.position()
    partition = position.log.rpartition("/")[2] if position is not None else ""
    place = TopicPlace(int(partition), position.end - 1) if position is not None and partition.isdecimal() else None
    return replace(known, place=place, is_spooled=bool(spool.figures["records"] or spool.in_flight))
