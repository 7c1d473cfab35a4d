"""Streams of equal batches with a different one among them: the different one is reported, the others are not."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.model import Process, TableDefined
from sac_kafka.plan import wire
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.streaming_events import RepeatedBatches
from tests.helpers.live_runs import APPLICATION, Capture

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter

pytestmark = [pytest.mark.spark, pytest.mark.subset]

BATCHES = 6
CHANGED = 4


@pytest.fixture(scope="module")
def capture(spark: SparkSession, work: Path) -> Capture:
    (work / "in").mkdir()
    now = time.time() - BATCHES
    for n in range(BATCHES):
        file = work / "in" / f"{n}.json"
        file.write_text(f'{{"id": {n}, "name": "n"}}\n' * (n + 1))
        os.utime(file, (now + n, now + n))  # Spark takes the oldest first
    (work / "look").mkdir()
    for name in ("a", "b"):
        (work / "look" / f"{name}.json").write_text('{"id": 1}\n')
    return Capture(spark)


def batches_and_processes(capture: Capture, text: str) -> tuple[list[int], list[int], list[Process]]:
    """Return the batches sent in full, how many known ones came before and after each, and the processes of the query."""
    whole: list[int] = []
    known = [0]
    for line in wire.read(text):
        event = line.event if isinstance(line, wire.Projected) else None
        if isinstance(event, RepeatedBatches):
            known[-1] += event.batches
            assert not event.batches or event.batch_id == sum(known) + len(whole) - 1
        elif isinstance(event, SparkListenerSQLExecutionEnd):
            query = event.query_execution
            if isinstance(query, IncrementalExecution):
                whole.append(query.batch_id)
                known.append(0)
    return whole, known, [o for o in capture.outcomes_of(text, Actions(APPLICATION)) if isinstance(o, Process)]


def written(spark: SparkSession, work: Path) -> DataStreamWriter:
    rows = spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).json(f"{work}/in")
    return rows.selectExpr("id", "upper(name) AS name").writeStream.trigger(availableNow=True)


def names(process: Process) -> tuple[list[str], list[str]]:
    inputs, outputs = ([d.key.rpartition("/")[2] for d in each] for each in (process.inputs, process.outputs))
    return inputs, outputs


def test_equal_batches_of_files_are_reported_once(spark: SparkSession, capture: Capture, work: Path) -> None:
    query = written(spark, work).format("parquet").option("path", f"{work}/out")
    text = capture.text_of(lambda: query.option("checkpointLocation", f"{work}/cp").start().awaitTermination())
    whole, known, (shown, ended) = batches_and_processes(capture, text)
    assert (whole, known) == ([0], [0, BATCHES - 1])
    assert names(shown) == names(ended) == (["in"], ["out"])
    assert ended.stream is not None
    assert (ended.stream.batches, ended.stream.last_batch) == (BATCHES, BATCHES - 1)
    assert sum(rows for _, rows in ended.stream.rows_read) == sum(range(1, BATCHES + 1))


def test_a_batch_with_another_input_or_output_is_reported(spark: SparkSession, capture: Capture, work: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(f"{work}/first")
        if number != CHANGED:
            batch.select("name").write.mode("append").json(f"{work}/second")
            return
        look = batch.sparkSession.read.schema("id long").json(f"{work}/look")
        batch.join(look, "id").write.mode("append").json(f"{work}/other")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-function")
    text = capture.text_of(lambda: query.start().awaitTermination())
    whole, known, processes = batches_and_processes(capture, text)
    assert (whole, known) == ([0, CHANGED], [0, CHANGED - 1, BATCHES - CHANGED - 1])
    assert names(processes[0]) == (["in"], ["first", "second"])
    assert names(processes[-1]) == (["in", "look"], ["first", "other", "second"])
    assert processes[-1].stream is not None
    assert processes[-1].stream.batches == BATCHES
    # Two writes of all rows, except those that the join excludes.
    assert processes[-1].run.rows_written is not None


def test_an_rdd_read_by_a_function_is_seen_in_every_batch(spark: SparkSession, capture: Capture, work: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        look = batch.sparkSession.read.schema("id long").json(f"{work}/look/{'b' if number == CHANGED else 'a'}.json")
        rows = look.rdd.map(lambda row: (row.id,))
        batch.sparkSession.createDataFrame(rows, "id long").write.mode("append").json(f"{work}/looked")
        batch.write.mode("append").json(f"{work}/copied")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-rdd")
    text = capture.text_of(lambda: query.start().awaitTermination())
    whole, _, processes = batches_and_processes(capture, text)
    assert CHANGED in whole
    assert names(processes[-1])[1] == ["copied", "looked"]
    assert {"a.json", "b.json"} <= set(names(processes[-1])[0])


def test_a_dropped_table_is_reported_with_the_next_batch(spark: SparkSession, capture: Capture, work: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").saveAsTable("kept")
        if number == CHANGED - 1:
            spark.sql("DROP TABLE kept")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-table")
    text = capture.text_of(lambda: query.start().awaitTermination())
    whole, _, processes = batches_and_processes(capture, text)
    assert CHANGED in whole
    assert names(processes[-1])[1] == ["table:spark_catalog.default.kept"]


def test_job_descriptions_of_a_function_are_reported(spark: SparkSession, capture: Capture, work: Path) -> None:
    """Spark's text of a batch is the thread's: `setJobDescription` and `setJobGroup` put another one in its place."""

    def write(batch: DataFrame, number: int) -> None:
        batch.sparkSession.sparkContext.setJobDescription(f"orders of batch {number}")
        batch.write.mode("append").parquet(f"{work}/described")
        if number == CHANGED:
            batch.sparkSession.sparkContext.setJobGroup("mine", "once in a while")
            batch.localCheckpoint().select("name").write.mode("append").parquet(f"{work}/rare")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-described")
    text = capture.text_of(lambda: query.start().awaitTermination())
    whole, known, processes = batches_and_processes(capture, text)
    assert (whole, known) == ([0, CHANGED], [0, CHANGED - 1, BATCHES - CHANGED - 1])
    assert names(processes[-1]) == (["in"], ["described", "rare"])
    assert processes[-1].run.rows_written == sum(range(1, BATCHES + 1)) + CHANGED + 1
    assert {(c.dataset.rpartition("/")[2], c.column): len(c.sources) for c in processes[-1].columns} == {
        ("described", "id"): 1,
        ("described", "name"): 1,
        ("rare", "name"): 1,
    }


def test_a_table_replaced_by_each_batch_is_defined_once(spark: SparkSession, capture: Capture, work: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.createOrReplaceTempView("rows_of_a_batch")
        batch.sparkSession.sql("CREATE TABLE staged USING parquet AS SELECT id FROM rows_of_a_batch")
        batch.sparkSession.table("staged").write.mode("overwrite").saveAsTable("newest")
        batch.sparkSession.sql("DROP TABLE staged")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-replaced")
    text = capture.text_of(lambda: query.start().awaitTermination())
    outcomes = capture.outcomes_of(text, Actions(APPLICATION))
    processes = [o for o in outcomes if isinstance(o, Process)]
    newest, staged = "table:spark_catalog.default.newest", "table:spark_catalog.default.staged"
    assert [o.table.key for o in outcomes if isinstance(o, TableDefined)] == [newest]
    assert names(processes[-1]) == (["in", staged], [newest, staged])
    assert {c.dataset for c in processes[-1].columns} == {newest, staged}
    assert len(processes) == 2


def test_values_read_by_a_function_influence_the_writes_of_its_query(
    spark: SparkSession, capture: Capture, work: Path
) -> None:
    def write(batch: DataFrame, number: int) -> None:
        limits = (
            batch.sparkSession.read.schema("id long").json(f"{work}/look/a.json").selectExpr("id + 1764112341 AS most")
        )
        (most,) = limits.collect()
        batch.filter(f"id < {most.most}").write.mode("append").parquet(f"{work}/limited")

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-limited")
    text = capture.text_of(lambda: query.start().awaitTermination())
    *_, ended = batches_and_processes(capture, text)[2]
    assert names(ended) == (["in"], ["limited"])
    assert [each.key.rpartition("/")[2] for each in ended.decided_by] == ["a.json"]
    assert {c.column: [s.column for s in c.sources] for c in ended.columns} == {"id": ["id"], "name": ["name"]}
