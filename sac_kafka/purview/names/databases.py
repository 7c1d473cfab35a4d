"""Name tables of relational databases and warehouses; systems without a documented scan become a `DataSet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sac_kafka.model import RdbmsDataset
from sac_kafka.purview.asset import Asset, authority, join, labels_before, plain_host, unknown
from sac_kafka.purview.names.metastores import databricks_sql, hive_server
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.choices import SqlServerPort

_AZURE_MYSQL = (
    "mysql.database.azure.com",
    "mysql.database.usgovcloudapi.net",
    "mysql.database.chinacloudapi.cn",
)
_AZURE_POSTGRESQL = (
    "postgres.database.azure.com",
    "postgres.database.usgovcloudapi.net",
    "postgres.database.chinacloudapi.cn",
)
_POSTGRESQL_SCHEMA = "public"
_SNOWFLAKE_SCHEMA = "PUBLIC"
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
_SQL_SERVER_SCHEMA = "dbo"
_DEFAULT_INSTANCE = "MSSQLSERVER"


def mysql(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of MySQL or MariaDB; a `DataSet` outside of Azure."""
    host = plain_host(dataset.host)
    if labels_before(host, _AZURE_MYSQL) and dataset.database:
        return Asset(
            type_name="azure_mysql_table",
            qualified_name=f"mysql://{host}/{join(dataset.database, dataset.table)}",
            name=dataset.table,
            rule="Azure Database for MySQL table",
        )
    return _usual_form(dataset)


def postgresql(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of PostgreSQL."""
    host, schema = plain_host(dataset.host), dataset.schema or _POSTGRESQL_SCHEMA
    place = authority(host, dataset.port)
    if not dataset.database:
        name = f"postgresql://{place}/{join(schema, dataset.table)}"
        return unknown(name, name=dataset.table, rule="PostgreSQL without a database")
    if labels_before(host, _AZURE_POSTGRESQL):
        return Asset(
            type_name="azure_postgresql_table",
            qualified_name=f"postgresql://{host}/{join(dataset.database, schema, dataset.table)}",
            name=dataset.table,
            rule="Azure Database for PostgreSQL table",
        )
    return Asset(
        type_name="postgresql_table",
        qualified_name=f"postgresql://servers/{place}/"
        + join("dbs", dataset.database, "schemas", schema, "tables", dataset.table),
        name=dataset.table,
        rule="PostgreSQL table",
    )


def snowflake(dataset: RdbmsDataset) -> Asset:
    """Return the asset of a table of Snowflake."""
    host, quoted = plain_host(dataset.host), dict(dataset.quoted)
    database = quoted.get("database", dataset.database.upper())
    schema = quoted.get("schema", (dataset.schema or _SNOWFLAKE_SCHEMA).upper())
    table = quoted.get("table", dataset.table.upper())
    path = join("databases", database, "schemas", schema, "tables", table)
    if not database:
        return unknown(f"snowflake://{host}/{path}", name=table, rule="Snowflake without a database")
    return Asset(
        type_name="snowflake_table",
        qualified_name=f"snowflake://{host}/{path}",
        name=table,
        rule="Snowflake table",
    )


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
    """Return the asset of a table of SQL Server, Azure SQL, a managed instance, Synapse or a Fabric warehouse.

    The service is derived from the host, and for SQL data warehouses on hosts of Azure SQL from the connector.
    """
    host, _, instance = dataset.host.partition("\\")
    host = plain_host(host)
    levels = (dataset.database, dataset.schema or _SQL_SERVER_SCHEMA, dataset.table)
    if not dataset.database:
        place = authority(host, dataset.port)
        name = f"mssql://{place}/{join(*levels[1:])}"
        return unknown(name, name=dataset.table, rule="SQL Server without a database")
    if labels_before(host, _FABRIC):
        name = f"mssql://{host}/{join(*levels)}"
        return unknown(name, name=dataset.table, rule="Fabric warehouse: tables are not scanned")
    service = _service(host, dataset.product)
    if service is not None:
        path = join(*levels)
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
        qualified_name=f"mssql://{authority(host, dataset.port)}/{join(instance, *levels)}",
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


def _oracle(dataset: RdbmsDataset) -> Asset:
    """Return `oracle://<server>/<schema>/<table>`, as observed in scans: without port and service."""
    quoted, host = dict(dataset.quoted), plain_host(dataset.host)
    table = quoted.get("table", dataset.table.upper())
    if not dataset.schema:
        name = f"oracle://{host}/{join(*filter(None, (dataset.database, table)))}"
        return unknown(name, name=table, rule="Oracle without a schema")
    schema = quoted.get("schema", dataset.schema.upper())
    return Asset(
        type_name="oracle_table",
        qualified_name=f"oracle://{host}/{join(schema, table)}",
        name=table,
        rule="Oracle table, as observed in scans",
    )


def _cassandra(dataset: RdbmsDataset) -> Asset:
    """Return `cassandra://<server>:<port>/keyspace/<keyspace>/table/<table>`; observed in scans down to the keyspace."""
    place = authority(plain_host(dataset.host), dataset.port)
    path = join("keyspace", dataset.database, "table", dataset.table)
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
    return _FAMILIES.get(dataset.rdbms_type, _usual_form)(dataset)


def _with_port(dataset: RdbmsDataset, when: SqlServerPort) -> RdbmsDataset:
    has_port = when is SqlServerPort.ALWAYS or (when is SqlServerPort.AS_GIVEN and not dataset.has_default_port)
    return dataset if has_port else replace(dataset, port=None)


def _usual_form(dataset: RdbmsDataset) -> Asset:
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
        path = join("projects", dataset.database, "datasets", dataset.schema or "", "tables", dataset.table)
        name, rule = f"bigquery://{path}", f"{display_name}: names of scanned tables are not documented"
    else:
        name, rule = (
            f"{dataset.rdbms_type}:{_path(dataset)}@{naming_context.namespace}",
            f"{display_name} without a server",
        )
    return unknown(name, name=dataset.table, rule=rule)


def _path(dataset: RdbmsDataset) -> str:
    levels = (("dbs", dataset.database), ("schemas", dataset.effective_schema), ("tables", dataset.table))
    return join(*(part for level, name in levels if name for part in (level, name)))
