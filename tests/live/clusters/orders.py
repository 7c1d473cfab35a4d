"""A job that knows nothing of the hook: orders.py LAKE [ENDING]. Spark runs this very file, so it imports nothing of ours.

Endings: `fails-once` fails in its first attempt, after two writes; `waits` makes LAKE/written after two writes, goes on
when LAKE/go exists, makes LAKE/all-written, which holds its process id, and stays.
"""

import os
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

lake, ending = Path(sys.argv[1]), "".join(sys.argv[2:])
spark = SparkSession.builder.appName("orders").getOrCreate()

spark.range(6).selectExpr("id AS order_id", "id * 10 AS amount", "id % 2 AS customer_id").write.mode(
    "overwrite"
).parquet(f"{lake}/orders")
orders = spark.read.parquet(f"{lake}/orders")
orders.groupBy("customer_id").sum("amount").toDF("customer_id", "total").write.mode("overwrite").parquet(
    f"{lake}/totals"
)
if ending == "fails-once" and spark.sparkContext._jsc.sc().applicationAttemptId().get() == "1":
    raise RuntimeError("the job's own error, in its first attempt")
if ending == "waits":
    (lake / "written").touch()
    deadline = time.monotonic() + 1200
    while not (lake / "go").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
spark.read.parquet(f"{lake}/totals").where("total > 0").write.mode("overwrite").csv(f"{lake}/report")
if ending == "waits":
    (lake / "all-written").write_text(str(os.getpid()))
    time.sleep(1200)
