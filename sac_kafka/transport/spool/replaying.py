"""What is different about a record that was kept before it is sent. Pure."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.transport.base import MessageKind, Record

_MESSAGE = b'"message":'
_AHEAD_SECONDS = 600.0
"""A message from later than this was made by a clock that is wrong: nobody knows how old it is."""
_NOT_SPOOLED, _SPOOLED = b'"spooled":false', b'"spooled":true'


def as_spooled(record: Record, topic: str | None = None) -> Record:
    """Let the message say that it was spooled, as those of Atlas' own spool do (`AtlasNotificationMessage.spooled`).

    Parts, and messages that are packed, stay as they are. With a `topic` it goes there instead.
    """
    if topic is not None:
        record = replace(record, topic=topic)
    if len(record.values) != 1:
        return record
    envelope, separator, message = record.values[0].partition(_MESSAGE)
    if _NOT_SPOOLED not in envelope:
        return record
    return replace(record, values=(envelope.replace(_NOT_SPOOLED, _SPOOLED, 1) + separator + message,))


def is_outdated(record: Record, now_seconds: float, max_age_seconds: float) -> bool:
    """Say whether it is about what became of tables, too long ago to be sure that it is still so, or nobody knows when."""
    age_seconds = now_seconds - record.created_ms / 1000
    return record.kind is MessageKind.CATALOG and not -_AHEAD_SECONDS <= age_seconds <= max_age_seconds
