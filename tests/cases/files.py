"""Writes into paths, in all formats and modes, as `cases`; reads of what Spark's file sources of version 2 show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, since
from tests.cases.writes import refused

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

V1_SOURCES = "spark.sql.sources.useV1SourceList"


@case
def modes_of_a_path(spark: SparkSession, work: str) -> object:
    df, path = spark.table("orders"), f"{work}/out/moded"
    df.select("id").write.mode("ignore").parquet(path)
    df.select("amount").write.mode("ignore").parquet(path)  # no effect: it exists
    refused(lambda: df.select("amount").write.parquet(path))
    df.selectExpr("id + 1 id").write.mode("append").parquet(path)
    df.select("day").write.mode("overwrite").parquet(path)


@case
def empty_write_that_ignores(spark: SparkSession, work: str) -> object:
    # No rows, yet files: it exists from now on.
    spark.table("orders").filter("id < 0").select("id").write.mode("ignore").parquet(f"{work}/out/ignored_empty")


@case
def partitioned_text(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").selectExpr("customer value", "day")
    df.write.mode("overwrite").partitionBy("day").text(f"{work}/out/partitioned_text")
    back = spark.read.text(f"{work}/out/partitioned_text")
    back.write.mode("overwrite").csv(f"{work}/out/text_back")


@case
def dynamic_overwrite_of_a_path(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").select("id", "day")
    df.write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy("day").orc(f"{work}/out/dynamic")


@case
def binary_files(spark: SparkSession, work: str) -> object:
    df = spark.read.format("binaryFile").load(f"{work}/in/lines")
    df.selectExpr("path", "length(content) size").write.mode("overwrite").json(f"{work}/out/binary")


@since("4.0")
@case
def copy_xml(spark: SparkSession, work: str) -> object:
    path = f"{work}/out/orders_xml"
    spark.table("orders").select("id", "customer").write.mode("overwrite").option("rowTag", "o").xml(path)
    df = spark.read.schema("id bigint, customer string").option("rowTag", "o").xml(path)
    df.write.mode("overwrite").json(f"{work}/out/xml_as_json")


@case
def files_by_version_2(spark: SparkSession, work: str) -> object:
    spark.conf.set(V1_SOURCES, "")
    try:
        for fmt in ("parquet", "orc", "csv", "json", "text"):
            folder = "lines" if fmt == "text" else f"orders_{fmt}"
            reader = spark.read.format(fmt)
            if fmt != "text":
                reader = reader.schema("id bigint, customer string, amount double, day string")
            df = reader.load(f"{work}/in/{folder}")
            df = df.select("value") if fmt == "text" else df.filter("id > 1").select("customer")
            df.write.mode("overwrite").format(fmt).save(f"{work}/out/version_2_{fmt}")
        df = spark.read.parquet(f"{work}/in/daily/2026-11-20", f"{work}/in/daily/2026-11-21")
        df.select("id").write.mode("append").json(f"{work}/out/version_2_daily")
    finally:
        spark.conf.unset(V1_SOURCES)


@case
def sql_over_files(spark: SparkSession, work: str) -> object:
    spark.sql(
        f"insert into sink select o.customer, j.amount from parquet.`{work}/in/orders_parquet` o "
        f"join json.`{work}/in/orders_json` j on o.id = j.id"
    )


@case
def overwrite_directory_with_options(spark: SparkSession, work: str) -> object:
    spark.sql(
        f"insert overwrite directory using parquet options (path '{work}/out/dir_options', compression 'snappy') "
        "select id, customer from orders where amount > 2"
    )
    spark.sql(f"insert overwrite local directory 'file:{work}/out/dir_local' using csv select id from orders")


@case
def path_without_a_scheme(spark: SparkSession, work: str) -> object:
    # Relative to the working directory of the driver: one path, one name.
    import os

    relative = os.path.relpath(f"{work}/out/relative", spark._jvm.java.lang.System.getProperty("user.dir"))
    spark.table("orders").select("id").write.mode("overwrite").parquet(relative)
    spark.sql(f"insert overwrite directory '{relative}' using parquet select customer from orders")
    spark.read.parquet(relative).write.mode("overwrite").parquet(f"{work}/out/from_relative")


@case
def insert_into_a_view_of_files(spark: SparkSession, work: str) -> object:
    path = f"{work}/out/viewed"
    spark.table("orders").select("customer", "amount").write.mode("overwrite").parquet(path)
    spark.sql(f"create or replace temporary view viewed using parquet options (path '{path}')")
    spark.sql("insert into viewed select day, id from orders")


@case
def jdbc_table_created(spark: SparkSession, work: str) -> object:
    shop = "jdbc:derby:memory:shop;create=true;user=clerk;password=hunter2"
    spark.sql("drop table if exists shop_made")
    df = spark.table("orders").selectExpr("id", "amount")
    df.write.format("jdbc").options(url=shop, dbtable="made").mode("overwrite").saveAsTable("shop_made")
    spark.sql("insert overwrite table shop_made select id, amount * 2 from orders")


@case
def write_into_nothing(spark: SparkSession, work: str) -> object:
    spark.table("orders").write.format("noop").mode("overwrite").save()
    spark.table("orders").write.format("noop").mode("append").save()
    spark.table("orders").foreach(lambda row: None)


@case
def write_that_fails(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").selectExpr("raise_error(customer) broken")
    refused(lambda: df.write.mode("overwrite").parquet(f"{work}/out/broken"))
