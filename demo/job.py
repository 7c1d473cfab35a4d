"""An order-processing job, as a data engineer writes it: files in, tables between, reports out.

The only line that has to do with lineage is `sac_kafka.attach(spark)`; everything else about it is in the properties file.

    spark-submit --driver-java-options -Datlas.conf=DIR demo/job.py DATA LAKE
"""

from __future__ import annotations

import logging
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 the name that PySpark's users know it by

import sac_kafka

REPORT_DATE = "2026-11-21"


def run(spark: SparkSession, data: str, lake: str) -> None:
    """Eight writes: two paths, four tables, two reports."""
    # 1. raw orders of all days (CSV, a directory a day) → cleaned parquet, partitioned
    raw = spark.read.csv(f"{data}/landing/orders/*", header=True)
    orders = (
        raw.filter(F.col("status") != "cancelled")
        .withColumn("quantity", F.col("quantity").cast("int"))
        .withColumn("order_date", F.to_date("ordered_at"))
        .dropDuplicates(["order_id"])
        .drop("ordered_at")
    )
    orders.write.mode("overwrite").partitionBy("order_date").parquet(f"{lake}/orders")

    # 2. customers (CSV) → a table
    spark.sql("CREATE DATABASE IF NOT EXISTS sales")
    customers = spark.read.csv(f"{data}/customers.csv", header=True)
    customers.select("customer_id", F.upper("name").alias("customer"), "country").write.mode("overwrite").saveAsTable(
        "sales.customers"
    )

    # 3. products (JSON) → a table, in SQL
    spark.read.json(f"{data}/products.json").createOrReplaceTempView("products_raw")
    spark.sql(
        "CREATE TABLE sales.products USING parquet AS "
        "SELECT product_id, title, category, CAST(unit_price AS decimal(10,2)) AS unit_price FROM products_raw"
    )

    # 4. returns (JSON, year/month/day directories) → parquet
    spark.read.json(f"{data}/landing/returns/2026/11/21").select("order_id", "reason").write.mode("overwrite").parquet(
        f"{lake}/returns/dt={REPORT_DATE}"
    )

    # 5. order lines: a join into a table that exists
    spark.read.parquet(f"{lake}/orders").createOrReplaceTempView("orders")
    spark.read.parquet(f"{lake}/returns").createOrReplaceTempView("returns")
    spark.sql(
        "CREATE TABLE sales.order_lines (order_id string, customer_id string, category string, amount decimal(20,2)) "
        "USING parquet"
    )
    spark.sql(
        "INSERT INTO sales.order_lines "
        "SELECT o.order_id, o.customer_id, p.category, o.quantity * p.unit_price "
        "FROM orders o JOIN sales.products p ON o.product_id = p.product_id "
        "WHERE o.order_id NOT IN (SELECT order_id FROM returns)"
    )

    # 6. totals: a common table expression, an aggregate, a scalar subquery
    spark.sql(
        "CREATE TABLE sales.customer_totals USING parquet AS "
        "WITH totals AS ("
        "SELECT customer_id, sum(amount) AS total, count(*) AS orders FROM sales.order_lines GROUP BY customer_id) "
        "SELECT c.customer, c.country, t.total, t.orders, "
        "t.total / (SELECT sum(amount) FROM sales.order_lines) AS share "
        "FROM totals t JOIN sales.customers c ON t.customer_id = c.customer_id"
    )

    # 7. the report of the day: a directory
    spark.sql(
        f"INSERT OVERWRITE DIRECTORY '{lake}/reports/top_customers/{REPORT_DATE}' USING csv "
        "SELECT customer, country, total, round(share * 100, 1) AS percent "
        "FROM sales.customer_totals ORDER BY total DESC LIMIT 10"
    )

    # 8. another report, of two sources
    by_category = spark.table("sales.order_lines").groupBy("category").agg(F.sum("amount").alias("amount"))
    everything = by_category.agg(F.lit("all").alias("category"), F.sum("amount").alias("amount"))
    by_category.unionByName(everything).write.mode("overwrite").json(f"{lake}/reports/categories/{REPORT_DATE}")


def main() -> None:
    """Run the job with lineage."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("sac_kafka").setLevel(logging.INFO)
    data, lake = sys.argv[1:3]
    spark = (
        SparkSession.builder.appName(f"orders {REPORT_DATE}")
        .config("spark.sql.warehouse.dir", f"{lake}/warehouse")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    sac_kafka.attach(spark)
    run(spark, data, lake)
    spark.stop()


if __name__ == "__main__":
    main()
