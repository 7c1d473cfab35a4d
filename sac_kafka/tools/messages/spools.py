"""Read the pending and rejected messages of a spool directory without locking or changing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sac_kafka.tools.messages.reader import RawRecord, UnreadableRecord
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect, messages

_FIX = "restore the file from a copy, or run the job again"


def read_spool(directory: Path) -> Iterator[RawRecord | UnreadableRecord]:
    """Yield the records of all messages in the directory, oldest file first; problems of a file follow its messages."""
    for file in inspect(directory):
        place = str(file.path.relative_to(directory))
        for kept in messages(file):
            key = (kept.record.key or b"").decode("utf-8", "replace")
            for value in kept.record.values:
                yield RawRecord(place, value, kept.record.created_ms or None, key)
        yield from _unread(file, place)


def _unread(file: SpoolFile, place: str) -> Iterator[UnreadableRecord]:
    if file.state is FileState.UNREADABLE:
        yield UnreadableRecord(place, "this is no file of a spool, or may not be read", _FIX)
    for _ in range(file.damaged):
        yield UnreadableRecord(place, "the message is damaged on the disk", _FIX)
