"""`sac-kafka bridge`: events of files, standard input and HTTP become lineage. The examples of docs/bridge.md are run here."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.bridge import files
from tests.helpers.bridges import BridgeProcess
from tests.helpers.waiting import until
from tests.unit.openlineage.small_events import dataset, event, lineage
from tests.unit.tools.cli.conftest import Cli

EVENTS = [
    event("START", second=1, inputs=[dataset("sales.orders")]),
    event(
        "COMPLETE",
        second=2,
        outputs=[dataset("sales.report", columnLineage=lineage("total", ("sales.orders", "amount", "AGGREGATION")))],
    ),
]
DRAWN = "sales.orders ──▶ sales.report\n    total ◀─ sales.orders.amount   sales.orders.amount\n"
CONSOLE = ("--conf", "atlas.client.type=console")
GIVEN = os.environ.get("OPENLINEAGE_EVENTS", "")


@pytest.fixture(autouse=True)
def _without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


def lines(*events: Any) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in events)


def test_events_of_a_file_are_drawn(cli: Cli) -> None:
    Path("events.jsonl").write_text(lines(*EVENTS), "utf-8")
    found = cli("bridge", "--file", "events.jsonl", *CONSOLE)
    assert (found.status, DRAWN in found.out) == (0, True), found
    assert found.err == "sac-kafka bridge: 2 events, 1 flow\n"


def test_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines(*EVENTS).encode())))
    found = cli("bridge", "-", *CONSOLE)
    assert (found.status, DRAWN in found.out) == (0, True), found


def test_flows_have_our_own_type_if_the_setting_says_so(cli: Cli) -> None:
    Path("events.jsonl").write_text(lines(*EVENTS), "utf-8")
    own = ("--conf", "atlas.bridge.process.types=own")
    conf = ("--conf", "atlas.client.type=file", "--conf", "atlas.client.file.path=sent.jsonl")
    assert cli("bridge", "--file", "events.jsonl", *conf, *own).status == 0
    sent = Path("sent.jsonl").read_text("utf-8")
    assert ('"sac_kafka_engine_process"' in sent, '"spark_process"' in sent) == (True, False)
    assert DRAWN in cli("show", "sent.jsonl").out


def test_namespace_is_read_as_another(cli: Cli) -> None:
    topic = event(inputs=[dataset("raw.orders", "kafka://b2:9092")], outputs=[dataset("sales.report")])
    Path("events.jsonl").write_text(lines(topic), "utf-8")
    words = ("--file", "events.jsonl", "--namespace-alias", "kafka://b2:9092=hive://meta:9083", *CONSOLE)
    assert "raw.orders ──▶ sales.report" in cli("bridge", *words).out


def test_counts_as_json(cli: Cli) -> None:
    Path("events.jsonl").write_text(lines(*EVENTS, {"dataset": {}}, event(run="r2", inputs=[dataset("a.b")])), "utf-8")
    found = cli("bridge", "--file", "events.jsonl", "--json", "--conf", "atlas.client.type=memory").json(0)
    assert (found["flows"], found["messages"]["delivered"]) == (1, 2)  # the flow, and the end of its application
    assert found["counts"] == {"events": 3, "DatasetEvent: it has no run": 1, "runs that only read": 1}


def test_event_that_cannot_be_read_is_counted_and_is_a_negative_result(cli: Cli) -> None:
    Path("events.jsonl").write_text("{\n" + lines(*EVENTS, {"run": {"runId": "r"}}), "utf-8")
    found = cli("bridge", "--file", "events.jsonl", *CONSOLE)
    assert found.status == 1
    assert DRAWN in found.out
    assert "1 rejected: not JSON; 1 rejected: run event without a valid eventTime" in found.err


def test_rejected_events_are_replayed(cli: Cli, tmp_path: Path) -> None:
    spool = ("--conf", f"atlas.hook.spool.dir={tmp_path / 'spool'}", *CONSOLE)
    assert "no rejected events" in cli("bridge", "replay", *spool).err
    folder = tmp_path / "spool" / "bridge"
    folder.mkdir(mode=0o700)
    (folder / "rejected.jsonl").write_text(lines(*EVENTS) + "{\n", "utf-8")
    found = cli("bridge", "replay", *spool)
    assert (found.status, DRAWN in found.out) == (1, True), found
    assert [each.name for each in folder.iterdir()] == ["rejected.jsonl"]
    assert (folder / "rejected.jsonl").read_text("utf-8") == "{\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "no input: name --file, --listen, --kafka, --unity-catalog, or -"),
        (("--file", "gone"), "--file gone: no such file or directory"),
        (("--listen", "5000"), "--listen 5000: not HOST:PORT"),
        (("--listen", "127.0.0.1:0", "--token-file", "gone"), "--token-file gone"),
    ],
)
def test_wrong_inputs(words: tuple[str, ...], error: str, cli: Cli) -> None:
    found = cli("bridge", *words, *CONSOLE)
    assert found.status == 2
    assert error in found.err


@pytest.mark.slow
def test_confirmed_events_survive_a_kill(tmp_path: Path) -> None:
    bridge = BridgeProcess(tmp_path)
    assert bridge.post(EVENTS[0]) == 201
    bridge.end(signal.SIGKILL)
    following = BridgeProcess(tmp_path)
    assert following.post(EVENTS[1]) == 201
    until(lambda: bool(following.flows()))
    assert "2 events, 1 flow" in following.end(signal.SIGTERM)
    assert len(following.flows()) == 1
    assert [*(tmp_path / "spool" / "bridge").glob("*.events")] == []


@pytest.mark.skipif(not GIVEN, reason="OPENLINEAGE_EVENTS names no folder with events of real producers")
@pytest.mark.parametrize(
    ("name", "flows"),
    [
        ("airflow-3", 2),
        ("dbt-1.11.16_openlineage-dbt-1.54.0_artifacts", 2),
        ("dbt-1.11.16_openlineage-dbt-1.54.0_structured-logs", 3),
        ("feast", 3),
        ("flink", 2),
        ("openlineage-python", 2),
        ("spark", 4),
    ],
)
def test_events_of_real_producers_become_valid_messages(name: str, flows: int, cli: Cli) -> None:
    (file,) = Path(GIVEN).glob(f"{name}*.jsonl")
    words = ("--conf", "atlas.client.type=file", "--conf", "atlas.client.file.path=out.jsonl")
    assert cli("bridge", "--file", file, *words, "--json").json(0)["flows"] == flows
    assert all(read(line).notification for line in Path("out.jsonl").read_text("utf-8").splitlines())


def test_an_input_that_cannot_be_read_is_status_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path("events")
    folder.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text(lines(*EVENTS), "utf-8")

    def only_value(path: Path, size: int) -> None:
        if path.name == "b.jsonl":
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(files, "_only_value", only_value)
    found = cli("bridge", "--file", "events", *CONSOLE)
    assert (found.status, DRAWN in found.out, "cannot be read" in found.err) == (1, True, True), found
