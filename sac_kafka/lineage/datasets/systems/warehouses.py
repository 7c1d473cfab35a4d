"""Identify tables of databases with their own connectors by options, under the same names as over JDBC.

Files that a connector stages (Snowflake's stages, `tempdir` of Redshift and Synapse, `temporaryGcsBucket` of BigQuery) are not
datasets: only the table is read or written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from sac_kafka.lineage.datasets.systems.source import SourceOptions, connector, first
from sac_kafka.model import Column, RdbmsDataset
from sac_kafka.names.jdbc_urls import bigquery_url, named_table, rdbms_table
from sac_kafka.names.other_datasets import IS_QUERY, host_of
from sac_kafka.plan.systems.stores import CassandraTable

_CONTACT = re.compile(r"(?<![\w.-])(?P<name>[\w.-]*)/(?:<unresolved>|(?P<ip>[\w.:]+?)):(?P<port>\d+)")
"""A server in the format of Java's `InetSocketAddress`: `db1/10.0.0.1:9042`, `/10.0.0.1:9042`, `db1/<unresolved>:9042`."""


def _table(url: str, name: str | None, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    return named_table(url, name, columns) if name and name != IS_QUERY else None


def snowflake(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `sfURL`, `sfDatabase`, `sfSchema` and `dbtable`, which may contain all three levels."""
    parameters = {"db": first(options, "sfdatabase"), "schema": first(options, "sfschema")}
    known = "&".join(f"{key}={quote(value, safe='')}" for key, value in parameters.items() if value)
    host = host_of(first(options, "sfurl"))
    return _table(f"jdbc:snowflake://{host}/?{known}", first(options, "dbtable"), columns) if host else None


def bigquery(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `table` or `path` (`project.dataset.table`); missing levels are taken from `dataset`, `project`, `parentProject`."""
    if "query" in options:
        return None
    name = first(options, "table", "path")
    if name is None or name == IS_QUERY:
        return None
    # Names may contain characters that other databases do not allow (p-1), or a partition after `$`.
    parts = name.partition("$")[0].replace("`", "").replace(":", ".").rsplit(".", 2)
    project = first(options, "project", "parentproject") or ""
    levels = (project, first(options, "dataset") or "", "")[: 3 - len(parts)] + tuple(parts)
    if not all(levels[1:]) or "/" in name:
        return None
    return rdbms_table(bigquery_url(levels[0]), levels[1:], columns)


def by_url(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `url` (a JDBC URL) and `dbtable`."""
    return _table(options.get("url", ""), first(options, "dbtable"), columns)


def synapse(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `url` (a JDBC URL) and `dbTable`; the product is Synapse even if the host is one of Azure SQL."""
    table = by_url(options, columns)
    return table and replace(table, product="synapse")


def clickhouse(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `host`, `http_port`, `database` and `table`."""
    host, port = host_of(first(options, "host")), first(options, "http_port", "port")
    name, database = first(options, "table"), first(options, "database") or "default"
    url = f"jdbc:clickhouse://{host}{f':{port}' if port else ''}/{quote(database, safe='')}"
    return _table(url, name, columns) if host else None


def singlestore(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `ddlEndpoint`, `database`, and `dbtable` or the argument of `load` for the table."""
    host = host_of(first(options, "ddlendpoint"))
    name, database = first(options, "dbtable", "path"), first(options, "database") or ""
    return _table(f"jdbc:singlestore://{host}/{database}", name, columns) if host else None


def starrocks(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Use `starrocks.fe.jdbc.url` and `starrocks.table.identifier`."""
    return _table(options.get("starrocks.fe.jdbc.url", ""), first(options, "starrocks.table.identifier"), columns)


def cassandra(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Name a table by `keyspace` and `table`, and by the server if an option contains it."""
    keyspace, table = first(options, "keyspace"), first(options, "table")
    host = host_of(first(options, "spark.cassandra.connection.host"))
    return _cassandra_table(host, first(options, "spark.cassandra.connection.port"), keyspace, table, columns)


def _cassandra_table(
    host: str, port: str | None, keyspace: str | None, table: str | None, columns: tuple[Column, ...]
) -> RdbmsDataset | None:
    """Name a table as over JDBC, except that a missing host is unknown instead of `localhost`."""
    if not keyspace or not table:
        return None
    if not host:
        return RdbmsDataset(rdbms_type="cassandra", database=keyspace, table=table, columns=columns)
    server = host if not port or re.search(r":\d+$", host) else f"{host}:{port}"
    return rdbms_table(f"jdbc:cassandra://{server}/{keyspace}", (table,), columns)


def _loaded_cassandra(table: CassandraTable, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    contact = _CONTACT.search(table.contact or "")
    host, port = (contact["name"] or contact["ip"] or "", contact["port"]) if contact else ("", None)
    return _cassandra_table(host, port, table.keyspace, table.table, columns)


_DATASTAX = "com.datastax.spark.connector.datasource."
_REDSHIFT = "io.github.spark_redshift_community.spark.redshift"

SOURCES = (
    connector("Snowflake", "sfURL and dbtable", snowflake, "snowflake", "net.snowflake.spark.snowflake"),
    connector(
        "BigQuery",
        "a table and its dataset",
        bigquery,
        "bigquery",
        "com.google.cloud.spark.bigquery",
        path_is_a_name=True,
    ),
    connector("Redshift", "url and dbtable", by_url, "redshift", "com.databricks.spark.redshift", _REDSHIFT),
    connector("Azure Synapse", "url and dbTable", synapse, "sqldw", "com.databricks.spark.sqldw"),
    connector(
        "ClickHouse",
        "host and table",
        clickhouse,
        "clickhouse",
        "com.clickhouse.spark",
        classes=("com.clickhouse.spark.", "xenon.clickhouse."),
    ),
    connector(
        "SingleStore",
        "ddlEndpoint and a table",
        singlestore,
        "singlestore",
        "com.singlestore.spark",
        "memsql",
        path_is_a_name=True,
    ),
    connector(
        "StarRocks",
        "starrocks.fe.jdbc.url and starrocks.table.identifier",
        starrocks,
        "starrocks",
        "starrocks_writer",
        classes=("com.starrocks.connector.spark.",),
    ),
    connector(
        "Cassandra",
        "keyspace and table",
        cassandra,
        "org.apache.spark.sql.cassandra",
        classes=("org.apache.spark.sql.cassandra.", _DATASTAX),
        catalogs=(_DATASTAX,),
        reads={CassandraTable: _loaded_cassandra},
    ),
)
