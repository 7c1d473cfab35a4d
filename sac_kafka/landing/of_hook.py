"""What became of what a hook has sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from sac_kafka.asking.words import IN_A_DRIVER
from sac_kafka.atlas.sent_names import Sending, SentNames, TopicPlace
from sac_kafka.errors import SacKafkaError
from sac_kafka.landing.landed import Landed, look_up
from sac_kafka.landing.server import catalog_of
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Position


class Delivering(Protocol):
    """What sends, as a spool does."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """What waits in files: `records` is how many."""

    @property
    def under_way(self) -> int:
        """How many are handed over, and not answered."""

    def position(self) -> Position | None:
        """Where the last one was put that was delivered."""


def landed_of(settings: Settings, names: SentNames, delivering: Delivering, timeout_seconds: float) -> Landed:
    """Look up what was sent; a server that cannot be asked is a problem, and no error."""
    try:
        return look_up(
            catalog_of(settings, settings.rest.timeout_seconds, IN_A_DRIVER),
            names.sent,
            timeout_seconds,
            topic=settings.sink.topic,
            left_out=names.left_out,
            sending=lambda known: _sending(known, delivering),
        )
    except SacKafkaError as e:
        return Landed(left_out=names.left_out, problem=str(e))


def _sending(known: Sending, delivering: Delivering) -> Sending:
    """An application's messages are sent in their order: where none waits all are before the last one."""
    position = delivering.position()
    partition = position.log.rpartition("/")[2] if position is not None else ""
    place = TopicPlace(int(partition), position.end - 1) if position is not None and partition.isdecimal() else None
    return replace(known, place=place, is_kept=bool(delivering.figures["records"] or delivering.under_way))
