"""Declare relations of HBase, of both connectors."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.options import HBASE


@spark_class(
    "org.apache.spark.sql.execution.datasources.hbase.HBaseRelation", "org.apache.hadoop.hbase.spark.HBaseRelation"
)
class HBaseRelation:
    """A table of HBase, by the Spark HBase Connector (`catalog` is its JSON) or by hbase-spark (also `hbase.table`)."""

    options: Mapping[str, str] | None = accessor("parameters|#parameters", keys=HBASE, default=None)
