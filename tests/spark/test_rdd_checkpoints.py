"""What a job of RDDs reads is looked up when it begins: what happens to the RDDs before it is said does not matter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.live import Capture
from tests.spark.sleeper import hold, release, sleepy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]


def test_a_job_reads_what_it_read_before_its_checkpoint(spark: SparkSession, work: Path) -> None:
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
