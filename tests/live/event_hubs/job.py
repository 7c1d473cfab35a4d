"""A job whose file is found in its working directory: job.py FOLDER reads and writes below the folder, and prints the result."""

from __future__ import annotations

import json
import sys

import sac_kafka
from tests.helpers.sessions import local_session

folder = sys.argv[1]
spark = local_session("nightly", f"{folder}/warehouse", {}, log_level="ERROR")
spark.range(10).selectExpr("id", "id * 2 as twice").write.parquet(f"{folder}/orders")
with sac_kafka.attach(spark) as hook:
    spark.read.parquet(f"{folder}/orders").selectExpr("twice as total").write.parquet(f"{folder}/totals")
    done = bool(hook.flush(60))
    print(json.dumps({"flushed": done, "problem": hook.stats()["problem"], "sink": hook.stats()["sink"]}))
spark.stop()
