"""The next process does not take what is left of a reported run for a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.bridge import reported_runs
from sac_kafka.bridge.reported_runs import AGAIN_SECONDS, ReportedRuns
from tests.helpers.waiting import FakeClock

KEY = ("prod", "r1")


def test_only_runs_of_earlier_processes_are_left_out(tmp_path: Path) -> None:
    clock = FakeClock()
    first = ReportedRuns(tmp_path, clock)
    first.add([KEY])
    assert not first.has(KEY, is_left=True)  # this process knows the run in whole
    following = ReportedRuns(tmp_path, clock)
    assert following.has(KEY, is_left=False)
    assert not following.has(("prod", "r2"), is_left=True)


def test_events_that_are_sent_much_later_are_meant(tmp_path: Path) -> None:
    clock = FakeClock()
    ReportedRuns(tmp_path, clock).add([KEY])
    clock.advance(AGAIN_SECONDS)
    following = ReportedRuns(tmp_path, clock)
    assert not following.has(KEY, is_left=False)
    assert following.has(KEY, is_left=True)


def test_file_is_bounded_and_may_be_torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reported_runs, "MAX_RUNS", 10)
    runs = ReportedRuns(tmp_path, FakeClock())
    for number in range(100):
        runs.add([("prod", f"r{number}")])
    file = tmp_path / "reported.jsonl"
    assert len(file.read_text("utf-8").splitlines()) <= 20
    with file.open("a") as written:
        written.write('["prod", "to')
    following = ReportedRuns(tmp_path, FakeClock())
    assert following.has(("prod", "r99"), is_left=True)
    assert not following.has(("prod", "r1"), is_left=True)
