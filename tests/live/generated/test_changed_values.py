"""A second judge: values of one source column are changed, and lineage must have every column that changes with it.

The same query is run over other values. A column of the result whose values change has the changed column among its
own sources or among those of the rows. The reverse cannot be demanded of a few samples; only a plain copy must change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Process
from tests.helpers.live_runs import APPLICATION, Capture, session
from tests.helpers.staged import Actions
from tests.live.generated import data
from tests.live.generated.choices import Choices
from tests.live.generated.data import TABLES
from tests.live.generated.running import SETTINGS, Runner, compare, frame, prepare, write
from tests.live.generated.trees import Statement, statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = 10_000
QUERIES = 15
PERTURBATIONS = (1, 2, 3)

pytestmark = pytest.mark.spark

Sources = dict[str, set[tuple[str, str, str]]]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    spark = session(str(tmp_path_factory.mktemp("changed")), **SETTINGS)
    prepare(spark)
    yield spark
    spark.stop()


def _sources(process: Process) -> Sources:
    """Return what lineage says of each column; under "" what it says of the rows."""
    found: Sources = {c.column: {_source(s) for s in c.sources} for c in process.columns}
    return {**found, "": {_source(s) for s in process.row_level}}


def _source(source: Any) -> tuple[str, str, str]:
    return source.dataset.rpartition(".")[2], source.column, source.dependency.value


def _values(spark: SparkSession, made: Statement) -> dict[str, Counter[str]]:
    """Return the values of each column, in no order."""
    rows = frame(spark, made).collect()
    return {c.name: Counter(repr(row[i]) for row in rows) for i, c in enumerate(made.columns)}


class Tables:
    """The tables' other versions: each written once, then a table is moved to where one of them is."""

    def __init__(self, spark: SparkSession, work: str) -> None:
        self.spark, self.work = spark, work
        self._written: set[str] = set()

    def change(self, table: str, column: str | None, by: int) -> None:
        """Replace the values of one column by later ones; with None restore them."""
        place = f"{self.work}/{table}-{column or 'as it was'}-{by}"
        if place not in self._written:
            self._written.add(place)
            rows = self.spark.createDataFrame(data.rows(table, column, by), data.schema(table))
            rows.coalesce(1).write.parquet(place)
        self.spark.sql(f"alter table {table} set location '{place}'")


class Judge:
    """Changes columns and watches results."""

    def __init__(self, spark: SparkSession, tables: Tables, made: Statement, sources: Sources) -> None:
        self.spark, self.tables, self.made, self.sources = spark, tables, made, sources
        self.before = _values(spark, made)
        self.changed: set[str] = set()
        self.faults: list[str] = []
        self.silent: list[str] = []

    def change(self, table: str, column: str) -> None:
        """Whatever changes with a column must depend on it; what copies it must change."""
        changed: set[str] = set()
        for by in PERTURBATIONS:
            self.tables.change(table, column, by)
            now = _values(self.spark, self.made)
            changed |= {name for name in now if now[name] != self.before[name]}
        self.tables.change(table, None, 0)
        self.changed |= changed
        rows = {(t, c) for t, c, _ in self.sources[""]}
        for name in self.before:
            of = {kind for t, c, kind in self.sources[name] if (t, c) == (table, column)}
            if name in changed and not of and (table, column) not in rows:
                self.faults.append(f"{name} changes with {table}.{column}")
            is_plain = self.sources[name] == {(table, column, "identity")} and not self.sources[""]
            if name not in changed and is_plain and set(self.before[name]) - {"None"}:
                self.faults.append(f"{name} is a copy of {table}.{column}, and does not change with it")
            elif name not in changed and of & {"identity", "transformation", "aggregation"}:
                self.silent.append(f"{name} <- {table}.{column} {' '.join(sorted(of))}")


@pytest.mark.exhaustive
def test_values_that_change_with_a_column_depend_on_it(spark: SparkSession, tmp_path: Path) -> None:
    runner, seed, judged, with_changes, edges, silent = Runner(spark), FIRST, 0, 0, 0, []
    versions = Tables(spark, str(tmp_path))
    while judged < QUERIES:
        made = statement(Choices(seed), f"j{seed}")
        seed += 1
        tables = sorted(made.reads.datasets & set(TABLES))
        if not tables:
            continue
        write(spark, made, f"judged{seed}")
        text = runner.capture.drain(600)
        assert not compare(made, f"judged{seed}", Capture.processes_of(text))
        # Values change through views: so what is behind them counts here.
        through = Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(stops_at_views=False)))
        (process,) = (p for p in through if isinstance(p, Process) and p.outputs[0].key.endswith(f".judged{seed}"))
        judge = Judge(spark, versions, made, _sources(process))
        choices = Choices(seed)
        # By turns a reported source, and any column, which shows missing ones.
        sources = sorted({(t, c) for of in judge.sources.values() for t, c, _ in of if t in TABLES})
        every = [(table, column) for table in tables for column in TABLES[table]]
        judge.change(*choices.one_of(tuple(sources if sources and judged % 2 else every)))
        runner.capture.drain(600)
        assert not judge.faults, f"seed {seed - 1}:\n{made}\n{judge.faults}"
        judged += 1
        with_changes += bool(judge.changed)
        edges += sum(len(s) for s in judge.sources.values())
        silent += [f"seed {seed - 1}: {each}" for each in judge.silent]
    assert with_changes >= QUERIES // 3, f"only {with_changes} of {judged} results changed: too few to judge"
    print(
        f"{judged} queries with {edges} edges, {with_changes} changed results, {len(silent)} direct ones that changed nothing:",
        *silent,
        sep="\n  ",
    )
