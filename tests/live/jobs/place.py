"""An application that makes a table, or that only reads its path: place.py WORK make|read [AS_TABLE]."""

from __future__ import annotations

import sys

import sac_kafka
from tests.helpers.sessions import PATIENT, atlas_conf, local_session

work, what = sys.argv[1:3]
as_table = sys.argv[3] if len(sys.argv) > 3 else "true"
spark = local_session(
    what,
    f"{work}/warehouse",
    atlas_conf(
        client_type="file",
        client_file_path=f"{work}/messages.jsonl",
        metadata_namespace="test",
        hook_spool_dir=f"{work}/spool",
        hook_spark_path_as_table=as_table,
        **PATIENT,
    ),
    cores=1,
)
sac_kafka.attach(spark)
if what == "make":
    spark.sql("create table orders using parquet as select id, id * 2 as v from range(3)")
else:
    spark.read.parquet(f"{work}/warehouse/orders").write.mode("overwrite").parquet(f"{work}/out")
spark.stop()
