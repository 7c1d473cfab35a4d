"""The job of the smoke set: attach, write a table, read it again and join it, flush.

    smoke_job.py WORK [bare]

With `bare` its settings come from elsewhere. It runs in interpreters that have no pytest. What became of it is in
WORK/report.json, its messages in WORK/messages.jsonl.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

import sac_kafka
from tests.helpers.sessions import atlas_conf, local_session

work = Path(sys.argv[1])
conf = (
    {}
    if "bare" in sys.argv
    else atlas_conf(
        client_type="file",
        client_file_path=str(work / "messages.jsonl"),
        metadata_namespace="test",
        hook_spool_dir=str(work / "spool"),
    )
)
spark = local_session("smoke", str(work / "warehouse"), conf)
hook = sac_kafka.attach(spark)
spark.range(5).selectExpr("id", "id * 2 as amount").write.saveAsTable("orders")
spark.sql("create table customers using parquet as select id, concat('c', cast(id as string)) as name from range(3)")
orders, customers = spark.table("orders"), spark.table("customers")
report = orders.join(customers, "id").groupBy("name").agg({"amount": "sum"}).withColumnRenamed("sum(amount)", "total")
report.write.saveAsTable("report")
flushed = hook.flush(120)
java = spark.sparkContext._jvm.java.lang.System.getProperty("java.specification.version")  # type: ignore[union-attr]
facts = {
    "spark": spark.version,
    "python": ".".join(platform.python_version_tuple()[:2]),
    "java": java,
    "flushed": bool(flushed),
    "rows": spark.table("report").count(),
    "errors": hook.stats()["errors"],
    "listener": hook.stats()["listener"],
    "package": sac_kafka.__file__,
}
spark.stop()
(work / "report.json").write_text(json.dumps(facts))
