"""A job of three writes for a day: rerun.py WORK DAY [CHANGED]; its messages go to WORK/messages-DAY.jsonl."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

work, day = sys.argv[1:3]
other = len(sys.argv) > 3
messages = f"{work}/messages-{day}{'-changed' if other else ''}.jsonl"
spark = (
    SparkSession.builder.master("local[1]")
    .appName(f"daily load {day}")
    .config("spark.sql.warehouse.dir", f"{work}/warehouse-{day}-{other}")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.atlas.client.type", "file")
    .config("spark.atlas.client.file.path", messages)
    .config("spark.atlas.metadata.namespace", "test")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
for name in ("in", "in2"):
    spark.range(3).selectExpr("id", "id * 2 as v").write.mode("overwrite").parquet(f"{work}/{name}/{day}")
sac_kafka.attach(spark)
source = spark.read.parquet(f"{work}/{'in2' if other else 'in'}/{day}")
source.write.mode("overwrite").parquet(f"{work}/clean/dt={day}")
source.createOrReplaceTempView("source")
spark.sql("create table totals using parquet as select v % 2 as m, sum(v) as total from source group by v % 2")
spark.table("totals").write.mode("overwrite").csv(f"{work}/report/{day.replace('-', '/')}")
spark.stop()
