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


@case(PLAIN, flow({RAW: "id, customer > label"}, gen2_set("out/condition")))
def a_condition_is_no_source(spark: SparkSession, work: str) -> None:
    _written(spark, "select id, case when amount > 10 then customer else 'few' end label from orders", "condition")


@case(INFLUENCE, flow({RAW: "id, customer > label, amount > label"}, gen2_set("out/condition_too")))
def a_condition_is_one_by_setting(spark: SparkSession, work: str) -> None:
    query = "select id, case when amount > 10 then customer else 'few' end label from orders"
    _written(spark, query, "condition_too")


@case(PLAIN, flow({gen2_set("raw/nested"): "id > key, person > name"}, gen2_set("out/nested")))
def a_field_of_a_struct(spark: SparkSession, work: str):
    """A field that is read of a struct is that struct's column."""
    _views(spark)
    spark.sql("select id, named_struct('name', customer) person from orders").write.parquet(abfss("raw/nested"))
    yield
    spark.read.parquet(abfss("raw/nested")).selectExpr("id key", "person.name").write.parquet(abfss("out/nested"))
