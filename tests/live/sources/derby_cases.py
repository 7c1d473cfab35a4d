"""Cases over Derby, a database within the driver that is among Spark's own jars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

URL = "jdbc:derby:memory:sources;create=true;user=clerk;password=hunter2"


def prepare(spark: SparkSession, work: str) -> None:
    spark._jvm.java.lang.System.setProperty("derby.stream.error.file", f"{work}/derby.log")
    orders = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], "id int, customer string, amount double")
    orders.write.mode("overwrite").jdbc(URL, "orders")


DERBY = Family(name="derby", prepare=prepare)


@DERBY.case
def round_trip(spark: SparkSession, work: str) -> Iterator[None]:
    orders = spark.read.jdbc(URL, "orders")
    yield
    orders.selectExpr("id", "amount * 2 twice").write.mode("overwrite").jdbc(URL, "copied")
    spark.read.jdbc(URL, "copied").write.mode("overwrite").parquet(f"{work}/out/round_trip")
