"""Name tables of Hive metastores: of a Databricks workspace by its host, of others by the namespace."""

from __future__ import annotations

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import plain_host
from sac_kafka.purview.names.segments import dotted
from sac_kafka.purview.naming_context import NamingContext


def hive_table(database: str, name: str, server: str, *, is_view: bool = False, rule: str = "Hive metastore") -> Asset:
    """Return `db.table@server` in lower case, as stored in the metastore.

    >>> hive_table("Sales", "Orders", "adb-1.2.azuredatabricks.net").qualified_name
    'sales.orders@adb-1.2.azuredatabricks.net'
    """
    return Asset(
        type_name="hive_view" if is_view else "hive_table",
        qualified_name=f"{dotted(database.lower(), name.lower())}@{server}",
        name=name.lower(),
        rule=f"{rule} {'view' if is_view else 'table'}",
    )


def hive_server(dataset: RdbmsDataset, naming_context: NamingContext) -> Asset:
    """Return the asset of a table accessed through HiveServer2."""
    server = plain_host(dataset.host) or naming_context.namespace
    return hive_table(dataset.database or "default", dataset.table, server)
