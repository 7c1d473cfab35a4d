"""A job with six writes whose output must not depend on the hook: run with and without it, and with everything broken.

    job.py WORK ENDING [HALF_WAY]     ENDING: stop, no-stop, exception, exit; SAC_KAFKA_TEST_HOOK=0: without the hook

With HALF_WAY, a file's name, it makes that file after half of its writes and goes on when `<file>.go` exists.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.helpers.sessions import local_session, log_to_stderr
from tests.helpers.waiting import until

work, ending = sys.argv[1:3]
log_to_stderr()

spark = local_session("unharmed", f"{work}/warehouse")
if os.environ.get("SAC_KAFKA_TEST_HOOK") != "0":
    import sac_kafka

    hook = sac_kafka.attach(spark)

for i in range(3):
    spark.range(10).selectExpr("id", f"id * {i} as v").write.mode("overwrite").parquet(f"{work}/out{i}")
if len(sys.argv) > 3:
    half_way = Path(sys.argv[3])
    half_way.touch()
    until(half_way.with_suffix(".go").exists, lambda: "no go-ahead", seconds=300)
for i in range(3):
    read = spark.read.parquet(f"{work}/out{i}")
    print("sum", i, read.agg({"v": "sum"}).collect()[0][0], flush=True)
    read.groupBy("v").count().write.mode("overwrite").saveAsTable(f"counts{i}")
print("tables", sorted(t.name for t in spark.catalog.listTables()), flush=True)

if ending == "exception":
    raise RuntimeError("the job's own error")
if ending == "exit":
    sys.exit(3)
if ending == "stop":
    spark.stop()
print("end", flush=True)
