"""Several Pythons on one SparkContext, as the notebooks and tasks of a shared driver are: one hook serves all of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sac_kafka.spark import processes
from tests.helpers.messages import entities, messages_in
from tests.helpers.seeds import seed
from tests.helpers.waiting import until

pytestmark = pytest.mark.spark

NOTEBOOKS = Path(__file__).with_name("notebooks")
DATABRICKS = (
    "spark.databricks.workspaceUrl=adb-1.1.azuredatabricks.net",
    "spark.databricks.clusterUsageTags.clusterOwnerOrgId=1",
    "spark.databricks.clusterUsageTags.clusterId=c1",
    "spark.databricks.clusterUsageTags.clusterName=shared",
)


class Process:
    """A driver or a notebook, which answers each line with one; `errors` has its standard error."""

    def __init__(self, errors: Path, script: str, *arguments: str, **environment: str) -> None:
        self._errors = errors
        with errors.open("w") as stderr:
            self.run = subprocess.Popen(
                [sys.executable, str(NOTEBOOKS / script), *arguments],
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )

    def send(self, line: str) -> None:
        assert self.run.stdin is not None
        self.run.stdin.write(f"{line}\n")
        self.run.stdin.flush()

    def heard(self) -> str:
        assert self.run.stdout is not None
        return self.run.stdout.readline().strip()

    def request(self, line: str) -> str:
        self.send(line)
        return self.heard().partition(" ")[2]

    def end(self) -> str:
        """End it, and return what it has written to standard error."""
        self.run.communicate("end\n", timeout=300)
        return self._errors.read_text()

    def kill(self) -> None:
        self.run.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        self.run.kill()
        self.run.wait()
        for pipe in (self.run.stdin, self.run.stdout):
            if pipe is not None:
                pipe.close()


class Shared:
    """A driver that several Pythons share; `warehouse` has what they write, `file` their messages."""

    def __init__(self, work: Path, *conf: str) -> None:
        self.work, self.file = work, work / "messages.jsonl"
        self.driver = Process(work / "driver.err", "driver.py", str(work / "warehouse"), *conf)
        _, port, secret = self.driver.heard().split()
        self.gateway = {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret}
        self.notebooks: list[Process] = []
        self.ran(f"insert overwrite directory '{work / 'source'}' using parquet select id, id as amount from range(9)")

    def ran(self, statement: str) -> None:
        assert self.driver.request(statement) == ""

    def notebook(self, name: str, **settings: str) -> Process:
        keys = {"client_type": "file", "atlas.client.file.path": str(self.file), "atlas.metadata.namespace": "x"}
        pairs = [f"{key}={value}" for key, value in {**keys, **settings}.items()]
        self.notebooks.append(
            Process(self.work / f"{name}.err", "notebook.py", name, str(self.work), *pairs, **self.gateway)
        )
        assert self.notebooks[-1].heard() == "attached None"
        return self.notebooks[-1]

    def flows(self) -> dict[str, set[str]]:
        """Return the jobs that have written each output."""
        found = defaultdict(set)
        for each in self._flows():
            for output in each["relationshipAttributes"]["outputs"]:
                found[_last(output["uniqueAttributes"]["qualifiedName"])].add(_job(each))
        return found

    def times_reported(self) -> dict[str, int]:
        """Return how many messages have a flow into each output, without those of streams."""
        outputs = (out for each in self._flows() for out in each["relationshipAttributes"]["outputs"])
        found = Counter(_last(out["uniqueAttributes"]["qualifiedName"]) for out in outputs)
        return {output: times for output, times in found.items() if not is_stream(output)}

    def facts(self, job: str) -> list[dict[str, Any]]:
        """Return the distinct facts about the notebook of a job, as its application has them."""
        found = [
            e["customAttributes"]
            for e in entities(messages_in(self.file), "spark_application")
            if _job(e) == f"{job}@x"
        ]
        of_notebook = [{key: each.get(key) for key in ("task", "notebook", "workspace_id")} for each in found]
        return [each for i, each in enumerate(of_notebook) if each not in of_notebook[:i]]

    def written(self, name: str) -> set[str]:
        """Return the outputs of a notebook that exist as files or tables."""
        found = (each.name for place in (self.work, self.work / "warehouse") for each in place.glob(f"{name}_*"))
        return set(found)

    def _flows(self) -> list[dict[str, Any]]:
        return [e for e in entities(messages_in(self.file), "spark_process") if e.get("relationshipAttributes")]

    def close(self) -> None:
        for each in (*self.notebooks, self.driver):
            each.close()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    """Start a driver as Databricks has them, without a notebook yet."""
    with closing(Shared(tmp_path, *DATABRICKS)) as driver:
        yield driver


def _last(name: str) -> str:
    return re.split(r"[/.]", name.partition("@")[0])[-1]


def _job(process: dict[str, Any]) -> str:
    return process["attributes"]["qualifiedName"].partition(":")[0]


@pytest.mark.subset
@pytest.mark.parametrize(
    "writes", [12, pytest.param(67, marks=pytest.mark.exhaustive)], ids=["36 writes", "201 writes"]
)
def test_each_write_is_reported_once_under_its_own_notebook(writes: int, shared: Shared) -> None:
    """Files, tables, statements, streams, pandas and views, from threads of three Pythons at once."""
    notebooks = [shared.notebook(name) for name in "abc"]
    for each in notebooks:
        each.send(f"write 0 {writes} 2")
    assert [each.heard() for each in notebooks] == ["write done"] * 3
    assert all("problem=None" in each.request("flush") for each in notebooks)
    stats = [json.loads(each.request("stats")) for each in notebooks]
    assert [each["job"] for each in stats] == ["/Shared/a", "/Shared/b", "/Shared/c"]
    assert stats[0]["completeness"] == stats[1]["completeness"] == stats[2]["completeness"]
    assert (
        stats[0]["completeness"]["writes"]
        == stats[0]["completeness"]["with_column_lineage"]
        == writes * 3 - views(writes)
    )
    expected = {f"{name}_{number}": {job_of(name, number)} for name in "abc" for number in range(writes)}
    assert shared.flows() == expected
    assert shared.times_reported() == {output: 1 for output in expected if not is_stream(output)}
    for name in "abc":
        (facts,) = shared.facts(f"/Shared/{name}")
        assert (facts["task"], facts["notebook"], facts["workspace_id"]) == (f"task_{name}", f"/Shared/{name}", "1")


@pytest.mark.exhaustive
def test_pythons_without_a_platform_use_the_configured_job(tmp_path: Path) -> None:
    with closing(Shared(tmp_path)) as shared:
        notebooks = {name: shared.notebook(name, job_name=f"job of {name}") for name in ("plain1", "plain2")}
        for each in notebooks.values():
            each.send("write 0 6 2")
        assert [each.heard() for each in notebooks.values()] == ["write done"] * 2
        assert "problem=None" in notebooks["plain2"].request("flush")
        jobs = {name: "view" if name.endswith("_5") else f"job of {name[:6]}" for name in shared.flows()}
        assert shared.flows() == {name: {job} for name, job in jobs.items()}
        assert len(jobs) == 12


def test_the_next_python_takes_over_from_one_that_ends(shared: Shared) -> None:
    first, second, third = (shared.notebook(name) for name in "abc")
    first.request("write 0 2 1")
    assert first.request("detach").endswith("ended>")
    second.request("write 0 2 1")
    assert "problem=None" in second.request("flush")
    first.end()
    second.end()  # with or without having taken over
    third.request("write 0 2 1")
    assert "problem=None" in third.request("flush")
    assert set(shared.flows()) == {f"{name}_{number}" for name in "abc" for number in range(2)}
    assert set(shared.times_reported().values()) == {1}


@pytest.mark.parametrize("round_", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 20))])
def test_no_messages_are_lost_when_the_serving_python_is_killed(round_: int, shared: Shared) -> None:
    """The messages of the killed one are delivered, too, as far as its writes had begun."""
    random = Random(seed(round_))
    serving, *others = (shared.notebook(name) for name in "abc")
    for each in (serving, *others):
        each.send("write 0 12 2")
    at = random.randrange(12)
    until(lambda: len(shared.written("a")) > at // 2, lambda: "the notebook does not write")
    serving.kill()
    assert [each.heard() for each in others] == ["write done"] * 2
    assert all("problem=None" in each.request("flush") for each in others)
    flows = shared.flows()
    missing = {f"{name}_{number}" for name in "bc" for number in range(12)} - flows.keys()
    assert not missing, f"killed after {at}: {missing}"
    assert {output for output in flows if flows[output] != {job_of(*output.split("_"))}} == set()
    for each in others:
        each.end()
    shared.ran(
        f"insert overwrite directory '{shared.work / 'alone'}' using parquet select id from parquet.`{shared.work / 'source'}`"
    )
    last = shared.notebook("d")
    last.request("write 0 1 1")
    assert "problem=None" in last.request("flush")
    assert {"alone", "d_0"} <= shared.flows().keys()


@pytest.mark.exhaustive
def test_settings_other_than_the_serving_ones_have_no_effect(shared: Shared) -> None:
    shared.notebook("a")
    other = shared.notebook("b", **{"atlas.client.file.path": str(shared.work / "other.jsonl"), "job_name": "mine"})
    other.request("write 0 1 1")
    assert "problem=None" in other.request("flush")
    assert shared.flows() == {"b_0": {"mine"}}
    assert not (shared.work / "other.jsonl").exists()
    assert re.search(r"serves this SparkContext with the settings of .*: those of .* differ", other.end())


@pytest.mark.exhaustive
def test_another_version_does_not_join_and_nothing_is_reported_twice(shared: Shared) -> None:
    serving = shared.notebook("a")
    newer = Process(
        shared.work / "b.err",
        "notebook.py",
        "b",
        str(shared.work),
        "version=99.0",
        "client_type=memory",
        **shared.gateway,
    )
    shared.notebooks.append(newer)
    assert newer.heard().startswith("attached the Python process ")
    newer.request("write 0 1 1")
    assert "problem=None" in serving.request("flush")
    assert (shared.flows(), shared.times_reported()) == ({"b_0": {"/Shared/b"}}, {"b_0": 1})
    assert "serves this SparkContext with another version of sac_kafka" in newer.end()


@pytest.mark.exhaustive
def test_a_python_that_joins_sees_the_messages_and_the_catalog_of_the_serving_one(shared: Shared) -> None:
    serving, other = (shared.notebook(name, client_type="memory") for name in "ab")
    other.request("write 0 1 1")
    other.request("flush")
    assert int(other.request("messages")) == int(serving.request("messages")) > 0
    assert other.request("verify") == serving.request("verify")
    assert "atlas.rest.address" in other.request("verify")


def test_a_process_is_distinguished_from_a_later_one_with_its_id() -> None:
    assert processes.is_running(processes.own())
    assert not processes.is_running(f"{processes.shown(processes.own())} 1")
    assert not processes.is_running("")


def job_of(name: str, number: object) -> str:
    return "view" if int(str(number)) % 6 == 5 else f"/Shared/{name}"


def views(writes: int) -> int:
    return 3 * sum(number % 6 == 5 for number in range(writes))


def is_stream(output: str) -> bool:
    return int(output.partition("_")[2]) % 6 == 3
