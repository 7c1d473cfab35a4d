"""Databases over JDBC."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class

_X = "org.apache.spark.sql.execution.datasources"


@spark_class("sackafka.ForeignQuery")
class ForeignQuery:
    """What Spark's parser found in the query of a JDBC read; of its text nothing travels but names.

    `tables` are the names that it reads, by their parts. Where the query selects columns of one table, `base` is that
    table and `select` says what each column is: ("*",) or (name, "=" for a copy or "~" for an expression, columns of
    the base …). `decides_rows` is False where it takes the rows of one table as they are.
    """

    tables: tuple[tuple[str, ...], ...]
    base: tuple[str, ...]
    select: tuple[tuple[str, ...], ...]
    decides_rows: bool = accessor("decidesRows", default=True)


@spark_class(f"{_X}.jdbc.JDBCRelation")
class JDBCRelation:
    """A table or query of a database. `table` is the option `dbtable` where that is a name, else `query` is there.

    Both are None where Spark's parser does not understand the query. `query_text` is its text without literals, where
    somebody reads it and it is certain what its literals are (`ForeignText.java`).
    """

    url: str = accessor("jdbcOptions.url", default="")
    table: str | None = accessor("jdbcOptions.@tableName", default=None)
    query: ForeignQuery | None = accessor("jdbcOptions.@query", default=None)
    query_text: str | None = accessor("jdbcOptions.@queryText", default=None)


@spark_class(f"{_X}.v2.jdbc.JDBCTable")
class JDBCTable:
    """A table of a JDBC catalog. `table` and `query` as in `JDBCRelation`."""

    url: str = accessor("jdbcOptions.url", default="")
    table: str | None = accessor("jdbcOptions.@tableName", default=None)
    query: ForeignQuery | None = accessor("jdbcOptions.@query", default=None)
