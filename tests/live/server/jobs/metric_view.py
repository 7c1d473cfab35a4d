"""A job that reads a metric view (Spark 4.3): `metric_view.py WORK`."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

(work,) = sys.argv[1:]

spark = SparkSession.builder.appName("metric view").getOrCreate()
hook = sac_kafka.attach(spark)
spark.sql("create table orders using parquet as select id, id * 2.5D as amount, 'a' as customer from range(3)")
spark.sql(
    "create view figures with metrics language yaml as $$\n"
    'version: "0.1"\n'
    "source: orders\n"
    "dimensions:\n"
    "  - name: buyer\n"
    "    expr: upper(customer)\n"
    "measures:\n"
    "  - name: total\n"
    "    expr: sum(amount)\n"
    "$$"
)
spent = spark.sql("select buyer, measure(total) spent from figures group by buyer")
spent.write.mode("overwrite").parquet(f"{work}/spent")

spark.stop()
