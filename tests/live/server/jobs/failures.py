"""Work that goes well once, fails when it is done again, and fails when it is done for the first time: `failures.py WORK`.

What fails is decided by rows, so that the work is the same: an amount over 99 is one too many.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import sac_kafka

(work,) = sys.argv[1:]
ORDERS = "id int, name string, amount double"
CHECKED = "assert_true(amount < 100) is null"

orders = Path(work, "in", "orders")
orders.mkdir(parents=True)
(orders / "good.json").write_text('{"id": 1, "name": "ann", "amount": 12.5}\n')
spark = SparkSession.builder.appName("failures").getOrCreate()
for name in ("first", "second", "first_new", "second_new"):
    spark.sql(f"create table {name} (id int) using parquet")
hook = sac_kafka.attach(spark)


def query(suffix: str) -> None:
    """Fail in a task."""
    rows = spark.read.schema(ORDERS).json(str(orders)).filter(CHECKED)
    rows.select("id").write.mode("append").parquet(f"{work}/query{suffix}")


def rdd(suffix: str) -> None:
    """Fail in a task of an RDD; each time in another directory of the same name but for the day."""

    def checked(line: str) -> str:
        if "1000" in line:
            raise ValueError(line)
        return line

    day = f"2026-11-{len(list(Path(work, f'rdd{suffix}').glob('*'))) + 10}"
    spark.sparkContext.textFile(str(orders)).map(checked).saveAsTextFile(f"{work}/rdd{suffix}/{day}")


def several(suffix: str) -> None:
    """Run one statement with two writes, whose second one fails."""
    spark.read.schema(ORDERS).json(str(orders)).createOrReplaceTempView("read")
    spark.sql(
        f"from read insert into first{suffix} select id where amount > 0 "
        f"insert into second{suffix} select id where {CHECKED}"
    )


def stream(suffix: str) -> None:
    """Fail in a task of a micro-batch."""
    rows = spark.readStream.schema(ORDERS).json(str(orders)).filter(CHECKED).select("id")
    writer = rows.writeStream.queryName(f"stream{suffix}").format("parquet").option("path", f"{work}/stream{suffix}")
    writer = writer.option("checkpointLocation", f"{work}/checkpoints/stream{suffix}").trigger(availableNow=True)
    writer.start().awaitTermination()


def function(suffix: str) -> None:
    """Run a function of two writes, whose second one fails."""

    def both(batch: DataFrame, batch_id: int) -> None:
        del batch_id
        batch.select("id").write.mode("append").parquet(f"{work}/function{suffix}/one")
        batch.filter(CHECKED).select("id").write.mode("append").parquet(f"{work}/function{suffix}/two")

    rows = spark.readStream.schema(ORDERS).json(str(orders))
    writer = rows.writeStream.queryName(f"function{suffix}").foreachBatch(both).trigger(availableNow=True)
    writer.option("checkpointLocation", f"{work}/checkpoints/function{suffix}").start().awaitTermination()


WORKS: tuple[Callable[[str], None], ...] = (query, rdd, several, stream, function)

for each in WORKS:
    each("")
(orders / "more.json").write_text('{"id": 2, "name": "bob", "amount": 1000}\n')
for each in WORKS:
    for suffix in ("", "_new"):
        with contextlib.suppress(Exception):
            each(suffix)
            raise SystemExit(f"{each.__name__}{suffix} was to fail")
assert hook.flush(600), hook.stats()
assert hook.stats()["errors"] == {}, hook.stats()
print(hook.stats())
spark.stop()
