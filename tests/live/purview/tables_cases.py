"""Tables in Databricks: managed and external ones, views, mounts, Unity Catalog; a table and the place of its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.purview.assets import ANY, abfss, gen2_set, hive_table, hive_view, unity_table, unknown
from tests.live.purview.contexts import NAMESPACE, NOTEBOOK, OWN_TYPES, PLACES_ALONE, PLAIN, TABLES_ALONE
from tests.live.purview.expecting import case, flow
from tests.live.purview.prepared import orders
from tests.live.purview.stand_ins import catalogs_of_unity

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RAW = gen2_set("raw/orders")
COLUMNS = "id, customer, amount, day"
ORDERS = hive_table("sales.orders")


def prepare(spark: SparkSession) -> None:
    spark.sql("create database sales")
    orders(spark).write.saveAsTable("sales.orders")
    with catalogs_of_unity(spark):
        spark.sql("create database main.sales")
        spark.sql("create table main.sales.orders (id int, customer string, amount double)")
    spark.sql("create table sales.by_insert (id int, total double) using parquet")
    place = abfss("tables/external")
    spark.sql(f"create table sales.external (id int, amount double) using parquet location '{place}'")
    spark.sql("insert into sales.external values (1, 2.0)")


# ---- mounts


@case(NOTEBOOK, flow({RAW: COLUMNS}, gen2_set("raw/mount_out")))
def mount_to_mount(spark: SparkSession, work: str) -> None:
    spark.read.parquet("dbfs:/mnt/raw/orders").write.parquet("dbfs:/mnt/raw/mount_out")


# ---- the Hive metastore of the workspace


@case(NOTEBOOK, flow({RAW: "id > order_id, amount", ANY: "* > source"}, hive_table("sales.ctas")))
def create_table_as_select(spark: SparkSession, work: str) -> None:
    query = f"select id order_id, amount, 'erp' source from parquet.`{abfss('raw/orders')}`"
    spark.sql(f"create table sales.ctas using parquet as {query}")


@case(NOTEBOOK, flow({ORDERS: "id, amount > total"}, hive_table("sales.by_insert")))
def insert_into(spark: SparkSession, work: str) -> None:
    spark.sql("insert into sales.by_insert select id, sum(amount) from sales.orders group by id")
    spark.sql("insert into sales.by_insert (total, id) select sum(amount), id from sales.orders group by id")


@case(NOTEBOOK, flow({ORDERS: "id, customer > who, amount > who", ANY: "* > kind, * > id"}, hive_table("sales.facts")))
def two_statements_that_fill_different_columns(spark: SparkSession, work: str) -> Iterator[None]:
    """A second flow between the same tables keeps the columns of the first one; columns that it does not name are NULL."""
    spark.sql("create table sales.facts (id int, kind string, who string) using parquet")
    yield
    spark.sql("insert into sales.facts (kind, who) select 'customer', customer from sales.orders")
    spark.sql("insert into sales.facts (id, who) select id, string(amount) from sales.orders")


@case(NOTEBOOK, flow({ORDERS: "id"}, gen2_set("out/by_its_folder")))
def managed_table_by_its_folder(spark: SparkSession, work: str) -> None:
    """Who reads the warehouse reads the table."""
    place = "dbfs:/user/hive/warehouse/sales.db/orders"
    spark.read.parquet(place).select("id").write.parquet(abfss("out/by_its_folder"))


_EXTERNAL = (hive_table("sales.external"), gen2_set("tables/external"))


@case(NOTEBOOK, flow({RAW: "id, amount"}, _EXTERNAL))
def into_an_external_table(spark: SparkSession, work: str) -> None:
    """It is a table, and a place in a storage account: scans see both."""
    spark.read.parquet(abfss("raw/orders")).select("id", "amount").write.insertInto("sales.external")


_OTHER = (hive_table("sales.other_external"), gen2_set("tables/other_external"))


@case(NOTEBOOK, flow({_EXTERNAL: "id, amount > total"}, _OTHER))
def from_external_table_to_external_table(spark: SparkSession, work: str) -> None:
    found = spark.table("sales.external").selectExpr("id", "amount total")
    found.write.option("path", abfss("tables/other_external")).saveAsTable("sales.other_external")


@case(TABLES_ALONE, flow({RAW: "id, amount"}, _EXTERNAL[0]))
def external_table_as_a_table(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).select("id", "amount").write.insertInto("sales.external")


@case(PLACES_ALONE, flow({RAW: "id, amount"}, _EXTERNAL[1]), flow({ORDERS: "id"}, gen2_set("out/place")))
def external_table_as_a_place(spark: SparkSession, work: str) -> None:
    """A managed table has no place that is scanned: it stays a table."""
    spark.read.parquet(abfss("raw/orders")).select("id", "amount").write.insertInto("sales.external")
    spark.table("sales.orders").select("id").write.parquet(abfss("out/place"))


@case(
    NOTEBOOK,
    flow({ORDERS: "id, amount > gross"}, hive_view("sales.gross")),
    flow({hive_view("sales.gross"): "id, gross"}, gen2_set("out/from_a_view")),
)
def through_a_view(spark: SparkSession, work: str) -> None:
    spark.sql("create or replace view sales.gross as select id, amount * 1.21 gross from sales.orders")
    spark.table("sales.gross").write.parquet(abfss("out/from_a_view"))


@case(OWN_TYPES, flow({ORDERS: "id"}, gen2_set("out/own_types")))
def processes_of_own_types(spark: SparkSession, work: str) -> None:
    spark.table("sales.orders").select("id").write.parquet(abfss("out/own_types"))


# ---- Unity Catalog


@case(
    NOTEBOOK,
    flow({RAW: "id, customer, amount"}, unity_table("main.sales.orders")),
    flow({unity_table("main.sales.orders"): "id"}, unity_table("main.sales.copied")),
)
def tables_of_unity_catalog(spark: SparkSession, work: str) -> None:
    spark.read.parquet(abfss("raw/orders")).select("id", "customer", "amount").writeTo("main.sales.orders").append()
    spark.sql("create table main.sales.copied as select id from main.sales.orders")


# ---- outside of Databricks


@case(PLAIN, flow({unknown(f"sales.orders@{NAMESPACE}"): "id"}, gen2_set("out/from_no_metastore")))
def table_without_a_metastore(spark: SparkSession, work: str) -> None:
    """One that only this driver knows: nothing scans it."""
    spark.table("sales.orders").select("id").write.parquet(abfss("out/from_no_metastore"))


_EXTERNAL_HERE = (unknown(f"sales.external@{NAMESPACE}"), gen2_set("tables/external"))


@case(PLAIN, flow({_EXTERNAL_HERE: "id"}, gen2_set("out/from_external")))
def external_table_without_a_metastore(spark: SparkSession, work: str) -> None:
    """The place of its files is scanned all the same."""
    spark.table("sales.external").select("id").write.parquet(abfss("out/from_external"))
