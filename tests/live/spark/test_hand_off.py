"""Wake-ups of the projecting thread, and events that wait for the next one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.spark.compiled import Compiled

MAX_UNAWAITED = 16
"""As in `HandOff.java`."""


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiled]:
    with Compiled(tmp_path_factory.mktemp("handing"), "Handing", ("HandOff",)) as jvm:
        yield jvm


@pytest.fixture(scope="module")
def never_soon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiled]:
    """Return a thread that takes nothing until something wakes it: otherwise the test hangs."""
    edits = {"SOON_MILLIS = 1000;": "SOON_MILLIS = 100000000;"}
    with Compiled(tmp_path_factory.mktemp("never_soon"), "Handing", ("HandOff",), edits=edits) as jvm:
        yield jvm


def taken(jvm: Compiled, *words: str) -> list[str]:
    """Hand words over to a thread that waits already; return them in the order in which it took them.

    A `*` marks the words that the thread was to be woken for.
    """
    return jvm.answer(*words).splitlines()


def test_an_end_wakes_the_thread_and_keeps_its_order(never_soon: Compiled) -> None:
    assert taken(never_soon, "progress", "end", "progress", "other") == ["progress", "end*", "progress*", "other*"]


def test_many_events_wake_the_thread(never_soon: Compiled) -> None:
    words = ["progress"] * MAX_UNAWAITED
    assert taken(never_soon, *words) == [*words[1:], "progress*"]


def test_other_events_are_taken_soon_without_a_wake_up(jvm: Compiled) -> None:
    assert taken(jvm, "progress") == ["progress"]
