"""Small jobs whose lineage is known: run live on a real Spark, and replayed from recorded batches without Java.

A case takes a session and a folder and runs one or a few statements. What it must mean stands in
`fixtures/lineage` (`expected`), one `output.column <- input.column kind` a line. `python -m tests.cases.record` records batches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.live.spark.projector import wait_until_idle

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Case = Callable[["SparkSession", str], object]
CASES: dict[str, Case] = {}
DATABASE = "cases"
SHOP = "jdbc:derby:memory:shop;create=true;user=clerk;password=hunter2"
"""A database within the driver: Derby is among Spark's jars."""

SECRETS = ("hunter2", "12345678")
"""The password of `SHOP`, and what else cases write where nothing of it may travel: options, properties, literals."""

CHANGING: set[str] = set()
"""The cases whose expectation says what happens to the catalog too."""


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def changing(function: Case) -> Case:
    CHANGING.add(function.__name__)
    return case(function)


NEEDING_PANDAS: set[str] = set()
"""The cases that need pandas and pyarrow."""

SINCE: dict[str, str] = {}
"""The oldest Spark that can run a case, where that is not the oldest of all."""


def since(version: str) -> Callable[[Case], Case]:
    def mark(function: Case) -> Case:
        SINCE[function.__name__] = version
        return function

    return mark


NOT_ON: dict[str, tuple[str, ...]] = {}
"""The Sparks, as `4.1`, that a case does not run on because of a fault in Spark."""


def not_on(*versions: str) -> Callable[[Case], Case]:
    def mark(function: Case) -> Case:
        NOT_ON[function.__name__] = versions
        return function

    return mark


def register(name: str, query: str) -> Case:
    """Return a case that writes the rows of a query."""

    def run(spark: SparkSession, work: str) -> object:
        write(spark.sql(query), work, name)

    run.__name__, run.__module__ = name, sys._getframe(1).f_globals["__name__"]  # as if it were written there
    return case(run)


PREPARATIONS: list[Case] = []
"""What modules of cases prepare for themselves, after the data that all cases read."""


def prepare(spark: SparkSession, work: str) -> None:
    """The data that cases read: two paths, two tables, two views."""
    orders = "id bigint, customer string, amount double, day string"
    rows = [(1, "a", 2.0, "mon"), (2, "b", 3.0, "tue"), (3, "a", 4.0, "tue")]
    for fmt in ("parquet", "orc", "csv", "json"):
        spark.createDataFrame(rows, orders).write.mode("overwrite").format(fmt).save(f"{work}/in/orders_{fmt}")
    spark.createDataFrame([("x",), ("y",)], "value string").write.mode("overwrite").text(f"{work}/in/lines")
    for day in ("2026-11-20", "2026-11-21"):
        spark.createDataFrame(rows, orders).write.mode("overwrite").parquet(f"{work}/in/daily/{day}")
    spark.sql(f"create database if not exists {DATABASE}")
    spark.sql(f"use {DATABASE}")
    spark.createDataFrame(rows, orders).write.mode("overwrite").saveAsTable("orders")
    spark.createDataFrame([("a", "x", [1, 2])], "name string, country string, tags array<int>").write.mode(
        "overwrite"
    ).saveAsTable("customers")
    spark.sql("drop table if exists nested")
    spark.sql(
        "create table nested using parquet as select named_struct('a', 1, 'b', 'x') s, map('k', 1) m, "
        "array(named_struct('x', 1, 'y', 'z')) l"
    )
    for name in ("sink", "sink2"):
        spark.sql(f"create table if not exists {name} (k string, v double) using parquet")
    spark.sql("create table if not exists parted (k string, v double, day string) using parquet partitioned by (day)")
    spark.read.parquet(f"{work}/in/orders_parquet").createOrReplaceTempView("path_orders")
    spark.sql("create or replace view big_orders as select id, customer who, amount from orders where amount > 2")
    spark.sql("create or replace view bigger_orders as select who, amount * 2 twice from big_orders")
    spark._jvm.java.lang.System.setProperty("derby.stream.error.file", f"{work}/derby.log")
    shop = spark.createDataFrame([(1, "a", 2.0)], "id int, name string, amount double")
    shop.write.mode("overwrite").jdbc(SHOP, "orders")
    shop.select("id", "name").write.mode("overwrite").jdbc(SHOP, "people")
    spark.sql("drop table if exists shop_sink")
    spark.sql(f"create table shop_sink using jdbc options (url '{SHOP}', dbtable 'people')")
    for more in PREPARATIONS:
        more(spark, work)


