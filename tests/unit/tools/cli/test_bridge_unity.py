"""`sac-kafka bridge --unity-catalog` against a stand-in of a workspace. The examples of docs/unity-catalog.md are run here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.helpers.processes import ROOT
from tests.helpers.unity_catalog import METASTORE, TOKEN, WAREHOUSE, Fault, Statement, UnityCatalog
from tests.helpers.waiting import until
from tests.unit.bridge.unity.planted import LOAD, NAMES, ORDERS, REPORT
from tests.unit.tools.cli.conftest import Cli

NOW = datetime.now(timezone.utc)
STATEMENT = Statement(
    at=NOW - timedelta(hours=9),
    target=REPORT,
    sources=(ORDERS,),
    columns=((ORDERS, "amount", "total"),),
    entity=("NOTEBOOK", "555", "command-1"),
    metadata=LOAD,
)
READ = Statement(at=NOW - timedelta(hours=8), target=None, sources=(REPORT,))
DRAWN = f"{ORDERS} ──▶ {REPORT}"


@pytest.fixture(autouse=True)
def _without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


def lake(*statements: Statement) -> UnityCatalog:
    server = UnityCatalog(*statements)
    server.names = dict(NAMES)
    return server


def words(server: UnityCatalog, kind: str, **more: str) -> list[str]:
    conf = {
        "atlas.client.type": kind,
        "atlas.bridge.unity.warehouse": WAREHOUSE,
        "atlas.bridge.unity.token": TOKEN,
        "atlas.hook.spool.dir": "spool",
        "atlas.client.file.path": "messages.jsonl",
        **{f"atlas.{key}": value for key, value in more.items()},
    }
    return ["bridge", "--unity-catalog", server.address, *(f"--conf={key}={value}" for key, value in conf.items())]


def entities() -> list[tuple[str, str]]:
    """Return the type and name of each entity that was sent."""
    lines = Path("messages.jsonl").read_text("utf-8").splitlines()
    parts = (json.loads(line)["message"]["entities"]["entities"] for line in lines)
    return [(each["typeName"], each["attributes"]["qualifiedName"]) for part in parts for each in part]


def test_lineage_is_drawn_and_read_once(cli: Cli) -> None:
    with lake(STATEMENT, READ) as server:
        found, again = cli(*words(server, "console")), cli(*words(server, "console"))
    assert (found.status, DRAWN in found.out) == (0, True), found
    assert "1 event, 1 flow;" in found.err
    assert "1 reads without a target" in found.err
    assert TOKEN not in found.err + found.out
    assert (again.status, again.out, again.err) == (0, "", "sac-kafka bridge: 0 events, 0 flows\n")


def test_names_in_purview(cli: Cli) -> None:
    """The id of the metastore, which names contain, is read from the workspace; the process belongs to the task of the job."""
    with lake(STATEMENT, replace(STATEMENT, target="main.gold.view", types={"main.gold.view": "VIEW"})) as server:
        found = cli(*words(server, "file", **{"hook.spark.dialect": "purview"}), "--json").json(0)
    assert (found["flows"], found["counts"]["events"]) == (2, 2)
    names = Counter(entities())
    stem = f"databricks://{METASTORE}/catalogs/main/schemas"
    assert names["databricks_table", f"{stem}/silver/tables/orders"] > 0
    assert names["databricks_table", f"{stem}/gold/tables/report"] > 0
    assert names["databricks_view", f"{stem}/gold/views/view"] > 0
    (process,) = (name for kind, name in names if kind == "databricks_process")
    assert process.startswith("databricks://localhost/jobs/77/tasks/load/processes/")


def test_names_in_atlas(cli: Cli) -> None:
    with lake(STATEMENT) as server:
        assert cli(*words(server, "file")).status == 0
    names = entities()
    assert ("spark_table", "main.silver.orders@primary") in names
    assert ("spark_column", "main.gold.report.total@primary") in names
    assert next(name for kind, name in names if kind == "spark_process").startswith(
        "Daily orders/load:main.gold.report:"
    )


def test_flows_that_are_excluded(cli: Cli) -> None:
    with lake(STATEMENT) as server:
        found = cli(*words(server, "file", **{"hook.spark.exclude": "job:Daily orders/*"}), "--json").json(0)
    assert found["flows"] == 0


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (["--conf=atlas.bridge.unity.warehouse="], "set atlas.bridge.unity.warehouse to the id of a SQL warehouse"),
        (["--conf=atlas.bridge.unity.since.days=x"], "atlas.bridge.unity.since.days = x: must be an integer"),
        (["--conf=atlas.bridge.unity.schema=a;b"], "atlas.bridge.unity.schema = a;b: must be like system.access"),
        (["--file", "events.jsonl"], "--unity-catalog is the only input of a bridge"),
        (["--conf=atlas.bridge.unity.token=dapi-wrong"], "HTTP 401"),
    ],
)
def test_wrong_use(more: list[str], error: str, cli: Cli) -> None:
    Path("events.jsonl").write_text("", "utf-8")
    with lake(STATEMENT) as server:
        found = cli(*words(server, "console"), *more)
    assert found.status == 2
    assert error in found.err
    assert "dapi-wrong" not in found.err


def test_a_workspace_that_fails_later(cli: Cli) -> None:
    """What was read before is sent; the exit status tells of the rest, which the next run reads."""
    second = replace(STATEMENT, at=NOW - timedelta(hours=30), target="main.gold.first")
    with lake(STATEMENT, second) as server:
        server.fault = lambda _number, _path: (
            Fault(418) if sum("POST" in each for each in server.requests) > 2 else None
        )
        found = cli(*words(server, "file"), "--json")
        server.fault = lambda _number, _path: None
        rest = cli(*words(server, "file"), "--json").json(0)
    assert found.status == 2
    assert "/api/2.0/sql/statements: HTTP 418 (planted)" in found.err
    assert rest["flows"] == 1
    written = {name.split(":")[1] for kind, name in entities() if kind == "spark_process"}
    assert written == {"main.gold.first", REPORT}


class Bridge:
    """The command in a process of its own, which looks for new lineage every second."""

    def __init__(self, server: UnityCatalog, folder: Path) -> None:
        arguments = [*words(server, "file", **{"bridge.unity.interval.seconds": "1"}), "--follow"]
        command = [sys.executable, "-m", "sac_kafka.tools.cli.main", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)

    def end(self, number: int) -> str:
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


def sent() -> int:
    return sum(kind == "spark_process" for kind, _ in entities()) if Path("messages.jsonl").exists() else 0


@pytest.mark.full
def test_new_lineage_is_followed_and_survives_a_kill(tmp_path: Path) -> None:
    state = tmp_path / "spool" / "unity" / "localhost.json"
    with lake(STATEMENT) as server:
        first = Bridge(server, tmp_path)
        until(lambda: sent() == 1 and state.exists())
        server.add(replace(STATEMENT, target="main.gold.second"))
        until(lambda: sent() == 2)
        first.end(signal.SIGKILL)
        server.add(replace(STATEMENT, target="main.gold.third"))
        second = Bridge(server, tmp_path)
        until(lambda: "main.gold.third" in {name.split(":")[1] for kind, name in entities() if kind == "spark_process"})
        text = second.end(signal.SIGTERM)
    assert second.process.returncode == 0
    assert "flow" in text
    assert sent() in (3, 4)  # what was sent just before the kill may be sent again
