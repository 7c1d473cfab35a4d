"""Job names that are defaults, or that change from run to run."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.runs.identity import configured_name_warning, job_name_warning


@pytest.mark.parametrize(
    "job",
    ["pyspark-shell", "PySparkShell", "Databricks Shell", "Spark shell", "Zeppelin", "livy-session-42", "Jupyter"],
)
def test_warns_about_a_default_name(job: str) -> None:
    assert job_name_warning(job) == (
        f"the job's name {job} is a default that unrelated jobs share, so their flows are mixed; "
        "set a name: --conf spark.atlas.hook.spark.job.name=daily_orders, or in Python "
        "attach(spark, job_name='daily_orders')"
    )


def test_warns_about_an_unresolved_reference() -> None:
    why = configured_name_warning("{{job.name}}/{{task.name}}")
    assert why is not None
    assert why.startswith("the job's name {{job.name}}/{{task.name}} contains an unresolved reference")
    assert [configured_name_warning(job) for job in ("daily", "a {{ b", "}} {{", "build 7")] == [None] * 4


@pytest.mark.parametrize("job", ["orders-etl run_42", "build 7", "load#attempt=3", "daily_batch-12_eu"])
def test_warns_about_a_name_with_a_run_number(job: str) -> None:
    why = job_name_warning(job)
    assert why is not None
    assert why.startswith(
        f"the job's name {job} seems to change from run to run, so every run creates new flows; set a name: "
    )
    assert len(why) < 250


@pytest.mark.parametrize(
    "job", ["orders", "daily_orders", "runs 2024", "shell", "orders_v2", "prebuild9", "zeppelin_orders"]
)
def test_no_warning_about_a_stable_name(job: str) -> None:
    assert job_name_warning(job) is None
