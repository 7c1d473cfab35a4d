"""What cannot be united with its run is a dead letter; a run that does not end does not fill the journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.bridge import journal
from sac_kafka.bridge.dead_letters import RejectedEvents
from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import Journal, Placed
from sac_kafka.bridge.reported_runs import ReportedRuns
from sac_kafka.bridge.source import AGAIN, OpenLineageSource
from sac_kafka.guard import Guard
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import FILLING, OpenRuns, Waiting
from tests.helpers.waiting import FakeClock
from tests.unit.openlineage.small_events import dataset, event


class Refusing(OpenRuns):
    """Runs that unite with no event."""

    def _load(self, held: Any) -> Any:
        raise OSError(5, "Input/output error")


def test_events_that_do_not_reach_their_run_are_kept(tmp_path: Path) -> None:
    guard, runs = Guard(), Refusing()
    letters = RejectedEvents(tmp_path, guard)
    source = OpenLineageSource(Intake(0), [], runs, None, guard, FakeClock(), letters)  # type: ignore[arg-type]
    start, end = (event(state, outputs=[dataset("a.y")]) for state in ("START", "COMPLETE"))
    for arrived in (read_event(start), read_event(end), json.dumps(end)):
        assert not any(source._add(Placed(1, arrived)))
    kept = [read_event(json.loads(line)) for line in (tmp_path / "rejected.jsonl").read_text("utf-8").splitlines()]
    assert kept == [read_event(end)] * 2
    assert len(runs) == 1
    assert runs.counts["rejected: its run cannot be read: Input/output error"] == 2


def test_run_that_does_not_end_never_fills_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SEGMENT_BYTES", 2_000)
    guard, runs, clock, kept = Guard(), OpenRuns(), FakeClock(), Journal(tmp_path, 40_000)
    source = OpenLineageSource(Intake(0, kept), [], runs, Undelivered(), guard, clock)  # type: ignore[arg-type]
    for number in range(500):
        clock.advance(10)
        values = [event("RUNNING", run="long"), event(run=f"r{number}", outputs=[dataset("a.y")])]
        kept.append([json.dumps(value) for value in values])
        for text in source.poll(0):
            assert not [*source.read(text, lambda _: None)]
        source.confirm(source.pending)
    assert runs.counts["events"] == 1_000
    assert 1 <= runs.counts[FILLING] < 50
    assert not guard.counts
    kept.close()


class Undelivered:
    """A pipeline that takes everything, and makes nothing of it."""

    def add(self, _: object) -> tuple[()]:
        return ()

    def drain(self) -> tuple[()]:
        return ()


def test_end_of_a_run_that_was_reported_early_is_no_run_after_a_kill(tmp_path: Path) -> None:
    clock = FakeClock()

    def read(values: list[Any]) -> OpenRuns:
        guard, runs, kept = Guard(), OpenRuns(waiting=Waiting(max_runs=1)), Journal(tmp_path, 40_000)
        reported = ReportedRuns(tmp_path, clock)
        source = OpenLineageSource(Intake(0, kept), [], runs, Undelivered(), guard, clock, None, reported)  # type: ignore[arg-type]
        kept.append([json.dumps(value) for value in values])
        for text in source.poll(0):
            assert not [*source.read(text, lambda _: None)]
        source.confirm(source.pending)
        kept.close()
        return runs

    sides = {"outputs": [dataset("a.y")]}
    read([event("START", run="r1", inputs=[dataset("a.x"), dataset("a.w")], **sides), event("START", run="r2")])
    assert read([event("COMPLETE", run="r1", inputs=[dataset("a.x")], **sides)]).counts[AGAIN] == 2
