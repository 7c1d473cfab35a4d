"""Writes of one warm driver against a real Kafka, with the hook attached and detached in turns.

Wall time is that of the writes alone: the hook works in the background. CPU time is that of Python and the JVM until the
lineage is delivered.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sac_kafka
from benchmarks.processes import cpu_seconds, jvm_of, kafka_conf
from benchmarks.table import Row, in_turns, rows_of
from stack.kafka import KafkaBroker
from tests.helpers.live_runs import session

Shape = Callable[[Any, str], Callable[[int], None]]
_LIMITS = {
    # Spark's own optimizer takes minutes over wide and deep plans with these two; they change no analyzed plan.
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def small(spark: Any, folder: str) -> Callable[[int], None]:
    """Write a few columns: a filter, and two derived ones."""
    spark.range(10).selectExpr("id as k", *(f"id * {i} as c{i}" for i in range(7))).coalesce(1).write.parquet(
        f"{folder}/small"
    )
    source = spark.read.parquet(f"{folder}/small")

    def write(i: int) -> None:
        derived = source.where(f"c1 > {i % 3}").selectExpr("*", "c2 + c3 as sum").selectExpr("*", "sum * 2 as twice")
        derived.write.mode("overwrite").parquet(f"{folder}/out{i % 10}")

    return write


def joined(spark: Any, folder: str) -> Callable[[int], None]:
    """Write behind a join and an aggregate: three Spark jobs."""
    spark.range(10).selectExpr("id as k", "id * 2 as v").coalesce(1).write.parquet(f"{folder}/left")
    spark.range(10).selectExpr("id as k", "'x' as name").coalesce(1).write.parquet(f"{folder}/right")
    left, right = (spark.read.parquet(f"{folder}/{side}") for side in ("left", "right"))

    def write(i: int) -> None:
        rows = left.where(f"v > {i % 3}").join(right, "k").groupBy("name").sum("v").withColumnRenamed("sum(v)", "v")
        rows.coalesce(1).write.mode("overwrite").parquet(f"{folder}/joined{i % 10}")

    return write


def wide(spark: Any, folder: str) -> Callable[[int], None]:
    """Write a thousand columns, and twenty derived ones added one after the other."""
    spark.range(1).selectExpr(*(f"{i} as c{i}" for i in range(1000))).write.parquet(f"{folder}/wide")
    source = spark.read.parquet(f"{folder}/wide")
    for k in range(20):
        source = source.selectExpr("*", f"c{k} + c{k + 1} as d{k}")
    return lambda i: source.write.mode("overwrite").parquet(f"{folder}/wide_out{i % 2}")


def deep(spark: Any, folder: str) -> Callable[[int], None]:
    """Write through five hundred operators, one above the other."""
    spark.range(10).write.parquet(f"{folder}/deep")
    chain = spark.read.parquet(f"{folder}/deep")
    for k in range(250):
        chain = chain.where(f"id > {-k}").selectExpr("id + 1 as id")
    return lambda i: chain.write.mode("overwrite").parquet(f"{folder}/deep_out{i % 2}")


SHAPES: dict[str, tuple[str, Shape, int]] = {
    "small": ("30 small writes", small, 30),
    "joined": ("10 writes behind a join and an aggregate", joined, 10),
    "wide": ("3 writes of 1,000 columns", wide, 3),
    "deep": ("3 writes through 500 operators", deep, 3),
}
"""What is written, and how often in a run."""


def rows(shape: str, pairs: int) -> Iterator[Row]:
    """Yield the figures of a shape of write."""
    name, prepare, count = SHAPES[shape]
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        kafka.create_topic("ATLAS_HOOK")
        spark = session(folder, **kafka_conf(kafka, folder), **_LIMITS)
        write = prepare(spark, folder)

        def measure(has_hook: bool) -> dict[str, float]:
            return _measure(spark, name, write, count, has_hook=has_hook)

        in_turns(1, measure)  # the JVM compiles, and every column is sent once
        yield from rows_of(in_turns(pairs, measure), {f"{name}, wall": "ms", "… CPU": "ms"})
        spark.stop()


def _measure(spark: Any, name: str, write: Callable[[int], None], count: int, *, has_hook: bool) -> dict[str, float]:
    jvm = jvm_of(spark)
    hook = sac_kafka.attach(spark) if has_hook else None
    cpu, wall = cpu_seconds(jvm), time.perf_counter()
    for i in range(count):
        write(i)
    wall = time.perf_counter() - wall
    if hook is not None:
        assert hook.flush(60), hook.stats()
    cpu = cpu_seconds(jvm) - cpu
    if hook is not None:
        assert hook.stats()["processes"] == count, hook.stats()
        hook.detach()
    return {f"{name}, wall": 1000 * wall, "… CPU": 1000 * cpu}
