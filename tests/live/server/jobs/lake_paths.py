"""A job over Delta tables without a catalog, each called by its directory: `lake_paths.py WORK`."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import sac_kafka

(work,) = sys.argv[1:]

spark = SparkSession.builder.appName("lake paths").getOrCreate()
hook = sac_kafka.attach(spark)
orders = spark.range(3).selectExpr("id", "id * 2 as amount")
orders.write.format("delta").mode("overwrite").save(f"{work}/orders")
spark.range(2, 5).selectExpr("id", "id * 3 as changed").write.mode("overwrite").parquet(f"{work}/changes")

spark.read.parquet(f"{work}/changes").createOrReplaceTempView("changes")
spark.sql(
    f"merge into delta.`{work}/orders` as t using changes as s on t.id = s.id "
    "when matched then update set amount = s.changed "
    "when not matched then insert (id, amount) values (s.id, s.changed)"
)
spark.sql(f"insert into delta.`{work}/orders` select id + 10, changed from changes")
spark.read.format("delta").load(f"file://{work}/orders").write.mode("overwrite").parquet(f"{work}/report")

spark.stop()
