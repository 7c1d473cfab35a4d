"""What reading gives: whole messages with where they were found, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.atlas.wire.joining import Joining
from sac_kafka.errors import MessageError
from sac_kafka.figures import counted

THE_END = "the end"
"""The place of what is missing there."""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """The value of a record and where it was; `time_ms` is epoch milliseconds, None where nobody says.

    `key` is the record's, "" where it has none: an application's records have one key.
    """

    place: str
    value: bytes
    time_ms: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A whole message, put together of its parts and unpacked: `text` is JSON that `atlas.wire.reader.read` takes.

    `place` is that of its last part, `records` how many it was, `bytes` their length.
    """

    place: str
    text: str
    time_ms: int | None = None
    key: str = ""
    records: int = 1
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """What could not be read there, and why."""

    place: str
    problem: str


def whole(found: Iterable[FoundValue]) -> Iterator[Arrived | Unread]:
    """Give the messages that values are; those whose parts never came are told at the end."""
    joining = Joining()
    for each in found:
        try:
            joined = joining.take(each.value)
        except MessageError as e:
            yield Unread(each.place, str(e))
            continue
        if joined is not None:
            yield Arrived(each.place, joined.text, each.time_ms, each.key, joined.records, joined.bytes)
    if missing := joining.waiting + joining.given_up:
        yield Unread(THE_END, f"{counted(missing, 'message')} of which parts are missing")
