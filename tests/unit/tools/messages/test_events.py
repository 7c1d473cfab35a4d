"""Commands and tests read OpenLineage events as they read messages."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sac_kafka.hook.pipeline import now_ms
from sac_kafka.hook.recording import read_recording, replay
from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.graph.drawing import text
from sac_kafka.tools.graph.flows import flows
from sac_kafka.tools.messages.events import as_messages, may_be_event
from sac_kafka.tools.messages.reader import RawRecord, TopicMessage, UnreadableRecord, join_parts
from tests.helpers.recorded_flows import FIXTURES
from tests.unit.openlineage.small_events import dataset, event, lineage, schema

RECORDING = FIXTURES / "pipelines" / "4.3.0.txt"
COMMANDS = (
    ["show", "-"],
    ["show", "-", "--column", "default.totals.total"],
    ["impact", "-", "default.raw"],
    ["coverage", "-"],
    ["view", "-", "--format", "mermaid"],
)


def values(dialect: str) -> list[bytes]:
    settings = Settings.read({"atlas.client.type": "memory", "atlas.hook.spark.dialect": dialect}, "test")
    return [each.value.encode() for each in replay(read_recording(RECORDING), settings, now_ms())]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("formats")
    for dialect in ("atlas", "openlineage"):
        folder.joinpath(dialect).write_bytes(b"\n".join(values(dialect)))
    return folder / "atlas", folder / "openlineage"


def test_both_formats_are_the_same_lineage(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *map(str, files)]) == 0
    assert capsys.readouterr().out == "The lineage is the same.\n"
    assert flows(values("openlineage")) == flows(values("atlas")) != ()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_read_events(
    command: list[str],
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # `view` writes a file
    seen = []
    for file in files:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
        assert main(command) == 0
        seen.append(capsys.readouterr().out)
    assert seen[0]
    if command[0] != "coverage":  # counts messages as well
        assert seen[0] == seen[1]


def test_the_console_draws_events() -> None:
    drawn = "".join(text([each]) for each in values("openlineage"))
    assert "default.raw ──▶ default.totals" in drawn
    assert drawn == "".join(text([each]) for each in values("openlineage"))


def test_events_of_other_producers_are_merged_by_run() -> None:
    source, target = dataset("shop.orders"), dataset("shop.totals", schema=schema("total"))
    target["facets"]["columnLineage"] = lineage("total", ("shop.orders", "amount", "AGGREGATION"))
    stream = [event("START", inputs=[source]), event("COMPLETE", outputs=[target], second=1)]
    (flow,) = flows(json.dumps(each).encode() for each in stream)
    assert (flow.inputs, flow.outputs) == (("shop.orders",), ("shop.totals",))
    assert flow.columns == {"shop.totals.total": ("shop.orders.amount",)}


def test_an_event_that_cannot_be_read_is_reported_at_its_place() -> None:
    bad = b'{"eventTime": "2026-11-20T06:00:00Z", "job": {}}'
    (found,) = join_parts([RawRecord("line 1", bad)])
    assert isinstance(found, UnreadableRecord)
    assert "JobEvent" in found.problem
    assert [*as_messages([bad])] == [bad]


def test_events_and_messages_may_be_mixed() -> None:
    mixed = [*values("atlas"), *values("openlineage")]
    joined = [*join_parts(RawRecord(f"line {n}", each) for n, each in enumerate(mixed))]
    assert all(isinstance(each, TopicMessage) for each in joined)
    assert {each.is_event for each in joined if isinstance(each, TopicMessage)} == {True, False}


def test_events_are_not_resent_as_messages(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = f"atlas.client.file.path={tmp_path / 'out'}"
    assert main(["replay", str(files[1]), "--to", "file", "--to-conf", conf]) != 0
    assert "sac-kafka bridge --file" in capsys.readouterr().err


def test_a_column_may_be_called_as_the_time_of_an_event() -> None:
    text = json.dumps({"version": {}, "x": "-" * 100, "message": {"name": "eventTime"}}).encode()
    assert not may_be_event(text)
    assert may_be_event(json.dumps({"eventTime": "2026-11-20T06:00:00Z"}, indent=1).encode())
