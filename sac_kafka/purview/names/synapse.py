"""Name tables of Microsoft's connector `synapsesql`: dedicated SQL pools in Synapse, warehouses in Fabric.

The values of its option names are not documented, so its tables come from the generic rule for unknown connectors:
`database.schema.table`, and the server if an option contains it.
"""

from __future__ import annotations

from sac_kafka.lineage.model import OtherDataset, RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.sql_server import is_warehouse, sql_server
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext

SYSTEM = "com.microsoft.spark"
"""Package of the connector's classes in both products."""

_FABRIC = "https://app.fabric.microsoft.com/groups"
_LEVELS = 3


def synapsesql(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a table; None if its name has not three levels or the server is unknown."""
    levels = tuple(level for part in dataset.parts for level in part.split("."))
    if len(levels) != _LEVELS or not all(levels):
        return None
    if naming_context.fabric_workspace and not is_warehouse(dataset.host):
        name = f"{_FABRIC}/{naming_context.fabric_workspace.lower()}/{joined(*levels)}"
        return unknown(name, name=levels[-1], rule="Fabric warehouse: tables are not scanned")
    workspace = naming_context.synapse_workspace
    host = dataset.host or (f"{workspace}.sql.azuresynapse.net" if workspace else "")
    if not is_warehouse(host):
        return None
    database, schema, table = levels
    return sql_server(
        RdbmsDataset(
            rdbms_type="sqlserver", host=host, database=database, schema=schema, table=table, product="synapse"
        )
    )
