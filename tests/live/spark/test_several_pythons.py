"""Several Pythons on one SparkContext, as the notebooks and tasks of a shared driver are: one hook serves all of them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sac_kafka.spark import processes
from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.tools.cli.jar import LISTENER
from tests.helpers.waiting import until
from tests.live.spark.shared_driver import DATABRICKS, Process, Shared, is_stream, job_of

pytestmark = pytest.mark.spark


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    """A driver as Databricks has them, without a notebook yet."""
    with closing(Shared(tmp_path, *DATABRICKS)) as driver:
        yield driver


@pytest.mark.subset
@pytest.mark.parametrize(
    "writes", [12, pytest.param(67, marks=pytest.mark.exhaustive)], ids=["36 writes", "201 writes"]
)
def test_each_write_is_reported_once_under_its_own_notebook(writes: int, shared: Shared) -> None:
    """Files, tables, statements, streams, pandas and views, from threads of three Pythons at once."""
    notebooks = written_by_three(shared, writes)
    stats = [json.loads(each.request("stats")) for each in notebooks]
    assert [each["job"] for each in stats] == ["/Shared/a", "/Shared/b", "/Shared/c"]
    assert stats[0]["completeness"] == stats[1]["completeness"] == stats[2]["completeness"]
    assert (
        stats[0]["completeness"]["writes"]
        == stats[0]["completeness"]["with_column_lineage"]
        == writes * 3 - views(writes)
    )
    assert_each_once(shared, writes)
    for name in "abc":
        (facts,) = shared.facts(f"/Shared/{name}")
        assert (facts["task"], facts["notebook"], facts["workspace_id"]) == (f"task_{name}", f"/Shared/{name}", "1")


@pytest.mark.exhaustive
def test_with_the_jar_the_python_of_the_driver_serves_all_notebooks(tmp_path: Path) -> None:
    jar = {
        "spark.driver.extraClassPath": driver_archive(),
        "spark.extraListeners": LISTENER,
        "spark.atlas.hook.spark.python": sys.executable,
        "spark.atlas.client.type": "file",
        "spark.atlas.client.file.path": tmp_path / "messages.jsonl",
        "spark.atlas.metadata.namespace": "x",
    }
    with closing(Shared(tmp_path, *DATABRICKS, *(f"{key}={value}" for key, value in jar.items()))) as shared:
        notebooks = written_by_three(shared, 12)
        assert_each_once(shared, 12, source={"shared driver"})
        for each in notebooks:
            each.end()
        shared.ran("create table last using parquet as select 1 as id")
        until(lambda: "last" in shared.flows(), lambda: "the Python of the driver serves no longer")


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


def written_by_three(shared: Shared, writes: int) -> list[Process]:
    """Three notebooks that have written at once, and whose lineage is delivered."""
    notebooks = [shared.notebook(name) for name in "abc"]
    for each in notebooks:
        each.send(f"write 0 {writes} 2")
    assert [each.heard() for each in notebooks] == ["write done"] * 3
    assert all("problem=None" in each.request("flush") for each in notebooks)
    return notebooks


def assert_each_once(shared: Shared, writes: int, **more: set[str]) -> None:
    """Each write of the three is reported once, under its notebook; `more` are the jobs of other outputs."""
    expected = {f"{name}_{number}": {job_of(name, number)} for name in "abc" for number in range(writes)} | more
    assert shared.flows() == expected
    assert shared.times_reported() == {output: 1 for output in expected if not is_stream(output)}


def views(writes: int) -> int:
    return 3 * sum(number % 6 == 5 for number in range(writes))
