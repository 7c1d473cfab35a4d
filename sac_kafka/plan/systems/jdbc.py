"""Declare relations of databases that are read over JDBC."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class

_X = "org.apache.spark.sql.execution.datasources"


@spark_class("sackafka.ForeignQuery")
class ForeignQuery:
    """The structure of a JDBC read's query, as found by Spark's parser; only names are projected, not the text.

    Attributes:
        tables: The names of the tables that it reads, by their parts.
        base: The table, if the query selects columns of a single one.
        select: The columns of `base`: ("*",) or (name, "=" for a copy or "~" for an expression, columns of `base` …).
        decides_rows: False if it returns all rows of one table unchanged.
    """

    tables: tuple[tuple[str, ...], ...]
    base: tuple[str, ...]
    select: tuple[tuple[str, ...], ...]
    decides_rows: bool = accessor("decidesRows", default=True)


@spark_class(f"{_X}.jdbc.JDBCRelation", f"{_X}.jdbc.JDBCRDD")
class JDBCRelation:
    """A table or query of a database, as a relation or an RDD.

    `table` is the option `dbtable` if that is a name; otherwise `query` is set. Both are None if Spark's parser does not
    understand the query. `query_text` is its text without literals, set if it is needed and its literals are recognised with
    certainty (`ForeignText.java`).
    """

    url: str = accessor("jdbcOptions.url|#options.url", default="")
    table: str | None = accessor("jdbcOptions.@tableName|#options.@tableName", default=None)
    query: ForeignQuery | None = accessor("jdbcOptions.@query|#options.@query", default=None)
    query_text: str | None = accessor("jdbcOptions.@queryText|#options.@queryText", default=None)


@spark_class(f"{_X}.v2.jdbc.JDBCTable")
class JDBCTable:
    """A table of a JDBC catalog. `table` and `query` are as in `JDBCRelation`."""

    url: str = accessor("jdbcOptions.url", default="")
    table: str | None = accessor("jdbcOptions.@tableName", default=None)
    query: ForeignQuery | None = accessor("jdbcOptions.@query", default=None)
