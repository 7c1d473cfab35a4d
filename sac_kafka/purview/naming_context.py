"""Collect the inputs of asset naming apart from the dataset: settings, and facts about the driver's platform."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sac_kafka.model import Application, SessionFacts
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.settings.declarations.choices import PartitionFolders, SqlServerPort
from sac_kafka.settings.names import Names
from sac_kafka.settings.purview import Purview

FABRIC_PORTAL = "https://app.fabric.microsoft.com/groups"
"""Address of Fabric's workspaces, which names of their items begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingContext:
    """Inputs of asset naming apart from the dataset.

    Args:
        namespace: The text after the @ in names of Atlas' own types (`atlas.metadata.namespace`).
        workspace_host: The Databricks workspace (`adb-1.2.azuredatabricks.net`), "" outside of Databricks.
        metastore_id: The id of Unity Catalog's metastore, "" if unknown.
        mounts: DBFS mount points (`dbfs:/mnt/raw`) and their sources (`abfss://raw@account.dfs.core.windows.net`).
        synapse_workspace: The name of the driver's Synapse workspace, "" outside of Synapse.
        fabric_workspace: The id of the driver's Fabric workspace, "" outside of Fabric.
        fabric_lakehouse: The id of its default lakehouse.
        is_hive: The session catalog is a Hive metastore, which a scan may know; False if it belongs to the application alone.
        configured_catalogs: Catalogs defined in Spark's settings (`spark.sql.catalog.<name>`); never Unity Catalog.
        uses_resource_sets: Directories are named as the resource sets that a scan creates for them.
        partitions: How partition folders appear in the names of resource sets.
        sql_server_port: When the names of SQL Server tables contain the port.
        rules: The user's naming rules.
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
    rules: MappingRules = field(default_factory=MappingRules)


def naming_context_of(
    settings: Purview, names: Names, application: Application, session: SessionFacts
) -> NamingContext:
    """Build the context; settings take precedence over the facts that the application's platform reports."""
    facts = dict(application.facts)
    platform = facts.get("platform")
    workspace = settings.workspace_url or (facts.get("workspace", "") if platform == "databricks" else "")
    return NamingContext(
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
    """Return the lower-case host, without port and user, of a workspace given as a host, a browser's URL or a JDBC URL."""
    authority = re.split(r"[/?#;]", url.strip().rpartition("://")[2], maxsplit=1)[0]
    return authority.rpartition("@")[2].partition(":")[0].lower()
