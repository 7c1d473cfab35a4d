"""Programs of drivers under unusual conditions and loads; each returns what a user sees and writes a known number of datasets."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Program = Callable[["SparkSession", Path], object]

PROGRAMS: dict[str, tuple[Program, int]] = {}
"""Name → the program and the number of datasets that its lineage has as outputs."""


def program(outputs: int) -> Callable[[Program], Program]:
    """Register a program by its name."""

    def register(function: Program) -> Program:
        PROGRAMS[function.__name__] = (function, outputs)
        return function

    return register


def _write(spark: SparkSession, path: Path, rows: int = 10) -> int:
    spark.range(rows).selectExpr("id", "id * 2 as v").write.mode("overwrite").parquet(str(path))
    return rows


@program(outputs=12)
def few_writes(spark: SparkSession, work: Path) -> object:
    """Write ten datasets, read two of them into a third, and one table."""
    for i in range(10):
        _write(spark, work / "few" / f"n{i}x")
    both = [spark.read.parquet(str(work / "few" / name)) for name in ("n0x", "n1x")]
    both[0].join(both[1], "id").select(both[0].id, both[1].v).write.parquet(str(work / "few" / "joined"))
    spark.range(3).write.mode("overwrite").saveAsTable("few")
    return spark.table("few").count()


@program(outputs=4)
def wide_writes(spark: SparkSession, work: Path) -> object:
    """Write 600 columns in three projections, which needs memory."""
    columns = [f"id + {i} as c{i}" for i in range(600)]
    spark.range(10).selectExpr(*columns).write.parquet(str(work / "wide" / "base"))
    for i in range(3):
        base = spark.read.parquet(str(work / "wide" / "base"))
        columns = [f"c{j} + c{(j + i) % 600} as d{j}" for j in range(600)]
        base.selectExpr(*columns).write.parquet(str(work / "wide" / f"to{'abc'[i]}"))
    return len(spark.read.parquet(str(work / "wide" / "toc")).columns)


@program(outputs=2000)
def many_tiny_writes(spark: SparkSession, work: Path) -> object:
    """Write 2,000 datasets of one row."""
    return sum(_write(spark, work / "tiny" / f"t{i}x", 1) for i in range(2000))


@program(outputs=200)
def many_threads(spark: SparkSession, work: Path) -> object:
    """Write 200 datasets from 200 threads at once."""
    rows: list[int] = []
    threads = [
        threading.Thread(target=lambda i=i: rows.append(_write(spark, work / "threads" / f"t{i}x"))) for i in range(200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(rows)


@program(outputs=1)
def large_plan(spark: SparkSession, work: Path) -> object:
    """Write a union of 10,000 projections, in a balanced tree: more than 20,000 nodes."""
    spark.range(5).write.parquet(str(work / "plan" / "source"))
    spark.read.parquet(str(work / "plan" / "source")).createOrReplaceTempView("source")
    selects = [f"select id + {i} as id from source" for i in range(10_000)]
    while len(selects) > 1:
        selects = [
            f"({a}) union all ({selects[i + 1]})" if i + 1 < len(selects) else a
            for i, a in enumerate(selects)
            if i % 2 == 0
        ]
    frame = spark.sql(selects[0]).limit(1)
    frame.write.parquet(str(work / "plan" / "out"))
    return frame.columns


@program(outputs=2)
def many_joins(spark: SparkSession, work: Path) -> object:
    """Write a join of 500 relations."""
    spark.range(3).write.parquet(str(work / "joins" / "source"))
    spark.read.parquet(str(work / "joins" / "source")).createOrReplaceTempView("source")
    tables = " join ".join(f"source a{i}" + (f" on a{i}.id = a{i - 1}.id" if i else "") for i in range(500))
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    frame = spark.sql(f"select a0.id, a499.id as last from {tables} where a0.id < 0")
    frame.write.parquet(str(work / "joins" / "out"))
    return frame.columns


@program(outputs=2)
def many_branches(spark: SparkSession, work: Path) -> object:
    """Write a column of a CASE with 3,000 branches."""
    spark.range(3).write.parquet(str(work / "branches" / "source"))
    spark.read.parquet(str(work / "branches" / "source")).createOrReplaceTempView("source")
    case = " ".join(f"when id = {i} then id + {i}" for i in range(3000))
    frame = spark.sql(f"select case {case} else 0 end as v from source")
    frame.write.parquet(str(work / "branches" / "out"))
    return frame.count()


@program(outputs=20)
def asyncio_tasks(spark: SparkSession, work: Path) -> object:
    """Write from tasks of an event loop: some in the loop's thread, some in others."""

    async def one(i: int) -> int:
        await asyncio.sleep(0)
        write = functools.partial(_write, spark, work / "tasks" / f"t{i}x")
        return write() if i % 2 else await asyncio.to_thread(write)

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(one(i) for i in range(20)))

    return sum(asyncio.run(all_of_them()))


@program(outputs=20)
def gevent_greenlets(spark: SparkSession, work: Path) -> object:
    """Write from greenlets; the standard library is patched before anything else is imported (`job.py`)."""
    import gevent

    greenlets = [gevent.spawn(_write, spark, work / "greenlets" / f"t{i}x") for i in range(20)]
    gevent.joinall(greenlets, raise_error=True)
    return sum(greenlet.value for greenlet in greenlets)


@program(outputs=12)
def clock_jumps(spark: SparkSession, work: Path) -> object:
    """Write while the clock of the process jumps a day ahead, two days back, and to 1970."""
    true_time, true_ns = time.time, time.time_ns
    for i, seconds in enumerate((86_400, -172_800, None, 3.2e9)):
        time.time = lambda s=seconds: 1.0 if s is None else true_time() + s
        time.time_ns = lambda s=seconds: 1 if s is None else true_ns() + int(s * 1e9)
        for j in range(3):
            _write(spark, work / "clock" / f"j{i}{'abc'[j]}")
    time.time, time.time_ns = true_time, true_ns
    return "done"
