"""Data that cases read, made before a hook listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.purview.assets import abfss, onelake, wasbs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDERS = "id int, customer string, amount double, day string"
ROWS = [(1, "ann", 12.5, "2026-11-20"), (2, "bob", 3.0, "2026-11-21"), (3, "ann", 40.0, "2026-11-21")]
OPEN = f"{ORDERS}, note string"


def orders(spark: SparkSession) -> DataFrame:
    """Three orders."""
    return spark.createDataFrame(ROWS, ORDERS).coalesce(1)


def customers(spark: SparkSession) -> DataFrame:
    """Return who they are of."""
    return spark.createDataFrame([("ann", "NL"), ("bob", "BE")], "name string, country string").coalesce(1)


def prepare(spark: SparkSession) -> None:
    """Files in every store, and the databases of tables."""
    for place in (
        abfss("raw/orders"),
        abfss("raw/orders", "fabrikamlake"),
        wasbs("drop/orders"),
        "s3a://contoso-bucket/raw/orders",
        "gs://contoso-gcs/raw/orders",
        "dbfs:/mnt/raw/orders",
        onelake("Files/landing/orders"),
    ):
        orders(spark).write.parquet(place)
    customers(spark).write.parquet(abfss("raw/customers"))
    for kind in ("csv", "json", "orc"):
        orders(spark).write.format(kind).option("header", True).save(abfss(f"raw/formats/{kind}"))
    orders(spark).write.option("header", True).csv(abfss("landing/"), mode="append")
    _file(spark, abfss("raw/drop/orders.csv"), "id,customer,amount\n1,ann,12.5\n")
    for number in (1, 2):
        _file(spark, abfss(f"raw/feeds/feed_{number}.csv"), "id,customer,amount\n1,ann,12.5\n")


def _file(spark: SparkSession, path: str, text: str) -> None:
    """Write a file as a program other than Spark would."""
    jvm = spark._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    stream = place.getFileSystem(spark._jsc.hadoopConfiguration()).create(place)
    stream.write(bytearray(text.encode()))
    stream.close()
