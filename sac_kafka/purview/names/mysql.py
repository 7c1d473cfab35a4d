"""Name tables of MySQL and MariaDB; the names of scans are documented only for Azure's services."""

from __future__ import annotations

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import authority, labels_before, plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.unknown import unknown

_AZURE = (
    "mysql.database.azure.com",
    "mysql.database.usgovcloudapi.net",
    "mysql.database.chinacloudapi.cn",
)


def mysql(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of MySQL or MariaDB; a `DataSet` outside of Azure."""
    host = plain_host(dataset.host)
    if labels_before(host, _AZURE) and dataset.database:
        return Asset(
            type_name="azure_mysql_table",
            qualified_name=f"mysql://{host}/{joined(dataset.database, dataset.table)}",
            name=dataset.table,
            rule="Azure Database for MySQL table",
        )
    path = joined("dbs", dataset.database, "tables", dataset.table)
    name = f"{dataset.rdbms_type}://servers/{authority(host, dataset.port)}/{path}"
    return unknown(name, name=dataset.table, rule=f"{dataset.rdbms_type}: names of scanned tables are not documented")
