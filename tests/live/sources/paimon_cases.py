"""Cases over Paimon, in a catalog on the file system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _conf(work: str) -> Mapping[str, str]:
    return {
        "spark.sql.catalog.lake": "org.apache.paimon.spark.SparkCatalog",
        "spark.sql.catalog.lake.warehouse": f"file:{work}/paimon",
        "spark.sql.extensions": "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions",
    }


def _prepare(spark: SparkSession, work: str) -> None:
    del work
    spark.sql("CREATE DATABASE IF NOT EXISTS lake.shop")
    spark.sql("CREATE TABLE lake.shop.orders (id INT, customer STRING, amount DOUBLE)")
    spark.sql("INSERT INTO lake.shop.orders VALUES (1, 'a', 2.0), (2, 'b', 3.0)")


PAIMON = Family(name="paimon", jars={"3.5": "paimon-3.5"}, conf=_conf, prepare=_prepare)


@PAIMON.case
def insert_select(spark: SparkSession, work: str) -> Iterator[None]:
    del work
    spark.sql("CREATE TABLE lake.shop.report (customer STRING, total DOUBLE)")
    yield
    spark.sql("INSERT INTO lake.shop.report SELECT customer, sum(amount) FROM lake.shop.orders GROUP BY customer")


@PAIMON.case
def insert_overwrite(spark: SparkSession, work: str) -> Iterator[None]:
    del work
    spark.sql("CREATE TABLE lake.shop.whole (id INT, twice DOUBLE)")
    yield
    spark.sql("INSERT OVERWRITE lake.shop.whole SELECT id, amount * 2 FROM lake.shop.orders")


@PAIMON.case
def ctas(spark: SparkSession, work: str) -> None:
    del work
    spark.sql("CREATE TABLE lake.shop.made AS SELECT id, customer FROM lake.shop.orders WHERE amount > 2")


@PAIMON.case
def read_to_files(spark: SparkSession, work: str) -> None:
    spark.table("lake.shop.orders").write.mode("overwrite").parquet(f"{work}/out/orders")


@PAIMON.case
def write_to(spark: SparkSession, work: str) -> Iterator[None]:
    del work
    spark.sql("CREATE TABLE lake.shop.copied (id INT, customer STRING)")
    yield
    spark.table("lake.shop.orders").select("id", "customer").writeTo("lake.shop.copied").append()
