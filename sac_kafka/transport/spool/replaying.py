"""Adapt records from the spool before they are sent. Pure."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.transport.base import MessageKind, Record

_MESSAGE = b'"message":'
_AHEAD_SECONDS = 600.0
"""A message dated further in the future has the time of a wrong clock, so its age is unknown."""
_NOT_SPOOLED, _SPOOLED = b'"spooled":false', b'"spooled":true'


def as_spooled(record: Record, topic: str | None = None) -> Record:
    """Mark the message as spooled, as Atlas' own spool does (`AtlasNotificationMessage.spooled`).

    Parts and compressed messages are unchanged. A `topic` replaces that of the record.
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
    """Return whether a record is a change of the catalog that is too old to be certainly valid, or of unknown age."""
    age_seconds = now_seconds - record.created_ms / 1000
    return record.kind is MessageKind.CATALOG and not -_AHEAD_SECONDS <= age_seconds <= max_age_seconds
