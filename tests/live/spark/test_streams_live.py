"""Streams of equal batches with a different one among them: the different one is reported, the others are not."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions

from sac_kafka.model import Process, TableDefined
from sac_kafka.plan import wire
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.streaming_events import RepeatedBatches
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter

pytestmark = pytest.mark.spark

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


def flows_of(processes: list[Process]) -> dict[str, Process]:
    """Return the last process of each output, by the last part of the output's key."""
    return {name: each for each in processes for name in names(each)[1]}


def pairs(processes: list[Process]) -> set[tuple[str, str]]:
    """Return the inputs and outputs that processes connect, by the last part of their keys."""
    return {(source, target) for each in processes for source in names(each)[0] for target in names(each)[1]}


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
    flows = flows_of(processes)
    assert [names(each) for each in flows.values()] == [
        (["in"], ["first"]),
        (["in"], ["second"]),
        (["in", "look"], ["other"]),
    ]
    assert {each.stream.batches for each in flows.values() if each.stream} == {BATCHES}
    all_rows = sum(range(1, BATCHES + 1))
    assert {name: (each.run.rows_written, each.run.executions) for name, each in flows.items()} == {
        "first": (all_rows, BATCHES),
        "second": (all_rows - CHANGED - 1, BATCHES - 1),
        "other": (0, 1),  # the join excludes all rows
    }


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
    flows = flows_of(processes)
    assert set(flows) == {"copied", "looked"}
    assert {"a.json", "b.json"} <= set(names(flows["looked"])[0])
    assert names(flows["copied"])[0] == ["in"]


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
    flows = flows_of(processes)
    assert [names(each) for each in flows.values()] == [(["in"], ["described"]), (["in"], ["rare"])]
    assert [each.run.rows_written for each in flows.values()] == [sum(range(1, BATCHES + 1)), CHANGED + 1]
    assert [[(c.column, len(c.sources)) for c in each.columns] for each in flows.values()] == [
        [("id", 1), ("name", 1)],
        [("name", 1)],
    ]


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
    assert pairs(processes) == {("in", staged), (staged, newest)}
    assert [{c.dataset for c in each.columns} for each in processes] == [{staged}, {newest}] * 2


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


def test_each_thread_of_a_function_writes_a_flow_of_its_own(spark: SparkSession, capture: Capture, work: Path) -> None:
    for n in range(BATCHES):
        spark.range(n + 1).write.mode("overwrite").parquet(f"{work}/source{n}")

    def write(batch: DataFrame, number: int) -> None:
        source = batch.sparkSession.read.parquet(f"{work}/source{number}")

        def copy(thread: int) -> None:
            source.withColumn("thread", functions.lit(thread)).write.parquet(f"{work}/made{number}_{thread}")

        with ThreadPoolExecutor(3) as pool:
            list(pool.map(copy, range(3)))

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-threads")
    text = capture.text_of(lambda: query.start().awaitTermination())
    processes = batches_and_processes(capture, text)[2]
    made = {(f"source{n}", f"made{n}_{t}") for n in range(BATCHES) for t in range(3)}
    assert pairs(processes) == made
    flows = flows_of([each for each in processes if each.stream])
    assert len({each.stream.identity for each in flows.values() if each.stream}) == len(flows) == len(made)
    assert {name: each.run.rows_written for name, each in flows.items()} == {
        target: int(source.removeprefix("source")) + 1 for source, target in made
    }


def test_datasets_that_a_function_writes_in_turn_keep_their_figures(
    spark: SparkSession, capture: Capture, work: Path
) -> None:
    """Later batches repeat either the first or the second one; a table is counted by the command that `saveAsTable` runs."""

    def write(batch: DataFrame, number: int) -> None:
        if number % 2:
            batch.write.mode("append").saveAsTable("odd")
        else:
            batch.write.mode("append").json(f"{work}/even")
        batch.createOrReplaceTempView("rows_in_turn")
        batch.sparkSession.sql(f"INSERT OVERWRITE DIRECTORY '{work}/latest' USING json SELECT id FROM rows_in_turn")

    query = written(spark, work).queryName("turns").foreachBatch(write).option("checkpointLocation", f"{work}/cp-turns")
    text = capture.text_of(lambda: query.start().awaitTermination())
    whole, known, processes = batches_and_processes(capture, text)
    assert sum(known) > 0, whole
    odd = "table:spark_catalog.default.odd"
    assert {name: (each.run.rows_written, each.run.executions) for name, each in flows_of(processes).items()} == {
        "even": (1 + 3 + 5, BATCHES // 2),
        odd: (2 + 4 + 6, BATCHES // 2),
        "latest": (sum(range(1, BATCHES + 1)), BATCHES),
    }
    assert all(each.run.bytes_written for each in flows_of(processes).values())


def test_a_function_that_writes_to_several_kinds_of_sinks(spark: SparkSession, capture: Capture, work: Path) -> None:
    url = f"jdbc:derby:{work}/database;create=true"

    def write(batch: DataFrame, number: int) -> None:
        batch.groupBy("name").count().write.format("jdbc").options(url=url, dbtable="TOTALS").mode("append").save()
        batch.write.mode("append").saveAsTable("kinds")
        batch.sparkSession.table("kinds").groupBy("name").count().write.mode("overwrite").orc(f"{work}/counted")
        batch.write.format("noop").mode("append").save()
        batch.collect()

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-kinds")
    text = capture.text_of(lambda: query.start().awaitTermination())
    processes = batches_and_processes(capture, text)[2]
    table = "table:spark_catalog.default.kinds"
    assert pairs(processes) == {("in", "TOTALS"), ("in", table), (table, "counted")}


def test_a_function_that_writes_nothing_is_counted(spark: SparkSession, capture: Capture, work: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.collect()

    query = written(spark, work).foreachBatch(write).option("checkpointLocation", f"{work}/cp-nothing")
    text = capture.text_of(lambda: query.start().awaitTermination())
    actions = Actions(APPLICATION)
    assert not [o for o in capture.outcomes_of(text, actions) if isinstance(o, Process)]
    assert actions.counts["streaming query ended before a batch showed what it writes"] == 1


def test_queries_whose_functions_write_one_table_are_flows_of_their_own(
    spark: SparkSession, capture: Capture, work: Path
) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").saveAsTable("shared")
        batch.write.mode("append").json(f"{work}/own{batch.columns[0]}")

    spark.createDataFrame([], "id long, name string").write.saveAsTable("shared")  # not by both at once

    def both() -> None:
        queries = [
            written(spark, work).queryName("one").foreachBatch(write).option("checkpointLocation", f"{work}/cp-one"),
            spark.readStream.schema("id long").json(f"{work}/look").selectExpr("id", "'look' AS name").writeStream
            .trigger(availableNow=True).queryName("two").foreachBatch(write)
            .option("checkpointLocation", f"{work}/cp-two"),
        ]  # fmt: skip
        for query in [each.start() for each in queries]:
            query.awaitTermination()

    processes = batches_of_several(capture, capture.text_of(both))
    table = "table:spark_catalog.default.shared"
    assert pairs(processes) == {("in", table), ("look", table), ("in", "ownid"), ("look", "ownid")}
    identities = {(each.stream.name, each.stream.identity) for each in processes if each.stream}
    assert sorted(name or "" for name, _ in identities) == ["one", "one", "two", "two"]
    assert all(not each.stream.is_running for each in processes[-2:] if each.stream)


def batches_of_several(capture: Capture, text: str) -> list[Process]:
    """Return the processes of several queries."""
    return [o for o in capture.outcomes_of(text, Actions(APPLICATION)) if isinstance(o, Process)]
