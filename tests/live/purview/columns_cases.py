"""Columns that are renamed, derived, aggregated, joined, made of constants, and their `columnMapping`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.purview.assets import ANY, abfss, gen2_set
from tests.live.purview.contexts import INFLUENCE, PLAIN
from tests.live.purview.expecting import case, flow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RAW = gen2_set("raw/orders")
CUSTOMERS = gen2_set("raw/customers")


def _views(spark: SparkSession) -> None:
    spark.read.parquet(abfss("raw/orders")).createOrReplaceTempView("orders")
    spark.read.parquet(abfss("raw/customers")).createOrReplaceTempView("customers")


def _written(spark: SparkSession, query: str, name: str) -> None:
    _views(spark)
    spark.sql(query).write.parquet(abfss(f"out/{name}"))


@case(
    PLAIN,
    flow(
        {RAW: "id > order_id, customer > who, amount > gross, customer > label, amount > label", ANY: "* > currency"},
        gen2_set("out/derived"),
    ),
)
def renamed_derived_and_constant(spark: SparkSession, work: str) -> None:
    query = (
        "select id as order_id, upper(customer) as who, amount * 1.21 as gross, concat(customer, amount) as label, "
        "'EUR' as currency from orders where day > '2026'"
    )
    _written(spark, query, "derived")


@case(
    PLAIN,
    flow({RAW: "customer, amount > total, amount > most", ANY: "* > orders"}, gen2_set("out/aggregated")),
)
def aggregated(spark: SparkSession, work: str) -> None:
    query = "select customer, sum(amount) total, max(amount) most, count(*) orders from orders group by customer"
    _written(spark, query, "aggregated")


@case(
    PLAIN,
    flow({RAW: "id, amount > value", CUSTOMERS: "country, country > value"}, gen2_set("out/joined")),
)
def joined_with_a_column_of_both(spark: SparkSession, work: str) -> None:
    query = "select id, country, concat(amount, country) value from orders join customers on customer = name"
    _written(spark, query, "joined")


@case(PLAIN, flow({RAW: "customer > name", CUSTOMERS: "name"}, gen2_set("out/union")))
def union_of_two(spark: SparkSession, work: str) -> None:
    _written(spark, "select customer name from orders union all select name from customers", "union")


@case(PLAIN, flow({RAW: "id", CUSTOMERS: ""}, gen2_set("out/filtered")))
def an_input_that_only_filters(spark: SparkSession, work: str) -> None:
    query = "select id from orders where customer in (select name from customers where country = 'NL')"
    _written(spark, query, "filtered")


@case(PLAIN, flow({RAW: "id, customer > label"}, gen2_set("out/condition")))
def a_condition_is_no_source(spark: SparkSession, work: str) -> None:
    _written(spark, "select id, case when amount > 10 then customer else 'few' end label from orders", "condition")


@case(INFLUENCE, flow({RAW: "id, customer > label, amount > label"}, gen2_set("out/condition_too")))
def a_condition_is_one_by_setting(spark: SparkSession, work: str) -> None:
    query = "select id, case when amount > 10 then customer else 'few' end label from orders"
    _written(spark, query, "condition_too")


@case(PLAIN, flow({RAW: "id", ANY: "* > size, * > position"}, gen2_set("out/windows")))
def columns_of_conditions_and_windows_alone(spark: SparkSession, work: str) -> None:
    """No value of an input flows into them."""
    query = (
        "select id, case when amount > 10 then 'big' else 'small' end size, "
        "row_number() over (partition by customer order by id) position from orders"
    )
    _written(spark, query, "windows")


@case(PLAIN, flow({RAW: "id, amount > one, amount > two"}, gen2_set("out/through")))
def through_temporary_views(spark: SparkSession, work: str) -> None:
    """Temporary views, cached data and CTEs are passed through."""
    _views(spark)
    spark.sql("select id, amount one from orders").cache().createOrReplaceTempView("step_one")
    spark.sql("select *, one * 2 as two from step_one").createGlobalTempView("step_two")
    query = "with last as (select * from global_temp.step_two) select id, one, two from last"
    spark.sql(query).write.parquet(abfss("out/through"))


@case(PLAIN, flow({gen2_set("raw/nested"): "id > key, person > name"}, gen2_set("out/nested")))
def a_field_of_a_struct(spark: SparkSession, work: str):
    """A field that is read of a struct is that struct's column."""
    _views(spark)
    spark.sql("select id, named_struct('name', customer) person from orders").write.parquet(abfss("raw/nested"))
    yield
    spark.read.parquet(abfss("raw/nested")).selectExpr("id key", "person.name").write.parquet(abfss("out/nested"))
