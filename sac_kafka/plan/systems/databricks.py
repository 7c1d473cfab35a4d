"""Declare commands of the Databricks runtime, and the relation of com.databricks:spark-xml for Spark 3.

The runtime's classes are not public: names are those used by public reflective code.
"""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan

_TAHOE = "com.databricks.sql.transaction.tahoe.commands"


@spark_class(f"{_TAHOE}.CopyIntoCommand", f"{_TAHOE}.CopyIntoCommandEdge")
class CopyIntoCommand(LogicalPlan):
    """COPY INTO a table FROM files or a query over them. A field is None if the runtime has another name for it."""

    target: LogicalPlan | None = accessor("target|targetTable|table|#target|#targetTable|#table|@none", default=None)
    source_path: str | None = accessor("sourcePath|sourceLocation|location|#sourcePath|@none", default=None)
    query: LogicalPlan | None = accessor("query|sourceQuery|#query|@none", default=None)


@spark_class("com.databricks.spark.xml.XmlRelation")
class XmlRelation:
    """XML files below a qualified path; None if the rows come from something else."""

    path: str | None = accessor("@path")
