"""A notebook on a driver that others share: joins by the gateway in its environment, attaches the hook, and obeys.

    python notebook.py NAME FOLDER [KEY=VALUE …]

Commands on its standard input, one per line, each answered by one line: `write FIRST END THREADS` makes the outputs with these
numbers, `flush`, `stats`, `verify`, `messages`, `detach`, `end`.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

import sac_kafka
from sac_kafka.spark import listener

KINDS = 6


def main(name: str, folder: str, settings: dict[str, str]) -> None:
    gateway = launch_gateway()
    shared = gateway.jvm.org.apache.spark.api.java.JavaSparkContext(
        gateway.jvm.org.apache.spark.SparkContext.getOrCreate()
    )
    context = SparkContext(gateway=gateway, jsc=shared, conf=SparkConf(_jconf=shared.getConf()))
    of_notebook(context, name)
    listener.__version__ = settings.pop("version", listener.__version__)
    hook = sac_kafka.attach(context, **settings)
    spark = SparkSession(context).newSession()
    print("attached", hook.stats()["disabled"], flush=True)
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "end":
            break
        print(command, answer(command, rest, hook, spark, name, folder), flush=True)


def of_notebook(context: SparkContext, name: str) -> None:
    """Set what a platform sets for the threads of a notebook."""
    if name.startswith("plain"):
        return
    context.setLocalProperty("spark.databricks.notebook.path", f"/Shared/{name}")
    context.setLocalProperty("spark.databricks.job.id", str(sum(map(ord, name))))
    context.setLocalProperty("spark.databricks.job.taskKey", f"task_{name}")
    context.setLocalProperty("spark.databricks.job.runId", f"9{sum(map(ord, name))}")
    context.setJobGroup(f"group-{name}", name)


def answer(command: str, rest: list[str], hook: sac_kafka.Hook, spark: SparkSession, name: str, folder: str) -> str:
    if command == "write":
        first, end, threads = map(int, rest)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda number: write(spark, name, folder, number), range(first, end)))
        return "done"
    if command == "flush":
        return repr(hook.flush(60))
    if command == "detach":
        hook.detach()
        return repr(hook)
    if command == "messages":
        return str(len(hook.messages()))
    if command == "verify":
        return repr(hook.verify(5))
    return json.dumps(hook.stats())


def write(spark: SparkSession, name: str, folder: str, number: int) -> None:
    """Make one output of a kind that depends on the number."""
    of_notebook(spark.sparkContext, name)
    table, source = f"{name}_{number}", f"{folder}/source"
    rows = spark.read.parquet(source).selectExpr("id", f"amount * {number} as more")
    kind = number % KINDS
    if kind == 0:
        rows.write.parquet(f"{folder}/{table}")
    elif kind == 1:
        rows.write.saveAsTable(table)
    elif kind == 2:
        spark.sql(f"create table {table} using parquet as select id, amount + {number} as more from parquet.`{source}`")
    elif kind == 3:
        stream = spark.readStream.schema(rows.schema.simpleString()[7:-1].replace(":", " ")).parquet(source)
        query = stream.selectExpr("id", "id + 1 as more").writeStream.format("parquet")
        query = query.option("checkpointLocation", f"{folder}/checkpoints/{table}")
        query.trigger(availableNow=True).start(f"{folder}/{table}").awaitTermination()
    elif kind == 4:
        spark.createDataFrame(rows.toPandas()).write.parquet(f"{folder}/{table}")
    else:
        spark.sql(f"create view {table} as select id, amount + {number} as more from parquet.`{source}`")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], dict(pair.split("=", 1) for pair in sys.argv[3:]))
