"""Inputs of a job of RDDs are found when it begins, and before a checkpoint: later changes to the RDDs do not matter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.live_runs import Capture
from tests.live.spark.sleeper import hold, release, sleepy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]


def test_a_checkpoint_keeps_the_inputs_of_a_job(spark: SparkSession, work: Path) -> None:
    (work / "lines").mkdir()
    (work / "lines" / "part").write_text("a\nb\n")
    spark.range(3).write.parquet(f"{work}/in")
    df = spark.read.parquet(f"{work}/in")
    capture = Capture(spark)
    try:
        hold(spark)
        sleepy(spark, df).write.parquet(f"{work}/slow")  # whatever comes after it waits, and the checkpoint does not
        lines = spark.sparkContext._jsc.textFile(f"{work}/lines").distinct()
        lines.rdd().localCheckpoint()
        lines.saveAsTextFile(f"{work}/out")
        assert lines.isCheckpointed()
        release(spark)
        (saved,) = [p for p in capture.processes_of(capture.drain()) if p.outputs[0].key == f"path:file:{work}/out"]
        assert [d.key for d in saved.inputs] == [f"path:file:{work}/lines"]
        assert saved.other_sources == ()
    finally:
        release(spark)
        capture.listener.detach()


def test_an_rdd_of_a_checkpoint_has_the_inputs_of_the_checkpoint(spark: SparkSession, work: Path) -> None:
    spark.range(3).write.saveAsTable("numbers")
    (work / "words").mkdir()
    (work / "words" / "part").write_text("a\nb\n")
    spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
    capture = Capture(spark)
    try:
        words = spark.sparkContext.textFile(f"{work}/words").map(len)
        words.checkpoint()
        words.count()
        both = words.union(spark.table("numbers").rdd.map(lambda row: row.id))
        both.localCheckpoint()
        both.count()
        assert words.isCheckpointed() and both.isLocallyCheckpointed()
        both.repartition(1).saveAsTextFile(f"{work}/of_both")
        words.map(lambda length: (length,)).toDF("length int").write.parquet(f"{work}/of_words")
        processes = {p.outputs[0].key: p for p in capture.processes_of(capture.drain())}
        inputs = {key.rpartition("/")[2]: [d.key for d in p.inputs] for key, p in processes.items()}
        assert inputs == {
            "of_both": [f"path:file:{work}/words", "table:spark_catalog.default.numbers"],
            "of_words": [f"path:file:{work}/words"],
        }
        assert {p.other_sources for p in processes.values()} == {()}
    finally:
        capture.listener.detach()
