"""A Delta table without a name is one dataset, whatever API names its path, however the path is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from sac_kafka.model import PathDataset
from tests.helpers.live_runs import Capture
from tests.live.sources.delta_cases import DELTA

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
if os.environ.get("SAC_KAFKA_TEST_SOURCE") != DELTA.name:
    pytest.skip("needs the jars of Delta: make test-sources SPARK=3.5.9 SOURCES_TESTED=delta", allow_module_level=True)

KINDS: Mapping[str, str] = {
    "without a scheme": "{folder}/t",
    "with one": "file:{folder}/t",
    "with one, and slashes": "file://{folder}/t",
    "by a detour": "{folder}/x/../t",
    "with a slash at its end": "{folder}/t/",
    "with two slashes": "{folder}//t",
}
Write = Callable[["SparkSession", str], Any]
WRITES: Mapping[str, Write] = {
    "save": lambda spark, path: _rows(spark).mode("append").save(path),
    "saveAsTable": lambda spark, path: _rows(spark).mode("append").saveAsTable(f"delta.`{path}`"),
    "insertInto": lambda spark, path: spark.table("d.src").write.insertInto(f"delta.`{path}`"),
    "writeTo": lambda spark, path: spark.table("d.src").writeTo(f"delta.`{path}`").append(),
    "INSERT": lambda spark, path: spark.sql(f"insert into delta.`{path}` select * from d.src"),
    "INSERT OVERWRITE": lambda spark, path: spark.sql(f"insert overwrite delta.`{path}` select * from d.src"),
    "MERGE": lambda spark, path: spark.sql(
        f"merge into delta.`{path}` t using d.src s on t.id = s.id when matched then update set *"
    ),
    "UPDATE": lambda spark, path: spark.sql(f"update delta.`{path}` set v = v + 1 where id > 0"),
    "forPath": lambda spark, path: spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path).updateExpr(
        spark._jvm.PythonUtils.toScalaMap({"v": "v + 2"})
    ),
    "REPLACE": lambda spark, path: spark.sql(
        f"create or replace table delta.`{path}` using delta as select * from d.src"
    ),
    "a stream": lambda spark, path: _stream(spark, path),
}
READS: Mapping[str, Write] = {
    "load": lambda spark, path: spark.read.format("delta").load(path),
    "SELECT": lambda spark, path: spark.sql(f"select * from delta.`{path}`"),
    "table": lambda spark, path: spark.table(f"delta.`{path}`"),
}
EVERY_KIND = ("INSERT", "SELECT", "save")
"""What meets every kind of path; the others meet the one that leaves most to the session."""


def _rows(spark: SparkSession) -> Any:
    return spark.table("d.src").write.format("delta")


def _stream(spark: SparkSession, path: str) -> None:
    stream = spark.readStream.table("d.src").writeStream.format("delta").trigger(availableNow=True)
    stream.option("checkpointLocation", f"{path.rstrip('/')}_checkpoint").start(path).awaitTermination()


@pytest.mark.parametrize("kind", KINDS)
def test_a_path_has_one_name(spark: SparkSession, capture: Capture, work: Path, kind: str) -> None:
    folder = work / f"paths{[*KINDS].index(kind)}"
    path = KINDS[kind].format(folder=folder)
    _rows(spark).save(path)
    capture.drain()
    found = {}
    for name, write in WRITES.items():
        if name in EVERY_KIND or kind == "without a scheme":
            found[name] = [p.outputs for p in capture.processes_of(capture.text_of(lambda w=write: w(spark, path)))]
    for name, read in READS.items():
        if name in EVERY_KIND or kind == "without a scheme":
            copy = lambda r=read: r(spark, path).write.mode("overwrite").parquet(f"{folder}/copy")  # noqa: E731
            found[name] = [p.inputs for p in capture.processes_of(capture.text_of(copy))]
    named = {name: {d.path for of in each for d in of if isinstance(d, PathDataset)} for name, each in found.items()}
    assert named == {name: {f"file:{folder}/t"} for name in found}
