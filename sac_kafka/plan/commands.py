"""Commands that write, and those that are known to write nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogStorageFormat, CatalogTable, TableIdentifier
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan

_X = "org.apache.spark.sql.execution"
_L = "org.apache.spark.sql.catalyst.plans.logical"

SOURCE_OPTIONS = (
    "url",
    "dbtable",
    "topic",
    "kafka.bootstrap.servers",
    "kafka.atlas.cluster.name",
    "catalog",
    "hbase.table",
    "atlas.cluster.name",
)
"""The options of sinks that travel: what names a dataset."""


def _in(package: str, names: str) -> tuple[str, ...]:
    """The classes of a package, whose simple names are divided by blanks."""
    return tuple(f"{package}.{name}" for name in names.split())


@spark_class(f"{_X}.datasources.InsertIntoHadoopFsRelationCommand")
class InsertIntoHadoopFsRelationCommand(LogicalPlan):
    """`df.write.parquet(path)`, INSERT into a data source table (then `catalog_table` is there)."""

    output_path: str
    catalog_table: CatalogTable | None
    file_format: str = accessor("fileFormat.shortName|fileFormat.getClass")
    query: LogicalPlan
    output_columns: tuple[Attribute, ...]
    mode: str = accessor("mode", default="")
    has_static_partitions: bool = accessor("staticPartitions.nonEmpty", default=False)
    is_dynamic_overwrite: bool = accessor("dynamicPartitionOverwrite", default=False)


@spark_class(f"{_X}.command.CreateDataSourceTableAsSelectCommand")
class CreateDataSourceTableAsSelectCommand(LogicalPlan):
    """CREATE TABLE … USING … AS SELECT, and `saveAsTable` up to Spark 3.5."""

    table: CatalogTable
    query: LogicalPlan
    output_column_names: tuple[str, ...]
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class(f"{_X}.command.SaveAsV1TableCommand")
class SaveAsV1TableCommand(LogicalPlan):
    """`saveAsTable` of Spark 4: no child, the query is a field."""

    table: CatalogTable = accessor("tableDesc")
    query: LogicalPlan
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class(f"{_X}.datasources.InsertIntoDataSourceDirCommand")
class InsertIntoDataSourceDirCommand(LogicalPlan):
    """INSERT OVERWRITE DIRECTORY … USING."""

    storage: CatalogStorageFormat
    provider: str
    query: LogicalPlan
    overwrite: bool = accessor("overwrite", default=False)
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class("org.apache.spark.sql.hive.execution.InsertIntoHiveTable")
class InsertIntoHiveTable(LogicalPlan):
    """INSERT into a Hive table through its serde."""

    table: CatalogTable
    query: LogicalPlan
    output_columns: tuple[Attribute, ...]


@spark_class("org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand")
class CreateHiveTableAsSelectCommand(LogicalPlan):
    """CREATE TABLE … STORED AS … AS SELECT."""

    table: CatalogTable = accessor("tableDesc")
    query: LogicalPlan
    output_column_names: tuple[str, ...]
    query_output: tuple[Attribute, ...] = accessor("query.output")


@spark_class(f"{_X}.datasources.SaveIntoDataSourceCommand")
class SaveIntoDataSourceCommand(LogicalPlan):
    """`df.write.format(…).save()` of a V1 source that is no file format: JDBC, Kafka, HBase.

    `data_source` is the class of the provider. `topics` are the literals of the column `topic` of a Kafka sink, () where
    there is no such column or where its value is not made of literals alone.
    """

    data_source: str = accessor("dataSource.getClass", default="")
    options: Mapping[str, str] | None = accessor("options", keys=SOURCE_OPTIONS, default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())
    topics: tuple[str, ...] = accessor("@topics", default=())


@spark_class(f"{_X}.datasources.InsertIntoDataSourceCommand")
class InsertIntoDataSourceCommand(LogicalPlan):
    """INSERT into a catalog table whose rows are elsewhere (`CREATE TABLE … USING jdbc`)."""

    relation: object = accessor("logicalRelation.relation", default=None)
    catalog_table: CatalogTable | None = accessor("logicalRelation.catalogTable", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())


@spark_class("scala.Tuple2")
class ViewColumn:
    """A column that CREATE VIEW v (name, …) names; Spark pairs it with its comment, which the definition has too."""

    name: str = accessor("_1")


@spark_class(f"{_X}.command.CreateViewCommand")
class CreateViewCommand(LogicalPlan):
    """CREATE VIEW; `view_type` is PersistedView, LocalTempView or GlobalTempView."""

    name: TableIdentifier | None = accessor("name", default=None)
    view_type: str = accessor("viewType.toString", default="")
    query: LogicalPlan | None = accessor("plan", default=None)
    query_output: tuple[Attribute, ...] = accessor("plan.output", default=())
    columns: tuple[ViewColumn, ...] = accessor("userSpecifiedColumns", default=())


@spark_class(f"{_X}.command.AlterViewAsCommand")
class AlterViewAsCommand(LogicalPlan):
    """ALTER VIEW … AS."""

    name: TableIdentifier | None = accessor("name", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())


@spark_class(
    *_in(
        f"{_X}.command",
        """
        AddFilesCommand AddJarsCommand AlterDatabasePropertiesCommand AlterTableAddColumnsCommand
        AlterTableAddPartitionCommand AlterTableChangeColumnCommand AlterTableDropPartitionCommand
        AlterTableRenameCommand AlterTableSetLocationCommand AlterTableSetPropertiesCommand
        AlterTableUnsetPropertiesCommand AnalyzeColumnCommand AnalyzeTableCommand ClearCacheCommand
        CreateDataSourceTableCommand CreateDatabaseCommand CreateFunctionCommand CreateTableCommand
        CreateTableLikeCommand DescribeCommandBase DropDatabaseCommand DropFunctionCommand
        DropTableCommand DropTempViewCommand ExplainCommand RepairTableCommand ResetCommand
        SetCatalogCommand SetCommand SetNamespaceCommand ShowCatalogsCommand ShowColumnsCommand
        ShowCreateTableCommand ShowCurrentNamespaceCommand ShowFunctionsCommand
        ShowNamespacesCommand ShowPartitionsCommand ShowTablePropertiesCommand ShowTablesCommand
        ShowViewsCommand TruncateTableCommand
        """,
    ),
    *_in(f"{_X}.datasources", "CreateTempViewUsing RefreshResource RefreshTable"),
    *_in(
        _L,
        """
        CacheTable CommentOnNamespace CommentOnTable CreateNamespace CreateTable DescribeColumn
        DescribeNamespace DescribeRelation DropNamespace DropTable DropView RefreshTable
        SetCatalogAndNamespace SetNamespaceLocation SetNamespaceProperties SetTableLocation
        SetTableProperties ShowColumns ShowCreateTable ShowCurrentNamespace ShowFunctions
        ShowNamespaces ShowPartitions ShowTableProperties ShowTables ShowViews UncacheTable
        UnsetNamespaceProperties UnsetTableProperties
        """,
    ),
)
class CommandWithoutWrite(LogicalPlan):
    """Commands that write no rows into a dataset: they are understood, and yield no process."""
