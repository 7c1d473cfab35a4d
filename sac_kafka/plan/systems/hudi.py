"""Declare commands of Hudi, and relations that return metadata of a table."""

from __future__ import annotations

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan, QueryCommand
from sac_kafka.plan.v2_writes import MergeIntoTable, UpdateTable

_COMMAND = "org.apache.spark.sql.hudi.command"


@spark_class(f"{_COMMAND}.InsertIntoHoodieTableCommand")
class InsertIntoHoodieTable(QueryCommand):
    """INSERT INTO, INSERT OVERWRITE; `target` is the relation that reads the table."""

    target: LogicalPlan = accessor("logicalRelation")
    overwrite: bool
    has_static_partitions: bool = accessor("partitionSpec.nonEmpty")


@spark_class(f"{_COMMAND}.CreateHoodieTableAsSelectCommand")
class CreateHoodieTableAsSelect(QueryCommand):
    """CREATE TABLE … AS SELECT, `saveAsTable`."""

    table: CatalogTable
    mode: str


@spark_class(f"{_COMMAND}.UpdateHoodieTableCommand")
class UpdateHoodieTable(LogicalPlan):
    """UPDATE; `update` is the analyzed statement."""

    update: UpdateTable = accessor("ut")


@spark_class(f"{_COMMAND}.DeleteHoodieTableCommand")
class DeleteHoodieTable(LogicalPlan):
    """DELETE; `query` returns the deleted rows."""

    query: LogicalPlan


@spark_class(f"{_COMMAND}.MergeIntoHoodieTableCommand")
class MergeIntoHoodieTable(LogicalPlan):
    """MERGE; `merge` is the analyzed statement."""

    merge: MergeIntoTable = accessor("mergeInto")


_NAMES = """
AlterHoodieTableAddColumnsCommand AlterHoodieTableAddPartitionCommand AlterHoodieTableChangeColumnCommand
AlterHoodieTableDropPartitionCommand AlterHoodieTableRenameCommand AlterTableCommand CallProcedureHoodieCommand
CompactionHoodiePathCommand CompactionHoodieTableCommand CompactionShowHoodiePathCommand
CompactionShowHoodieTableCommand CreateHoodieTableCommand CreateHoodieTableLikeCommand CreateIndexCommand
DropHoodieTableCommand DropIndexCommand RefreshIndexCommand RepairHoodieTableCommand ShowHoodieCreateTableCommand
ShowHoodieTablePartitionsCommand ShowIndexesCommand TruncateHoodieTableCommand
"""


@spark_class(*(f"{_COMMAND}.{name}" for name in _NAMES.split()))
class HudiCommandWithoutWrite(CommandWithoutWrite):
    """A change of a table's definition, or a service that rewrites its rows within the table."""


@spark_class("org.apache.hudi.TimelineRelation", "org.apache.hudi.FileSystemRelation")
class HudiNotes:
    """`hudi_query_timeline`, `hudi_filesystem_view`: metadata of a table, not its rows."""


@spark_class("org.apache.hudi.HoodieBaseRelation")
class HudiRelation:
    """A relation of Hudi itself: its metadata table (`hudi_metadata`), and before Hudi 1 also tables."""

    base_path: str = accessor("metaClient.getBasePath.@asPath", default="")
