"""Name tables of relational databases and warehouses; systems without a documented scan become a `DataSet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sac_kafka.lineage.model import RdbmsDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.databricks_tables import databricks_sql
from sac_kafka.purview.names.hive import hive_server
from sac_kafka.purview.names.hosts import authority, plain_host
from sac_kafka.purview.names.mysql import mysql
from sac_kafka.purview.names.postgresql import postgresql
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.snowflake import snowflake
from sac_kafka.purview.names.sql_server import sql_server
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.choices import SqlServerPort


def _oracle(dataset: RdbmsDataset) -> Asset:
    """Return `oracle://<server>/<schema>/<table>`, as observed in scans: without port and service."""
    quoted, host = dict(dataset.quoted), plain_host(dataset.host)
    table = quoted.get("table", dataset.table.upper())
    if not dataset.schema:
        name = f"oracle://{host}/{joined(*filter(None, (dataset.database, table)))}"
        return unknown(name, name=table, rule="Oracle without a schema")
    schema = quoted.get("schema", dataset.schema.upper())
    return Asset(
        type_name="oracle_table",
        qualified_name=f"oracle://{host}/{joined(schema, table)}",
        name=table,
        rule="Oracle table, as observed in scans",
    )


def _cassandra(dataset: RdbmsDataset) -> Asset:
    """Return `cassandra://<server>:<port>/keyspace/<keyspace>/table/<table>`; observed in scans down to the keyspace."""
    place = authority(plain_host(dataset.host), dataset.port)
    path = joined("keyspace", dataset.database, "table", dataset.table)
    return unknown(
        f"cassandra://{place}/{path}", name=dataset.table, rule="Cassandra: names of scanned tables are not documented"
    )


_FAMILIES: Mapping[str, Callable[[RdbmsDataset], Asset]] = {
    "cassandra": _cassandra,
    "mariadb": mysql,
    "mysql": mysql,
    "oracle": _oracle,
    "postgresql": postgresql,
    "snowflake": snowflake,
    "sqlserver": sql_server,
}
DOCUMENTED = frozenset(_FAMILIES) - {"cassandra"}
"""Databases for which the names of scans are known."""

_OF_SPARK: Mapping[str, Callable[[RdbmsDataset, NamingContext], Asset]] = {
    "databricks": databricks_sql,
    "hive2": hive_server,
}
"""Servers of a metastore, whose tables are also known by Spark's catalogs."""

_DISPLAY_NAMES = {
    "athena": "Amazon Athena",
    "bigquery": "BigQuery",
    "cassandra": "Cassandra",
    "clickhouse": "ClickHouse",
    "db2": "Db2",
    "mongodb": "MongoDB",
    "redshift": "Amazon Redshift",
    "sap": "SAP HANA",
    "teradata": "Teradata",
    "trino": "Trino",
}


def asset(dataset: RdbmsDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of a database table."""
    del is_output
    of_spark = _OF_SPARK.get(dataset.rdbms_type)
    if of_spark is not None:
        return of_spark(dataset, naming_context)
    if not dataset.host:
        return _no_host(dataset, naming_context)
    if dataset.rdbms_type == "sqlserver":
        dataset = _with_port(dataset, naming_context.sql_server_port)
    return _FAMILIES.get(dataset.rdbms_type, _undocumented)(dataset)


def _with_port(dataset: RdbmsDataset, when: SqlServerPort) -> RdbmsDataset:
    has_port = when is SqlServerPort.ALWAYS or (when is SqlServerPort.AS_GIVEN and not dataset.has_default_port)
    return dataset if has_port else replace(dataset, port=None)


def _undocumented(dataset: RdbmsDataset) -> Asset:
    """Return `<kind>://servers/<host>:<port>/dbs/…/schemas/…/tables/…`, the usual form of scans by a self-hosted runtime."""
    host = authority(plain_host(dataset.host), dataset.port)
    display_name = _DISPLAY_NAMES.get(dataset.rdbms_type, dataset.rdbms_type)
    return unknown(
        f"{dataset.rdbms_type}://servers/{host}/{_path(dataset)}",
        name=dataset.table,
        rule=f"{display_name}: names of scanned tables are not documented",
    )


def _no_host(dataset: RdbmsDataset, naming_context: NamingContext) -> Asset:
    """Return the asset of a table without a server: a global system, or one assigned to the namespace."""
    display_name = _DISPLAY_NAMES.get(dataset.rdbms_type, dataset.rdbms_type)
    if dataset.rdbms_type == "bigquery":
        path = joined("projects", dataset.database, "datasets", dataset.schema or "", "tables", dataset.table)
        name, rule = f"bigquery://{path}", f"{display_name}: names of scanned tables are not documented"
    else:
        name, rule = (
            f"{dataset.rdbms_type}:{_path(dataset)}@{naming_context.namespace}",
            f"{display_name} without a server",
        )
    return unknown(name, name=dataset.table, rule=rule)


def _path(dataset: RdbmsDataset) -> str:
    levels = (("dbs", dataset.database), ("schemas", dataset.effective_schema), ("tables", dataset.table))
    return joined(*(part for level, name in levels if name for part in (level, name)))
