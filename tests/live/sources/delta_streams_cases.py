"""Side effects of streams from and to Delta Lake are no flows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.sources.delta_cases import DELTA, target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@DELTA.case
def stream_into_a_table(spark: SparkSession, work: str) -> Iterator[None]:
    """Reads of the log around a stream are shown as flows."""
    target(spark, "streamed_from")
    target(spark, "streamed_into", rows="")
    yield
    stream = (
        spark.readStream.table("d.streamed_from").selectExpr("id", "upper(name) name", "v").writeStream.format("delta")
    )
    stream.option("checkpointLocation", f"{work}/stream/table").trigger(availableNow=True).toTable(
        "d.streamed_into"
    ).awaitTermination()


@DELTA.case
def stream_that_merges(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE within foreachBatch has no inputs."""
    target(spark, "merged_from")
    target(spark, "merged_into", rows="")
    yield

    def merge(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            "merge into d.merged_into t using batch s on t.id = s.id "
            "when matched then update set * when not matched then insert *"
        )

    stream = spark.readStream.table("d.merged_from").writeStream.foreachBatch(merge)
    stream.option("checkpointLocation", f"{work}/stream/merge").trigger(availableNow=True).start().awaitTermination()


@DELTA.case
def stream_between_directories(spark: SparkSession, work: str) -> Iterator[None]:
    """A stream that only names directories."""
    yield
    stream = spark.readStream.format("delta").load(f"{work}/in/delta").groupBy("name").count()
    stream = stream.writeStream.format("delta").outputMode("complete").trigger(availableNow=True)
    stream.option("checkpointLocation", f"{work}/stream/directories").start(f"{work}/out/streamed").awaitTermination()
