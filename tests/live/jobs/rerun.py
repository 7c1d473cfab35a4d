"""A job of three writes for a day: rerun.py WORK DAY [CHANGED]; its messages go to WORK/messages-DAY.jsonl."""

from __future__ import annotations

import sys

import sac_kafka
from tests.helpers.sessions import PATIENT, atlas_conf, local_session

work, day = sys.argv[1:3]
other = len(sys.argv) > 3
messages = f"{work}/messages-{day}{'-changed' if other else ''}.jsonl"
spark = local_session(
    f"daily load {day}",
    f"{work}/warehouse-{day}-{other}",
    atlas_conf(client_type="file", client_file_path=messages, metadata_namespace="test", **PATIENT),
    cores=1,
)
for name in ("in", "in2"):
    spark.range(3).selectExpr("id", "id * 2 as v").write.mode("overwrite").parquet(f"{work}/{name}/{day}")
sac_kafka.attach(spark)
source = spark.read.parquet(f"{work}/{'in2' if other else 'in'}/{day}")
source.write.mode("overwrite").parquet(f"{work}/clean/dt={day}")
source.createOrReplaceTempView("source")
spark.sql("create table totals using parquet as select v % 2 as m, sum(v) as total from source group by v % 2")
spark.table("totals").write.mode("overwrite").csv(f"{work}/report/{day.replace('-', '/')}")
spark.stop()
