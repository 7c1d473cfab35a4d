"""Declare commands that are known to write no rows into a dataset."""

from __future__ import annotations

from sac_kafka.plan.catalog import CatalogTable, TableIdentifier
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan

_X = "org.apache.spark.sql.execution"
_L = "org.apache.spark.sql.catalyst.plans.logical"


def classes_in(package: str, names: str) -> tuple[str, ...]:
    """Return the full names of classes of a package, given their simple names separated by spaces."""
    return tuple(f"{package}.{name}" for name in names.split())


@spark_class(
    *classes_in(
        f"{_X}.command",
        """
        AddArchivesCommand AddFilesCommand AddJarsCommand AlterDatabasePropertiesCommand
        AlterDatabaseSetLocationCommand AlterTableAddColumnsCommand
        AlterTableChangeColumnCommand AlterTableChangeColumnCommentsCommand
        AlterTableRenameCommand AlterTableRenamePartitionCommand AlterTableSerDePropertiesCommand
        AlterTableSetPropertiesCommand AlterTableUnsetPropertiesCommand
        AlterViewSchemaBindingCommand AnalyzeColumnCommand AnalyzePartitionCommand AnalyzeTableCommand
        AnalyzeTablesCommand ClearCacheCommand CreateDatabaseCommand CreateFunctionCommand
        CreateSQLFunctionCommand CreateTableLikeCommand CreateUserDefinedFunctionCommand DescribeCommandBase DescribeColumnCommand
        DescribeDatabaseCommand DescribeFunctionCommand DescribeProcedureCommand DescribeRelationJsonCommand DropDatabaseCommand
        DropFunctionCommand DropTableCommand DropTempViewCommand ExplainCommand ListArchivesCommand
        ListFilesCommand ListJarsCommand RefreshFunctionCommand RefreshTableCommand RepairTableCommand
        ResetCommand SetCatalogCommand SetCommand SetNamespaceCollationCommand SetNamespaceCommand
        SetPathCommand ShowCatalogsCommand ShowCollationsCommand ShowColumnsCommand
        ShowCreateTableAsSerdeCommand ShowCreateTableCommand ShowCurrentNamespaceCommand
        ShowFunctionsCommand ShowNamespacesCommand ShowPartitionsCommand ShowPartitionsJsonCommand
        ShowProceduresCommand ShowTablePropertiesCommand ShowTablesCommand ShowTablesJsonCommand
        ShowViewsCommand StreamingExplainCommand UnsetNamespacePropertiesCommand
        """,
    ),
    *classes_in(f"{_X}.datasources", "RefreshResource RefreshTable"),
    *classes_in(
        _L,
        """
        AddCheckConstraint AddConstraint AlterTableClusterBy AlterTableCollation
        AlterViewSchemaBinding AnalyzeColumn AnalyzeTable AnalyzeTables CacheTable CacheTableAsSelect
        CloseCursor CommentOnNamespace CreateFunction CreateIndex CreateUserDefinedFunction
        DeclareCursor DescribeColumn DescribeFunction DescribeNamespace DescribeRelation
        DescribeTablePartition DropConstraint DropFunction DropIndex
        FetchCursor NoopCommand OpenCursor RecoverPartitions RefreshFunction RefreshTable
        RenamePartitions RepairTable SetCatalogAndNamespace SetNamespaceLocation
        SetNamespaceProperties SetTableSerDeProperties SetViewProperties
        ShowColumns ShowCreateTable ShowCurrentNamespace ShowFunctions ShowNamespaces
        ShowPartitions ShowTableExtended ShowTablePartition ShowTableProperties ShowTables
        ShowTablesExtended ShowViews TruncatePartition UncacheTable UnsetNamespaceProperties UnsetViewProperties
        """,
    ),
)
class CommandWithoutWrite(LogicalPlan):
    """A command that writes no rows into a dataset: it is understood, and has no process."""


@spark_class(f"{_X}.command.AlterTableAddPartitionCommand")
class AddPartitionsCommand(CommandWithoutWrite):
    """ALTER TABLE … ADD PARTITION of a table of the session catalog.

    `locations` are those that the statement gives, each qualified or relative to the table's.
    """

    table: TableIdentifier | None = accessor("tableName", default=None)
    locations: tuple[str, ...] = accessor("partitionSpecsAndLocs.@partitionLocations", default=())


@spark_class(f"{_X}.command.AlterTableSetLocationCommand")
class SetLocationCommand(AddPartitionsCommand):
    """ALTER TABLE … [PARTITION …] SET LOCATION; without a partition, `locations` is empty and an event has the table."""

    locations: tuple[str, ...] = accessor("@partitionLocations", default=())


@spark_class(f"{_X}.command.AlterTableDropPartitionCommand")
class DropPartitionsCommand(CommandWithoutWrite):
    """ALTER TABLE … DROP PARTITION of a table of the session catalog."""

    table: TableIdentifier | None = accessor("tableName", default=None)


@spark_class(f"{_X}.datasources.CreateTempViewUsing")
class CreateTempViewUsing(CommandWithoutWrite):
    """CREATE TEMPORARY VIEW … USING: the view of files, or of a connector's rows."""

    name: TableIdentifier | None = accessor("tableIdent", default=None)
    is_global: bool = accessor("global", default=False)


@spark_class(f"{_X}.command.CreateDataSourceTableCommand", f"{_X}.command.CreateTableCommand")
class CreateTableCommand(CommandWithoutWrite):
    """CREATE TABLE in the session catalog; with `ignore_if_exists` it may have had no effect."""

    table: CatalogTable | None = accessor("table", default=None)
    ignore_if_exists: bool = accessor("ignoreIfExists", default=False)


@spark_class(f"{_X}.command.TruncateTableCommand")
class TruncateTableCommand(CommandWithoutWrite):
    """TRUNCATE TABLE of a table of the session catalog; `partition` is the digest of its PARTITION."""

    table: TableIdentifier | None = accessor("tableName", default=None)
    partition: int | None = accessor("partitionSpec.hashCode", default=None)
