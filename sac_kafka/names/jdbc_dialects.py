"""Map kinds of JDBC URLs to the sqlglot dialects in which queries to these databases are parsed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

STANDARD = ""
"""The default dialect of sqlglot, for databases that it does not know and that are close to the SQL standard."""

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
"""Dialects by kind of URL and by `rdbms_type`. Queries to other databases are parsed by Spark's parser only."""

_LITERALS = {
    **dict.fromkeys(("bigquery", "databricks", "hive", "mysql", "spark"), "text"),
    "sqlite": "doubtful",
    "tsql": "brackets",
}


def is_installed() -> bool:
    """Return whether sqlglot is installed, without importing it."""
    return importlib.util.find_spec("sqlglot") is not None


def dialect_of(url: str) -> str | None:
    """Return the dialect of the database of a URL; None if unknown."""
    from sac_kafka.names.jdbc_urls import parse_jdbc_url

    where = parse_jdbc_url(url)
    return None if where is None else DIALECTS.get(where.rdbms_type)


def captured_kinds() -> dict[str, str]:
    """Return the kinds of URLs whose queries the listener may capture, with the meaning of quotes in their SQL.

    "text": double quotes enclose literals; "doubtful": they may; "names": they enclose names; "brackets": so do brackets;
    "wrapper": the kind is the next part of the URL.
    """
    from sac_kafka.names.jdbc_forms import WRAPPERS

    return {**{kind: _LITERALS.get(d, "names") for kind, d in DIALECTS.items()}, **dict.fromkeys(WRAPPERS, "wrapper")}
