"""What wakes the projecting thread, and what comes with the next event, or soon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.spark.compiled import Compiled
from tests.waiting import LONG_SECONDS, least_seconds

SOON_SECONDS = 1.0
MOST_UNAWAITED = 16
"""As in `HandOff.java`."""


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiled]:
    with Compiled(tmp_path_factory.mktemp("handing"), "Handing", ("HandOff",)) as jvm:
        jvm.answer("warm")
        yield jvm


def taken(jvm: Compiled, *words: str) -> list[tuple[float, str]]:
    """The words as they came, each behind the seconds until then."""
    answers = (line.split(" ") for line in jvm.answer(*words).splitlines())
    return [(int(ms) / 1000, word) for ms, word in answers]


def test_an_end_comes_at_once_and_in_its_turn(jvm: Compiled) -> None:
    def until_the_end() -> float:
        came = taken(jvm, "progress", "end", "progress", "other")
        assert [word for _, word in came] == ["progress", "end", "progress", "other"]
        return came[1][0]

    assert least_seconds(until_the_end, below=SOON_SECONDS) < SOON_SECONDS


def test_what_nobody_waits_for_comes_soon(jvm: Compiled) -> None:
    ((seconds, word),) = taken(jvm, "progress")
    assert word == "progress"
    assert SOON_SECONDS / 2 < seconds < LONG_SECONDS


def test_many_wait_for_nothing(jvm: Compiled) -> None:
    def until_all() -> float:
        came = taken(jvm, *["progress"] * MOST_UNAWAITED)
        assert len(came) == MOST_UNAWAITED
        return came[-1][0]

    assert least_seconds(until_all, below=SOON_SECONDS) < SOON_SECONDS
