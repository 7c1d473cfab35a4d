"""Names of jobs that nobody chose, or that change from run to run."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.runs.shared_names import doubt_of, doubt_of_chosen


@pytest.mark.parametrize(
    "job",
    ["pyspark-shell", "PySparkShell", "Databricks Shell", "Spark shell", "Zeppelin", "livy-session-42", "Jupyter"],
)
def test_a_name_that_all_share_is_told(job: str) -> None:
    assert doubt_of(job) == (
        f"the job's name {job} is shared by all that choose none; "
        "name it: attach(spark, job_name='daily_orders'), or atlas.hook.spark.job.name"
    )


def test_what_nobody_has_filled_in_is_told() -> None:
    why = doubt_of_chosen("{{job.name}}/{{task.name}}")
    assert why is not None
    assert why.startswith(
        "write the job's name {{job.name}}/{{task.name}} out: nobody has filled in what stands in braces"
    )
    assert [doubt_of_chosen(job) for job in ("daily", "a {{ b", "}} {{", "build 7")] == [None] * 4


@pytest.mark.parametrize("job", ["orders-etl run_42", "build 7", "load#attempt=3", "daily_batch-12_eu"])
def test_a_name_with_the_number_of_a_run_is_told(job: str) -> None:
    why = doubt_of(job)
    assert why is not None
    assert why.startswith(f"the job's name {job} seems to change from run to run; name it: ")
    assert len(why) < 200


@pytest.mark.parametrize(
    "job", ["orders", "daily_orders", "runs 2024", "shell", "orders_v2", "prebuild9", "zeppelin_orders"]
)
def test_a_good_name_is_not(job: str) -> None:
    assert doubt_of(job) is None
