"""An Iceberg table is one dataset, whatever made it, by its name or its directory, however that is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from sac_kafka.model import Process
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions
from tests.live.sources.iceberg_cases import ICEBERG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
if os.environ.get("SAC_KAFKA_TEST_SOURCE") != ICEBERG.name:
    pytest.skip(
        "needs the jars of Iceberg: make test-sources SPARK=3.5.9 SOURCES_TESTED=iceberg", allow_module_level=True
    )

ROWS = "select id, customer from ic.db.orders"
MADE: Mapping[str, tuple[str, ...]] = {
    "CREATE": ("create table {t} (id int, customer string) using iceberg", f"insert into {{t}} {ROWS}"),
    "CTAS": (f"create table {{t}} using iceberg as {ROWS}",),
    "made before": (),
    "RTAS": ("create table {t} (n int) using iceberg", f"create or replace table {{t}} using iceberg as {ROWS}"),
}
Use = Callable[["SparkSession", str], Any]
READS: Mapping[str, Use] = {
    "load": lambda spark, at: spark.read.format("iceberg").load(at),
    "load, with a scheme": lambda spark, at: spark.read.format("iceberg").load(f"file:{at}"),
    "load, with a scheme and slashes": lambda spark, at: spark.read.format("iceberg").load(f"file://{at}/"),
    "metadata.json": lambda spark, at: spark.read.format("iceberg").load(f"file:{_metadata(at)}"),
    "a view": lambda spark, at: (
        spark.sql(f"create or replace temp view v using iceberg options (path '{at}')") and spark.table("v")
    ),
}
WRITES: Mapping[str, Use] = {
    "save": lambda spark, at: spark.sql(ROWS).write.format("iceberg").mode("append").save(at),
    "save, with a scheme": lambda spark, at: (
        spark.sql(ROWS).write.format("iceberg").mode("append").save(f"file://{at}")
    ),
}


def _metadata(at: str) -> str:
    return str(max(Path(at, "metadata").glob("*.metadata.json")))


@pytest.mark.parametrize("made", MADE)
def test_a_table_has_one_name(spark: SparkSession, capture: Capture, work: Path, made: str) -> None:
    spark.sql("create namespace if not exists ic.paths")
    table = f"ic.paths.t_{made.lower()}" if MADE[made] else "ic.db.before"
    at = f"{work}/{table.replace('.', '/')}"
    actions = Actions(APPLICATION)
    for statement in MADE[made]:
        text = capture.text_of(lambda s=statement: spark.sql(s.format(t=table)))
        capture.outcomes_of(text, actions)
    if not MADE[made]:  # it must be met once by its name
        spark.sql(f"create table {table} using iceberg as {ROWS}")
        capture.drain()
        once = capture.text_of(lambda: spark.table(table).write.mode("overwrite").parquet(f"{work}/copy"))
        capture.outcomes_of(once, actions)

    def processes(use: Callable[[], object]) -> list[Process]:
        return [o for o in capture.outcomes_of(capture.text_of(use), actions) if isinstance(o, Process)]

    named = {}
    for name, read in READS.items():
        copy = lambda r=read: r(spark, at).write.mode("overwrite").parquet(f"{work}/copy")  # noqa: E731
        named[name] = {d.key for p in processes(copy) for d in p.inputs}
    for name, write in WRITES.items():
        named[name] = {d.key for p in processes(lambda w=write: w(spark, at)) for d in p.outputs}
    assert named == {name: {f"table:{table}"} for name in named}
