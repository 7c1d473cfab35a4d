"""Rows, files and bytes that writes to Delta tables report: Delta's transactions count them, no command of a plan does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from tests.helpers.live_runs import Capture
from tests.live.sources.delta_cases import DELTA

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
if os.environ.get("SAC_KAFKA_TEST_SOURCE") != DELTA.name:
    pytest.skip("needs the jars of Delta: make test-sources SPARK=3.5.9 SOURCES_TESTED=delta", allow_module_level=True)

WRITES: Mapping[str, tuple[Callable[[SparkSession, str], Any], int | None]] = {
    "save": (lambda spark, path: spark.range(10).coalesce(1).write.format("delta").save(path), 10),
    "saveAsTable": (lambda spark, _: spark.range(10).coalesce(1).write.format("delta").saveAsTable("d.figures"), 10),
    "CTAS": (lambda spark, _: spark.sql("create table d.figures2 using delta as select * from d.figures"), 10),
    "INSERT": (lambda spark, _: spark.sql("insert into d.figures select id + 100 from d.figures where id < 3"), 3),
    "writeTo": (lambda spark, _: spark.range(20, 24).coalesce(1).writeTo("d.figures").append(), 4),
    "UPDATE": (lambda spark, _: spark.sql("update d.figures2 set id = 50 where id < 5"), None),
    "DELETE": (lambda spark, _: spark.sql("delete from d.figures2 where id = 50"), None),
}
"""Writes, and their rows: without rewritten rows that stay the same."""


def test_writes_report_rows_files_and_bytes(spark: SparkSession, capture: Capture, work: Path) -> None:
    found = {}
    capture.drain()  # what others ran in the same session
    for name, (write, _) in WRITES.items():
        (process,) = capture.processes_of(capture.text_of(lambda w=write: w(spark, f"{work}/figures")))
        run = process.run
        found[name] = (run.rows_written, bool(run.files_written), (run.bytes_written or 0) > 0)
    assert found == {name: (rows, rows is not None, rows is not None) for name, (_, rows) in WRITES.items()}
