"""What cannot be united with its run is a dead letter; the run is what it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sac_kafka.bridge.dead_letters import RejectedEvents
from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import Placed
from sac_kafka.bridge.source import OpenLineageSource
from sac_kafka.guard import Guard
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import OpenRuns
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
