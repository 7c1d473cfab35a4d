"""A job that masks a column in some of its outputs: `masked.py WORK`; in `back` the column is what it was before in the end."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

(work,) = sys.argv[1:]
PLAIN, MASKED = "email", "NULL"

spark = SparkSession.builder.appName("masked").getOrCreate()
hook = sac_kafka.attach(spark)
spark.range(3).selectExpr("id", "'a@b.example' as email").write.mode("overwrite").parquet(f"{work}/in")

for table, formulas in (("plain", [PLAIN]), ("masked", [PLAIN, MASKED]), ("back", [PLAIN, MASKED, PLAIN])):
    spark.sql(f"create table {table}(id bigint, email string) using parquet")
    for formula in formulas:
        spark.sql(f"insert overwrite {table} select id, {formula} from parquet.`{work}/in`")

for formula in (PLAIN, MASKED):
    query = f"select id, {formula} as email from parquet.`{work}/in`"
    spark.sql(query).write.mode("overwrite").parquet(f"{work}/out")
    spark.sql(f"create or replace view shown as {query}")

spark.stop()
