"""Messages that are too long for one record: Atlas' own consumer reassembles the original message."""

from __future__ import annotations

import base64
import gzip
import json
import random
import string

import pytest

from sac_kafka.atlas.context import Receiver
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages, values
from sac_kafka.atlas.wire.message import ENVELOPE_ROOM, parts
from sac_kafka.settings.declarations.choices import MessageForm
from tests.helpers.judge.judging import judge
from tests.helpers.judge.records import flow
from tests.unit.atlas.flows import DAY, NOW, ORDINARY, context, process, table

LIMIT = 10_000


def _long(length: int) -> str:
    """Return a valid message of the given length that does not compress well."""
    chance = random.Random(7)
    bare = len(flow(queryText="", details="", sparkPlanDescription=""))
    text = "".join(chance.choices(string.ascii_letters + string.digits, k=length - bare))
    return flow(queryText=text[:20_000], details=text[20_000:40_000], sparkPlanDescription=text[40_000:])


def _joined(values: tuple[bytes, ...]) -> str:
    envelopes = [json.loads(value) for value in values]
    data = base64.b64decode("".join(each["message"] for each in envelopes), validate=True)
    return (gzip.decompress(data) if envelopes[0]["msgCompressionKind"] == "GZIP" else data).decode()


def test_message_that_fits_is_unchanged():
    text = _long(LIMIT)
    assert parts(text, max_bytes=LIMIT, compresses=True) == (text.encode(),)


def test_message_that_fits_when_compressed_is_one_record():
    text = _long(LIMIT + 1)
    (value,) = parts(text, max_bytes=LIMIT, compresses=True, new_id=lambda: "m")
    envelope = json.loads(value)
    assert list(envelope) == ["version", "msgId", "msgCompressionKind", "msgSplitIdx", "msgSplitCount", "message"]
    assert (envelope["msgId"], envelope["msgSplitIdx"], envelope["msgSplitCount"]) == ("m", 1, 1)
    assert _joined((value,)) == text


@pytest.mark.parametrize("compresses", [True, False])
@pytest.mark.parametrize("length", [20_000, 28_476, 60_000])
def test_longer_ones_are_cut_and_put_together_by_atlas(length, compresses):
    text = _long(length)
    cut = parts(text, max_bytes=LIMIT, compresses=compresses)
    envelopes = [json.loads(value) for value in cut]
    assert len(cut) > 1
    assert max(map(len, cut)) <= LIMIT
    assert [each["msgSplitIdx"] for each in envelopes] == list(range(len(cut)))
    assert {each["msgSplitCount"] for each in envelopes} == {len(cut)}
    assert len({each["msgId"] for each in envelopes}) == 1
    assert {len(each["message"]) for each in envelopes[:-1]} == {LIMIT - ENVELOPE_ROOM}
    assert _joined(cut) == text
    verdicts = judge().verdicts([value.decode() for value in cut])
    assert [each.result for each in verdicts[:-1]] == ["PART"] * (len(cut) - 1)
    assert verdicts[-1].result == "OK"
    assert verdicts[-1].entities == judge().verdicts([text])[0].entities == 3
    assert not any(each.problems for each in verdicts)


def test_repeated_parts_are_harmless():
    cut = [value.decode() for value in parts(_long(40_000), max_bytes=LIMIT, compresses=True)]
    verdicts = judge().verdicts([*cut[:2], *cut])
    assert verdicts[-1].result == "OK"


def test_each_message_has_its_own_id():
    ids = {json.loads(parts(_long(20_000), max_bytes=LIMIT, compresses=False)[0])["msgId"] for _ in range(3)}
    assert len(ids) == 3


@pytest.fixture(scope="module")
def wide() -> Message:
    """Return a process with so many inputs that it does not fit into one record."""
    sent = messages(
        process([table(f"t{number}") for number in range(1_000)], [table("b")]),
        context=context(message_max_bytes=100_000),
        remembered=Remembered(max_age_ms=DAY),
        now_ms=NOW,
    )
    longest = max(sent, key=lambda each: len(each.value))
    assert len(longest.value) > 100_000
    return longest


def test_process_of_a_thousand_inputs_arrives_whole(wide):
    cut = values(wide, context(message_max_bytes=100_000, message_compression=False))
    assert len(cut) > 1
    verdict = judge().verdicts([value.decode() for value in cut])[-1]
    assert (verdict.result, verdict.type, verdict.problems) == ("OK", "ENTITY_CREATE_V2", ())
    (small,) = values(wide, context(message_max_bytes=100_000))
    verdict = judge().verdicts([small.decode()])[-1]
    assert (verdict.result, verdict.problems) == ("OK", ())


def test_receiver_that_joins_no_parts_gets_the_message_unchanged(wide):
    assert values(wide, context(message_max_bytes=100_000, receiver=Receiver(joins_parts=False))) == (
        wide.value.encode(),
    )


@pytest.mark.parametrize("form", [MessageForm.V2, MessageForm.V1])
def test_ordinary_message_is_one_value(form):
    sent = messages(ORDINARY, context=context(message_form=form), remembered=Remembered(max_age_ms=DAY), now_ms=NOW)
    for message in sent:
        assert values(message, context(message_form=form)) == (message.value.encode(),)
