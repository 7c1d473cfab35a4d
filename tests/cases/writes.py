"""Writes into tables of the session catalog, as `cases`: inserts in all forms, and what creates a table with rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.cases.all_cases import case, changing, one_by_one, since

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def refused(action: Callable[[], object]) -> None:
    """Something that Spark does not do, or does not finish."""
    try:
        action()
    except Exception:  # noqa: BLE001 as Spark refuses in several ways
        return
    raise AssertionError("it was not refused")


def wide(spark: SparkSession) -> None:
    """A table with two partition columns and a column with a default."""
    spark.sql("drop table if exists wide")
    spark.sql(
        "create table wide (k string, v double default 7.5, region string, day string) "
        "using parquet partitioned by (region, day)"
    )


@case
def insert_partition_columns_in_another_order(spark: SparkSession, work: str) -> object:
    # The select list follows the table's order, whatever order PARTITION names.
    wide(spark)
    spark.sql("insert into wide partition (day, region) select customer, amount, 'eu', day from orders")


@case
def insert_mixed_partitions(spark: SparkSession, work: str) -> object:
    wide(spark)
    spark.sql("insert overwrite wide partition (region = 'eu', day) select customer, amount, day from orders")


@case
def insert_dynamic_overwrite(spark: SparkSession, work: str) -> object:
    wide(spark)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.sql("insert overwrite wide select customer, amount, country, day from orders join customers on true")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


@case
def insert_with_defaults(spark: SparkSession, work: str) -> object:
    wide(spark)
    spark.sql("insert into wide (day, k, region) select day, customer, upper(customer) from orders")
    spark.sql("insert into wide select customer, default, day, day from orders")


@case
def insert_by_name(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink by name select amount as v, customer as k from orders")


@case
def insert_by_name_of_a_part(spark: SparkSession, work: str) -> object:
    spark.sql("insert into parted partition (day = 'mon') by name select amount v, customer k from orders")


@case
def insert_values(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink values ('a', 1.0), ('b', 2.0)")


@case
def insert_table(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink2 table sink")


@case
def insert_from_first(spark: SparkSession, work: str) -> object:
    spark.sql("from orders insert overwrite table sink select customer, amount")


@case
def insert_of_a_cte(spark: SparkSession, work: str) -> object:
    spark.sql("with big as (select * from orders where amount > 2) insert into sink select customer, amount from big")


@case
def insert_if_not_exists(spark: SparkSession, work: str) -> object:
    wide(spark)
    statement = (
        "insert overwrite table wide partition (region = 'eu', day = 'mon') if not exists "
        "select customer, amount from orders"
    )
    spark.sql(statement)
    spark.sql(statement)  # the partition exists: no rows are written


@case
def insert_narrower_types(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists narrow")
    spark.sql("create table narrow (a int, b float, c bigint, d string) using orc")
    spark.sql("insert into narrow select id, amount, id, id from orders")


@case
def insert_into_api_overwrite(spark: SparkSession, work: str) -> object:
    # By position: the names of the DataFrame do not count.
    spark.table("orders").selectExpr("day v", "amount k").write.insertInto("sink", overwrite=True)


@case
def insert_from_itself_and_another(spark: SparkSession, work: str) -> object:
    spark.sql("insert into sink2 select k, v from sink2 union all select k, v from sink")


@case
def inserts_refused(spark: SparkSession, work: str) -> object:
    refused(lambda: spark.sql("insert overwrite table sink select k, v + 1 from sink"))
    refused(lambda: spark.sql("insert into sink replace where k = 'a' select customer, amount from orders"))
    refused(lambda: spark.sql("update sink set v = 1"))
    refused(lambda: spark.sql("replace table sink using parquet as select id from orders"))
    refused(lambda: spark.sql("insert into nowhere select id from orders"))
    refused(lambda: spark.sql("insert into sink select raise_error(customer), amount from orders"))


@case
def insert_explained(spark: SparkSession, work: str) -> object:
    spark.sql("explain insert into sink select customer, amount from orders").collect()
    spark.sql("explain extended create table explained using parquet as select * from orders").collect()


@case
def command_read_again(spark: SparkSession, work: str) -> object:
    done = spark.sql("insert into sink select customer, amount from orders where id = 1")
    done.collect()
    done.count()
    created = spark.sql("create or replace temp view again as select * from orders")
    created.collect()


@case
def multi_insert_with_partitions(spark: SparkSession, work: str) -> object:
    wide(spark)
    spark.sql(
        "from (select o.*, c.country from orders o join customers c on o.customer = c.name) joined "
        "insert into sink select customer, sum(amount) group by customer "
        "insert overwrite table wide partition (region = 'eu', day) select country, amount, day"
    )


@case
def ctas_partitioned(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_parted")
    spark.sql(
        "create table ctas_parted using orc partitioned by (day) clustered by (id) sorted by (id) into 2 buckets "
        "as select day, id, amount from orders"
    )


@case
def ctas_at_a_location(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_located")
    spark.sql(
        f"create table ctas_located using json location '{work}/located' options (compression 'gzip') "
        "as select customer, count(*) n from orders group by customer"
    )


@case
def partitions_elsewhere(spark: SparkSession, work: str) -> object:
    """A partition with a location of its own that is read by it is the table."""
    one_by_one(
        spark,
        "drop table if exists parted_elsewhere",
        "create table parted_elsewhere (id int, day string) using parquet partitioned by (day)",
        f"alter table parted_elsewhere add partition (day = 'mon') location '{work}/elsewhere_mon' partition (day = 'tue')",
        f"alter table parted_elsewhere partition (day = 'tue') set location '{work}/elsewhere_tue'",
        "insert into parted_elsewhere partition (day = 'mon') values (1)",
        "insert into parted_elsewhere partition (day = 'tue') values (2)",
    )
    for day in ("mon", "tue"):
        rows = spark.read.parquet(f"{work}/elsewhere_{day}")
        rows.write.mode("overwrite").json(f"{work}/out/partitions_elsewhere_{day}")


@case
def ctas_if_not_exists(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_once")
    for _ in range(2):  # the second one does nothing
        spark.sql("create table if not exists ctas_once using parquet as select id from orders")


@changing
def view_if_not_exists(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create view if not exists once_seen as select id from orders",
        "create view if not exists once_seen as select amount from orders",
        "drop view once_seen",
    )


@case
def ctas_of_a_cte(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_cte")
    spark.sql("create table ctas_cte using parquet as with a as (select id from orders) select id i, id + 1 j from a")


@case
def ctas_with_api(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists ctas_api")
    spark.table("orders").select("id").writeTo("ctas_api").using("parquet").create()


@case
def save_as_table_modes(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists moded")
    df = spark.table("orders")
    df.select("id").write.mode("ignore").saveAsTable("moded")
    df.select("amount").write.mode("ignore").saveAsTable("moded")  # no effect: it exists
    refused(lambda: df.select("amount").write.saveAsTable("moded"))
    df.selectExpr("id * 2 id").write.mode("append").saveAsTable("moded")
    df.select("day").write.mode("overwrite").saveAsTable("moded")


@case
def save_as_table_in_buckets(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists bucketed")
    df = spark.table("orders").select("day", "id", "customer")
    df.write.bucketBy(2, "id").sortBy("id").partitionBy("day").format("parquet").saveAsTable("bucketed")


@case
def save_as_table_by_name(spark: SparkSession, work: str) -> object:
    # An append finds the columns by their names.
    spark.table("orders").selectExpr("amount v", "customer k").write.mode("append").format("parquet").saveAsTable(
        "sink"
    )


@case
def save_as_table_of_another_database(spark: SparkSession, work: str) -> object:
    spark.sql("create database if not exists other")
    spark.table("orders").select("id").write.mode("overwrite").saveAsTable("other.saved")
    spark.sql("use other")
    try:
        spark.table("cases.orders").select("day").write.mode("overwrite").saveAsTable("saved2")
    finally:
        spark.sql("use cases")


@case
def save_as_table_elsewhere(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists external_saved")
    spark.table("orders").select("id").write.option("path", f"{work}/external").saveAsTable("external_saved")
    spark.read.parquet(f"{work}/external").write.mode("overwrite").parquet(f"{work}/out/external_copy")


@since("4.0")
@case
def script(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.scripting.enabled", "true")  # off in 4.0
    spark.sql("drop table if exists scripted")
    spark.sql(
        """
        begin
          declare least double default 2;
          create table scripted using parquet as select id, amount from orders;
          if (select count(*) from orders) > 1 then
            insert into scripted select id, amount from orders where amount > least;
          end if;
          for o as select id from orders do
            insert into sink select customer, amount from orders where id = o.id;
          end for;
        end
        """
    )


@changing
def table_like(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create table alike like orders using parquet",
        f"create table located (k string) using csv location '{work}/located_csv'",
        "insert into located select customer from orders",
        "alter table alike set tblproperties ('a' = 'b')",
        "drop table alike",
        "drop table located",
    )


@changing
def partitions_changed(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists split")
    one_by_one(
        spark,
        "create table split (k string, day string) using parquet partitioned by (day)",
        "alter table split add partition (day = 'mon')",
        "alter table split partition (day = 'mon') rename to partition (day = 'tue')",
        "alter table split drop partition (day = 'tue')",
        "msck repair table split",
        "truncate table split",
        "analyze table split compute statistics for all columns",
        "drop table split",
    )


@case
def commands_without_rows(spark: SparkSession, work: str) -> object:
    spark.sql("cache table cached_orders as select id, customer from orders")
    spark.sql("cache lazy table customers")
    spark.sql(f"create temporary view files using parquet options (path '{work}/in/orders_parquet')")
    spark.sql("insert into sink select o.customer, f.amount from cached_orders o join files f on o.id = f.id")
    spark.sql("analyze table sink compute statistics for columns k")
    spark.sql("uncache table cached_orders")
    spark.sql("uncache table customers")
    spark.sql("refresh table sink")
    spark.sql("show tables").collect()
    spark.sql("describe extended sink").collect()
    spark.sql("set spark.sql.shuffle.partitions").collect()
    spark.sql("drop view files")
