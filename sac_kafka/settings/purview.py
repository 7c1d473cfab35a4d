"""Settings: the dialect of messages, and the names and details sent to Microsoft Purview."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.choices import (
    DialectName,
    PartitionFolders,
    ProcessTypes,
    SqlServerPort,
    TableAssets,
)
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import NAME, PATH, one_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Purview(Subject):
    """Dialect, names and details for Microsoft Purview; `dialect` is None if it is derived from the sink."""

    dialect: DialectName | None = setting(
        "atlas.hook.spark.dialect",
        kind=one_of(DialectName, automatic="auto"),
        documented="auto",
        doc="The types and names in messages. auto: purview if the bootstrap server is an Event Hubs namespace or "
        "`atlas.client.type=purview`, else atlas. openlineage: [events](openlineage.md), in a separate topic or a file.",
    )
    process_types: ProcessTypes = setting(
        "atlas.hook.spark.purview.process.types",
        default=ProcessTypes.BUILT_IN,
        doc="built-in: process types that exist in every account; own: types with more details, to be created first "
        "(`sac-kafka types apply`).",
    )
    tables: TableAssets = setting(
        "atlas.hook.spark.purview.tables",
        default=TableAssets.BOTH,
        doc="The assets that represent a table: the table, its storage location, or both. The locations of managed Databricks "
        "tables are not scanned.",
    )
    mapping_file: str | None = setting(
        "atlas.hook.spark.purview.mapping.file",
        kind=PATH,
        doc="A TOML file of rules for the names of assets; test them with `sac-kafka map explain`.",
    )
    resource_sets: bool = setting(
        "atlas.hook.spark.purview.resource.sets",
        default=True,
        doc="true: directories of files are reported as resource sets, like Purview's scan does; false: as paths.",
    )
    partitions: PartitionFolders = setting(
        "atlas.hook.spark.purview.resource.sets.partitions",
        default=PartitionFolders.COLUMN,
        doc="Partition folders in the name of a resource set. column: `orders/{day}/{SparkPartitions}`; "
        "column-and-value: `orders/day={day}/{SparkPartitions}`; none: `orders/{SparkPartitions}`.",
    )
    sql_server_port: SqlServerPort = setting(
        "atlas.hook.spark.purview.sql.server.port",
        default=SqlServerPort.AS_GIVEN,
        doc="Whether names of SQL Server tables (outside Azure) contain the port. as-given: if the JDBC URL has one.",
    )
    workspace_url: str | None = setting(
        "atlas.hook.spark.purview.databricks.workspace",
        kind=NAME,
        documented="Spark's `spark.databricks.workspaceUrl`",
        doc="The host of the Databricks workspace, `adb-….azuredatabricks.net`, if Spark does not provide it.",
    )
    metastore_id: str | None = setting(
        "atlas.hook.spark.purview.databricks.metastore",
        kind=NAME,
        doc="The id of the Unity Catalog metastore, the last part of `SELECT current_metastore()`, which names of "
        "its tables contain.",
    )
    column_expressions: bool = setting(
        "atlas.hook.spark.purview.column.expressions",
        default=False,
        doc="true: processes of own types contain the expressions that compute their columns.",
    )
    column_influence: bool = setting(
        "atlas.hook.spark.purview.column.influence",
        default=False,
        doc="true: the column mapping also contains the conditions and windows that influence a column.",
    )
    deletes: bool = setting(
        "atlas.hook.spark.purview.deletes",
        default=False,
        doc="true: tables and views dropped in Spark are deleted in Purview, including scanned assets.",
    )
    collection: str | None = setting(
        "atlas.hook.spark.purview.collection",
        kind=NAME,
        documented="the root collection",
        doc="For `atlas.client.type=purview`: the id (not the display name) of the collection for new assets. "
        "Existing assets are not moved.",
    )
