"""A job whose rows go through checkpoints in a loop, and another one with the same columns: `checkpoints.py WORK`."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import sac_kafka

(work,) = sys.argv[1:]
ROUNDS = 3

spark = SparkSession.builder.appName("checkpoints").getOrCreate()
spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
if not Path(work, "start").exists():  # a run that comes later reads what the first one has made
    spark.range(5).selectExpr("id", "id * 2 as v").write.parquet(f"{work}/start")
    spark.range(5).selectExpr("id", "id + 1 as w").write.parquet(f"{work}/weights")
    spark.range(5).selectExpr("id", "id as v").write.parquet(f"{work}/others")
    spark.range(5).selectExpr("id", "id as jan", "id + 1 as feb").write.parquet(f"{work}/months")
hook = sac_kafka.attach(spark)


def step(ranks, round_):
    weighted = ranks.join(spark.read.parquet(f"{work}/weights"), "id").selectExpr("id", "rank + w as rank")
    return weighted.checkpoint() if round_ % 2 else weighted.localCheckpoint()


ranks = spark.read.parquet(f"{work}/start").selectExpr("id", "v as rank").localCheckpoint()
others = spark.read.parquet(f"{work}/others").selectExpr("id", "v as rank").localCheckpoint()
for round_ in range(ROUNDS):
    ranks = step(ranks, round_)
    ranks.write.mode("overwrite").parquet(f"{work}/rounds")
others.write.mode("overwrite").parquet(f"{work}/unranked")
ranks.write.mode("overwrite").option("path", f"{work}/ranked").saveAsTable(
    "ranked"
)  # a later run may write there again
ranks.union(others).write.mode("overwrite").parquet(f"{work}/united")

melt = "explode(array(named_struct('month', 'jan', 'amount', jan), named_struct('month', 'feb', 'amount', feb))) as r"
spark.read.parquet(f"{work}/months").selectExpr("id", melt).select("id", "r.*").write.mode("overwrite").parquet(
    f"{work}/melted"
)

spark.stop()
