"""Cases about facts of a run: what was read of each dataset, and the effect of a failure."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from tests.cases.all_cases import SHOP, case, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@case
def reads_counted(spark: SparkSession, work: str) -> object:
    """A table twice and another one; files of two days; a view and a table of a database; a table of a V2 catalog."""
    twice = (
        "select a.id, b.amount, c.country from orders a join orders b on a.id = b.id "
        "left join customers c on a.customer = c.name"
    )
    write(spark.sql(twice), work, "reads_counted_twice")
    days = spark.read.parquet(f"{work}/in/daily/2026-11-20", f"{work}/in/daily/2026-11-21")
    write(days.select("id"), work, "reads_counted_days")
    people = spark.read.jdbc(SHOP, "orders").select("name")
    write(spark.table("bigger_orders").crossJoin(people), work, "reads_counted_view")
    return write(spark.sql("select id from mem.db.orders"), work, "reads_counted_v2")


@case
def reads_not_counted(spark: SparkSession, work: str) -> object:
    """Rows that are cached; a side that can have no rows; an empty table; partitions that are pruned."""
    kept = spark.table("orders").cache()
    kept.count()
    write(kept.select("id"), work, "reads_not_counted_cache")
    kept.unpersist()
    write(
        spark.sql("select id from orders union all select 1 from customers where false"),
        work,
        "reads_not_counted_pruned",
    )
    spark.sql("drop table if exists counted_days")
    spark.sql("create table counted_days (id bigint, day string) using parquet partitioned by (day)")
    write(spark.sql("select id from counted_days"), work, "reads_not_counted_empty")
    spark.sql("insert into counted_days select id, day from orders")
    return write(spark.sql("select id from counted_days where day = 'mon'"), work, "reads_not_counted_partition")


@case
def reads_within(spark: SparkSession, work: str) -> object:
    """What the executions within an action read: a table that a query makes, by SQL and by the API, and a save through JDBC."""
    del work
    spark.sql("drop table if exists read_within")
    spark.sql("create table read_within using parquet as select id from orders")
    spark.table("read_within").write.mode("overwrite").saveAsTable("read_within_saved")
    return spark.table("read_within").write.mode("overwrite").jdbc(SHOP, "read_within")


@case
def reads_of_a_multi_insert(spark: SparkSession, work: str) -> object:
    del work
    return spark.sql(
        "from (select customer, amount, id from orders) t insert into sink select customer, amount where id > 1 "
        "insert into sink2 select customer, amount"
    )


@case
def second_insert_fails(spark: SparkSession, work: str) -> None:
    """The first one has written its rows by then."""
    del work
    with contextlib.suppress(Exception):
        spark.sql(
            "from (select customer, amount, id from orders) t insert into sink select customer, amount "
            "insert into sink2 select customer, cast(raise_error(concat(customer, id)) as double)"
        )
