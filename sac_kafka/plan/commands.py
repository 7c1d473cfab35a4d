"""Declare the commands of V1 data sources that write, and those that define views."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable, TableIdentifier
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, OwnName, QueryCommand
from sac_kafka.plan.options import DELTA_WRITTEN, HUDI_WRITTEN, TABLE_OPTIONS

_X = "org.apache.spark.sql.execution"


@spark_class(f"{_X}.datasources.InsertIntoHadoopFsRelationCommand")
class InsertIntoHadoopFsRelationCommand(LogicalPlan):
    """`df.write.parquet(path)`, INSERT into a data source table (which has a `catalog_table`).

    `static_partition` is the digest of the static partition, equal for equal ones.
    """

    output_path: str
    catalog_table: CatalogTable | None
    file_format: str = accessor("fileFormat.shortName|fileFormat.getClass")
    query: LogicalPlan
    output_columns: tuple[Attribute, ...]
    mode: str = accessor("mode", default="")
    has_static_partitions: bool = accessor("staticPartitions.nonEmpty", default=False)
    static_partition: int | None = accessor("staticPartitions.hashCode", default=None)
    is_dynamic_overwrite: bool = accessor("@isDynamicOverwrite", default=False)
    if_partition_not_exists: bool = accessor("ifPartitionNotExists", default=False)
    partition_columns: tuple[Attribute, ...] = accessor("partitionColumns", default=())


@spark_class(f"{_X}.command.CreateDataSourceTableAsSelectCommand")
class CreateDataSourceTableAsSelectCommand(QueryCommand):
    """CREATE TABLE … USING … AS SELECT, and `saveAsTable` up to Spark 3.5."""

    table: CatalogTable
    output_column_names: tuple[str, ...]
    mode: str = accessor("mode", default="")


@spark_class(f"{_X}.command.SaveAsV1TableCommand")
class SaveAsV1TableCommand(QueryCommand):
    """`saveAsTable` of Spark 4: it has no child, the query is a field.

    The query is the user's; the nested `CreateDataSourceTableAsSelectCommand` has it in the form in which it is written.
    """

    table: CatalogTable = accessor("tableDesc")
    mode: str = accessor("mode", default="")


@spark_class(f"{_X}.command.InsertIntoDataSourceDirCommand")
class InsertIntoDataSourceDirCommand(QueryCommand):
    """INSERT OVERWRITE DIRECTORY … USING. `path` is qualified; None if the provider needs none."""

    path: str | None = accessor("@path")
    provider: str
    overwrite: bool


@spark_class(f"{_X}.datasources.SaveIntoDataSourceCommand")
class SaveIntoDataSourceCommand(LogicalPlan):
    """`df.write.format(…).save()` of a V1 source that is not a file format: JDBC, Kafka, HBase.

    Attributes:
        data_source: The class of the provider.
        path: The option of that name, qualified.
        topics: The literals of the column `topic` of a Kafka sink; () without that column, or if it is not made of literals only.
        is_partial: False if an overwrite of Delta replaces all rows: neither the options nor the session restrict it.
        own_name: The provider's own name of the target of these options.
    """

    data_source: str = accessor("dataSource.getClass", default="")
    short_name: str = accessor("dataSource.shortName|dataSource.getClass", default="")
    options: Mapping[str, str] | None = accessor(
        "options", keys=(*TABLE_OPTIONS, *HUDI_WRITTEN, *DELTA_WRITTEN), default=None
    )
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())
    topics: tuple[str, ...] = accessor("@topics", default=())
    path: str | None = accessor("@path", default=None)
    mode: str = accessor("mode", default="")
    is_partial: bool = accessor("options.@isPartial", default=True)
    own_name: OwnName | None = accessor("@ownName", default=None)


@spark_class(f"{_X}.datasources.InsertIntoDataSourceCommand")
class InsertIntoDataSourceCommand(LogicalPlan):
    """INSERT into a catalog table stored in another system (`CREATE TABLE … USING jdbc`); `own_name` as in `LogicalRelation`."""

    relation: object = accessor("logicalRelation.relation", default=None)
    own_name: OwnName | None = accessor("logicalRelation.relation.@ownName", default=None)
    catalog_table: CatalogTable | None = accessor("logicalRelation.catalogTable", default=None)
    overwrite: bool = accessor("overwrite", default=False)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())


@spark_class("scala.Tuple2")
class ViewColumn:
    """A column named by CREATE VIEW v (name, …); its comment is omitted here, as the definition of the view has it."""

    name: str = accessor("_1")


@spark_class(f"{_X}.command.CreateViewCommand")
class CreateViewCommand(LogicalPlan):
    """CREATE VIEW; `view_type` is PersistedView, LocalTempView or GlobalTempView, `allow_existing` IF NOT EXISTS."""

    name: TableIdentifier | None = accessor("name", default=None)
    view_type: str = accessor("viewType.toString", default="")
    query: LogicalPlan | None = accessor("plan", default=None)
    query_output: tuple[Attribute, ...] = accessor("plan.output", default=())
    columns: tuple[ViewColumn, ...] = accessor("userSpecifiedColumns", default=())
    allow_existing: bool = accessor("allowExisting", default=False)


@spark_class(f"{_X}.command.AlterViewAsCommand")
class AlterViewAsCommand(LogicalPlan):
    """ALTER VIEW … AS."""

    name: TableIdentifier | None = accessor("name", default=None)
    query: LogicalPlan | None = accessor("query", default=None)
    query_output: tuple[Attribute, ...] = accessor("query.output", default=())
