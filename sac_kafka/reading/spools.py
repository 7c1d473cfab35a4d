"""The messages that wait in a spool's files, or were set aside there; nothing is taken over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sac_kafka.reading.arrived import FoundValue
from sac_kafka.transport.spool.inspection import inspect, messages


def of_spool(directory: Path) -> Iterator[FoundValue]:
    """Give the values of all messages that are left in the directory's files, oldest file first."""
    for file in inspect(directory):
        place = str(file.path.relative_to(directory))
        for kept in messages(file):
            key = (kept.record.key or b"").decode("utf-8", "replace")
            for value in kept.record.values:
                yield FoundValue(place, value, kept.record.created_ms or None, key)
