"""Explain why an entity is missing from the catalog: rejected, not sent yet, or not consumed yet.

An Atlas server reports the offset that it reads next of each partition, and the time of the message that it consumed last. With
the topic and offset of a record the answer is certain. With a time alone it is not: a server that was idle since has not
consumed newer messages, but the time when a message was created says nothing of when it was sent; it may have been spooled or
replayed.
"""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum

from sac_kafka.atlas.sent_names import Sending
from sac_kafka.stats import counted, span
from sac_kafka.tools.verification.server import Progress

_UNKNOWN = "the server is behind, or has rejected it (see its failed.log)"


class EntityState(Enum):
    """State of a sent entity in the catalog."""

    STORED = "stored"
    SHELL = "shell"
    REJECTED = "rejected"
    PENDING = "pending"


def explain_missing(what: str, sending: Sending, progress: Progress) -> tuple[EntityState, str]:
    """Return the state of a missing entity and the reason in words.

    Args:
        what: What is missing, for the text, such as `not found`.
        sending: What is known about when and where its message was sent.
        progress: How far the server has consumed the topic.
    """
    if sending.is_spooled:
        return EntityState.PENDING, f"{what}: not all messages are sent yet; see sac-kafka spool list"
    if sending.place is None or sending.place.partition not in progress.read:
        return EntityState.PENDING, f"{what}: {_reason_by_time(sending, progress.last_message_ms)}"
    partition, offset = sending.place.partition, sending.place.offset
    next_offset = progress.read[partition]
    if next_offset > offset:
        reason = (
            f"{what}, although the server has consumed it (partition {partition}, offset {offset}): see its failed.log"
        )
        return EntityState.REJECTED, reason
    behind = counted(offset + 1 - next_offset, "message")
    return EntityState.PENDING, f"{what}: the server is {behind} behind in partition {partition}"


def _reason_by_time(sending: Sending, last_message_ms: int | None) -> str:
    since_ms = sending.made_ms if sending.sent_ms is None else sending.sent_ms
    if last_message_ms is None or since_ms is None:
        return _UNKNOWN
    verb = "created" if sending.sent_ms is None else "sent"
    last = f"its last message was at {_time(last_message_ms)}"
    if last_message_ms < since_ms:
        return f"the server is behind: {last}, {span((since_ms - last_message_ms) / 1000)} before this one was {verb}"
    unknown = ", sent at an unknown time" if sending.sent_ms is None else ""
    return f"{_UNKNOWN}; {last}, and this one was {verb} at {_time(since_ms)}{unknown}"


def _time(epoch_ms: int) -> str:
    try:
        time = datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)
    except (ValueError, OverflowError, OSError):  # a message may contain any number
        return f"{epoch_ms} ms since 1970"
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
