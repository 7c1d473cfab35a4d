"""Name tables of Snowflake as it stores them: in upper case unless quoted."""

from __future__ import annotations

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.unknown import unknown

_DEFAULT_SCHEMA = "PUBLIC"


def snowflake(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of Snowflake."""
    host, quoted = plain_host(dataset.host), dict(dataset.quoted)
    database = quoted.get("database", dataset.database.upper())
    schema = quoted.get("schema", (dataset.schema or _DEFAULT_SCHEMA).upper())
    table = quoted.get("table", dataset.table.upper())
    path = joined("databases", database, "schemas", schema, "tables", table)
    if not database:
        return unknown(f"snowflake://{host}/{path}", name=table, rule="Snowflake without a database")
    return Asset(
        type_name="snowflake_table",
        qualified_name=f"snowflake://{host}/{path}",
        name=table,
        rule="Snowflake table",
    )
