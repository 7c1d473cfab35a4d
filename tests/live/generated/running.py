"""Run statements on a Spark with the listener attached, and compare the reported lineage with the known one."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sac_kafka.model import Process
from tests.helpers.live_runs import Capture
from tests.live.generated import data
from tests.live.generated.answers import Source
from tests.live.generated.choices import Choices, shrunk
from tests.live.generated.data import DATABASE
from tests.live.generated.trees import Statement, statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Edge = tuple[str, Source]
AT_ONCE = 2
"""Statements that are run at the same time: most of a statement is the driver's work, on one core."""

SETTINGS = {
    # Plans of three rows: what is compiled and adapted for speed only costs here.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000",
    # An inner common table expression may have the name of an outer one, on every Spark.
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


def prepare(spark: SparkSession) -> None:
    """Create the tables, in a separate database."""
    spark.sql(f"create database if not exists {DATABASE}")
    spark.sql(f"use {DATABASE}")
    for table in data.TABLES:
        frame = spark.createDataFrame(data.rows(table), data.schema(table)).coalesce(1)
        frame.write.mode("overwrite").saveAsTable(table)


def frame(spark: SparkSession, made: Statement) -> DataFrame:
    """Return the DataFrame of a statement; what must be there before it is made first."""
    from pyspark.sql import functions

    for before in made.before:
        spark.sql(before)
    df = spark.sql(made.sql)
    for step in made.steps:
        df = eval(step, {"df": df, "F": functions})
    return df


def write(spark: SparkSession, made: Statement, target: str) -> None:
    """Run a statement into a new table: in SQL where it is SQL only, and through the writer."""
    if made.steps:
        frame(spark, made).write.saveAsTable(target)
        return
    for before in made.before:
        spark.sql(before)
    spark.sql(f"create table {target} using parquet as {made.sql}")


@dataclass
class Difference:
    """What is missing and what is too much; empty if lineage is as known."""

    missing: list[str] = field(default_factory=list)
    surplus: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.missing or self.surplus)

    def __str__(self) -> str:
        return "\n".join([*(f"  missing {m}" for m in self.missing), *(f"  surplus {s}" for s in self.surplus)])


def compare(made: Statement, target: str, processes: Iterable[Process]) -> Difference:
    """Return a process against what is known, in both directions."""
    found = [p for p in processes if any(_name(d.key) == target for d in p.outputs)]
    if len(found) != 1:
        return Difference(missing=[f"a single process, there are {len(found)}"])
    (process,) = found
    known: set[object] = {("input", name) for name in made.reads.datasets}
    reported: set[object] = {("input", _name(d.key)) for d in process.inputs}
    known |= {("column", c.name) for c in made.columns} | made.edges()
    reported |= {("column", c.column) for c in process.columns} | _edges(process)
    reported |= {("output", _name(d.key)) for d in process.outputs if _name(d.key) != target}
    return Difference(sorted(map(_line, known - reported)), sorted(map(_line, reported - known)))


def _edges(process: Process) -> set[Edge]:
    found = {(c.column, (_name(s.dataset), s.column, s.dependency.value)) for c in process.columns for s in c.sources}
    return found | {("(rows)", (_name(s.dataset), s.column, s.dependency.value)) for s in process.row_level}


def _name(key: str) -> str:
    return key.removeprefix(f"table:spark_catalog.{DATABASE}.")


def _line(item: object) -> str:
    match item:
        case (str(column), (str(dataset), str(source), str(kind))):
            return f"{column} <- {dataset}.{source} {kind}"
        case (str(what), str(name)):
            return f"{what} {name}"
    return str(item)


class Runner:
    """Runs statements under fresh names, several a batch, and shrinks those that differ."""

    def __init__(self, spark: SparkSession, most_attempts: int = 60) -> None:
        self.spark = spark
        self.capture = Capture(spark)
        self.most_attempts = most_attempts
        self._targets = 0

    def run(self, made: Iterable[Statement]) -> list[Difference]:
        """Return the differences of some statements; a few of them are run at the same time."""
        made = list(made)
        targets = [self._target() for _ in made]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._write, made, targets))
        processes = Capture.processes_of(self.capture.drain(600))
        return [compare(each, target, processes) for each, target in zip(made, targets, strict=True)]

    def _write(self, made: Statement, target: str) -> None:
        try:
            write(self.spark, made, target)
        except Exception as e:  # noqa: BLE001 reported with the statement
            # What Spark refuses is a fault of the generator, not one of the engine.
            raise AssertionError(f"Spark refuses\n{made}\n{str(e)[:1500]}") from None

    def smallest(self, seed: int, choices: Choices) -> str:
        """Return the smallest statement that was found to differ, and how it differs."""

        def fails(given: object) -> bool:
            try:
                return bool(self.run([statement(Choices(given=given), f"s{seed}_{self._targets}")])[0])
            except AssertionError:
                return False

        small = statement(Choices(given=shrunk(choices.made, fails, self.most_attempts)), f"last{seed}")
        (difference,) = self.run([small])
        return f"{small}\n{difference}"

    def _target(self) -> str:
        self._targets += 1
        return f"out{self._targets}"
