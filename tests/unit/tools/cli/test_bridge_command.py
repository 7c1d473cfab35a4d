"""`sac-kafka bridge`: events of files, standard input and HTTP become lineage. The examples of docs/bridge.md are run here."""

from __future__ import annotations

import http.client
import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.wire.reader import read
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
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
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


class Bridge:
    """The command in a process of its own, which listens and writes messages into a file."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "messages.jsonl"
        words = ["bridge", "--listen", "127.0.0.1:0", "--settle", "0.1"]
        conf = [
            f"atlas.client.file.path={self.out}",
            "atlas.client.type=file",
            f"atlas.hook.spool.dir={folder / 'spool'}",
        ]
        command = [sys.executable, "-m", "sac_kafka.tools.cli.main", *words, *(f"--conf={each}" for each in conf)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        assert self.process.stderr is not None
        line = next(each for each in iter(self.process.stderr.readline, "") if "send events to" in each)
        self.port = int(line.partition("127.0.0.1:")[2].partition("/")[0])

    def post(self, value: Any) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/api/v1/lineage", json.dumps(value))
        status = connection.getresponse().status
        connection.close()
        return status

    def flows(self) -> Counter[str]:
        """Return how often each process was sent, by its label."""
        if not self.out.exists():
            return Counter()
        messages = (json.loads(line) for line in self.out.read_text("utf-8").splitlines() if line)
        entities = (each for text in messages for each in text["message"]["entities"]["entities"])
        return Counter(each["attributes"]["name"] for each in entities if each["typeName"] == "spark_process")

    def end(self, number: int) -> str:
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


def test_confirmed_events_survive_a_kill(tmp_path: Path) -> None:
    bridge = Bridge(tmp_path)
    assert bridge.post(EVENTS[0]) == 201
    bridge.end(signal.SIGKILL)
    following = Bridge(tmp_path)
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
