"""A job that fills a table of WIDTH columns and a key from one of two: `wide.py WORK WIDTH`."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

width = int(sys.argv[2])

spark = SparkSession.builder.appName("wide").getOrCreate()
hook = sac_kafka.attach(spark)
for name in ("raw", "mart"):
    spark.sql(f"create database {name}")
spark.createDataFrame([(1, 12.5), (2, 3.0)], "id int, amount double").write.saveAsTable("raw.orders")
wide = [f"amount + {n} as extra_{n}" for n in range(width)]
spark.table("raw.orders").selectExpr("id", *wide).write.saveAsTable("mart.wide")
assert hook.flush(600), hook.stats()
assert hook.stats()["errors"] == {}, hook.stats()
spark.stop()
