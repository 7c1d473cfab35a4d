"""Cases of Structured Streaming: what a query reads and writes, and its columns.

Each query runs until its sources have no more rows.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tests.cases.all_cases import NEEDING_PANDAS, Case, case, since
from tests.helpers.waiting import until

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming import DataStreamWriter
    from pyspark.sql.streaming.state import GroupState

ORDERS = "id bigint, customer string, amount double, day string"
STREAMS: dict[str, Case] = {}
"""The cases of this module: a separate part of results.md."""

NO_MORE_SECONDS = 300


def stream(function: Case) -> Case:
    """Return a case named as its function, with `stream_` in front."""
    function.__name__ = f"stream_{function.__name__}"
    STREAMS[function.__name__] = function
    return case(function)


def stream_since(version: str) -> Callable[[Case], Case]:
    """Return a case of newer Sparks."""

    def mark(function: Case) -> Case:
        return since(version)(stream(function))

    return mark


def orders(spark: SparkSession, work: str, file_format: str = "parquet") -> DataFrame:
    """Return the directory of orders of that format, as a stream."""
    return spark.readStream.schema(ORDERS).format(file_format).load(f"{work}/in/orders_{file_format}")


def write(df: DataFrame, work: str, name: str, *, file_format: str = "parquet", **options: str) -> None:
    """Write all that there is into `out/<name>`."""
    writer = df.writeStream.format(file_format).options(**options)
    run(writer.option("path", f"{work}/out/{name}"), work, name)


def run(writer: DataStreamWriter, work: str, name: str, *, table: str | None = None) -> None:
    """Run a query until it has written all that there is."""
    writer = writer.option("checkpointLocation", f"{work}/checkpoints/{name}").trigger(availableNow=True)
    query = writer.start() if table is None else writer.toTable(table)
    assert query.awaitTermination(NO_MORE_SECONDS)


def timed(df: DataFrame) -> DataFrame:
    """With a time of the event, and a watermark over it."""
    return df.selectExpr(
        "*", "to_timestamp('2026-11-20 10:00:00') + make_interval(0, 0, 0, 0, 0, id) at"
    ).withWatermark("at", "1 minute")


# ---- files and tables


@stream
def files_into_files(spark: SparkSession, work: str) -> object:
    df = orders(spark, work, "csv").filter("amount > 1").selectExpr("id", "upper(customer) who")
    write(df, work, "stream_files_into_files", file_format="json")


@stream
def files_into_partitions(spark: SparkSession, work: str) -> object:
    writer = orders(spark, work, "orc").writeStream.format("parquet").partitionBy("day")
    run(writer.option("path", f"{work}/out/stream_partitions"), work, "stream_partitions")


@stream
def lines_into_lines(spark: SparkSession, work: str) -> object:
    write(spark.readStream.text(f"{work}/in/lines"), work, "stream_lines", file_format="text")


@stream
def files_of_a_glob(spark: SparkSession, work: str) -> object:
    write(spark.readStream.schema(ORDERS).parquet(f"{work}/in/daily/*"), work, "stream_glob")


@stream
def files_into_a_new_table(spark: SparkSession, work: str) -> object:
    run(orders(spark, work, "json").select("id", "day").writeStream, work, "stream_new", table="stream_new")


@stream
def files_into_a_table(spark: SparkSession, work: str) -> object:
    spark.sql("create table stream_there (day string, total double) using parquet")
    df = orders(spark, work).selectExpr("day", "amount * 2 total")
    run(df.writeStream, work, "stream_there", table="stream_there")


@stream
def table_into_files(spark: SparkSession, work: str) -> object:
    write(spark.readStream.table("orders").select("customer", "amount"), work, "stream_of_a_table")


@stream
def temporary_view_of_files(spark: SparkSession, work: str) -> object:
    orders(spark, work).createOrReplaceTempView("stream_of_orders")
    df = spark.sql("select customer, amount a from stream_of_orders where day = 'mon'")
    write(df, work, "stream_of_a_view")


# ---- several sources


@stream
def joined_with_a_table(spark: SparkSession, work: str) -> object:
    customers = spark.table("customers")
    joined = orders(spark, work).alias("o").join(customers.alias("c"), expression("o.customer = c.name"), "left")
    write(joined.selectExpr("o.id", "c.country"), work, "stream_static_join")


@stream
def joined_with_a_stream(spark: SparkSession, work: str) -> object:
    left = timed(orders(spark, work)).alias("l")
    right = timed(orders(spark, work, "json")).alias("r")
    joined = left.join(right, expression("l.id = r.id and r.at between l.at and l.at + interval 1 minute"))
    write(joined.selectExpr("l.id", "r.customer", "l.amount + r.amount both"), work, "stream_stream_join")


@stream
def united(spark: SparkSession, work: str) -> object:
    df = orders(spark, work).select("id", "day").union(spark.readStream.table("orders").select("id", "customer"))
    write(df, work, "stream_union")


def expression(text: str) -> Any:
    from pyspark.sql import functions as f

    return f.expr(text)


# ---- rows that no dataset holds


@stream
def rate(spark: SparkSession, work: str) -> object:
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 2).load()
    write(source.selectExpr("value n", "timestamp at"), work, "stream_rate")


@stream
def lines_of_a_socket(spark: SparkSession, work: str) -> object:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        source = spark.readStream.format("socket").option("host", "127.0.0.1")
        df = source.option("port", server.getsockname()[1]).load()
        writer = df.writeStream.format("json").option("path", f"{work}/out/stream_socket")
        query = writer.option("checkpointLocation", f"{work}/checkpoints/stream_socket").start()
        until(lambda: any(each["numInputRows"] for each in query.recentProgress), lambda: query.status)
        query.processAllAvailable()
        query.stop()


def _serve(server: socket.socket) -> None:
    """The source connects to see whether it can, then once more."""
    kept = []
    try:
        while True:
            kept.append(server.accept()[0])
            kept[-1].sendall(b"one\ntwo\n")
    except OSError:
        return


@stream
def into_memory(spark: SparkSession, work: str) -> object:
    counts = orders(spark, work).groupBy("day").count()
    run(counts.writeStream.format("memory").queryName("stream_memory").outputMode("complete"), work, "stream_memory")


@stream
def into_the_console(spark: SparkSession, work: str) -> object:
    run(orders(spark, work).writeStream.format("console"), work, "stream_console")


@stream
def into_nothing(spark: SparkSession, work: str) -> object:
    run(orders(spark, work).writeStream.format("noop"), work, "stream_noop")


@stream
def each_row_into_a_function(spark: SparkSession, work: str) -> object:
    def ignore(row: Row) -> None:
        del row

    run(orders(spark, work).writeStream.foreach(ignore), work, "stream_foreach")


# ---- state


@stream
def windows(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    grouped = timed(orders(spark, work)).groupBy(f.window("at", "1 minute"), "customer").agg(f.sum("amount").alias("s"))
    write(grouped.selectExpr("window.start begins", "customer", "s"), work, "stream_windows")


@stream
def deduplicated(spark: SparkSession, work: str) -> object:
    write(timed(orders(spark, work)).dropDuplicates(["customer"]).select("id"), work, "stream_deduplicated")


@stream
def deduplicated_within_the_watermark(spark: SparkSession, work: str) -> object:
    df = timed(orders(spark, work)).dropDuplicatesWithinWatermark(["customer"]).select("id")
    write(df, work, "stream_deduplicated_within")


@stream_since("4.0")
def state_in_pandas(spark: SparkSession, work: str) -> object:
    """Spark 3.5 has it too, but its workers do not run with the PyArrow of these tests."""
    from pyspark.sql.streaming.state import GroupStateTimeout

    def count(key: tuple[str], frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame.assign(who=frame["customer"], n=len(frame))[["who", "n"]]

    grouped = orders(spark, work).select("customer", "amount", "day").groupBy("customer")
    df = grouped.applyInPandasWithState(
        count, "who string, n bigint", "seen bigint", "append", GroupStateTimeout.NoTimeout
    )
    write(df, work, "stream_state_in_pandas")


NEEDING_PANDAS.add(state_in_pandas.__name__)


@stream_since("4.0")
def transformed_with_state(spark: SparkSession, work: str) -> object:
    from pyspark.sql.streaming import StatefulProcessor

    class Counting(StatefulProcessor):
        def init(self, handle: object) -> None:
            del handle

        def handleInputRows(  # noqa: N802 as Spark calls it
            self,
            key: tuple[str],
            rows: Iterator[pd.DataFrame],
            timerValues: object,  # noqa: N803 as above
        ) -> Iterator[pd.DataFrame]:
            del key, timerValues
            for frame in rows:
                yield frame.assign(who=frame["customer"], n=len(frame))[["who", "n"]]

        def close(self) -> None:
            pass

    store = "spark.sql.streaming.stateStore.providerClass"
    spark.conf.set(store, "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    try:
        grouped = orders(spark, work).select("customer", "amount", "day").groupBy("customer")
        df = grouped.transformWithStateInPandas(Counting(), "who string, n bigint", "append", "none")
        write(df, work, "stream_transformed")
    finally:
        spark.conf.unset(store)


NEEDING_PANDAS.add(transformed_with_state.__name__)
