"""Messages joined from their parts, as a server's consumer does."""

import base64
import gzip
import json

import pytest

from sac_kafka.atlas.wire import joining
from sac_kafka.atlas.wire.message import parts
from sac_kafka.tools.messages.json_lines import parse_lines
from sac_kafka.tools.messages.reader import RawRecord, TopicMessage, UnreadableRecord, join_parts

TEXT = json.dumps({"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": []}}, "pad": "abcdefgh" * 300})


def found(*values):
    return [RawRecord(f"record {number}", value) for number, value in enumerate(values)]


@pytest.mark.parametrize("compresses", [False, True])
@pytest.mark.parametrize("limit", [700, 900, 100_000])
def test_parts_are_joined(compresses, limit):
    cut = parts(TEXT, max_bytes=limit, compresses=compresses)
    (one,) = join_parts(found(*cut))
    assert isinstance(one, TopicMessage)
    assert (one.text, one.records, one.bytes) == (TEXT, len(cut), sum(map(len, cut)))


def test_parts_of_several_messages_and_parts_twice():
    a, b = (parts(TEXT.replace("abc", each), max_bytes=900, compresses=False) for each in ("aaa", "bbb"))
    mixed = [value for pair in zip(a, b, strict=True) for value in pair]
    given = [each.text for each in join_parts(found(a[0], *mixed))]
    assert given == [TEXT.replace("abc", "aaa"), TEXT.replace("abc", "bbb")]


def test_missing_part_is_reported():
    first, *_ = parts(TEXT, max_bytes=900, compresses=False)
    assert list(join_parts(found(first))) == [UnreadableRecord("the end", "1 message with missing parts")]


def test_excess_pending_messages_are_abandoned(monkeypatch):
    monkeypatch.setattr(joining, "MAX_PENDING", 2)
    firsts = [parts(TEXT, max_bytes=900, compresses=False)[0] for _ in range(5)]
    taken = joining.PartJoiner()
    assert [taken.add(each) for each in firsts] == [None] * 5
    assert (taken.pending, taken.abandoned) == (2, 3)


def part(**fields):
    return json.dumps({"msgId": "1", "msgSplitCount": 1, "msgSplitIdx": 1, "message": "x", **fields}).encode()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (part(msgSplitCount=2, msgSplitIdx=2), "msgSplitIdx = 2 and msgSplitCount = 2"),
        (part(msgSplitCount="2"), "msgSplitCount = '2'"),
        (part(msgCompressionKind="LZ4"), "must be one of NONE, GZIP"),
        (part(msgCompressionKind="GZIP"), "cannot decode or decompress"),
        (part(msgCompressionKind="GZIP", message=base64.b64encode(b"no gzip").decode()), "cannot decode or decompress"),
    ],
)
def test_part_that_cannot_be_joined(value, problem):
    (one,) = join_parts(found(value))
    assert isinstance(one, UnreadableRecord)
    assert problem in one.problem


def test_a_message_that_claims_to_be_endless(monkeypatch):
    monkeypatch.setattr(joining, "MAX_BYTES", 1000)
    packed = base64.b64encode(gzip.compress(b"a" * 5000)).decode()
    (one,) = join_parts(found(part(msgCompressionKind="GZIP", message=packed)))
    assert "exceeds 1,000 bytes" in one.problem


def test_invalid_json_is_returned_unchanged():
    (one,) = join_parts(found(b"msgSplitCount \xff"))
    assert one.text.startswith("msgSplitCount")


def test_lines_of_messages_and_of_spooled_ones():
    spooled = json.dumps({"reason": None, "values": [{"a": 1}, "text"]})
    assert [(each.place, each.value) for each in parse_lines(["{}", "  ", spooled])] == [
        ("line 1", b"{}"),
        ("line 3", b'{"a": 1}'),
        ("line 3", b"text"),
    ]
