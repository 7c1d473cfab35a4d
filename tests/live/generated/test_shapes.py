"""Values depend on the columns they change with, also through random structs, arrays, maps and lambda functions.

A reported direct dependency without a change in any step is counted: a few samples cannot show all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from sac_kafka.model import Process
from tests.helpers.live_runs import Capture, session
from tests.live.generated import shaped
from tests.live.generated.data import DATABASE
from tests.live.generated.running import SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

A_BATCH = 10
VALUES_OF_A_QUERY = 4
IN_FULL = 50
IN_NIGHTLY = 500
MAX_NEVER_SEEN = 0.02
ENOUGH = 1000
"""Reported direct dependencies needed before the share of unobserved ones is judged."""

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    last_wins = {"spark.sql.mapKeyDedupPolicy": "LAST_WIN", "spark.sql.ansi.enabled": "false"}
    spark = session(str(tmp_path_factory.mktemp("shaped")), **SETTINGS, **last_wins)
    spark.sql(f"create database if not exists {DATABASE}")
    spark.sql(f"use {DATABASE}")
    spark.createDataFrame(shaped.rows(), shaped.SCHEMA).coalesce(1).write.saveAsTable(shaped.TABLE)
    yield spark
    spark.stop()


@dataclass
class Judged:
    """Findings: missing dependencies, and reported direct ones that were never observed."""

    reported: int = 0
    missing: list[str] = field(default_factory=list)
    never_seen: list[str] = field(default_factory=list)

    def judge(self, query: str, rows: list[tuple[object, ...]], process: Process) -> None:
        changing = _changing(rows)
        of_rows = {s.column for s in process.row_level}
        for i in range(VALUES_OF_A_QUERY):
            sources = {s for c in process.columns if c.column == f"c{i}" for s in c.sources}
            direct = {s.column for s in sources if s.dependency.is_direct}
            self.reported += len(direct)
            known = {s.column for s in sources} | of_rows
            self.missing += [f"c{i} <- {column}: {query}" for column in sorted(changing[i] - known)]
            self.never_seen += [f"c{i} <- {column}: {query}" for column in sorted(direct - changing[i])]


def _changing(rows: list[tuple[object, ...]]) -> list[set[str]]:
    """Return the columns that each value of a query changes with, however often a value occurs."""
    found: dict[tuple[str, object], list[set[str]]] = {}
    for version, n, *values in rows:
        of = found.setdefault((str(version), n), [set() for _ in values])
        for seen, value in zip(of, values, strict=True):
            seen.add(repr(value))
    changing: list[set[str]] = [set() for _ in range(VALUES_OF_A_QUERY)]
    for (version, n), now in found.items():
        before = found.get(("", n))
        for i in range(VALUES_OF_A_QUERY if version and before else 0):
            if before is not None and now[i] != before[i]:
                changing[i].add(version.split()[0])
    return changing


def _judge(spark: SparkSession, first: int, count: int = A_BATCH) -> Judged:
    capture, judged = Capture(spark), Judged()
    queries = {f"judged{seed}": shaped.query(seed) for seed in range(first, first + count)}
    rows = {}
    for name, query in queries.items():
        try:
            spark.sql(f"create table {name} using parquet as {query}")
        except Exception as e:  # noqa: BLE001 reported with the statement
            raise AssertionError(f"Spark refuses\n{query}\n{str(e)[:1500]}") from None
        rows[name] = [tuple(row) for row in spark.table(name).collect()]
    processes = {p.outputs[0].key.rpartition(".")[2]: p for p in Capture.processes_of(capture.drain(600)) if p.outputs}
    for name, query in queries.items():
        judged.judge(query, rows[name], processes[name])
        spark.sql(f"drop table {name}")
    return judged


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(first, marks=pytest.mark.exhaustive) for first in range(A_BATCH, IN_FULL, A_BATCH))],
    ids=lambda first: f"seeds from {first}",
)
def test_parts_of_values_depend_on_the_columns_they_change_with(spark: SparkSession, first: int) -> None:
    judged = _judge(spark, first)
    assert not judged.missing, "\n".join(judged.missing)
    print(f"{judged.reported} direct ones, {len(judged.never_seen)} never seen:", *judged.never_seen, sep="\n  ")


@pytest.fixture(scope="module")
def nightly() -> Judged:
    """Return what all nightly batches have found."""
    return Judged()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "first", range(IN_FULL, IN_FULL + IN_NIGHTLY, A_BATCH), ids=lambda first: f"seeds from {first}"
)
def test_many_parts_of_values_depend_on_the_columns_they_change_with(
    spark: SparkSession, nightly: Judged, first: int
) -> None:
    judged = _judge(spark, first)
    nightly.reported += judged.reported
    nightly.never_seen += judged.never_seen
    assert not judged.missing, "\n".join(judged.missing)


@pytest.mark.nightly
def test_few_reported_dependencies_are_never_observed(nightly: Judged) -> None:
    if nightly.reported < ENOUGH:
        pytest.skip("of a few batches one strange query is too much")
    assert len(nightly.never_seen) <= MAX_NEVER_SEEN * nightly.reported, "\n".join(nightly.never_seen)
