"""What reading gives: whole messages with where they were found, and what could not be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.atlas.sent_names import TopicPlace
from sac_kafka.atlas.wire.joining import Joining
from sac_kafka.errors import MessageError
from sac_kafka.stats import counted

_CREATED = re.compile(r'"msgCreationTime"\s{0,9}:\s{0,9}(\d{1,15})(?!\d)', re.ASCII)
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")

END_OF_INPUT = "the end"
"""The place of what is missing there."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """The value of a record and where it was; `time_ms` is epoch milliseconds, None where nobody says.

    `key` is the record's, "" where it has none: an application's records have one key. `at` is where a topic has it.
    """

    place: str
    value: bytes
    time_ms: int | None = None
    key: str = ""
    at: TopicPlace | None = None


@dataclass(frozen=True, slots=True)
class TopicMessage:
    """A whole message, put together of its parts and unpacked: `text` is JSON that `atlas.wire.reader.read` takes.

    `place` is that of its last part, `time_ms` what its record says, else the message itself, `records` how many it was,
    `bytes` their length, `longest` that of the longest one, `at` where a topic has the last one.
    """

    place: str
    text: str
    time_ms: int | None = None
    key: str = ""
    records: int = 1
    bytes: int = 0
    longest: int = 0
    at: TopicPlace | None = None


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """What could not be read there, why, and what to do; `cure` is "" where that is to send all parts of a message."""

    place: str
    problem: str
    cure: str = ""


def join_parts(found: Iterable[RawRecord | UnreadableRecord]) -> Iterator[TopicMessage | UnreadableRecord]:
    """Give the messages that values are; those whose parts never came are told at the end."""
    joining = Joining()
    for each in found:
        if isinstance(each, UnreadableRecord):
            yield each
            continue
        try:
            joined = joining.take(each.value)
        except MessageError as e:
            yield UnreadableRecord(each.place, str(e))
            continue
        if joined is not None:
            time_ms = _said_time(joined.text) if each.time_ms is None else each.time_ms
            yield TopicMessage(
                each.place, joined.text, time_ms, each.key, joined.records, joined.bytes, joined.longest, each.at
            )
    if missing := joining.waiting + joining.given_up:
        yield UnreadableRecord(END_OF_INPUT, f"{counted(missing, 'message')} of which parts are missing")


def _said_time(text: str) -> int | None:
    """When its sender made it, as its envelope says: epoch milliseconds."""
    found = _CREATED.search(text)
    return int(found[1]) if found else None


def to_one_line(text: str) -> str:
    r"""Give a message's text in one line of ASCII.

    Between its strings JSON has ends of lines as blanks, within them letters have numbers.

    >>> as_one_line('{"name":\n"\u00e4"}')
    '{"name": "\\u00e4"}'
    """
    for blank in "\r\n\t":
        text = text.replace(blank, " ")
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
