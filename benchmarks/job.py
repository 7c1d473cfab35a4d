"""One run of a shape of job, with or without the hook; prints what its second half cost as one line of JSON.

python benchmarks/job.py SHAPE COUNT with|without FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 the name that PySpark's users know it by

MESSAGES = "messages.jsonl"
RECORDING = "recording.txt"
CHECKOUT = str(Path(__file__).resolve().parents[1])
"""It comes last on the path: what is measured is the package that is installed."""
Shape = Callable[[SparkSession, str], Callable[[int], None]]


def small_writes(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Return an ordinary small write: a path of eight columns, a filter, two derived columns, a path."""
    columns = [F.col("id").alias("k"), *((F.col("id") * i).alias(f"c{i}") for i in range(7))]
    spark.range(10).select(*columns).coalesce(1).write.parquet(f"{folder}/small")
    source = spark.read.parquet(f"{folder}/small")

    def write(i: int) -> None:
        df = (
            source.where(F.col("c1") > i % 3)
            .withColumn("sum", F.col("c2") + F.col("c3"))
            .withColumn("twice", F.col("sum") * 2)
        )
        df.write.mode("overwrite").parquet(f"{folder}/out{i % 10}")

    return write


def joins(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Return a write behind a join and an aggregate: three Spark jobs, and so many more events on the bus."""
    spark.range(10).selectExpr("id as k", "id * 2 as v").coalesce(1).write.parquet(f"{folder}/left")
    spark.range(10).selectExpr("id as k", "'x' as name").coalesce(1).write.parquet(f"{folder}/right")
    left, right = spark.read.parquet(f"{folder}/left"), spark.read.parquet(f"{folder}/right")

    def write(i: int) -> None:
        joined = (
            left.where(F.col("v") > i % 3).join(F.broadcast(right), "k").groupBy("name").agg(F.sum("v").alias("total"))
        )
        joined.coalesce(1).write.mode("overwrite").parquet(f"{folder}/out{i % 10}")

    return write


def wide(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Return a thousand columns, and twenty derived ones added one after the other."""
    spark.range(1).select(*(F.lit(i).alias(f"c{i}") for i in range(1000))).write.parquet(f"{folder}/wide")
    source = spark.read.parquet(f"{folder}/wide")

    def write(i: int) -> None:
        df = source
        for k in range(20):
            df = df.withColumn(f"d{k}", F.col(f"c{k}") + F.col(f"c{k + 1}"))
        df.write.mode("overwrite").parquet(f"{folder}/wide_out{i % 2}")

    return write


def operators(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Five hundred operators one above the other."""
    spark.range(10).write.parquet(f"{folder}/chain")

    def chain() -> DataFrame:
        df = spark.read.parquet(f"{folder}/chain")
        for k in range(250):
            df = df.filter(F.col("id") > -k).select((F.col("id") + 1).alias("id"))
        return df

    df = chain()

    def write(i: int) -> None:
        df.write.mode("overwrite").parquet(f"{folder}/chain_out{i % 2}")

    return write


def chained(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Chain fifty `withColumn` over a thousand columns: a new column, or another one under its name."""
    spark.range(1).select(*(F.lit(i).alias(f"c{i}") for i in range(1000))).write.parquet(f"{folder}/wide")
    df = spark.read.parquet(f"{folder}/wide")
    for k in range(50):
        name = f"d{k}" if k % 2 else f"c{k}"
        df = df.withColumn(name, F.col(f"c{k}") + F.col(f"c{k + 1}"))

    def write(i: int) -> None:
        df.write.mode("overwrite").parquet(f"{folder}/wide_out{i % 2}")

    return write


def deep(columns: int) -> Shape:
    """Two hundred operators over so many columns: every tenth one a projection of all columns, the others filters.

    More projections than these twenty take Spark's own analyzer minutes, which goes through the whole plan at every step.
    """

    def shape(spark: SparkSession, folder: str) -> Callable[[int], None]:
        names = [f"c{i}" for i in range(columns)]
        spark.range(1).select(*(F.lit(i).alias(n) for i, n in enumerate(names))).write.parquet(f"{folder}/deep")
        df = spark.read.parquet(f"{folder}/deep")
        for k in range(200):
            changed = names[k]
            if k % 10:
                df = df.filter(f"{changed} >= 0")
            else:
                df = df.selectExpr(*(f"{n} + 1 as {n}" if n == changed else n for n in names))

        def write(i: int) -> None:
            df.write.mode("overwrite").parquet(f"{folder}/deep_out{i % 2}")

        return write

    return shape


def merge(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Return a MERGE of a thousand columns into a Delta table: every column is updated, or inserted."""
    rows = spark.range(1).select(*(F.lit(i).alias(f"c{i}") for i in range(1000)))
    for name in ("source", "target"):
        rows.write.format("delta").save(f"{folder}/{name}")

    def write(i: int) -> None:
        spark.sql(
            f"merge into delta.`{folder}/target` t using delta.`{folder}/source` s on t.c0 = s.c0 "
            f"when matched and s.c1 > {i} then update set * when not matched then insert *"
        )

    return write


def append(spark: SparkSession, folder: str) -> Callable[[int], None]:
    """Return a small append to an Iceberg table, out of another one."""
    del folder
    spark.sql("create namespace if not exists ic.bench")
    rows = spark.range(10).selectExpr("id", "id * 2 as amount", "'x' as customer").coalesce(1)
    for name in ("source", "target"):
        rows.writeTo(f"ic.bench.{name}").using("iceberg").create()

    def write(i: int) -> None:
        source = spark.table("ic.bench.source").where(F.col("amount") > i % 3)
        source.withColumn("amount", F.col("amount") + 1).writeTo("ic.bench.target").append()

    return write


SHAPES: dict[str, Shape] = {
    "merge": merge,
    "append": append,
    "small": small_writes,
    "joins": joins,
    "wide": wide,
    "operators": operators,
    "chained": chained,
    **{f"deep{n}": deep(n) for n in (250, 500, 1000, 2000)},
}


EMPTY = "package bench; public class Empty extends org.apache.spark.scheduler.SparkListener {}"


def add_empty_listener(spark: SparkSession) -> None:
    """Add a listener that does nothing, on a separate queue: the cost of Spark's queue alone."""
    gateway, scala = spark.sparkContext._gateway, spark.sparkContext._jsc.sc()
    compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(scala.getClass().getClassLoader())
    compiler.cook(EMPTY)
    made = compiler.getClassLoader().loadClass("bench.Empty").getConstructors()[0]
    scala.listenerBus().addToQueue(made.newInstance(gateway.new_array(gateway.jvm.java.lang.Object, 0)), "empty")


class Clock:
    """CPU seconds of the driver's JVM, of this Python, and of single threads (the JVM's own thread clock)."""

    def __init__(self, spark: SparkSession) -> None:
        self.pid = spark.sparkContext._gateway.proc.pid
        self.gateway = spark.sparkContext._gateway
        self.threads = spark._jvm.java.lang.management.ManagementFactory.getThreadMXBean()
        self.interface = spark._jvm.java.lang.Class.forName("java.lang.management.ThreadMXBean")

    def read(self) -> dict[str, float]:
        own = {"jvm": self._jvm(), "python": time.process_time(), "wall": time.monotonic(), "worker": worker_seconds()}
        return {**own, **self._jvm_threads()}

    def cpu(self) -> float:
        """Of the JVM and of this Python together."""
        return self._jvm() + time.process_time()

    def _jvm(self) -> float:
        return cpu_seconds(Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2])

    def _jvm_threads(self) -> dict[str, float]:
        names = {
            "spark-listener-group-sac-kafka": "bus",
            "spark-listener-group-empty": "empty",
            "sac-kafka-projector": "projector",
        }
        found = dict.fromkeys(names.values(), 0.0)
        for thread in self._call("getAllThreadIds"):
            info = self._call("getThreadInfo", thread)
            if info is not None and info.getThreadName() in names:
                found[names[info.getThreadName()]] += self._call("getThreadCpuTime", thread) / 1e9
        return found

    def _call(self, method: str, *arguments: int) -> Any:
        """Through the interface: Py4J cannot see the methods of the class behind it."""
        jvm = self.gateway.jvm
        types = self.gateway.new_array(jvm.java.lang.Class, len(arguments))
        values = self.gateway.new_array(jvm.java.lang.Object, len(arguments))
        for i, argument in enumerate(arguments):
            types[i] = jvm.java.lang.Long.TYPE
            values[i] = jvm.java.lang.Long.valueOf(argument)
        return self.interface.getMethod(method, types).invoke(self.threads, values)


def cpu_seconds(numbers: str) -> float:
    """Return the CPU seconds of a process or thread, of what its `stat` has behind the name."""
    fields = numbers.split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def worker_seconds() -> float:
    for thread in threading.enumerate():
        if thread.name == "sac-kafka":
            return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    return 0.0


def settings_of(shape: str, folder: str) -> dict[str, str]:
    """Return further settings of the session of a shape."""
    if shape not in ("merge", "append"):
        return {}
    sys.path.append(CHECKOUT)
    from tests.live.sources.families import FAMILIES
    from tests.live.sources.family import spark_jars

    family = FAMILIES["delta" if shape == "merge" else "iceberg"]
    return {**family.conf(folder), **spark_jars([family.list_of_jars(pyspark.__version__)])}


def main() -> None:
    shape, count, hook, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "with", sys.argv[4]
    messages = Path(folder) / MESSAGES
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings_of(shape, folder).items():
        builder = builder.config(key, value)
    spark = (
        builder.appName(f"benchmark {shape}")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.host", "127.0.0.1")
        # Spark's own optimiser takes minutes over wide and deep plans with these two; they change no analyzed plan.
        .config("spark.sql.optimizer.nestedSchemaPruning.enabled", "false")
        .config("spark.sql.constraintPropagation.enabled", "false")
        .config("spark.atlas.client.type", "file")
        .config("spark.atlas.client.file.path", str(messages))
        .config("spark.atlas.metadata.namespace", "bench")
        .config("spark.atlas.hook.spark.record.path", f"{folder}/{RECORDING}")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    add_empty_listener(spark)
    attached = 0.0
    if hook:
        import sac_kafka

        since = time.monotonic()
        attached_hook = sac_kafka.attach(spark)
        attached = time.monotonic() - since
    write = SHAPES[shape](spark, folder)
    clock = Clock(spark)
    half = count // 2
    for i in range(half):
        write(i)
    if hook:
        attached_hook.flush(60)
    before, lines = clock.read(), _size(messages)
    for i in range(half, count):
        write(i)
    if hook:
        attached_hook.flush(60)
    after = clock.read()
    measured = {key: (after[key] - before[key]) * 1000 / (count - half) for key in after}
    sent = _size(messages)
    measured |= {"messages": (sent[0] - lines[0]) / (count - half), "bytes": (sent[1] - lines[1]) / (count - half)}
    measured |= {"first_bytes": lines[1], "attach": attached * 1000}
    since = time.monotonic()
    spark.stop()
    measured["stop"] = (time.monotonic() - since) * 1000
    if hook:
        stats = attached_hook.stats()
        assert not stats["errors"], stats
        assert not stats["listener"], stats
        assert stats["processes"] >= count, stats
        sys.path.append(CHECKOUT)
        from benchmarks.stages import summary
        from sac_kafka.hook.recording import read_recording

        measured["stages"] = summary(read_recording(f"{folder}/{RECORDING}"))
    print(json.dumps(measured))


def _size(messages: Path) -> tuple[int, int]:
    if not messages.exists():
        return 0, 0
    lines = messages.read_bytes().splitlines()
    return len(lines), sum(map(len, lines))


if __name__ == "__main__":
    main()
