"""How drivers end, and what their lineage comes to: each one a process of its own."""

from __future__ import annotations

from pathlib import Path

import drivers
import pytest
from drivers import Ended, hook_conf, run

pytestmark = pytest.mark.spark

STOP_WAIT = 1.0


def outputs(work: Path, *names: str) -> set[str]:
    return {f"file:{work}/{name}@test" for name in names}


def check(ended: Ended) -> None:
    """It went well, and the hook swallowed no errors of its own."""
    assert ended.code == 0, ended.output
    assert ended.told["stats"]["errors"] == {}, ended.log


@pytest.mark.subset
def test_a_script_that_ends_without_stop_delivers_its_lineage(tmp_path: Path) -> None:
    ended = run(drivers.leaves_without_stop, tmp_path)
    check(ended)
    assert ended.flows() == outputs(tmp_path, "out0", "out1", "out2")
    assert "3 executions seen" in ended.log


def test_a_stuck_projection_costs_its_event_and_stop_little_more_than_its_wait(tmp_path: Path) -> None:
    conf = hook_conf(tmp_path, hook_spark_capture_stuck_seconds="1", hook_spark_capture_stop_wait_seconds="1")
    ended = run(drivers.stuck, tmp_path, conf)
    check(ended)
    assert ended.told["stop_seconds"] < STOP_WAIT + 2.5
    assert ended.flows() == outputs(tmp_path, "in", "quick")
    dropped = ended.told["stats"]["listener"]
    # The second one is given up either by the poll or by the end of the application.
    assert ended.log.count("projecting a plan did not come back") == dropped["dropped: projection stuck"] in (1, 2)
    assert sum(dropped.values()) >= 2, dropped


def test_a_stuck_projection_does_not_hold_an_exit_without_stop(tmp_path: Path) -> None:
    conf = hook_conf(tmp_path, hook_spark_capture_stuck_seconds="1", hook_spark_exit_timeout_seconds="3")
    ended = run(drivers.stuck_leaves_without_stop, tmp_path, conf)
    check(ended)
    assert ended.flows() == outputs(tmp_path, "in", "quick")


def test_a_forked_child_ends_at_once_and_the_parents_lineage_goes_on(tmp_path: Path) -> None:
    ended = run(drivers.forks, tmp_path)
    check(ended)
    told = ended.told
    assert (tmp_path / "child_exit").read_text() == (tmp_path / "child_os_exit").read_text() == "[False, None]"
    assert told["exit"][0] == told["os_exit"][0] == 7, told
    assert told["exit"][1] < 5, told
    assert told["flush_exit"], ended.log
    assert told["flush_os_exit"], ended.log
    assert ended.flows() == outputs(tmp_path, "before", "after_exit", "after_os_exit")
