"""Streaming queries over small files, for live tests and for recording: the listener's text of each is replayed purely.

`python -m tests.cases.stream_batches [case …]` records them on the installed Spark, into `fixtures/streams/<version>/<case>.txt`.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers.live_runs import Capture, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter

STREAMS = Path(__file__).resolve().parents[1] / "fixtures" / "streams"
WORK = "/work-of-the-stream"

Case = Callable[["SparkSession", str], None]


def read(spark: SparkSession, work: str) -> DataFrame:
    return spark.readStream.schema("id long, name string").json(f"{work}/in")


def at_once(writer: DataStreamWriter) -> None:
    """Run a query over all there is, whatever it ends with."""
    from pyspark.errors import StreamingQueryException

    with contextlib.suppress(StreamingQueryException):
        writer.trigger(availableNow=True).start().awaitTermination()


def files(spark: SparkSession, work: str) -> None:
    """Files to files."""
    rows = read(spark, work).selectExpr("id", "upper(name) n").writeStream.queryName("q1").format("parquet")
    at_once(rows.option("path", f"{work}/out").option("checkpointLocation", f"{work}/cp"))


def no_data(spark: SparkSession, work: str) -> None:
    """The same query again, from its checkpoint: there is nothing new to read."""
    files(spark, work)


def function(spark: SparkSession, work: str) -> None:
    """A function with three writes, one of them a table behind a checkpoint."""

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(f"{work}/fb1")
        batch.persist()
        batch.selectExpr("id*2 d").write.mode("append").json(f"{work}/fb2")
        batch.unpersist()
        batch.localCheckpoint().write.mode("append").saveAsTable("fb3")

    rows = read(spark, work).selectExpr("*", "id + 1 AS x")
    at_once(rows.writeStream.foreachBatch(write).option("checkpointLocation", f"{work}/cp2"))


def function_in_python(spark: SparkSession, work: str) -> None:
    """A function whose rows go through the driver's Python, and through an RDD."""

    def write(batch: DataFrame, number: int) -> None:
        rows = batch.select("id", "name").collect()
        again = batch.sparkSession.createDataFrame(rows, "id long, called string")
        again.write.mode("append").parquet(f"{work}/fp1")
        mapped = batch.rdd.map(lambda row: (row.id,))
        batch.sparkSession.createDataFrame(mapped, "i long").write.mode("append").json(f"{work}/fp2")

    at_once(read(spark, work).writeStream.foreachBatch(write).option("checkpointLocation", f"{work}/cp-python"))


def function_in_threads(spark: SparkSession, work: str) -> None:
    """A function that writes in separate threads, and waits for them."""

    def write(batch: DataFrame, number: int) -> None:
        writers = (
            batch.selectExpr("id + 1 AS next").write.mode("append"),
            batch.filter("id > 2").select("name").write.mode("append"),
        )
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda writer, name: writer.parquet(f"{work}/{name}"), writers, ("ft1", "ft2")))

    at_once(read(spark, work).writeStream.foreachBatch(write).option("checkpointLocation", f"{work}/cp-threads"))


def function_fails(spark: SparkSession, work: str) -> None:
    """The second write of a function fails."""

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(f"{work}/fx1")
        batch.selectExpr("assert_true(id<0)").write.mode("append").json(f"{work}/fx2")

    at_once(read(spark, work).writeStream.foreachBatch(write))


def function_raises(spark: SparkSession, work: str) -> None:
    """A function fails before it writes."""

    def write(batch: DataFrame, number: int) -> None:
        raise ValueError("secret")

    at_once(read(spark, work).writeStream.foreachBatch(write))


def noop(spark: SparkSession, work: str) -> None:
    """A sink that no dataset keeps."""
    at_once(read(spark, work).writeStream.format("noop").queryName("n1"))


def task_fails(spark: SparkSession, work: str) -> None:
    """A query fails in its first batch."""
    rows = read(spark, work).selectExpr("assert_true(id<0)").writeStream.format("parquet")
    at_once(rows.option("path", f"{work}/out9").option("checkpointLocation", f"{work}/cp9"))


def to_table(spark: SparkSession, work: str) -> None:
    """Files to a table that does not exist yet."""
    writer = read(spark, work).writeStream.trigger(availableNow=True).option("checkpointLocation", f"{work}/cp3")
    writer.toTable("tt").awaitTermination()


def continuous(spark: SparkSession, work: str) -> None:
    """A query that has no batches."""
    rows = spark.readStream.format("rate").load().writeStream.format("noop").queryName("cc")
    query = rows.trigger(continuous="1 second").start()
    time.sleep(3)
    query.stop()


CASES: dict[str, Case] = {
    case.__name__: case
    for case in (
        files,
        no_data,
        function,
        function_in_python,
        function_in_threads,
        function_fails,
        function_raises,
        noop,
        task_fails,
        to_table,
        continuous,
    )
}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as root:
        spark = session(root)
        capture = Capture(spark)
        (STREAMS / spark.version).mkdir(parents=True, exist_ok=True)
        spark.range(5).selectExpr("id", "concat('n', id) name").write.json(f"{root}/in")
        capture.drain()
        for name in sys.argv[1:] or CASES:
            text = capture.text_of(lambda name=name: CASES[name](spark, root))
            (STREAMS / spark.version / f"{name}.txt").write_text(text.replace(root, WORK) + "\n", "utf-8")
        spark.stop()


if __name__ == "__main__":
    main()
