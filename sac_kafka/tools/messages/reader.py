"""Join records to whole messages, with their places, and report what cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.atlas.sent_names import TopicPlace
from sac_kafka.atlas.wire.joining import PartJoiner
from sac_kafka.errors import MessageError
from sac_kafka.stats import with_noun

_CREATED = re.compile(r'"msgCreationTime"\s{0,9}:\s{0,9}(\d{1,15})(?!\d)', re.ASCII)
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")

END_OF_INPUT = "the end"
"""Place of a problem that is only known at the end of the input."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """Value of a record with its place; `time_ms` is epoch milliseconds, None if unknown.

    `key` is the record's key, "" without one; all records of an application have the same key. `at` is its partition and offset.
    """

    place: str
    value: bytes
    time_ms: int | None = None
    key: str = ""
    at: TopicPlace | None = None


@dataclass(frozen=True, slots=True)
class TopicMessage:
    """A whole message, joined and decompressed: `text` is JSON for `atlas.wire.reader.read`.

    `place` and `at` are those of its last part, `time_ms` is the time of the record, else of the envelope. `records` is the
    number of parts, `bytes` their total length, `longest` the length of the longest.
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
    """A problem at a place of the input; `fix` is "" if parts of a message are missing."""

    place: str
    problem: str
    fix: str = ""


def join_parts(found: Iterable[RawRecord | UnreadableRecord]) -> Iterator[TopicMessage | UnreadableRecord]:
    """Yield the messages of records; messages with missing parts are reported at the end."""
    joining = PartJoiner()
    for each in found:
        if isinstance(each, UnreadableRecord):
            yield each
            continue
        try:
            joined = joining.add(each.value)
        except MessageError as e:
            yield UnreadableRecord(each.place, str(e))
            continue
        if joined is not None:
            time_ms = _creation_time(joined.text) if each.time_ms is None else each.time_ms
            yield TopicMessage(
                each.place, joined.text, time_ms, each.key, joined.records, joined.bytes, joined.longest, each.at
            )
    if missing := joining.pending + joining.abandoned:
        yield UnreadableRecord(END_OF_INPUT, f"{with_noun(missing, 'message')} with missing parts")


def _creation_time(text: str) -> int | None:
    """Return the time in the envelope of a message, in epoch milliseconds."""
    found = _CREATED.search(text)
    return int(found[1]) if found else None


def to_one_line(text: str) -> str:
    r"""Return the JSON text of a message as one line of ASCII.

    Line ends between strings become spaces, and other characters than ASCII become escapes.

    >>> to_one_line('{"name":\n"\u00e4"}')
    '{"name": "\\u00e4"}'
    """
    for blank in "\r\n\t":
        text = text.replace(blank, " ")
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
