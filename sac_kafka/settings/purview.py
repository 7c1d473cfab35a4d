"""Settings: the dialect, and what Microsoft Purview is told."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import DialectName, PartitionFolders, ProcessTypes, SqlServerPort, TableAssets
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, NAME, PATH, one_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Purview(Subject):
    """The dialect, and what Microsoft Purview is told; `dialect` is None where it follows from where messages go."""

    dialect: DialectName | None = setting(
        "atlas.hook.spark.dialect",
        kind=one_of(DialectName, by_itself="auto"),
        default=None,
        shown="auto",
        doc="Whose types and names messages have. purview: those that Purview's scans give; atlas: Atlas' own; auto: purview "
        "where the bootstrap server is an Event Hubs namespace, or with `atlas.client.type=purview`.",
    )
    process_types: ProcessTypes = setting(
        "atlas.hook.spark.purview.process.types",
        kind=one_of(ProcessTypes),
        default=ProcessTypes.BUILT_IN,
        doc="built-in: processes of types that every account has; own: types that show more, and that the account must know "
        "(`sac-kafka types apply`): it drops a message of an unknown type and says nothing.",
    )
    tables: TableAssets = setting(
        "atlas.hook.spark.purview.tables",
        kind=one_of(TableAssets),
        default=TableAssets.BOTH,
        doc="What stands for a table: the table, its location in a store, or both. Tables that Databricks manages have no "
        "location that is scanned.",
    )
    mapping_file: str | None = setting(
        "atlas.hook.spark.purview.mapping.file",
        kind=PATH,
        default=None,
        doc="A TOML file of rules that say what assets are called; `sac-kafka map explain` tries them.",
    )
    resource_sets: bool = setting(
        "atlas.hook.spark.purview.resource.sets",
        kind=BOOLEAN,
        default=True,
        doc="true: directories of files are the resource sets that Purview's scan makes of them; false: paths.",
    )
    partitions: PartitionFolders = setting(
        "atlas.hook.spark.purview.resource.sets.partitions",
        kind=one_of(PartitionFolders),
        default=PartitionFolders.COLUMN,
        doc="What folders of partitions are in the name of a resource set. column: `orders/{day}/{SparkPartitions}`, as scans "
        "were seen to name them; column-and-value: `orders/day={day}/{SparkPartitions}`; none: `orders/{SparkPartitions}`.",
    )
    resource_sets_file: str | None = setting(
        "atlas.hook.spark.purview.resource.sets.file",
        kind=PATH,
        default=None,
        doc="A JSON file of the account's own rules for resource sets, as Purview's API gives them.",
    )
    sql_server_port: SqlServerPort = setting(
        "atlas.hook.spark.purview.sql.server.port",
        kind=one_of(SqlServerPort),
        default=SqlServerPort.AS_GIVEN,
        doc="When the name of a table of SQL Server (outside Azure) has the port. as-given: where the JDBC URL has one, as scans "
        "were seen to name servers that are registered so; always; never.",
    )
    workspace_url: str | None = setting(
        "atlas.hook.spark.purview.databricks.workspace",
        kind=NAME,
        default=None,
        shown="Spark's `spark.databricks.workspaceUrl`",
        doc="The host of the Databricks workspace, `adb-….azuredatabricks.net`, where Spark does not tell it.",
    )
    metastore_id: str | None = setting(
        "atlas.hook.spark.purview.databricks.metastore",
        kind=NAME,
        default=None,
        doc="The id of the Unity Catalog metastore, the last part of `SELECT current_metastore()`. Without it tables of Unity "
        "Catalog cannot have the names that Purview's scan gives.",
    )
    column_expressions: bool = setting(
        "atlas.hook.spark.purview.column.expressions",
        kind=BOOLEAN,
        default=False,
        doc="true: processes of own types say by which expressions columns are made.",
    )
    column_influence: bool = setting(
        "atlas.hook.spark.purview.column.influence",
        kind=BOOLEAN,
        default=False,
        doc="true: the column mapping has the conditions and windows of a column, too, not only what flows into it.",
    )
    deletes: bool = setting(
        "atlas.hook.spark.purview.deletes",
        kind=BOOLEAN,
        default=False,
        doc="true: what Spark drops is deleted in Purview, scanned assets included.",
    )
    collection: str | None = setting(
        "atlas.hook.spark.purview.collection",
        kind=NAME,
        default=None,
        shown="the root collection",
        doc="For `atlas.client.type=purview`: the id (not the name that is shown) of the collection that new assets are put in. "
        "Assets that are there stay where they are.",
    )
