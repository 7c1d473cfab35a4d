"""Job identity from platforms and schedulers: the shapes of their configurations and environments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sac_kafka.lineage.runs.identity import PARENTS, Identity, identity_of
from sac_kafka.lineage.runs.platforms import PLATFORMS, Platform
from sac_kafka.settings.content import WORD
from tests.helpers.every_row import every_row
from tests.helpers.work import Text, assert_linear

TAGS = "spark.databricks.clusterUsageTags.clusterAllTags"
UUID = "3f0e2c1a-9b7d-4c55-8a11-0d2f6e7c8b90"


def tags(**values: str) -> str:
    own = {"Vendor": "Databricks", "Creator": "alice@example.com", "ClusterId": "1121-050000-abc123", **values}
    return json.dumps([{"key": key, "value": value} for key, value in own.items()])


def job_cluster(**more: str) -> dict[str, str]:
    """Return the configuration of a driver on an Azure job cluster."""
    return {
        "spark.app.name": "Databricks Shell",
        "spark.databricks.workspaceUrl": "adb-7405612345678901.1.azuredatabricks.net",
        "spark.databricks.clusterUsageTags.clusterOwnerOrgId": "7405612345678901",
        "spark.databricks.clusterUsageTags.clusterName": "job-918273645-run-5550122-main",
        "spark.databricks.clusterUsageTags.clusterId": "1121-050000-abc123",
        TAGS: tags(ClusterName="job-918273645-run-5550122-main", JobId="918273645", RunName="Daily orders"),
        "spark.databricks.service.token": "dapi0123456789abcdef0123456789abcdef",
        **more,
    }


ALL_PURPOSE = {
    "spark.app.name": "Databricks Shell",
    "spark.databricks.workspaceUrl": "adb-7405612345678901.1.azuredatabricks.net",
    "spark.databricks.clusterUsageTags.clusterName": "alice's cluster",
    TAGS: tags(ClusterName="alice's cluster"),
}
TASK = {
    "spark.databricks.job.id": "918273645",
    "spark.databricks.job.parentRunId": "5550122",
    "spark.databricks.job.runId": "5550123",
}
FABRIC = {
    "spark.app.name": f"nb_bronze_to_silver_{UUID}",
    "trident.workspace.id": "11111111-2222-3333-4444-555555555555",
    "trident.artifact.id": "66666666-7777-8888-9999-000000000000",
    "trident.lakehouse.name": "sales",
    "spark.synapse.context.notebookname": "nb_bronze_to_silver",
    "spark.synapse.pool.name": "StarterPool",
}
SYNAPSE = {
    "spark.app.name": "Load orders_lakepool_1763704800",
    "spark.synapse.workspace.name": "contoso",
    "spark.synapse.pool.name": "lakepool",
}
AIRFLOW = {
    "AIRFLOW_CTX_DAG_ID": "sales",
    "AIRFLOW_CTX_TASK_ID": "orders.load",
    "AIRFLOW_CTX_DAG_RUN_ID": "scheduled__2026-11-21T05:00:00+00:00",
    "AIRFLOW_CTX_TRY_NUMBER": "2",
    "AIRFLOW_CTX_DAG_OWNER": "alice",
}
EKS = "spark.kubernetes.driver.label.emr-containers.amazonaws.com"


@every_row(
    ("conf", "environment", "job"),
    [
        (job_cluster(), {}, "Daily orders"),
        (job_cluster(**{"spark.databricks.job.taskKey": "load"}), {}, "Daily orders/load"),
        (job_cluster(**{"spark.databricks.job.taskKey": "check"}), {}, "Daily orders/check"),
        (job_cluster(**{"spark.databricks.notebook.path": "/Repos/prod/load"}), {}, "Daily orders/Repos/prod/load"),
        (job_cluster(**{TAGS: tags(RunName="Tägliche Läufe: a/b @ 'x'")}), {}, "Tägliche Läufe: a/b @ 'x'"),
        (job_cluster(**{TAGS: tags(RunName=f"ADF_fac_daily_Load_{UUID}")}), {}, "ADF_fac_daily_Load"),
        (
            job_cluster(
                **{TAGS: tags(RunName=f"ADF_f_p_a_{UUID}"), "spark.databricks.job.taskKey": f"ADF_f_p_a_{UUID}"}
            ),
            {},
            "ADF_f_p_a",
        ),
        (
            {**ALL_PURPOSE, "spark.databricks.notebook.path": "/Users/alice@example.com/orders"},
            {},
            "/Users/alice@example.com/orders",
        ),
        ({**ALL_PURPOSE, **TASK, "spark.databricks.notebook.path": "/Repos/prod/load"}, {}, "/Repos/prod/load"),
        ({**ALL_PURPOSE, **TASK, "spark.databricks.job.taskKey": "load"}, {}, "job 918273645/load"),
        ({**ALL_PURPOSE, "spark.jobGroup.id": "7_8_job-42-run-43-action-44"}, {}, "job 42"),
        (ALL_PURPOSE, {}, None),
        ({}, {"DATABRICKS_RUNTIME_VERSION": "17.3"}, None),
        (FABRIC, {}, "nb_bronze_to_silver"),
        ({**FABRIC, "trident.artifact.name": "Bronze to silver"}, {}, "Bronze to silver"),
        ({**SYNAPSE, "spark.synapse.context.notebookname": "Load orders"}, {}, "Load orders"),
        (SYNAPSE, {}, "Load orders"),
        ({**SYNAPSE, "spark.app.name": "mine"}, {}, None),
        ({"spark.glue.JOB_NAME": "orders-etl", "spark.glue.JOB_RUN_ID": "jr_0f_attempt_1"}, {}, "orders-etl"),
        ({}, {"SERVERLESS_EMR_JOB_ID": "00fabc", "SERVERLESS_EMR_VIRTUAL_CLUSTER_ID": "00fapp"}, None),
        ({f"{EKS}/job.id": "0000000337okspsc913"}, {}, None),
        ({}, {"EMR_CLUSTER_ID": "j-VC0KIOO5V5LS"}, None),
        ({"spark.yarn.tags": "dataproc_hash_1,dataproc_job_load_1a2b"}, {"DATAPROC_IMAGE_VERSION": "2.2"}, None),
        ({}, {"CDSW_PROJECT": "orders", "CDSW_ENGINE_ID": "x1y2"}, None),
        ({}, AIRFLOW, "sales.orders.load"),
        ({f"spark.yarn.appMasterEnv.{key}": value for key, value in AIRFLOW.items()}, {}, "sales.orders.load"),
        (
            {"spark.kubernetes.driver.label.dag_id": "sales", "spark.kubernetes.driver.label.task_id": "load"},
            {},
            "sales.load",
        ),
        ({"spark.openlineage.parentJobName": "sales.load", "spark.openlineage.parentRunId": UUID}, {}, "sales.load"),
        ({"spark.oozie.job.id": "0000202-17-oozie-W", "spark.oozie.action.id": "0000202-17-oozie-W@load"}, {}, None),
        ({"spark.yarn.tags": "livy-session-42-ab12cd34"}, {}, None),
        ({"spark.jobGroup.id": "zeppelin|ann|2A94M5J1Z|paragraph_1423836981412_-1007008116"}, {}, "note 2A94M5J1Z"),
        ({"spark.jobGroup.id": "zeppelin|ann|mine"}, {}, None),
        (job_cluster(), AIRFLOW, "Daily orders"),
        ({}, {"EMR_CLUSTER_ID": "j-1", **AIRFLOW}, "sales.orders.load"),
        ({"spark.app.name": "orders"}, {"HOME": "/root"}, None),
    ],
)
def test_job_has_the_name_from_its_platform_or_scheduler(
    conf: Mapping[str, str], environment: Mapping[str, str], job: str | None
) -> None:
    assert identity_of(conf, environment).job == job


@pytest.mark.parametrize(
    ("conf", "environment", "facts"),
    [
        (
            job_cluster(**TASK, user="alice@example.com"),
            {"DATABRICKS_RUNTIME_VERSION": "17.3", "DB_CLUSTER_NAME": "other"},
            {
                "platform": "databricks",
                "workspace": "adb-7405612345678901.1.azuredatabricks.net",
                "workspace_id": "7405612345678901",
                "job_id": "918273645",
                "run_id": "5550122",
                "task_run_id": "5550123",
                "cluster": "job-918273645-run-5550122-main",
                "cluster_id": "1121-050000-abc123",
                "runtime": "17.3",
                "platform_user": "alice@example.com",
            },
        ),
        (
            {TAGS: tags(RunName=f"ADF_f_p_a_{UUID}")},
            AIRFLOW,
            {"platform": "databricks", "cluster_id": "1121-050000-abc123", "parent": "adf", "parent_run_id": UUID},
        ),
        (
            {
                **SYNAPSE,
                "spark.synapse.context.notebookname": "Load",
                "spark.synapse.context.pipelinejobid": UUID,
                "spark.synapse.context.activityname": "Notebook1",
            },
            {},
            {
                "platform": "synapse",
                "workspace": "contoso",
                "cluster": "lakepool",
                "notebook": "Load",
                "parent_run_id": UUID,
                "parent_task": "Notebook1",
                "parent": "pipeline",
            },
        ),
        (
            {"spark.yarn.tags": "dataproc_hash_1,dataproc_job_load_1a2b,dataproc_uuid_2"},
            {"DATAPROC_IMAGE_VERSION": "2.2"},
            {"platform": "dataproc", "runtime": "2.2", "run_id": "load_1a2b"},
        ),
        (
            {},
            {"EMR_CLUSTER_ID": "j-1", "PWD": "/mnt/var/lib/hadoop/steps/s-07767992IY7VC5NVV854", **AIRFLOW},
            {
                "platform": "emr",
                "cluster_id": "j-1",
                "run_id": "s-07767992IY7VC5NVV854",
                "parent": "airflow",
                "parent_job": "sales",
                "parent_task": "orders.load",
                "parent_run_id": "scheduled__2026-11-21T05:00:00+00:00",
                "parent_attempt": "2",
            },
        ),
        (
            {"spark.oozie.job.id": "0000202-17-oozie-W", "spark.oozie.action.id": "0000202-17-oozie-W@load"},
            {},
            {"parent": "oozie", "parent_run_id": "0000202-17-oozie-W", "parent_task": "load"},
        ),
        (
            {"spark.yarn.tags": "other, livy-batch-15-bcixsxv0"},
            {},
            {"parent": "livy", "parent_run_id": "livy-batch-15-bcixsxv0"},
        ),
        ({"spark.yarn.tags": "mine"}, {}, {}),
        (
            {"spark.jobGroup.id": "zeppelin|ann|2A94M5J1Z|paragraph_1_2"},
            {},
            {"parent": "zeppelin", "parent_job": "2A94M5J1Z"},
        ),
        ({"spark.jobGroup.id": "mine"}, {}, {}),
    ],
)
def test_run_has_the_facts_of_its_platform(
    conf: Mapping[str, str], environment: Mapping[str, str], facts: Mapping[str, str]
) -> None:
    assert dict(identity_of(conf, environment).facts) == facts


def test_runs_of_a_job_have_one_name_and_facts_of_their_own() -> None:
    def run(number: str) -> Identity:
        name = f"job-918273645-run-{number}-main"
        return identity_of(
            job_cluster(
                **{
                    "spark.databricks.clusterUsageTags.clusterName": name,
                    TAGS: tags(ClusterName=name, JobId="918273645", RunName="Daily orders"),
                }
            ),
            {},
        )

    first, second = run("1"), run("2")
    assert first.job == second.job == "Daily orders"
    assert dict(first.facts)["run_id"] == "1"
    assert dict(second.facts)["run_id"] == "2"


@pytest.mark.parametrize("text", ["{", "null", '"x"', '{"RunName": "x"}', "[" * 150_000, "x" * 300_000])
def test_warns_about_unreadable_tags_and_uses_the_rest(text: str) -> None:
    found = identity_of(job_cluster(**{TAGS: text, "spark.databricks.notebook.path": "/Repos/prod/load"}), {})
    assert found.warnings == (
        f"{TAGS} cannot be parsed, so the job's name is derived without it; to choose another name, set "
        "atlas.hook.spark.job.name",
    )
    assert found.job == "/Repos/prod/load"


@pytest.mark.parametrize(
    "tag", [1, None, "x", [], {"key": "RunName"}, {"key": 1, "value": "x"}, {"key": "RunName", "value": None}]
)
def test_tags_of_another_shape_are_no_error(tag: object) -> None:
    assert identity_of({TAGS: json.dumps([tag])}, {}) == Identity(facts=(("platform", "databricks"),))


def _many_tags(count: int) -> dict[str, str]:
    many = [{"key": f"Team {n}", "value": "v" * 30} for n in range(count)]
    return {
        TAGS: Text(json.dumps([*many, {"key": "RunName", "value": "Daily orders"}])),
        "spark.databricks.clusterUsageTags.clusterName": Text("job-1" * count),
        "spark.jobGroup.id": Text("_job-1-run-1-action" * count),
        "spark.databricks.notebook.path": Text("/" * count),
        "spark.yarn.tags": Text("livy-session," * count),
    }


@pytest.mark.parametrize(
    "hostile",
    [
        _many_tags,
        lambda size: {TAGS: tags(RunName="ADF_" * size)},
        lambda size: {TAGS: tags(RunName="ADF_" + "a_" * size)},
        lambda size: {TAGS: tags(RunName="job-" * size)},
    ],
    ids=["many", "ADF_", "a_", "job-"],
)
def test_hostile_tags_take_linear_time(hostile: Callable[[int], dict[str, str]]) -> None:
    def identify(size: int) -> Callable[[], object]:
        given = hostile(size)
        return lambda: identity_of(given, {})

    assert_linear(identify, 100)
    assert identity_of(_many_tags(1_000), {}).job.startswith("Daily orders/")


def test_only_listed_keys_are_read_and_their_secrets_are_masked() -> None:
    found = identity_of(
        job_cluster(**{"spark.databricks.notebook.path": "/x?password=hunter2", "spark.databricks.job.id": "  "}),
        {
            "DATABRICKS_TOKEN": "dapi0123456789abcdef0123456789abcdef",
            **AIRFLOW,
            "AIRFLOW_CTX_DAG_EMAIL": "bob@example.com",
        },
    )
    for secret in ("hunter2", "dapi0123", "bob@", "Vendor"):
        assert secret not in repr(found)


def test_empty_values_of_the_platform_are_no_names() -> None:
    assert identity_of(job_cluster(**{"spark.databricks.job.taskKey": "{{task.name}}"}), {}).job == "Daily orders"


def test_warns_about_a_job_named_by_its_number() -> None:
    (doubt,) = identity_of({**ALL_PURPOSE, **TASK}, {}).warnings
    assert doubt.startswith("the job is named by its number")
    assert identity_of(job_cluster(**TASK), {}).warnings == ()


def test_long_facts_are_cut_and_longer_ones_are_none() -> None:
    found = identity_of(
        {"spark.glue.JOB_NAME": "j" * 1_500, "spark.glue.JOB_RUN_ID": "r" * 1_500}, {"GLUE_VERSION": "v" * 3_000}
    )
    assert found.job == "j" * 1_500
    assert dict(found.facts) == {"platform": "glue", "run_id": "r" * 199 + "…"}


def test_every_platform_has_a_page() -> None:
    pages = Path(__file__).resolve().parents[3] / "docs" / "platforms"
    index, parents = (pages / "README.md").read_text("utf-8"), (pages / "parents.md").read_text("utf-8")
    for row in PLATFORMS:
        page = f"{row.name.partition('-')[0]}.md"
        assert (pages / page).is_file()
        assert f"({page})" in index
    assert [row.name for row in PARENTS if row.name not in parents.lower()] == []


@pytest.mark.parametrize("row", [*PLATFORMS, *PARENTS], ids=lambda row: row.name)
def test_every_row_has_the_origin_of_its_keys_and_its_marker(row: Platform) -> None:
    assert row.documented
    assert row.signs
    assert all(re.fullmatch(WORD, name) for name in row.facts)

    def value(key: str) -> str:
        assert key in row.keys
        return ""

    row.read(value)


def test_unencodable_text_is_removed_from_names_and_facts() -> None:
    latin = b"t\xe4glich".decode("utf-8", "surrogateescape")  # as in os.environ
    found = identity_of({}, {"AIRFLOW_CTX_DAG_ID": latin, "AIRFLOW_CTX_TASK_ID": "\x1b[31mload\x00"})
    assert found.job == "t glich.[31mload"
    assert dict(found.facts)["parent_job"].encode("utf-8") == b"t glich"
