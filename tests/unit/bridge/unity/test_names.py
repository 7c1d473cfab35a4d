"""What has run a statement is named as the hook names it; compute with the hook is left to the hook."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from sac_kafka.bridge.unity.names import NOT_NAMED
from sac_kafka.bridge.unity.reader import HOOKED
from sac_kafka.lineage.runs.identity import identity_of
from tests.helpers.unity_catalog import Statement, UnityCatalog
from tests.unit.bridge.unity.planted import CUSTOMERS, LOAD, NAMES, NOW, ORDERS, REPORT, at, read

STATEMENT = Statement(
    at=at(3, 1), target=REPORT, sources=(ORDERS, CUSTOMERS), entity=("NOTEBOOK", "555", "command-1"), metadata=LOAD
)
JOB = {"job_info": {"job_id": "9", "job_run_id": "901"}}
HOOKED_CLUSTER = {"spark_env_vars": {"SAC_KAFKA_AUTO": "1"}, "data_security_mode": "SINGLE_USER"}


def named(statement: Statement, names: dict[str, Any]) -> tuple[str, dict[str, str], Counter[str]]:
    """Return the job of a statement, its facts, and the counts."""
    with UnityCatalog(statement) as server:
        server.names = names
        found = read(server)
    (process,) = found.processes
    return process.application.job, dict(process.application.facts), found.counts


@pytest.mark.parametrize(
    ("statement", "names", "job"),
    [
        (STATEMENT, NAMES, "Daily orders/load"),
        (STATEMENT, {}, "job 77"),
        (
            replace(STATEMENT, metadata=JOB),
            {"/api/2.2/jobs/get job_id=9": {"settings": {"name": "nightly"}}},
            "nightly",
        ),
        (
            replace(STATEMENT, metadata=JOB),
            {"/api/2.2/jobs/get job_id=9": {"settings": {"name": "nightly", "tasks": [{"task_key": "only"}]}}},
            "nightly/only",
        ),
        # Data Factory submits a run without a job; its name has the id of the run.
        (
            replace(STATEMENT, metadata=JOB),
            {
                "/api/2.2/jobs/runs/get run_id=901": {
                    "run_name": "ADF_acme_load_copy_0f1e2d3c-0000-4000-8000-00000000abcd"
                }
            },
            "ADF_acme_load_copy",
        ),
        (
            replace(STATEMENT, metadata={}, entity=("NOTEBOOK", "12", "command-2")),
            {
                "/api/2.0/workspace/list path=/Users/ada@example.org": {
                    "objects": [{"object_type": "DIRECTORY", "path": "/Users/ada@example.org/deep"}]
                },
                "/api/2.0/workspace/list path=/Users/ada@example.org/deep": {
                    "objects": [{"object_type": "NOTEBOOK", "object_id": 12, "path": "/Users/ada@example.org/deep/n"}]
                },
            },
            "/Users/ada@example.org/deep/n",
        ),
        (
            replace(STATEMENT, metadata={}, entity=("NOTEBOOK", "12", "command-2"), user="service-principal"),
            {"/api/2.0/workspace/list path=/Shared": {"objects": []}},
            "notebook 12",
        ),
        (
            replace(STATEMENT, metadata={"dashboard_id": "d-1"}, entity=(None, None, None)),
            {"/api/2.0/lakeview/dashboards/d-1": {"display_name": "Sales"}},
            "dashboard Sales",
        ),
        (replace(STATEMENT, metadata={}, entity=("DBSQL_DASHBOARD", "d-2", None)), {}, "dashboard d-2"),
        (replace(STATEMENT, metadata={}, entity=(None, None, None)), {}, "Databricks SQL"),
    ],
)
def test_names(statement: Statement, names: dict[str, Any], job: str) -> None:
    assert named(statement, names)[0] == job


def test_a_name_that_cannot_be_read_is_counted_once() -> None:
    with UnityCatalog(*(replace(STATEMENT, at=at(3, hour)) for hour in range(5))) as server:
        server.names = {"/api/2.2/jobs/get job_id=77": 403}
        found = read(server)
        assert sum("jobs/get" in each for each in server.requests) == 1
    assert (len(found.processes), found.counts[f"{NOT_NAMED}job"]) == (5, 1)


def test_all_pages_of_a_job() -> None:
    pages = {
        "/api/2.2/jobs/get job_id=77": {
            "settings": {"name": "big", "tasks": [{"task_key": "a"}]},
            "next_page_token": "t2",
        },
        "/api/2.2/jobs/get job_id=77 page_token=t2": {
            "settings": {"tasks": [{"task_key": "b", "notebook_task": {"notebook_path": "/Shared/load"}}]}
        },
        "/api/2.0/workspace/get-status path=/Shared/load": {"object_id": 555},
    }
    assert named(STATEMENT, pages)[0] == "big/b"


def test_the_name_is_that_of_the_hook() -> None:
    """The hook derives its name from what Databricks sets for the same task."""
    conf = {
        "spark.databricks.workspaceUrl": "adb-1.2.azuredatabricks.net",
        "spark.databricks.clusterUsageTags.clusterAllTags": '[{"key": "RunName", "value": "Daily orders"}]',
        "spark.databricks.job.id": "77",
        "spark.databricks.job.taskKey": "load",
        "spark.databricks.notebook.path": "/Shared/load",
    }
    assert named(STATEMENT, NAMES)[0] == identity_of(conf, {}).job


@pytest.mark.parametrize(
    ("task", "more", "is_left_out"),
    [
        ({"new_cluster": HOOKED_CLUSTER}, {}, True),
        ({"new_cluster": {"spark_env_vars": {"SAC_KAFKA_JAR": "1"}}}, {}, True),
        (
            {"job_cluster_key": "main"},
            {"job_clusters": [{"job_cluster_key": "main", "new_cluster": HOOKED_CLUSTER}]},
            True,
        ),
        ({"existing_cluster_id": "c-1"}, {}, True),
        ({"new_cluster": {"spark_env_vars": {"SAC_KAFKA_AUTO": "0"}}}, {}, False),
        ({"new_cluster": {**HOOKED_CLUSTER, "data_security_mode": "USER_ISOLATION"}}, {}, False),
        ({"existing_cluster_id": "unknown"}, {}, False),
        ({}, {}, False),
    ],
)
def test_statements_of_compute_with_the_hook(task: dict[str, Any], more: dict[str, Any], is_left_out: bool) -> None:
    settings = {"name": "nightly", "tasks": [{"task_key": "only", **task}], **more}
    names: dict[str, Any] = {
        "/api/2.2/jobs/get job_id=77": {"settings": settings},
        "/api/2.1/clusters/get cluster_id=c-1": HOOKED_CLUSTER,
    }
    with UnityCatalog(STATEMENT, replace(STATEMENT, at=at(3, 2), statement_id="on-serverless")) as server:
        server.names = names
        found = read(server, now=NOW)
    assert len(found.processes) == 2 - is_left_out
    assert found.counts[HOOKED] == is_left_out


def test_one_of_several_tasks_has_no_hook() -> None:
    """Which of them has run the statement is not known, so it is reported."""
    tasks = [{"task_key": "a", "new_cluster": HOOKED_CLUSTER}, {"task_key": "b", "new_cluster": {}}]
    with UnityCatalog(STATEMENT) as server:
        server.names = {"/api/2.2/jobs/get job_id=77": {"settings": {"name": "nightly", "tasks": tasks}}}
        assert len(read(server).processes) == 1
