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
    """A column that CREATE VIEW v (name COMMENT …) names."""

    name: str = accessor("_1")
    comment: str | None = accessor("_2")


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
    f"{_X}.command.AddFilesCommand",
    f"{_X}.command.AddJarsCommand",
    f"{_X}.command.AlterDatabasePropertiesCommand",
    f"{_X}.command.AlterTableAddColumnsCommand",
    f"{_X}.command.AlterTableAddPartitionCommand",
    f"{_X}.command.AlterTableChangeColumnCommand",
    f"{_X}.command.AlterTableDropPartitionCommand",
    f"{_X}.command.AlterTableRenameCommand",
    f"{_X}.command.AlterTableSetLocationCommand",
    f"{_X}.command.AlterTableSetPropertiesCommand",
    f"{_X}.command.AlterTableUnsetPropertiesCommand",
    f"{_X}.command.AnalyzeColumnCommand",
    f"{_X}.command.AnalyzeTableCommand",
    f"{_X}.command.ClearCacheCommand",
    f"{_X}.command.CreateDataSourceTableCommand",
    f"{_X}.command.CreateDatabaseCommand",
    f"{_X}.command.CreateFunctionCommand",
    f"{_X}.command.CreateTableCommand",
    f"{_X}.command.CreateTableLikeCommand",
    f"{_X}.command.DescribeCommandBase",
    f"{_X}.command.DropDatabaseCommand",
    f"{_X}.command.DropFunctionCommand",
    f"{_X}.command.DropTableCommand",
    f"{_X}.command.DropTempViewCommand",
    f"{_X}.command.ExplainCommand",
    f"{_X}.command.RepairTableCommand",
    f"{_X}.command.ResetCommand",
    f"{_X}.command.SetCatalogCommand",
    f"{_X}.command.SetCommand",
    f"{_X}.command.SetNamespaceCommand",
    f"{_X}.command.ShowCatalogsCommand",
    f"{_X}.command.ShowColumnsCommand",
    f"{_X}.command.ShowCreateTableCommand",
    f"{_X}.command.ShowCurrentNamespaceCommand",
    f"{_X}.command.ShowFunctionsCommand",
    f"{_X}.command.ShowNamespacesCommand",
    f"{_X}.command.ShowPartitionsCommand",
    f"{_X}.command.ShowTablePropertiesCommand",
    f"{_X}.command.ShowTablesCommand",
    f"{_X}.command.ShowViewsCommand",
    f"{_X}.command.TruncateTableCommand",
    f"{_X}.datasources.CreateTempViewUsing",
    f"{_X}.datasources.RefreshResource",
    f"{_X}.datasources.RefreshTable",
    f"{_L}.CacheTable",
    f"{_L}.CommentOnNamespace",
    f"{_L}.CommentOnTable",
    f"{_L}.CreateNamespace",
    f"{_L}.CreateTable",
    f"{_L}.DescribeColumn",
    f"{_L}.DescribeNamespace",
    f"{_L}.DescribeRelation",
    f"{_L}.DropNamespace",
    f"{_L}.DropTable",
    f"{_L}.DropView",
    f"{_L}.RefreshTable",
    f"{_L}.SetCatalogAndNamespace",
    f"{_L}.SetNamespaceLocation",
    f"{_L}.SetNamespaceProperties",
    f"{_L}.SetTableLocation",
    f"{_L}.SetTableProperties",
    f"{_L}.ShowColumns",
    f"{_L}.ShowCreateTable",
    f"{_L}.ShowCurrentNamespace",
    f"{_L}.ShowFunctions",
    f"{_L}.ShowNamespaces",
    f"{_L}.ShowPartitions",
    f"{_L}.ShowTableProperties",
    f"{_L}.ShowTables",
    f"{_L}.ShowViews",
    f"{_L}.UncacheTable",
    f"{_L}.UnsetNamespaceProperties",
    f"{_L}.UnsetTableProperties",
)
class CommandWithoutWrite(LogicalPlan):
    """Commands that write no rows into a dataset: they are understood, and yield no process."""
