"""The SQL of databases: the dialect of sqlglot that reads the queries which one runs, by the kind of its URL."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.datasets.systems.jdbc_forms import WRAPPERS
from sac_kafka.lineage.datasets.systems.jdbc_urls import read_url

STANDARD = ""
"""The SQL that sqlglot reads by itself: for databases that it does not know, and that are near the standard."""

DIALECTS: Mapping[str, str] = {
    "as400": STANDARD,
    "athena": "athena",
    "awsathena": "athena",
    "bigquery": "bigquery",
    "ch": "clickhouse",
    "clickhouse": "clickhouse",
    "cockroachdb": "postgres",
    "databricks": "databricks",
    "db2": STANDARD,
    "derby": STANDARD,
    "duckdb": "duckdb",
    "exa": "exasol",
    "exasol": "exasol",
    "greenplum": "postgres",
    "h2": STANDARD,
    "hive2": "hive",
    "hsqldb": STANDARD,
    "impala": "hive",
    "mariadb": "mysql",
    "mysql": "mysql",
    "mysql+srv": "mysql",
    "netezza": "postgres",
    "oracle": "oracle",
    "postgresql": "postgres",
    "presto": "presto",
    "redshift": "redshift",
    "sap": STANDARD,
    "saphana": STANDARD,
    "snowflake": "snowflake",
    "spark": "databricks",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "teradata": "teradata",
    "tidb": "mysql",
    "trino": "trino",
    "vertica": "postgres",
    "yugabytedb": "postgres",
}
"""Kinds of URLs, and what datasets call them. What is not here is read by Spark's parser only."""

_LITERALS = {
    **dict.fromkeys(("bigquery", "databricks", "hive", "mysql", "spark"), "text"),
    "sqlite": "doubtful",
    "tsql": "brackets",
}


def dialect_of(url: str) -> str | None:
    """The dialect of the database of a URL; None where nobody knows it."""
    where = read_url(url)
    return None if where is None else DIALECTS.get(where.rdbms_type)


def travelling_kinds() -> dict[str, str]:
    """The kinds of URLs to databases whose queries may travel, and what tells literals from names in their SQL.

    "text": double quotes are around literals, "doubtful": they may be, "names": they are not; "brackets": names stand in
    those, too; "wrapper": the kind is the next part of the URL.
    """
    return {**{kind: _LITERALS.get(d, "names") for kind, d in DIALECTS.items()}, **dict.fromkeys(WRAPPERS, "wrapper")}
