"""One small job for each of several configurations, one after the other in one JVM, each in a separate SparkContext.

    listeners_job.py WORK CONF…     CONF: a folder with an atlas-application.properties, which is all that differs

As on Microsoft's page for the Spark Atlas Connector, the system property atlas.conf has the file's place.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import sac_kafka
from tests.helpers.sessions import PATIENT, atlas_conf, local_session, log_to_stderr

FLUSH_SECONDS = 120

work, *folders = sys.argv[1:]
log_to_stderr()

for folder in folders:
    spark = local_session("listeners", f"{work}/warehouse", atlas_conf(**PATIENT), cores=1)
    spark._jvm.java.lang.System.setProperty("atlas.conf", folder)
    print(f"=== {Path(folder).name}", file=sys.stderr, flush=True)
    hook = sac_kafka.attach(spark)
    spark.range(3).selectExpr("id", "id * 2 as v").write.mode("overwrite").parquet(f"{work}/clean")
    hook.flush(
        FLUSH_SECONDS
    )  # what has arrived is not sent again, so how quickly it did would show in the next message
    spark.read.parquet(f"{work}/clean").groupBy("v").count().write.mode("overwrite").csv(f"{work}/report")
    hook.flush(FLUSH_SECONDS)
    report = {"conf": Path(folder).name}
    report |= {key: hook.stats().get(key) for key in ("sink", "disabled", "problem", "messages")}
    spark.stop()
    print(json.dumps(report), flush=True)
