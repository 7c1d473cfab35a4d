"""Streaming queries over small files, for live tests and for recording: what the listener says of each is replayed purely.

`python -m tests.streams [case …]` records them on the Spark that is installed, into `fixtures/streams/<version>/<case>.txt`.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.live import Capture, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

STREAMS = Path(__file__).resolve().parent / "fixtures" / "streams"
WORK = "/work-of-the-stream"

Case = Callable[["SparkSession", str], None]


def arrive(spark: SparkSession, work: str, rows: int = 3) -> None:
    """One more file for the streams to read."""
    spark.range(rows).selectExpr("id", "concat('n', id) AS name").coalesce(1).write.mode("append").json(f"{work}/in")


def read(spark: SparkSession, work: str) -> DataFrame:
    return spark.readStream.schema("id long, name string").json(f"{work}/in")


def ended(query: StreamingQuery) -> None:
    """Wait for the end of a query, whatever it ends with."""
    from pyspark.errors import StreamingQueryException

    with contextlib.suppress(StreamingQueryException):
        query.awaitTermination(120)
    if query.isActive:
        raise TimeoutError("the query does not end")


def at_once(writer: DataStreamWriter, work: str, checkpoint: str) -> StreamingQuery:
    """Start a query that reads all there is."""
    return writer.option("checkpointLocation", f"{work}/{checkpoint}").trigger(availableNow=True).start()


def files(spark: SparkSession, work: str) -> None:
    """Files to files, in two runs of one checkpoint."""
    for _ in range(2):
        arrive(spark, work)
        rows = read(spark, work).where("id > 0").selectExpr("id", "upper(name) AS label")
        ended(
            at_once(rows.writeStream.queryName("labels").format("parquet").option("path", f"{work}/labels"), work, "cp")
        )


def function(spark: SparkSession, work: str) -> None:
    """A function with two writes, a static table and a checkpoint in it; three batches."""
    spark.range(3).selectExpr("id", "id * 10 AS price").write.mode("overwrite").parquet(f"{work}/prices")

    def write(batch: DataFrame, number: int) -> None:
        batch.persist()
        batch.write.mode("append").parquet(f"{work}/all")
        priced = batch.join(batch.sparkSession.read.parquet(f"{work}/prices"), "id").localCheckpoint()
        priced.select("name", "price").write.mode("append").json(f"{work}/priced")
        batch.unpersist()

    rows = read(spark, work).selectExpr("id", "lower(name) AS name")
    query = None
    for _ in range(3):
        arrive(spark, work)
        query = at_once(rows.writeStream.foreachBatch(write), work, "cp")
        ended(query)


def function_fails(spark: SparkSession, work: str) -> None:
    """A function whose second write fails, in the query's first batch."""

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(f"{work}/first")
        batch.selectExpr("CAST(raise_error('no') AS string) AS value").write.mode("append").json(f"{work}/second")

    arrive(spark, work)
    ended(at_once(read(spark, work).writeStream.queryName("fails").foreachBatch(write), work, "cp"))


def task_fails(spark: SparkSession, work: str) -> None:
    """A task fails in the second run of a query; the first has written."""
    for condition in ("id", "assert_true(id < 0)"):
        arrive(spark, work)
        rows = read(spark, work).selectExpr("id", "name").where(f"{condition} IS NULL OR true")
        rows = rows.selectExpr(f"coalesce(CAST({condition} AS bigint), id) AS id")
        ended(at_once(rows.writeStream.format("parquet").option("path", f"{work}/out"), work, "cp"))


def grows(spark: SparkSession, work: str) -> None:
    """A function that writes somewhere else with every batch: what is new is not said with each."""

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").json(f"{work}/out_{'abcdefghijkl'[number]}")

    for _ in range(12):
        arrive(spark, work, rows=1)
    source = spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).json(f"{work}/in")
    ended(at_once(source.writeStream.foreachBatch(write), work, "cp"))


def temporary(spark: SparkSession, work: str) -> None:
    """Two runs of a query without a checkpoint, and another one of the same name that writes elsewhere."""
    arrive(spark, work)
    for out in ("a", "a", "b"):
        writer = read(spark, work).writeStream.queryName("named").trigger(once=True)
        ended(writer.foreachBatch(lambda batch, _, out=out: batch.write.mode("append").json(f"{work}/{out}")).start())


CASES: dict[str, Case] = {
    case.__name__: case for case in (files, function, function_fails, task_fails, grows, temporary)
}


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        spark = session(root)
        capture = Capture(spark)
        (STREAMS / spark.version).mkdir(parents=True, exist_ok=True)
        for name in sys.argv[1:] or CASES:
            work = f"{root}/{name}"
            text = capture.text_of(lambda name=name, work=work: CASES[name](spark, work))
            (STREAMS / spark.version / f"{name}.txt").write_text(text.replace(work, WORK) + "\n", "utf-8")
        spark.stop()


if __name__ == "__main__":
    main()
