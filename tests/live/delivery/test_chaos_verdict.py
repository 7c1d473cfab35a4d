"""The judge of the chaos rounds finds messages that are missing, late, foreign or repeated."""

from __future__ import annotations

import pytest

from tests.live.delivery.chaos_verdict import Encoded, TopicMessage, comparable, judge

pytestmark = pytest.mark.full


def encoded(*messages: str, handed_over: bool = True) -> list[Encoded]:
    return [Encoded((message,), handed_over) for message in messages]


def topic(messages: str, key: str = "app") -> list[TopicMessage]:
    return [TopicMessage(key, message) for message in messages]


@pytest.mark.parametrize(
    ("arrived", "lost", "disordered", "strange", "duplicates"),
    [
        ("abcd", "", "", "", 0),
        ("abd", "c", "", "", 0),
        ("", "abcd", "", "", 0),
        ("abacbcd", "", "", "", 3),  # a group again after its answer was lost
        ("acbd", "", "b", "", 0),
        ("dabc", "", "abc", "", 0),
        ("abxcd", "", "", "x", 0),
    ],
)
def test_missing_late_and_foreign_messages_are_found(
    arrived: str, lost: str, disordered: str, strange: str, duplicates: int
) -> None:
    verdict = judge("app", encoded(*"abcd"), topic(arrived))

    assert "".join(verdict.lost) == lost
    assert "".join(verdict.disordered) == disordered
    assert "".join(verdict.strange) == strange
    assert (verdict.sent, verdict.duplicates) == (4, duplicates)


def test_another_applications_messages_are_not_counted() -> None:
    verdict = judge("app", encoded("a"), [*topic("a", "other"), *topic("a", "other")])

    assert verdict.lost == ("a",)
    assert verdict.duplicates == 0
    assert verdict.first is None


def test_messages_not_handed_over_by_a_killed_driver_may_be_missing() -> None:
    records = [*encoded("a"), *encoded("b", handed_over=False)]

    assert judge("app", records, topic("a")).lost == ()
    both = judge("app", records, topic("ab"))
    assert (both.lost, both.strange, both.first, both.last) == ((), (), 0, 1)


def test_all_parts_of_a_message_count() -> None:
    assert judge("app", [Encoded(("a1", "a2"), True)], [TopicMessage("app", "a1")]).lost == ("a2",)


def test_only_the_mark_of_the_spool_may_differ() -> None:
    assert comparable('{"spooled":true,"n":1}') == comparable(b'{"spooled":false,"n":1}')
    assert comparable('{"spooled":true,"n":1}') != comparable('{"spooled":true,"n":2}')
