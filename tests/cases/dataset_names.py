"""Cases of names that mean something else than the column of the source that is called so, and of subqueries as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import PREPARATIONS, case, register, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _another_database(spark: SparkSession, work: str) -> None:
    del work
    spark.sql("create database if not exists other")
    spark.sql("drop table if exists other.orders")
    spark.sql("create table other.orders using parquet as select id, amount, day from cases.orders")


PREPARATIONS.append(_another_database)

NAMES = {
    "shown_names_swapped": "select id + 1 v from (select amount id, id amount from orders)",
    "shown_names_of_a_cte": (
        "with orders as (select id, amount * 2 as amount from cases.orders) select amount + 1 as v from orders"
    ),
    "shown_names_of_numbered_rows": (
        "select id, twice from (select id, amount + 1 as twice, "
        "row_number() over (partition by customer order by day) as n from orders) where n = 1 and twice > 2"
    ),
    "shown_names_in_a_self_join": (
        "select a.amount - b.amount v from (select id, amount * 2 as amount from orders) a join orders b "
        "on a.id = b.id and a.amount > b.amount"
    ),
    "shown_names_of_both_sides": (
        "select o.amount from orders o join (select id from path_orders where day = 'mon') p on o.amount = p.id"
    ),
    "shown_names_of_two_databases": "select a.id from orders a join other.orders b on a.id = b.id and a.customer = b.day",
    "shown_names_of_a_union": (
        "select v, v * 2 w from "
        "(select amount as v from orders union all select 0D union all select id * 2 from path_orders)"
    ),
    "shown_names_of_several_generated": (
        "select p + 1 n, c * 2 c from orders lateral view posexplode(array(id, amount)) as p, c where p > 0"
    ),
    "shown_fields_of_nested_structs": (
        "select p.q.amount a, p.q.day b, p.i + 1 c, p.q d, p.q.day = 'mon' e "
        "from (select struct(id as i, struct(amount, day) as q) as p from orders)"
    ),
    "shown_fields_that_are_copies": "select p.a from (select struct(amount as a, day as b) as p from orders)",
    "shown_subqueries_in_the_select_list": (
        "select o.id, (select max(amount) from path_orders where day = 'mon') m, "
        "exists (select 1 from customers c where c.name = o.customer and size(c.tags) > 3) e, "
        "not exists (select 1 from customers c where c.name = o.day) n, "
        "case when o.id in (select id from path_orders where amount > 1) then 1 end i, "
        "o.customer not in (select name from customers where country = 'x') k from orders o where o.amount > 2"
    ),
}

for _name, _query in NAMES.items():
    register(_name, _query)


@case
def shown_names_used_again(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    df = spark.table("orders").withColumn("amount", f.col("amount") * 12).withColumn("bonus", f.col("amount") * 2)
    write(df.where("amount > 100").select("id", "bonus"), work, "shown_names_used_again")


@case
def shown_names_dropped(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    df = spark.table("orders").withColumn("a", f.col("amount") + 12).withColumn("b", f.col("a") * 2).drop("a")
    write(df, work, "shown_names_dropped")


@since("4.1")
@case
def shown_names_of_a_recursion(spark: SparkSession, work: str) -> object:
    query = (
        "with recursive r(id, lvl, path) as (select id, 1, customer from orders where day = 'mon' union all "
        "select e.id, lvl + 1, concat(path, '/', e.customer) from orders e join r on e.id = r.id + 1) select * from r"
    )
    write(spark.sql(query), work, "shown_names_of_a_recursion")