def _copy(fmt: str) -> Case:
    def copy(spark: SparkSession, work: str) -> object:
        reader = spark.read.format(fmt)
        df = reader.schema("id bigint, customer string, amount double, day string").load(f"{work}/in/orders_{fmt}")
        return df.select("id", "customer").write.mode("overwrite").format(fmt).save(f"{work}/out/copy_{fmt}")

    return copy


for _format in ("parquet", "orc", "csv", "json"):
    CASES[f"copy_{_format}"] = _copy(_format)


@case
def copy_text(spark: SparkSession, work: str) -> object:
    spark.read.text(f"{work}/in/lines").write.mode("overwrite").text(f"{work}/out/copy_text")


@case
def dated_directories(spark: SparkSession, work: str) -> object:
    df = spark.read.parquet(f"{work}/in/daily/2026-11-20", f"{work}/in/daily/2026-11-21")
    df.write.mode("overwrite").partitionBy("day").parquet(f"{work}/out/daily/2026/11/21")


@case
def ctas(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_t")
    spark.sql("create table ctas_t using parquet as select id, amount * 2 as twice, 'x' as fixed from orders")


@case
def insert_into(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink select customer, sum(amount) from orders where day = 'mon' group by customer")


@case
def insert_overwrite(spark: SparkSession, work: str) -> object:
    spark.sql("insert overwrite table sink select customer, amount from orders order by amount limit 2")


@case
def insert_static_partition(spark: SparkSession, work: str) -> object:
    spark.sql("insert overwrite table parted partition (day = 'mon') select customer, amount from orders")


@case
def insert_dynamic_partition(spark: SparkSession, work: str) -> object:
    spark.sql("insert into parted select customer, amount, day from orders")


@case
def insert_columns_reordered(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink (v, k) select amount, customer from orders")


@case
def overwrite_directory(spark: SparkSession, work: str) -> object:
    spark.sql(f"insert overwrite directory '{work}/out/dir' using json select distinct customer from orders")


@case
def save_as_table(spark: SparkSession, work: str) -> object:
    spark.table("orders").groupBy("customer").count().write.mode("overwrite").saveAsTable("saved")


@case
def save_as_table_append(spark: SparkSession, work: str) -> object:
    spark.table("orders").selectExpr("customer k", "amount v").write.mode("append").format("parquet").saveAsTable(
        "sink"
    )


@case
def insert_into_api(spark: SparkSession, work: str) -> object:
    spark.table("orders").select("customer", "amount").write.insertInto("sink")


@case
def insert_from_itself(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink select k, v + 1 from sink")


@case
def temp_view(spark: SparkSession, work: str) -> object:
    spark.sql("create or replace temporary view big as select customer who, amount from path_orders where amount > 2")
    _write(spark.sql("select who, amount from big"), work, "temp_view")


@case
def join(spark: SparkSession, work: str) -> object:
    _write(spark.sql("select o.id, c.country from orders o left join customers c on o.customer = c.name"), work, "join")


@case
def semi_join(spark: SparkSession, work: str) -> object:
    orders, customers = spark.table("orders"), spark.table("customers")
    _write(orders.join(customers, orders.customer == customers.name, "left_semi").select("id"), work, "semi_join")


@case
def self_join(spark: SparkSession, work: str) -> object:
    _write(spark.sql("select a.id, b.amount from orders a join orders b on a.id = b.id"), work, "self_join")


@case
def aggregate_having(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select customer, max(amount) m, count(*) n from orders group by customer having min(id) > 0"),
        work,
        "aggregate_having",
    )


@case
def rollup(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select customer, day, sum(amount) total from orders group by rollup(customer, day)"), work, "rollup"
    )


@case
def union_all(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select customer as who, amount from orders union all select name, null from customers"),
        work,
        "union_all",
    )


@case
def union_with_itself(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").select("id", "amount")
    _write(df.union(df), work, "union_with_itself")


@case
def union_by_name(spark: SparkSession, work: str) -> object:
    left = spark.table("orders").select("id", "customer")
    right = spark.read.parquet(f"{work}/in/orders_parquet").select("customer", "id")
    _write(left.unionByName(right), work, "union_by_name")


@case
def set_operations(spark: SparkSession, work: str) -> object:
    _write(spark.sql("select customer from orders except select name from customers"), work, "set_operations")


@case
def scalar_subquery(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select id, amount / (select sum(amount) from path_orders) share from orders"),
        work,
        "scalar_subquery",
    )


@case
def correlated_subquery(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql(
            "select o.id, (select max(country) from customers c where c.name = o.customer) country from orders o"
        ),
        work,
        "correlated_subquery",
    )


@case
def in_and_exists(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql(
            "select id from orders o where customer in (select name from customers) "
            "and exists (select 1 from path_orders p where p.id = o.id)"
        ),
        work,
        "in_and_exists",
    )


@case
def cte_used_twice(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql(
            "with t as (select customer, sum(amount) total from orders group by customer) "
            "select a.customer, a.total, b.total other from t a join t b on a.customer = b.customer"
        ),
        work,
        "cte_used_twice",
    )


@case
def subquery_alias_and_sort(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select x.c who from (select customer c, amount a from orders) x order by x.a desc limit 1"),
        work,
        "subquery_alias_and_sort",
    )


@case
def case_when(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql("select case when amount > 2 then customer else day end pick, if(id > 1, amount, 0) a from orders"),
        work,
        "case_when",
    )


@case
def window(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql(
            "select id, sum(amount) over (partition by customer order by day) running, "
            "row_number() over (order by amount) n from orders"
        ),
        work,
        "window",
    )


@case
def explode(spark: SparkSession, work: str) -> object:
    _write(spark.sql("select name, tag from customers lateral view explode(tags) t as tag"), work, "explode")


@case
def lateral_subquery(spark: SparkSession, work: str) -> object:
    _write(
        spark.sql(
            "select o.id, l.country from orders o, lateral (select country from customers c where c.name = o.customer) l"
        ),
        work,
        "lateral_subquery",
    )


@case
def drop_duplicates_and_rename(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").withColumnRenamed("customer", "who").withColumn("next", spark.table("orders").id + 1)
    _write(df.dropDuplicates(["who"]).select("who", "next"), work, "drop_duplicates_and_rename")


@case
def multi_insert(spark: SparkSession, work: str) -> object:
    spark.sql(
        "from orders insert into sink select customer, amount where id > 1 insert into sink2 select day, amount where id < 3"
    )


@case
def command_collected(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink select customer, amount from orders").collect()


@case
def jdbc_write(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").selectExpr("id", "customer name", "amount * 2 amount")
    df.write.mode("overwrite").option("password", "hunter2").jdbc(SHOP, "sales")


@case
def jdbc_read(spark: SparkSession, work: str) -> object:
    _write(spark.read.jdbc(SHOP, "orders").filter("amount > 1").selectExpr("id", "upper(name) who"), work, "jdbc_read")


@case
def jdbc_read_in_partitions(spark: SparkSession, work: str) -> object:
    df = spark.read.jdbc(SHOP, "orders", column="id", lowerBound=1, upperBound=9, numPartitions=2)
    _write(df.select("name"), work, "jdbc_read_in_partitions")


@case
def jdbc_subquery(spark: SparkSession, work: str) -> object:
    table = """(select "id" as i, "name", "amount" * 2 as d, 'hunter2' as s from orders where "id" <> 12345678) x"""
    _write(spark.read.jdbc(SHOP, table), work, "jdbc_subquery")


@case
def jdbc_query(spark: SparkSession, work: str) -> object:
    reader = spark.read.format("jdbc").option("url", SHOP)
    df = reader.option("query", "select * from orders order by 1 fetch first 2 rows only").load()
    _write(df, work, "jdbc_query")


@case
def jdbc_query_of_two_tables(spark: SparkSession, work: str) -> object:
    reader = spark.read.format("jdbc").option("url", SHOP)
    query = 'select o."id" i, p."name" n from orders o join people p on o."id" = p."id"'
    _write(reader.option("dbtable", f"({query}) x").load(), work, "jdbc_query_of_two_tables")


@case
def jdbc_table_of_the_catalog(spark: SparkSession, work: str) -> object:
    spark.sql("insert into shop_sink select id, customer from orders")
    _write(spark.sql("select name from shop_sink"), work, "jdbc_table_of_the_catalog")


@case
def view_read(spark: SparkSession, work: str) -> object:
    _write(spark.sql("select who, sum(twice) total from bigger_orders group by who"), work, "view_read")


@changing
def view_created(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create view seen (buyer comment 'who', total) as "
        "select customer, sum(amount) a from orders where day <> 'sun' group by 1",
        "create or replace view seen as select id, customer from orders",
        "alter view seen as select customer from big_orders b join orders o on b.id = o.id",
        "alter view seen rename to looked",
        "drop view looked",
    )


@changing
def temp_view_says_nothing(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create or replace temp view passing as select id from orders",
        "alter view passing as select customer from orders",
        "drop view passing",
    )


@changing
def table_changes(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create table changing (a int comment 'first', b string) using parquet comment 'made here' "
        "tblproperties ('team' = 'sales', 'password' = 'hunter2')",
        "create table if not exists changing (x int) using parquet",
        "insert into changing select id, customer from orders",
        "alter table changing add columns (c double comment 'third')",
        "alter table changing set tblproperties ('team' = 'shop')",
        "comment on table changing is 'changed'",
        "analyze table changing compute statistics",
        "alter table changing rename to changed",
        f"alter table changed set location '{work}/elsewhere'",
        "drop table changed",
        "drop table if exists changed",
    )


@case
def table_replaced(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists replaced")
    spark.table("orders").select("id").write.saveAsTable("replaced")
    spark.table("orders").select("customer").write.mode("overwrite").saveAsTable("replaced")
    spark.sql("drop table replaced")


@changing
def database_changes(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create database passing comment 'for a while' with dbproperties ('team' = 'sales', 'secret' = 'hunter2')",
        "create table passing.inside using parquet as select id from orders",
        "alter database passing set dbproperties ('team' = 'shop')",
        "drop database passing cascade",
    )


@case
def path_of_a_table(spark: SparkSession, work: str) -> object:
    spark.sql("insert into parted select customer, amount, day from orders")
    spark.table("sink").write.mode("overwrite").parquet(f"{work}/out/sink")
    parted = f"{work}/warehouse/{DATABASE}.db/parted"
    _write(
        spark.read.option("basePath", parted).parquet(f"{parted}/day=mon").select("K", "day"), work, "path_of_a_table"
    )
    spark.sql("select customer k, amount v from orders").write.mode("append").parquet(
        f"{work}/warehouse/{DATABASE}.db/sink"
    )


@case
def reads_only(spark: SparkSession, work: str) -> object:
    spark.table("orders").count()
    spark.sql("select * from orders").collect()


@case
def rows_of_the_driver(spark: SparkSession, work: str) -> object:
    _write(spark.createDataFrame([(1,)], "a int"), work, "rows_of_the_driver")


def one_by_one(spark: SparkSession, *statements: str) -> None:
    """Each statement when the one before has been projected: a definition is looked up in its state at that time."""
    for statement in statements:
        spark.sql(statement)
        wait_until_idle(spark)


def write(df: DataFrame, work: str, name: str) -> None:
    df.write.mode("overwrite").parquet(f"{work}/out/{name}")


_write = write
