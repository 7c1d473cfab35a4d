"""What the names of assets depend on that no dataset says: settings, and what the driver shows of its platform."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sac_kafka.config.choices import PartitionFolders, SqlServerPort
from sac_kafka.lineage.model import Application
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.purview.resource_set_rules import ResourceSetRules
from sac_kafka.settings.names import Names
from sac_kafka.settings.purview import Purview


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetSurroundings:
    """What names depend on beside the dataset.

    Args:
        namespace: What follows the @ in names that Atlas gives, and Purview's scans do not (`atlas.metadata.namespace`).
        workspace_host: The Databricks workspace (`adb-1.2.azuredatabricks.net`), "" where there is none.
        metastore_id: The id of Unity Catalog's metastore, "" where it is not known.
        mounts: Mount points of DBFS (`dbfs:/mnt/raw`) and what they stand for (`abfss://raw@account.dfs.core.windows.net`).
        synapse_workspace: The name of the Synapse workspace that the driver runs in, "" where there is none.
        fabric_workspace: The id of the Fabric workspace that the driver runs in, "" where there is none.
        fabric_lakehouse: The id of its default lakehouse.
        is_hive: The session catalog is a Hive metastore, which a scan may know; False where it is the application's own.
        configured_catalogs: The catalogs that Spark's settings define (`spark.sql.catalog.<name>`): none of Unity Catalog.
        uses_resource_sets: Directories are called by the resource sets that a scan makes of them.
        partitions: What folders of partitions are in the names of resource sets.
        sql_server_port: When names of tables of SQL Server have the port.
        resource_set_rules: The account's own rules for resource sets.
        rules: What the user calls assets.
    """

    namespace: str = "primary"
    workspace_host: str = ""
    metastore_id: str = ""
    mounts: tuple[tuple[str, str], ...] = ()
    synapse_workspace: str = ""
    fabric_workspace: str = ""
    fabric_lakehouse: str = ""
    is_hive: bool = True
    configured_catalogs: frozenset[str] = frozenset()
    uses_resource_sets: bool = True
    partitions: PartitionFolders = PartitionFolders.COLUMN
    sql_server_port: SqlServerPort = SqlServerPort.AS_GIVEN
    resource_set_rules: ResourceSetRules = field(default_factory=ResourceSetRules)
    rules: MappingRules = field(default_factory=MappingRules)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a driver shows of its session, beside its application; fields as those of `AssetSurroundings`."""

    mounts: tuple[tuple[str, str], ...] = ()
    is_hive: bool = True
    configured_catalogs: frozenset[str] = frozenset()


def surroundings_of(
    settings: Purview, names: Names, application: Application, session: SessionFacts
) -> AssetSurroundings:
    """Put them together: what is set comes before what the platform says.

    Args:
        settings: What Purview is told.
        names: How things are called.
        application: What its platform says of it.
        session: What its driver shows of the session.
    """
    facts = dict(application.facts)
    platform = facts.get("platform")
    workspace = settings.workspace_url or (facts.get("workspace", "") if platform == "databricks" else "")
    return AssetSurroundings(
        namespace=names.namespace,
        workspace_host=_host(workspace),
        metastore_id=(settings.metastore_id or "").rpartition(":")[2],
        mounts=session.mounts,
        is_hive=session.is_hive,
        configured_catalogs=session.configured_catalogs,
        synapse_workspace=facts.get("workspace", "") if platform == "synapse" else "",
        fabric_lakehouse=facts.get("lakehouse_id", "") if platform == "fabric" else "",
        fabric_workspace=facts.get("workspace_id", "") if platform == "fabric" else "",
        uses_resource_sets=settings.resource_sets,
        partitions=settings.partitions,
        sql_server_port=settings.sql_server_port,
    )


def _host(url: str) -> str:
    """The host of a workspace, with or without what a browser shows around it, or a URL of JDBC's: never a port, never a user."""
    authority = re.split(r"[/?#;]", url.strip().rpartition("://")[2], maxsplit=1)[0]
    return authority.rpartition("@")[2].partition(":")[0].lower()
