"""A hook served by another Python process: its calls are requests, and it takes over when that process ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook import phases
from sac_kafka.hook.application import warn_of_other_settings
from sac_kafka.hook.joined import Joined
from sac_kafka.hook.phases import Phase, Phases
from sac_kafka.hook.questions import Asked, QuestionKind, ask
from sac_kafka.lineage.runs.attribution import PythonProcess
from sac_kafka.model import Application
from sac_kafka.spark import processes
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import GoneError
from sac_kafka.stats import stats_of_none
from tests.helpers.waiting import FakeClock

APPLICATION = Application(job="mine", application_id="app-1", name="mine", user="me")
RUNNING, ENDED = processes.own(), "1 0"


class Served:
    """The listener of a served process; `answers` are returned in order, `owners` are the serving processes."""

    def __init__(self, *answers: object, owners: tuple[str, ...] = (RUNNING,)) -> None:
        self.answers, self.owners = list(answers), list(owners)
        self.requests: list[tuple[list[object], bool]] = []
        self.open: set[int] = set()
        self.has_parted = False
        self.is_gone = False
        self.registered: str | None = "{}"

    def owner(self) -> str:
        if self.is_gone:
            raise GoneError("owner")
        return self.owners.pop(0) if len(self.owners) > 1 else self.owners[0]

    def server(self) -> str | None:
        return self.registered

    def ask(self, text: str, *, is_behind: bool) -> int:
        self.requests.append((json.loads(text), is_behind))
        self.open.add(len(self.requests))
        return len(self.requests)

    def wait_for_answer(self, question: int, wait_ms: int) -> str | None:
        assert question in self.open
        answer = self.answers.pop(0) if self.answers else None
        return None if answer is None else json.dumps(answer)

    def end_question(self, question: int) -> None:
        self.open.remove(question)

    def part(self, *, has_failed: bool) -> None:
        self.has_parted, self.has_failed = True, has_failed


class Waits(FakeClock):
    """A clock that calls back into the test while it waits."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__()
        self.steps = list(steps)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        if self.steps:
            self.steps.pop(0)()
        return super().wait(event, seconds)


class PassingClock(FakeClock):
    """A clock that advances by a tenth of a second with each reading."""

    def __call__(self) -> float:
        self.now += 0.1
        return self.now


def joined(listener: Any, clock: Any = None) -> Joined:
    return Joined(listener, APPLICATION, Instrumentor(Guard()), 5.0, clock or PassingClock())


def answer(**stats: object) -> dict[str, Any]:
    every = {**stats_of_none(None, {}), "job": "serving", **stats}
    return {"stats": every, "messages": {**every["messages"], "delivered": 3}, "sent": None}


def test_statistics_are_those_of_the_application_with_the_own_job_name() -> None:
    listener = Served(None, answer(executions=7, errors={"send: OSError": 1}))
    stats = joined(listener).stats({"call: ValueError": 2})
    assert (stats["job"], stats["executions"], stats["disabled"]) == ("mine", 7, None)
    assert stats["errors"] == {"send: OSError": 1, "call: ValueError": 2}
    assert [(request[0], behind) for request, behind in listener.requests] == [("stats", False)]
    assert not listener.open


def test_flush_is_answered_after_all_events() -> None:
    listener = Served(answer())
    flushed = joined(listener).flush(30.0)
    assert flushed
    assert flushed.delivered == 3
    assert listener.requests == [(["flush", 30.0, ""], True)]


def test_late_answer_is_a_problem_and_no_wait_exceeds_the_timeout() -> None:
    listener = Served()
    clock = PassingClock()
    start = clock.now
    flushed = joined(listener, clock).flush(2.0)
    assert not flushed
    assert flushed.waiting == 1
    assert "does not answer" in str(flushed.problem)
    assert clock.now - start < 2.0 + 5.0 + 1.0
    assert not listener.open


def test_request_is_repeated_to_the_process_that_takes_over() -> None:
    listener = Served(None, answer(), owners=("1 1", "1 1", "2 2", "2 2"))
    found = ask(listener, Asked(QuestionKind.STATS, 9.0), PassingClock(), threading.Event())  # type: ignore[arg-type] # a double
    assert found["stats"]["job"] == "serving"
    assert len(listener.requests) == 2


def test_messages_and_verification_come_from_the_serving_process() -> None:
    assert joined(Served({"sent": ["{}"]})).messages() == ["{}"]
    found = joined(Served([[["hive_table", "t@x", "pending", "why"]], 4, "not all"])).verify(1.0)
    assert (found.entities[0].name, found.unchecked, found.problem) == ("t@x", 4, "not all")
    assert "does not answer" in str(joined(Served()).verify(1.0).problem)


def test_takes_over_from_a_process_that_ended_or_released_the_listener() -> None:
    for owner in (ENDED, ""):
        listener = Served(owners=(RUNNING, RUNNING, owner))
        hook = joined(listener, Waits())
        assert hook.wait_for_end(Guard())
        assert hook.flush(1.0) is None, "the caller asks the hook that has taken over"
        assert not listener.has_parted


def test_ends_with_the_application_and_with_the_jvm() -> None:
    listener = Served()
    listener.registered = None
    assert not joined(listener, Waits()).wait_for_end(Guard())
    listener = Served()
    listener.is_gone = True
    assert not joined(listener, Waits()).wait_for_end(Guard())
    assert joined(listener).stats({})["problem"] is not None


@pytest.mark.parametrize("has_failed", [False, True])
def test_end_flushes_and_leaves(monkeypatch: pytest.MonkeyPatch, *, has_failed: bool) -> None:
    monkeypatch.setattr("sac_kafka.hook.joined.has_driver_failed", lambda: has_failed)
    listener = Served(answer())
    hook = joined(listener, Waits())
    hook.leave()
    assert not hook.wait_for_end(Guard())
    assert [request[0] for request, _ in listener.requests] == ["flush"]
    assert (listener.has_parted, listener.has_failed) == (True, has_failed)


@pytest.mark.parametrize(("settings", "warned"), [("same", 0), ("other", 1)])
def test_different_settings_are_reported_once(settings: str, warned: int, caplog: pytest.LogCaptureFixture) -> None:
    serving = PythonProcess(name="a", source="/a.properties", settings="same").text()
    warn_of_other_settings(PythonProcess(name="b", source="/b.properties", settings=settings), serving, "4711 5")
    assert len(caplog.messages) == warned
    assert all("4711" in each and "/a.properties" in each and "/b.properties" in each for each in caplog.messages)


def test_served_hook_is_attached_until_it_leaves_and_may_become_the_serving_one() -> None:
    hook = joined(Served())
    for last in (phases.PART, phases.ATTACH):
        state = Phases(FakeClock())
        assert state.move(phases.BEGIN)
        assert state.move(phases.JOIN, joined=hook)
        assert (state.state.phase, state.state.is_listening, state.state.why_disabled) == (Phase.JOINED, True, None)
        assert state.move(phases.JOIN, joined=hook), "it was another process's turn"
        assert state.move(last)
    assert not Phases(FakeClock()).move(phases.PART)
