"""Implicit conversions that a write and a view add around a value, to the types of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def nested(spark: SparkSession) -> None:
    """A table with nested columns, and one whose nested columns are wider."""
    for table in ("small", "large", "converted"):
        spark.sql(f"drop table if exists {table}")
    spark.sql(
        "create table small using parquet as select struct(cast(id as int) x, day y) st, array(cast(id as int)) arr, "
        "map(day, cast(id as int)) m, array(struct(cast(id as int) x)) deep from orders"
    )
    spark.sql(
        "create table large (st struct<x: bigint, y: string>, arr array<bigint>, m map<string, bigint>, "
        "deep array<struct<x: bigint>>) using parquet"
    )


@case
def shown_insert_of_wider_nested_types(spark: SparkSession, work: str) -> object:
    nested(spark)
    spark.sql("insert into large select st, arr, m, deep from small")


@case
def shown_insert_of_wider_nested_types_by_name(spark: SparkSession, work: str) -> object:
    nested(spark)
    spark.sql("insert into large by name select arr, deep, m, st from small")


@case
def shown_insert_of_expressions_converted(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists converted")
    spark.sql("create table converted (v int, a int, w bigint, k string) using parquet")
    spark.sql("insert into converted by name select amount * 2 as v, id as a, id + 1 as w, day as k from orders")


@case
def shown_insert_of_constants(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists constants")
    spark.sql("create table constants (a bigint, b date, c int) using parquet")
    spark.sql("insert into constants select 1, NULL, 2")


@case
def shown_expressions_of_a_temporary_view(spark: SparkSession, work: str) -> object:
    for table in ("of_temporary", "of_global"):
        spark.sql(f"drop table if exists {table}")
    query = "select id + 1 as z, upper(day) as u, id from orders"
    spark.sql(f"create or replace temporary view made as {query}")
    spark.sql(f"create or replace global temporary view made as {query}")
    spark.sql("create table of_temporary using parquet as select * from made")
    spark.sql("create table of_global using parquet as select * from global_temp.made")


register(
    "shown_windows_within",
    "select if(rank() over (order by id) = 1, day, lag(day) over (order by id)) a, "
    "sum(amount) over (partition by day) / count(*) over () b, "
    "coalesce(lag(amount) over (order by id), 0) c from orders",
)
register(
    "shown_self_join",
    "select n.amount - o.amount as more from orders n join orders o on n.id = o.id where n.day > o.day",
)
register(
    "shown_self_join_on_other_columns",
    "select n.amount - o.id as more, n.day from orders n join orders o on n.id = o.amount "
    "where exists (select 1 from orders i where i.day = o.day and i.id > 1)",
)


@case
def shown_self_join_without_aliases(spark: SparkSession, work: str) -> object:
    orders = spark.table("orders")
    joined = orders.join(orders.select("id", "day"), "id").distinct().toDF("id", "customer", "amount", "day", "other")
    joined.write.mode("overwrite").parquet(f"{work}/out/shown_self_join_without_aliases")
