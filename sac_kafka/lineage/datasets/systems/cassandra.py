"""Identify Cassandra tables of the catalog and of the format `org.apache.spark.sql.cassandra`."""

from __future__ import annotations

import re

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.jdbc_urls import rdbms_table
from sac_kafka.lineage.datasets.systems.others import first, host_of
from sac_kafka.lineage.datasets.systems.source import Source, SourceOptions
from sac_kafka.lineage.model import Column, RdbmsDataset
from sac_kafka.plan.systems.stores import CassandraTable

_CONTACT = re.compile(r"(?<![\w.-])(?P<name>[\w.-]*)/(?:<unresolved>|(?P<ip>[\w.:]+?)):(?P<port>\d+)")
"""A server in the format of Java's `InetSocketAddress`: `db1/10.0.0.1:9042`, `/10.0.0.1:9042`, `db1/<unresolved>:9042`."""


def cassandra(options: SourceOptions, columns: tuple[Column, ...]) -> RdbmsDataset | None:
    """Name a table by `keyspace` and `table`, and by the server if an option contains it."""
    keyspace, table = first(options, "keyspace"), first(options, "table")
    host = host_of(first(options, "spark.cassandra.connection.host"))
    return _named(host, first(options, "spark.cassandra.connection.port"), keyspace, table, columns)


def _named(
    host: str, port: str | None, keyspace: str | None, table: str | None, columns: tuple[Column, ...]
) -> RdbmsDataset | None:
    """Name a table as over JDBC, except that a missing host is unknown instead of `localhost`."""
    if not keyspace or not table:
        return None
    if not host:
        return RdbmsDataset(rdbms_type="cassandra", database=keyspace, table=table, columns=columns)
    server = host if not port or re.search(r":\d+$", host) else f"{host}:{port}"
    return rdbms_table(f"jdbc:cassandra://{server}/{keyspace}", (table,), columns)


def _reading(found: CassandraTable, columns: tuple[Column, ...]) -> Reading | None:
    contact = _CONTACT.search(found.contact or "")
    host, port = (contact["name"] or contact["ip"] or "", contact["port"]) if contact else ("", None)
    return reading_of(_named(host, port, found.keyspace, found.table, columns))


_DATASTAX = "com.datastax.spark.connector.datasource."

SOURCES = (
    Source(
        names=frozenset({"org.apache.spark.sql.cassandra"}),
        classes=("org.apache.spark.sql.cassandra.", _DATASTAX),
        catalogs=(_DATASTAX,),
        reads={CassandraTable: _reading},
        dataset=cassandra,
        unnamed="sink not understood: Cassandra without keyspace and table",
    ),
)
