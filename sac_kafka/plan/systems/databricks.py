"""Declare commands of the Databricks runtime, whose classes are not public: names are those used by public reflective code."""

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
