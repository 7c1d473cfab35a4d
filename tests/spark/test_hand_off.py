"""What wakes the projecting thread, and what comes with the next event, or soon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.spark.compiled import Compiled

SOON_MS = 1000
MOST_UNAWAITED = 16
"""As in `HandOff.java`."""


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiled]:
    with Compiled(tmp_path_factory.mktemp("handing"), "Handing", ("HandOff",)) as jvm:
        jvm.answer("warm")
        yield jvm


def taken(jvm: Compiled, *words: str) -> list[tuple[int, str]]:
    answers = (line.split(" ") for line in jvm.answer(*words).splitlines())
    return [(int(ms), word) for ms, word in answers]


def test_an_end_comes_at_once_and_in_its_turn(jvm: Compiled) -> None:
    came = taken(jvm, "progress", "end", "progress", "other")
    assert [word for _, word in came] == ["progress", "end", "progress", "other"]
    assert came[1][0] < SOON_MS


def test_what_nobody_waits_for_comes_soon(jvm: Compiled) -> None:
    ((ms, word),) = taken(jvm, "progress")
    assert word == "progress"
    assert SOON_MS / 2 < ms < 10 * SOON_MS


def test_many_wait_for_nothing(jvm: Compiled) -> None:
    came = taken(jvm, *["progress"] * MOST_UNAWAITED)
    assert len(came) == MOST_UNAWAITED
    assert came[-1][0] < SOON_MS
