"""The source of events: a state is saved when the flows before it are delivered or kept, and the end follows it."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from sac_kafka.bridge.unity.passes import Passes
from sac_kafka.bridge.unity.reader import Checkpoint
from sac_kafka.bridge.unity.source import UnitySource
from sac_kafka.bridge.unity.state import Hour, ReadState, StateFile
from sac_kafka.bridge.unity.workspace import WorkspaceError
from sac_kafka.errors import ConfigurationError
from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlKind
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import PipelineOptions, selection_of
from sac_kafka.model import Application, Process, Run, TableDataset
from sac_kafka.settings.content import Content
from sac_kafka.settings.filters import Filters
from sac_kafka.settings.names import Names

APPLICATION = Application(job="j", application_id="a", name="j", user="u")
FLOW = Process(
    application=APPLICATION,
    run=Run(execution_id=None),
    inputs=(TableDataset(database="d", name="a"),),
    outputs=(TableDataset(database="d", name="b"),),
)
STATE = ReadState(watermark=7, hours={(6, "main"): Hour(3, 2, 1, {"0" * 16: "1" * 16})})


class Planned:
    """A reader whose passes are given; the last one is repeated."""

    def __init__(self, *passes: list[Process | Checkpoint | Exception]) -> None:
        self._passes = list(passes)

    def read(self) -> Iterator[Process | Checkpoint]:
        for each in self._passes.pop(0) if len(self._passes) > 1 else self._passes[0]:
            if isinstance(each, Exception):
                raise each
            yield each


def source_of(folder: Path, *passes: list[Process | Checkpoint | Exception], every: float | None = None) -> UnitySource:
    options = PipelineOptions(
        application=APPLICATION, names=Names(), content=Content(), selection=selection_of(Filters()), joins_runs=False
    )
    pipeline, stopped = Pipeline(options, guard=lambda _stage: nullcontext()), threading.Event()
    read = Passes(Planned(*passes), Guard(), stopped, every)  # type: ignore[arg-type]
    return UnitySource(read, StateFile(folder, "adb-1.2.azuredatabricks.net"), pipeline, Guard(), Counter())


def until_end(source: UnitySource, confirm: bool = True) -> tuple[int, list[Control]]:
    """Do what the worker does; return the number of flows and the controls."""
    flows, controls = 0, list[Control]()
    source.start()
    for _ in range(100 if confirm else 8):
        for text in source.poll(50):
            flows += len([*source.read(text, controls.append)])
        if controls:
            break
        if confirm:
            source.confirm(source.pending)
    source.end()
    source.close()
    return flows, controls


def test_the_state_is_saved_before_the_end(tmp_path: Path) -> None:
    source = source_of(tmp_path, [FLOW, FLOW, Checkpoint(STATE.encode())])
    assert until_end(source) == (2, [Control(ControlKind.END)])
    file = StateFile(tmp_path, "adb-1.2.azuredatabricks.net")
    assert file.load() == STATE
    file.close()


def test_no_state_is_saved_while_flows_are_on_their_way(tmp_path: Path) -> None:
    source = source_of(tmp_path, [FLOW, Checkpoint(STATE.encode())])
    assert until_end(source, confirm=False) == (1, [])
    assert [*tmp_path.glob("*.json")] == []


def test_many_flows_pass_a_bounded_queue(tmp_path: Path) -> None:
    source = source_of(tmp_path, [FLOW] * 1_200)
    assert until_end(source)[0] == 1_200


def test_the_same_problem_is_logged_once_and_the_next_pass_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    error = WorkspaceError("planted")
    source = source_of(tmp_path, [error], [error], [FLOW], [], every=0.001)
    source.start()
    with caplog.at_level(logging.WARNING):
        texts: list[str] = []
        while "flow" not in texts:
            texts += source.poll(50)
    source.end()
    source.close()
    assert [each.message for each in caplog.records if "planted" in each.message] == [
        "the lineage of Unity Catalog cannot be read: planted"
    ]
    assert source.problem == ""


def test_an_unexpected_error_ends_the_pass_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sac_kafka.guard.on_error", None)
    source = source_of(tmp_path, [FLOW, ValueError("planted")])
    assert until_end(source) == (1, [Control(ControlKind.END)])
    assert "internal error" in source.problem


def test_a_marker_comes_back(tmp_path: Path) -> None:
    source = source_of(tmp_path, [FLOW])
    controls: list[Control] = []
    source.mark(3)
    for text in source.poll(1):
        [*source.read(text, controls.append)]
    source.close()
    assert controls == [Control(ControlKind.MARKER, 3)]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 9}', b'{"version": 1, "watermark": 1, "hours": [[1]]}'])
def test_a_state_that_cannot_be_used(content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = StateFile(tmp_path, "host")
    file.path.write_bytes(content)
    assert file.load() == ReadState()
    assert "lineage is read as by a first run" in caplog.text
    file.close()


def test_one_bridge_per_workspace(tmp_path: Path) -> None:
    file = StateFile(tmp_path, "host")
    with pytest.raises(ConfigurationError, match="used by another bridge of this workspace"):
        StateFile(tmp_path, "host")
    other = StateFile(tmp_path, "other")
    file.close()
    other.close()


def test_a_state_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sac_kafka.bridge.unity.state.MAX_FLOWS", 3)
    state = ReadState(1, {(hour, "c"): Hour(flows={f"{hour}{n}": "d" for n in range(2)}) for hour in range(3)})
    state.prune(1)
    assert {hour: len(each.flows) for (hour, _), each in state.hours.items()} == {1: 0, 2: 2}
