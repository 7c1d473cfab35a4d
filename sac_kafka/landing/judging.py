"""What is missing: was it refused, or is the server behind, and by how much? Only what is known is said.

A server that reads a topic says at which offset it is, and when it last took a message: by its own clock, whichever message that
was. So a place in the topic tells the two apart, and a time only says that a server that has rested since cannot have taken what
is newer. When a message was made says nothing of when it was sent: it may have waited in files, or been replayed.
"""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum

from sac_kafka.atlas.sent_names import Sending
from sac_kafka.figures import counted, span
from sac_kafka.landing.server import Progress

_UNKNOWN = "the server is behind, or has refused it (its failed.log says)"


class Landing(Enum):
    """What became of an entity."""

    STORED = "stored"
    SHELL = "shell"
    REFUSED = "refused"
    WAITING = "waiting"


def missing(what: str, sending: Sending, progress: Progress) -> tuple[Landing, str]:
    """Say what became of what is not there.

    Args:
        what: In which way it is not.
        sending: What is known of how its message was sent.
        progress: How far the server has read.
    """
    if sending.is_kept:
        return Landing.WAITING, f"{what}: not all messages are sent yet: sac-kafka spool list says what waits"
    if sending.place is None or sending.place.partition not in progress.read:
        return Landing.WAITING, f"{what}: {_by_time(sending, progress.taken_ms)}"
    partition, offset = sending.place.partition, sending.place.offset
    read = progress.read[partition]
    if read > offset:
        why = (
            f"{what}, although the server has read it (partition {partition}, offset {offset}): its failed.log says why"
        )
        return Landing.REFUSED, why
    behind = counted(offset + 1 - read, "message")
    return Landing.WAITING, f"{what}: the server is behind, with {behind} of partition {partition} left up to this one"


def _by_time(sending: Sending, taken_ms: int | None) -> str:
    began_ms = sending.made_ms if sending.sent_ms is None else sending.sent_ms
    if taken_ms is None or began_ms is None:
        return _UNKNOWN
    verb = "made" if sending.sent_ms is None else "sent"
    last = f"its last message was at {_time(taken_ms)}"
    if taken_ms < began_ms:
        return f"the server is behind: {last}, {span((began_ms - taken_ms) / 1000)} before this one was {verb}"
    unknown = ", and when it was sent is not known here" if sending.sent_ms is None else ""
    return f"{_UNKNOWN}; {last}, and this one was {verb} at {_time(began_ms)}{unknown}"


def _time(epoch_ms: int) -> str:
    try:
        found = datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)
    except (ValueError, OverflowError, OSError):  # whatever a message says
        return f"{epoch_ms} ms since 1970"
    return found.isoformat(timespec="seconds").replace("+00:00", "Z")
