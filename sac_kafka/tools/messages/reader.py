"""Join records to whole messages, with their places, and report what cannot be read. Events become messages here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sac_kafka.atlas.sent_names import TopicPlace
from sac_kafka.atlas.wire.joining import PartJoiner
from sac_kafka.errors import MessageError
from sac_kafka.stats import with_noun

if TYPE_CHECKING:
    from sac_kafka.tools.messages.events import EventMessages

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
    number of parts, `bytes` their total length, `longest` the length of the longest. `is_event` is True if it states what an
    OpenLineage event does.
    """

    place: str
    text: str
    time_ms: int | None = None
    key: str = ""
    records: int = 1
    bytes: int = 0
    longest: int = 0
    at: TopicPlace | None = None
    is_event: bool = False


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A problem at a place of the input; `fix` is "" if parts of a message are missing."""

    place: str
    problem: str
    fix: str = ""


def join_parts(found: Iterable[RawRecord | UnreadableRecord]) -> Iterator[TopicMessage | UnreadableRecord]:
    """Yield the messages of records; messages with missing parts are reported at the end."""
    joining = PartJoiner()
    events: EventMessages | None = None
    for each in found:
        if isinstance(each, UnreadableRecord):
            yield each
            continue
        try:
            if b'"eventTime"' in each.value:
                from sac_kafka.tools.messages.events import EventMessages, may_be_event

                if may_be_event(each.value):
                    events = events or EventMessages()
                    yield from [_of_event(each, text) for text in events.add(each.value)]
                    continue
            joined = joining.add(each.value)
        except MessageError as e:
            yield UnreadableRecord(each.place, str(e))
            continue
        if joined is not None:
            time_ms = _creation_time(joined.text) if each.time_ms is None else each.time_ms
            yield TopicMessage(
                each.place, joined.text, time_ms, each.key, joined.records, joined.bytes, joined.longest, each.at
            )
    if events is not None:
        yield from (TopicMessage(END_OF_INPUT, text, is_event=True) for text in events.rest())
    if missing := joining.pending + joining.abandoned:
        yield UnreadableRecord(END_OF_INPUT, f"{with_noun(missing, 'message')} with missing parts")


def _of_event(record: RawRecord, text: str) -> TopicMessage:
    length = len(record.value)
    return TopicMessage(record.place, text, record.time_ms, record.key, 1, length, length, record.at, is_event=True)


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
