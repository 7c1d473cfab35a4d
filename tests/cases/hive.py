"""Small jobs over Hive tables whose lineage is known, as `cases`; they need a session with Hive support.

`python -m tests.cases.hive [case …]` records batches to `fixtures/hive/<Spark version>` and prints what differs from the
expectations (`expected`).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases.all_cases import Case, one_by_one
from tests.cases.expected import expected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HIVE_CASES: dict[str, Case] = {}
DATABASE = "hive_cases"
WORK = "/work-of-the-case"
BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "hive"


def hive_case(function: Case) -> Case:
    HIVE_CASES[function.__name__] = function
    return function


def hive_conf(work: str) -> dict[str, str]:
    """Return the configuration of a session whose catalog is a Hive metastore in an embedded Derby below `work`."""
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={work}/metastore;create=true",
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        "spark.hadoop.hive.exec.scratchdir": f"{work}/scratch",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
    }


def prepare(spark: SparkSession, work: str) -> None:
    """The tables that cases read and write, and files to load."""
    spark._jvm.java.lang.System.setProperty("derby.stream.error.file", f"{work}/derby.log")
    spark.sql(f"create database {DATABASE} location '{work}/{DATABASE}.db'")
    spark.sql(f"use {DATABASE}")
    spark.sql("create table orders (id bigint, customer string, amount double, day string) stored as textfile")
    spark.sql("insert into orders values (1, 'a', 2.0, 'mon'), (2, 'b', 3.0, 'tue')")
    spark.sql("create table sink (k string, v double) stored as textfile")
    spark.sql("create table parted (k string, v double) partitioned by (region string, day string) stored as textfile")
    for fmt in ("parquet", "orc"):
        spark.sql(f"create table by_{fmt} (k string, v double) partitioned by (day string) stored as {fmt}")
    spark.sql("create view big_orders as select id, customer who, amount from orders where amount > 2")
    for name in ("load.txt", "more.txt"):
        Path(work, name).write_text("a\x011.0\n")


@hive_case
def insert(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink select customer, sum(amount) from orders where day = 'mon' group by customer")


@hive_case
def insert_overwrite_of_itself(spark: SparkSession, work: str) -> object:
    spark.sql("insert overwrite table sink select k, v + 1 from sink")


@hive_case
def insert_by_name(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink by name select amount v, customer k from orders")


@hive_case
def insert_columns_reordered(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink (v, k) select amount, customer from orders")


@hive_case
def insert_static_partition(spark: SparkSession, work: str) -> object:
    spark.sql(
        "insert overwrite table parted partition (region = 'eu', day = 'mon') select customer, amount from orders"
    )


@hive_case
def insert_mixed_partitions(spark: SparkSession, work: str) -> object:
    spark.sql("insert into parted partition (region = 'eu', day) select customer, amount, day from orders")


@hive_case
def insert_dynamic_partitions(spark: SparkSession, work: str) -> object:
    spark.sql("insert overwrite table parted select customer, amount, upper(day), day from orders")


@hive_case
def insert_into_api(spark: SparkSession, work: str) -> object:
    spark.sql("select customer, amount, day a, day b from orders").write.insertInto("parted")


@hive_case
def converted(spark: SparkSession, work: str) -> object:
    # Spark writes and reads these with its own sources.
    for fmt in ("parquet", "orc"):
        spark.sql(f"insert into by_{fmt} select customer, amount, day from orders")
        spark.sql(f"insert overwrite table by_{fmt} partition (day = 'mon') select customer, amount from orders")
    spark.sql("insert into sink select p.k, o.v from by_parquet p join by_orc o on p.day = o.day")


@hive_case
def not_converted(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.hive.convertMetastoreParquet", "false")
    try:
        spark.sql("insert into by_parquet select customer, amount, day from orders")
        spark.sql("insert into sink select k, v from by_parquet where day = 'mon'")
    finally:
        spark.conf.unset("spark.sql.hive.convertMetastoreParquet")


@hive_case
def ctas(spark: SparkSession, work: str) -> object:
    for fmt in ("textfile", "parquet"):
        spark.sql(f"create table ctas_{fmt} stored as {fmt} as select id, amount * 2 twice from orders")


@hive_case
def ctas_default(spark: SparkSession, work: str) -> object:
    # A table of Hive's up to Spark 3.5, one of Spark's own from 4.0 on.
    spark.sql("create table ctas_default as select customer, amount from orders where id > 0")


@hive_case
def ctas_if_not_exists(spark: SparkSession, work: str) -> object:
    for _ in range(2):  # the second one does nothing
        spark.sql("create table if not exists ctas_once stored as textfile as select id from orders")


@hive_case
def ctas_partitioned(spark: SparkSession, work: str) -> object:
    spark.sql("create table ctas_parted partitioned by (day) stored as orc as select day, id from orders")


@hive_case
def save_as_table(spark: SparkSession, work: str) -> object:
    df = spark.table("orders")
    df.select("id").write.format("hive").saveAsTable("saved")
    df.selectExpr("id + 1 id").write.format("hive").mode("append").saveAsTable("saved")
    df.select("id", "day").write.mode("overwrite").saveAsTable("saved_parquet")


@hive_case
def directory(spark: SparkSession, work: str) -> object:
    spark.sql(
        f"insert overwrite directory '{work}/out/delimited' row format delimited fields terminated by ',' "
        "select customer, max(amount) m from orders group by customer"
    )
    spark.sql(f"insert overwrite local directory '{work}/out/local' stored as orc select id from orders")
    spark.sql(f"insert overwrite directory 'file:{work}/out/parquet' stored as parquet select id i from orders")


@hive_case
def load_data(spark: SparkSession, work: str) -> object:
    # LOCAL copies the files, otherwise they are moved.
    spark.sql(f"load data local inpath '{work}/load.txt' into table sink")
    spark.sql(f"load data local inpath '{work}/load*' overwrite into table sink")
    source = Path(work, "loaded", "more.txt")
    source.parent.mkdir(exist_ok=True)
    source.write_text(Path(work, "more.txt").read_text())
    spark.sql(f"load data inpath '{source}' overwrite into table parted partition (region = 'eu', day = 'sun')")


@hive_case
def multi_insert(spark: SparkSession, work: str) -> object:
    spark.sql(
        "from orders insert overwrite table sink select customer, amount where id > 1 "
        "insert into parted partition (region = 'eu', day = 'mon') select day, amount"
    )


@hive_case
def view_read(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink select who, amount from big_orders")


@hive_case
def table_and_file(spark: SparkSession, work: str) -> object:
    # A path that is known to be a table's location is that table.
    spark.sql("insert into by_parquet select customer, amount, day from orders")
    spark.read.parquet(f"{work}/{DATABASE}.db/by_parquet").write.mode("overwrite").json(f"{work}/out/copied")


@hive_case
def tables_changed(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        f"create external table outside (a int comment 'first') row format delimited fields terminated by ',' "
        f"stored as textfile location '{work}/outside'",
        "create table alike like orders",
        "alter table outside add columns (b string)",
        "alter table outside rename to beside",
        "truncate table alike",
        "drop table beside",
        "drop table alike",
    )


HIVE_CHANGING = {"tables_changed"}
"""The cases whose expectation says what happens to the catalog too."""


def main() -> None:
    import difflib

    from tests.helpers.lineage_lines import lineage_lines
    from tests.helpers.live_runs import Capture, session

    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as work:
        spark = session(work, **hive_conf(work))
        prepare(spark, work)
        folder = BATCHES / spark.version
        folder.mkdir(parents=True, exist_ok=True)
        capture = Capture(spark)
        for name in sys.argv[1:] or HIVE_CASES:
            text = capture.text_of(lambda name=name: HIVE_CASES[name](spark, work))
            (folder / f"{name}.txt").write_text(text.replace(work, WORK) + "\n")
            lines = lineage_lines(
                capture.outcomes_of(text) if name in HIVE_CHANGING else capture.processes_of(text), work
            )
            for line in difflib.unified_diff(expected(f"hive_{name}"), lines, name, "now", lineterm=""):
                print(line)
        spark.stop()


if __name__ == "__main__":
    main()
