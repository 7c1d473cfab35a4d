"""Phases of an attachment: order of moves, moves interrupted by signal handlers, and late moves."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from sac_kafka.hook import phases
from sac_kafka.hook.phases import Move, Phase, Phases

PARTS: Any = object()
TO_ACTIVE = (phases.BEGIN, phases.ATTACH)


def after(*moves: Move) -> Phases:
    made = Phases()
    for each in moves:
        assert made.move(each, parts=PARTS if each is phases.ATTACH else None)
    return made


@pytest.mark.parametrize(
    ("moves", "phase"),
    [
        ((), Phase.NEW),
        ((phases.REFUSE,), Phase.REFUSED),
        ((phases.BEGIN, phases.REFUSE), Phase.REFUSED),
        ((*TO_ACTIVE, phases.REPORT, phases.END), Phase.ENDED),
        ((*TO_ACTIVE, phases.GIVE_UP, phases.KEEP, phases.REPORT, phases.END), Phase.ENDED),
        ((*TO_ACTIVE, phases.GIVE_UP, phases.REPORT, phases.LEAVE), Phase.ENDED),
        ((*TO_ACTIVE, phases.GIVE_UP, phases.LEAVE), Phase.LEFT),
        ((*TO_ACTIVE, phases.GIVE_UP, phases.KEEP, phases.LEAVE, phases.REPORT), Phase.ENDED),
    ],
)
def test_ways_from_attach_to_the_end(moves: tuple[Move, ...], phase: Phase) -> None:
    assert after(*moves).state.phase is phase


@pytest.mark.parametrize(
    ("first", "late"),
    [
        ((phases.BEGIN, phases.REFUSE), phases.ATTACH),  # the parts are no longer awaited
        (TO_ACTIVE, phases.REFUSE),  # the time was up just as they came
        ((*TO_ACTIVE, phases.REPORT), phases.GIVE_UP),
        ((*TO_ACTIVE, phases.REPORT), phases.REPORT),
        ((*TO_ACTIVE, phases.REPORT, phases.END), phases.LEAVE),
        ((*TO_ACTIVE, phases.GIVE_UP, phases.LEAVE, phases.REPORT), phases.REPORT),
    ],
)
def test_late_move_changes_nothing_and_returns_false(first: tuple[Move, ...], late: Move) -> None:
    made = after(*first)
    before = made.state
    assert not made.move(late, parts=PARTS, why_disabled="late")
    assert made.state == before


def test_gives_the_reason_until_it_is_attached() -> None:
    made = Phases()
    reasons = [made.state.why_disabled]
    made.move(phases.BEGIN)
    reasons.append(made.state.why_disabled)
    made.move(phases.ATTACH, parts=PARTS)
    made.move(phases.REPORT)
    reasons.append(made.state.why_disabled)
    assert reasons == ["not attached yet", "not attached yet", None]
    refused = Phases()
    refused.move(phases.REFUSE, why_disabled="no session")
    assert (refused.state.why_disabled, refused.state.parts) == ("no session", None)


def test_listens_until_the_last_message() -> None:
    made = after(*TO_ACTIVE)
    assert made.state.is_listening
    made.move(phases.REPORT)
    assert made.state.is_listening  # messages sent now are still included
    made.move(phases.END)
    assert not made.state.is_listening


class Interrupted(list):
    """A list of moves with a signal immediately after or before each of them."""

    def __init__(self, moves: list, handler: Any, before: bool) -> None:
        super().__init__(moves)
        self.handler, self.before = handler, before

    def append(self, made: Any) -> None:
        handler, self.handler = self.handler, None
        if handler and self.before:
            handler()
        super().append(made)
        if handler and not self.before:
            handler()


@pytest.mark.parametrize("before", [True, False])
def test_a_move_that_a_signal_interrupts_counts_once(before: bool) -> None:
    made, of_handler = after(*TO_ACTIVE), []
    made._moves = Interrupted(made._moves, lambda: of_handler.append(made.move(phases.REPORT)), before)
    own = made.move(phases.REPORT)

    assert (of_handler, own) == (([True], False) if before else ([False], True))
    assert made.state.phase is Phase.REPORTING


def test_waiting_thread_is_woken_although_a_signal_interrupts_the_other() -> None:
    """Run the signal handler between the move and its notification, while it waits for the other thread."""
    made, kept = after(*TO_ACTIVE), []

    def stand_by() -> None:
        if made.stand_by():
            made.move(phases.KEEP)

    def handler() -> None:
        made.move(phases.GIVE_UP)
        kept.append(made.wait(phases.NOT_HANGING, 60))

    thread = threading.Thread(target=stand_by, daemon=True)
    thread.start()
    made._moves = Interrupted(made._moves, handler, before=False)
    assert made.move(phases.GIVE_UP)
    assert kept == [True]
    thread.join(60)
    assert not thread.is_alive()


def test_one_of_many_concurrent_threads_reports() -> None:
    for _ in range(50):
        made, go, won = after(*TO_ACTIVE), threading.Barrier(8), []

        def report(made: Phases = made, go: threading.Barrier = go, won: list[bool] = won) -> None:
            go.wait(60)
            won.append(made.move(phases.REPORT))

        threads = [threading.Thread(target=report) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
        assert sorted(won) == [False] * 7 + [True]


def test_waiting_thread_spools_late_records_after_the_deadline() -> None:
    assert after(*TO_ACTIVE, phases.GIVE_UP, phases.LEAVE).stand_by()
    assert not after(*TO_ACTIVE, phases.GIVE_UP, phases.LEAVE, phases.REPORT).stand_by()


def test_waiting_thread_ends_when_it_is_not_needed() -> None:
    for moves in ((phases.BEGIN, phases.REFUSE), (*TO_ACTIVE, phases.REPORT, phases.END)):
        assert not after(*moves).stand_by()
