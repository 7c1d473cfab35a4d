"""One event changes its run or nothing, and no run keeps more than it needs: neither a place, nor memory."""

from __future__ import annotations

from typing import Any

import pytest

from sac_kafka.openlineage import open_runs
from sac_kafka.openlineage.events import EventError, read_event, state
from sac_kafka.openlineage.open_runs import OpenRuns, Waiting
from sac_kafka.openlineage.runs import MergedRun
from tests.unit.bridge.test_spill import FullStore
from tests.unit.openlineage.small_events import dataset, event, schema

WRITE: Any = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}


def nest(depth: int) -> Any:
    """Return a facet of tags that Python can hold, but not walk."""
    nested: Any = []
    for _ in range(depth):
        nested = [nested]
    return {"tags": nested}


def test_event_that_cannot_be_united_leaves_its_run() -> None:
    runs = OpenRuns()
    runs.add(read_event(event("COMPLETE", **WRITE, run_facets={"tags": {"tags": []}})), 0.0, 7)
    with pytest.raises(EventError, match="nested too deeply"):
        runs.add(read_event(event("OTHER", run_facets={"tags": nest(100_000)})), 1.0, 8)
    assert (len(runs), runs.places) == (1, {7})
    assert len([*runs.due(5.0)]) == 1


class Unreadable(FullStore):
    """A store whose file is damaged."""

    def put(self, data: bytes) -> int:
        return len(data)

    def get(self, number: int) -> bytes:
        raise OSError(5, "Input/output error")

    def free(self, number: int) -> None:
        raise AssertionError(number)


def test_run_that_cannot_be_read_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_runs, "MAX_UNPACKED", 1)
    runs = OpenRuns(store=Unreadable())
    for run in ("r1", "r2"):
        runs.add(read_event(event("START", run=run, **WRITE)), 0.0, 3)
    with pytest.raises(EventError, match="its run cannot be read: Input/output error"):
        runs.add(read_event(event("COMPLETE", run="r1")), 1.0, 4)
    assert (len(runs), runs.places) == (2, {3})


def test_event_is_stated_as_it_was_read() -> None:
    stated = event("START", inputs=[dataset("a.x", schema=schema("p"))], outputs=[dataset("a.y")], second=3)
    stated["eventTime"] = "2026-11-20T06:00:03.000000017Z"
    for value in (stated, {**stated, "run": None}):
        assert read_event(state(read_event(value))) == read_event(value)


STREAM: Any = {**WRITE, "job_facets": {"jobType": {"processingType": "STREAMING"}}}


def test_stream_is_reported_though_it_is_never_silent_and_keeps_no_old_place() -> None:
    runs, reported = OpenRuns(), 0
    for second in range(100):
        runs.add(read_event(event("RUNNING", **STREAM)), float(second), 1 + second)
        reported += len([*runs.due(float(second))])
        assert min(runs.places, default=second) >= second - 1
    assert reported == 1  # nothing has changed since


def test_late_event_of_a_reported_run_needs_its_own_place_only() -> None:
    runs = OpenRuns()
    runs.add(read_event(event("COMPLETE", **WRITE)), 0.0, 1)
    assert len([*runs.due(5.0)]) == 1
    runs.add(read_event(event("OTHER", inputs=[dataset("a.w")])), 6.0, 9)
    assert runs.places == {9}
    ((flow,),) = runs.due(9.0)
    assert len(flow.inputs) == 2  # type: ignore[union-attr]


def test_runs_at_a_place_are_reported_early() -> None:
    runs = OpenRuns()
    for number in range(3):
        sides = {"inputs": [dataset("a.x")], "outputs": [dataset(f"a.t{number}")]}
        runs.add(read_event(event("START", run=f"r{number}", **sides)), 0.0, 1 + number // 2)  # type: ignore[arg-type]
    assert len([*runs.report_at(1)]) == 2
    assert (runs.places, runs.counts["runs reported early: the journal is filling"]) == ({2}, 2)


def test_next_look_at_a_run_is_noted_once() -> None:
    runs = OpenRuns()
    for number in range(100):
        runs.add(read_event(event("RUNNING", **WRITE)), float(number))
    assert len(runs._checks) == 1
    assert [*runs.due(398.0)] == []
    assert len([*runs.due(399.0)]) == 1


def test_runs_that_were_reported_without_an_end_are_known_to_the_next_process() -> None:
    runs = OpenRuns(waiting=Waiting(max_runs=1))
    for run in ("r1", "r2", "r3"):
        runs.add(read_event(event("START", run=run, **(WRITE if run != "r2" else {}))), 0.0)
    assert len([*runs.due(0.1)]) == 1
    assert runs.take_reported() == [("prod", "r1")]  # r2 states nothing: its end does
    runs.add(read_event(event("START", run="r1")), 1.0)
    assert [*runs.due(400.0)] != []  # of r3
    assert runs.take_reported() == [("prod", "r3")]


def test_runs_are_packed_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_runs, "MAX_UNPACKED_BYTES", 20_000)
    runs = OpenRuns()
    large = {"outputs": [dataset("a.y", schema=schema(*(f"column_{number}" for number in range(500))))]}
    for run in ("r1", "r2", "r3", "r3"):
        runs.add(read_event(event("START", run=run, **large)), 0.0)  # type: ignore[arg-type]
    whole = [isinstance(held.stored, MergedRun) for held in runs._open.values()]
    assert (whole, 10_000 < runs._unpacked_bytes <= 20_000) == ([False, False, True], True)
    for run in ("r4", "r5"):
        runs.add(read_event(event("START", run=run)), 0.0)
    assert sum(held.weight for held in runs._unpacked.values()) == runs._unpacked_bytes


def test_what_a_full_store_has_refused_is_put_when_it_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_runs, "MAX_UNPACKED", 1)
    runs = OpenRuns(store=FullStore())
    for run in ("r1", "r2", "r3"):
        runs.add(read_event(event("START", run=run, **WRITE)), 0.0)
    runs.store = Unreadable()
    runs.add(read_event(event("START", run="r4", **WRITE)), 0.0)
    assert [type(held.stored) for held in runs._open.values()] == [int, int, int, MergedRun]
    assert not runs._unstored
