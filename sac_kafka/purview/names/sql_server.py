"""Name tables of SQL Server and compatible services: Azure SQL, managed instances, Synapse, Fabric warehouses.

The service is derived from the host, and for SQL data warehouses on hosts of Azure SQL from the connector.
"""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import authority, labels_before, plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.unknown import unknown

_AZURE_SQL = (
    "database.windows.net",
    "database.usgovcloudapi.net",
    "database.chinacloudapi.cn",
    "database.cloudapi.de",
)
_SYNAPSE = ("sql.azuresynapse.net", "sql.azuresynapse.usgovcloudapi.net", "sql.azuresynapse.azure.cn")
_FABRIC = (
    "datawarehouse.fabric.microsoft.com",
    "datawarehouse.pbidedicated.windows.net",
    "database.fabric.microsoft.com",
)
_SERVERLESS = "-ondemand"
_SECONDARY = "secondary"
"""Label of the read-only listener of a failover group; not the DNS zone of a managed instance."""
_DEFAULT_SCHEMA = "dbo"
_DEFAULT_INSTANCE = "MSSQLSERVER"


@dataclass(frozen=True, slots=True)
class _Service:
    """Azure service: the type of its tables, and its display name."""

    type_name: str
    display_name: str
    has_encoded_spaces: bool = False


_DATABASE = _Service("azure_sql_table", "Azure SQL Database", has_encoded_spaces=True)
_WAREHOUSE = _Service("azure_sql_dw_table", "Azure SQL Data Warehouse", has_encoded_spaces=True)
_MANAGED = _Service("azure_sql_mi_table", "Azure SQL Managed Instance", has_encoded_spaces=True)
_DEDICATED = _Service("azure_synapse_dedicated_sql_table", "Synapse dedicated SQL pool")
_ON_DEMAND = _Service("azure_synapse_serverless_sql_table", "Synapse serverless SQL pool")


def sql_server(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of SQL Server or a compatible service."""
    host, _, instance = dataset.host.partition("\\")
    host = plain_host(host)
    levels = (dataset.database, dataset.schema or _DEFAULT_SCHEMA, dataset.table)
    if not dataset.database:
        place = authority(host, dataset.port)
        name = f"mssql://{place}/{joined(*levels[1:])}"
        return unknown(name, name=dataset.table, rule="SQL Server without a database")
    if labels_before(host, _FABRIC):
        name = f"mssql://{host}/{joined(*levels)}"
        return unknown(name, name=dataset.table, rule="Fabric warehouse: tables are not scanned")
    service = _service(host, dataset.product)
    if service is not None:
        path = joined(*levels)
        # Names with spaces are written in brackets, whose spaces Purview encodes for these types.
        path = path.replace(" ", "%20") if service.has_encoded_spaces else path
        return Asset(
            type_name=service.type_name,
            qualified_name=f"mssql://{host}/{path}",
            name=dataset.table,
            rule=f"{service.display_name} table",
        )
    instance = (dataset.instance or instance or _DEFAULT_INSTANCE).upper()
    return Asset(
        type_name="mssql_table",
        qualified_name=f"mssql://{authority(host, dataset.port)}/{joined(instance, *levels)}",
        name=dataset.table,
        rule="SQL Server table",
    )


def is_warehouse(host: str) -> bool:
    """Return True if a host may have a dedicated SQL pool of Synapse or one of its predecessor."""
    return bool(labels_before(plain_host(host), (*_SYNAPSE, *_AZURE_SQL)))


def _service(host: str, product: str) -> _Service | None:
    """Return the Azure service of a host; None for other servers."""
    synapse = labels_before(host, _SYNAPSE)
    if synapse:
        return _ON_DEMAND if synapse[0].endswith(_SERVERLESS) else _DEDICATED
    labels = [label for label in labels_before(host, _AZURE_SQL) if label != _SECONDARY]
    if not labels:
        return None
    if len(labels) > 1:  # hosts of managed instances contain a DNS zone
        return _MANAGED
    return _WAREHOUSE if product == "synapse" else _DATABASE
