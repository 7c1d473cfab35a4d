"""Tests of the sample project that stop Spark, so that later tests have none; copied there as test_stopping.py."""

from pyspark.sql import SparkSession


def test_a_job_that_makes_its_own_spark(spark, tmp_path, lineage):
    """Pass: what ran before Spark was stopped is seen, and what a new session runs."""
    spark.sql("SELECT 1 AS a").write.parquet(str(tmp_path / "report"))
    spark.stop()
    own = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    own.read.parquet(str(tmp_path / "report")).write.parquet(str(tmp_path / "copy"))
    own.stop()
    lineage.assert_flow(inputs=[], output="report")
    lineage.assert_flow(inputs=["report"], output="copy")


def test_a_session_that_is_stopped(spark, lineage):
    """Fail with an error: a stopped session runs nothing."""


def test_a_job_that_needs_no_session(tmp_path, lineage):
    """Pass, though the fixture's session is stopped; a folder named like a date is one dataset with those of other dates."""
    day = tmp_path / "days" / "2026-11-20"
    own = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    own.sql("SELECT 1 AS a").write.parquet(str(day))
    own.stop()
    lineage.assert_flow(inputs=[], output=day)
    lineage.assert_flow(inputs=[], output="days")
