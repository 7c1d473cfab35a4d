"""Commands of Databricks' runtime, whose classes nobody outside has: named as those who read them by reflection name them."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan

_TAHOE = "com.databricks.sql.transaction.tahoe.commands"


@spark_class(f"{_TAHOE}.CopyIntoCommand", f"{_TAHOE}.CopyIntoCommandEdge")
class CopyIntoCommand(LogicalPlan):
    """COPY INTO a table FROM files or from a query over them. Each field is None where the runtime calls it otherwise."""

    target: LogicalPlan | None = accessor("target|targetTable|table|#target|#targetTable|#table|@none", default=None)
    source_path: str | None = accessor("sourcePath|sourceLocation|location|#sourcePath|@none", default=None)
    query: LogicalPlan | None = accessor("query|sourceQuery|#query|@none", default=None)
