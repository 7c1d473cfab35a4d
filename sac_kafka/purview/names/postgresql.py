"""Name tables of PostgreSQL: of Azure's service and of other servers."""

from __future__ import annotations

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import authority, labels_before, plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.unknown import unknown

_AZURE = (
    "postgres.database.azure.com",
    "postgres.database.usgovcloudapi.net",
    "postgres.database.chinacloudapi.cn",
)
_DEFAULT_SCHEMA = "public"


def postgresql(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of PostgreSQL."""
    host, schema = plain_host(dataset.host), dataset.schema or _DEFAULT_SCHEMA
    place = authority(host, dataset.port)
    if not dataset.database:
        name = f"postgresql://{place}/{joined(schema, dataset.table)}"
        return unknown(name, name=dataset.table, rule="PostgreSQL without a database")
    if labels_before(host, _AZURE):
        return Asset(
            type_name="azure_postgresql_table",
            qualified_name=f"postgresql://{host}/{joined(dataset.database, schema, dataset.table)}",
            name=dataset.table,
            rule="Azure Database for PostgreSQL table",
        )
    return Asset(
        type_name="postgresql_table",
        qualified_name=f"postgresql://servers/{place}/"
        + joined("dbs", dataset.database, "schemas", schema, "tables", dataset.table),
        name=dataset.table,
        rule="PostgreSQL table",
    )
