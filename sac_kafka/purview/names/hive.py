"""Tables of Hive metastores: those of HDInsight and others by their namespace, those of a Databricks workspace by its host."""

from __future__ import annotations

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import plain_host
from sac_kafka.purview.names.segments import dotted
from sac_kafka.purview.naming_context import NamingContext


def hive_table(database: str, name: str, server: str, *, is_view: bool = False, rule: str = "Hive metastore") -> Asset:
    """`db.table@server`; a metastore keeps names in small letters.

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
    """A table that is read or written through HiveServer2."""
    server = plain_host(dataset.host) or naming_context.namespace
    return hive_table(dataset.database or "default", dataset.table, server)
