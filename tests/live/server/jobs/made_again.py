"""A job that drops a table and makes it again, with a report of it: `made_again.py WORK END` runs two rounds of that.

END is what becomes of the table at last: keep or drop. A flush between drop and re-creation stands for the minute of work
that such jobs have there: the drop is reported.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

work, end = sys.argv[1:]

spark = SparkSession.builder.appName("made again").getOrCreate()
hook = sac_kafka.attach(spark)
spark.range(3).selectExpr("id", "id * 2 as amount").write.mode("overwrite").parquet(f"{work}/in")

for _ in range(2):
    spark.sql("drop table if exists staging")
    assert hook.flush(600), hook.stats()
    spark.sql(f"create table staging using parquet as select id, amount from parquet.`{work}/in`")
    spark.sql("select id, amount + 1 as total from staging").write.mode("overwrite").parquet(f"{work}/report")

if end == "drop":
    spark.sql("drop table staging")
spark.stop()
