"""Two clients of a Spark Connect server, as processes without a JVM have them: `python -m tests.live.servers.clients PORT WORK`.

Their queries are in `WORK/clients.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CASES = (
    "copy_csv",
    "ctas",
    "insert_overwrite",
    "insert_dynamic_partition",
    "save_as_table",
    "insert_into_api",
    "temp_view",
    "semi_join",
    "union_with_itself",
    "cte_used_twice",
    "correlated_subquery",
    "window",
    "explode",
)
"""Cases that are run over Spark Connect, each as a job of its name: both interfaces, and every way to write."""


def prepare(spark: Any, work: str) -> None:
    """Make the data that these cases read."""
    orders = "id bigint, customer string, amount double, day string"
    rows = [(1, "a", 2.0, "mon"), (2, "b", 3.0, "tue"), (3, "a", 4.0, "tue")]
    df = spark.createDataFrame(rows, orders)
    for fmt in ("parquet", "csv"):
        df.write.format(fmt).save(f"{work}/in/orders_{fmt}")
    spark.sql("create database cases")
    spark.sql("use cases")
    df.write.saveAsTable("orders")
    spark.createDataFrame([("a", "x", [1, 2])], "name string, country string, tags array<int>").write.saveAsTable(
        "customers"
    )
    spark.sql("create table sink (k string, v double) using parquet")
    spark.sql("create table parted (k string, v double, day string) using parquet partitioned by (day)")
    spark.read.parquet(f"{work}/in/orders_parquet").createOrReplaceTempView("path_orders")


def main() -> None:
    from pyspark.sql import SparkSession

    from tests.cases.all_cases import CASES as ALL

    port, work = sys.argv[1:]

    def connect(user: str) -> Any:
        return SparkSession.builder.remote(f"sc://127.0.0.1:{port}/;user_id={user}")

    jane = connect("jane@example.com").create()
    prepare(jane, work)
    for name in CASES:
        jane.conf.set("spark.atlas.hook.spark.job.name", name)
        ALL[name](jane, work)
    joe = connect("joe").appName("hourly orders 2026-11-21").create()
    # A temporary view of the same name: each session has its own.
    jane.conf.unset("spark.atlas.hook.spark.job.name")
    jane.table("cases.orders").createOrReplaceTempView("mine")
    joe.read.parquet(f"{work}/in/orders_parquet").createOrReplaceTempView("mine")
    for user, spark in (("jane", jane), ("joe", joe)):
        spark.sql("select id from mine").write.parquet(f"{work}/out/of_{user}")
    sessions = {"jane@example.com": jane.session_id, "joe": joe.session_id}
    Path(work, "clients.json").write_text(json.dumps(sessions))


if __name__ == "__main__":
    main()
