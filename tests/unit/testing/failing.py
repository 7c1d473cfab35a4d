"""Failing tests of the sample project, each in a different way; copied there as test_failing.py."""

import json
import shutil
from pathlib import Path

import pytest
from report import make_report  # the sample project's


@pytest.fixture
def report(spark, tmp_path, lineage):
    spark.sql("SELECT 'ES' AS country, 10.0 AS amount, true AS paid").write.parquet(str(tmp_path / "orders"))
    make_report(spark, str(tmp_path / "orders"), str(tmp_path / "report"))


def test_an_input_that_is_not_read(report, lineage):
    lineage.assert_flow(inputs=["ordrs", "customers"], output="report")


def test_an_output_that_is_not_written(report, lineage):
    lineage.assert_flow(inputs=["orders"], output="reports")


def test_a_column_of_another(report, lineage):
    lineage.assert_column("report.total", made_of=["orders.country"])


def test_a_column_that_is_not_there(report, lineage):
    assert lineage.columns("report.totl") == {"orders.amount"}


def test_a_golden_file_that_is_not_there(report, lineage):
    lineage.assert_golden("absent")


def test_a_golden_file_of_something_else(report, lineage):
    folder = Path(__file__).parent / "lineage"
    shutil.copy(folder / "report.json", folder / "other.json")
    document = json.loads((folder / "other.json").read_text("utf-8"))
    document["flows"] = [each for each in document["flows"] if each["columns"]]
    document["flows"][0]["columns"]["{tmp_path}/report#total"] = ["{tmp_path}/orders#net"]
    (folder / "other.json").write_text(json.dumps(document), "utf-8")
    lineage.assert_golden("other")


def test_a_job_that_only_reads(spark, lineage):
    spark.range(3).count()  # collect leaves its socket to the garbage collector before Spark 4.2, and warns
    lineage.assert_flow(inputs=[], output="report")


def test_nothing_has_run(lineage):
    lineage.assert_golden("report")


def test_what_others_have_run_does_not_count(report, lineage, tmp_path):
    """Pass: this test sees its own flow only, and the rows that it made."""
    assert [each.outputs for each in lineage.flows] == [("{tmp_path}/orders",), ("{tmp_path}/report",)]
    assert lineage.inputs("orders") == set()
    assert lineage.columns("orders.amount") == set()
