"""A job as users of a table format or a database have it: `round_trip.py KIND WORK`, its settings in PYSPARK_SUBMIT_ARGS.

KIND is the format (delta, iceberg, hudi), whose tables are `lake.*`, or the URL of a database. Written → read → joined →
merged, updated and deleted where it can be.
"""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession

import sac_kafka

PREFIX = {"iceberg": "ic.lake"}
PROPERTIES = {"hudi": "tblproperties (primaryKey = 'id', preCombineField = 'amount')"}


def main(kind: str, work: str) -> None:
    spark = SparkSession.builder.appName("round trip").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    rows = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], "id bigint, customer string, amount double")
    rows.write.mode("overwrite").parquet(f"{work}/in/orders")
    rows.where("id > 1").write.mode("overwrite").parquet(f"{work}/in/changes")
    rows.selectExpr("customer name", "'NL' country").write.mode("overwrite").parquet(f"{work}/in/customers")
    hook = sac_kafka.attach(spark)
    if kind.startswith("jdbc:"):
        database(spark, kind, work)
    else:
        lake(spark, kind, work)
    assert hook.flush(600), hook.stats()
    spark.stop()


def read(spark: SparkSession, work: str, name: str) -> DataFrame:
    return spark.read.parquet(f"{work}/in/{name}")


def lake(spark: SparkSession, kind: str, work: str) -> None:
    at = PREFIX.get(kind, "lake")
    more = PROPERTIES.get(kind, "")
    spark.sql(f"create database if not exists {at}")
    for name in ("orders", "customers", "changes"):
        read(spark, work, name).createOrReplaceTempView(f"new_{name}")
    spark.sql(f"create table {at}.orders using {kind} {more} as select id, customer, amount from new_orders")
    spark.sql(f"create table {at}.customers using {kind} as select name, upper(country) country from new_customers")
    spark.sql(
        f"create table {at}.report using {kind} as select c.country, sum(o.amount) total "
        f"from {at}.orders o join {at}.customers c on o.customer = c.name group by c.country"
    )
    spark.sql(
        f"merge into {at}.orders t using new_changes s on t.id = s.id "
        "when matched then update set amount = s.amount + 1 when not matched then insert *"
    )
    spark.sql(f"update {at}.orders set amount = amount * 2 where customer = 'a'")
    spark.sql(f"delete from {at}.orders where amount > 100")
    spark.table(f"{at}.report").select("country", "total").write.mode("overwrite").parquet(f"{work}/out/report")


def database(spark: SparkSession, url: str, work: str) -> None:
    for name in ("orders", "customers"):
        read(spark, work, name).write.mode("overwrite").jdbc(url, name)
    orders, customers = (spark.read.jdbc(url, name) for name in ("orders", "customers"))
    joined = orders.join(customers, orders.customer == customers.name)
    joined.groupBy("country").agg({"amount": "sum"}).toDF("country", "total").write.mode("append").jdbc(url, "report")
    spark.read.jdbc(url, "report").write.mode("overwrite").parquet(f"{work}/out/report")


if __name__ == "__main__":
    main(*sys.argv[1:])
