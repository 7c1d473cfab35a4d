"""Identify reads over JDBC: a table, or the tables of a query that the database executes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from sac_kafka.lineage.datasets.queries.parsing import AnalyzedQuery, parse_query
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.source import SourceOptions, connector
from sac_kafka.model import Column, Dataset, Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.model.gaps import CONDITIONS_UNKNOWN
from sac_kafka.names.jdbc_dialects import dialect_of
from sac_kafka.names.jdbc_urls import named_table, rdbms_table
from sac_kafka.plan.systems.jdbc import ForeignQuery, JDBCRelation, JDBCTable

_NOT_COLUMNS = frozenset({"current_date", "current_timestamp", "current_user", "session_user"})
"""Functions without parentheses, which Spark's parser treats as column names."""
_WITHHELD = "?"
"""The name in double quotes that may be a literal, and stays in the driver (`ForeignText.java`)."""
_UNKNOWN_COLUMNS = "columns not known: they come out of a query that the database runs"


def jdbc_reading(relation: JDBCRelation | JDBCTable, columns: tuple[Column, ...]) -> Reading | None:
    """Return the reading of a table or a query; None if the URL is not one of JDBC."""
    if relation.table is not None:
        return reading_of(named_table(relation.url, relation.table, columns))
    counts: tuple[str, ...] = ()
    dialect = dialect_of(relation.url)
    text = getattr(relation, "query_text", None)
    if text is not None and dialect is not None:
        read = parse_query(text, dialect)
        counts = read.counts
        if read.query is not None and not any(_WITHHELD in name for name in read.query.tables):
            return _read_by_sqlglot(relation.url, read.query, columns, counts)
    if relation.query is None:
        return Reading(counts=(*counts, "query of a JDBC source not understood"))
    return _read_by_spark(relation.url, relation.query, columns, counts)


def _read_by_sqlglot(url: str, query: AnalyzedQuery, columns: tuple[Column, ...], counts: tuple[str, ...]) -> Reading:
    """Return the reading of a query that was parsed in the database's own dialect."""
    bare = {name: named_table(url, name) for name in query.tables}
    keys = {name: table.key for name, table in bare.items() if table is not None}
    understood = query.columns([c.name for c in columns])
    sources_by_name = {
        n: _rename(sources, keys) for n, sources in understood.items() if all(s.column != _WITHHELD for s in sources)
    }
    datasets = tuple(
        replace(t, columns=_copied_columns(t.key, sources_by_name, columns))
        for t in dict.fromkeys(bare.values())
        if t is not None
    )
    clauses = tuple(replace(c, sources=_rename(c.sources, keys)) for c in query.clauses)
    are_withheld = any(s.column == _WITHHELD for c in query.clauses for s in c.sources)
    reasons = [] if all(c.name.lower() in sources_by_name for c in columns) else [_UNKNOWN_COLUMNS]
    reasons += [CONDITIONS_UNKNOWN] if are_withheld else []
    return Reading(datasets=datasets, made_of=sources_by_name, clauses=clauses, counts=(*counts, *reasons))


def _rename(sources: Sources, keys: Mapping[str, str]) -> Sources:
    return frozenset(
        replace(s, dataset=keys[s.dataset]) for s in sources if s.dataset in keys and s.column != _WITHHELD
    )


def _copied_columns(
    key: str, sources_by_name: Mapping[str, Sources], columns: tuple[Column, ...]
) -> tuple[Column, ...]:
    """Return the columns of a table that the query copies, as their types are known."""
    copied: dict[str, Column] = {}
    for column in columns:
        sources = sources_by_name.get(column.name.lower(), NO_SOURCES)
        for s in sources if len(sources) == 1 else ():
            if s.dataset == key and s.dependency is Dependency.IDENTITY:
                copied.setdefault(s.column, replace(column, name=s.column))
    return tuple(copied.values())


def _read_by_spark(url: str, query: ForeignQuery, columns: tuple[Column, ...], counts: tuple[str, ...]) -> Reading:
    """Return the reading of a query that Spark's parser analyzed: columns only as far as the SELECT list identifies them."""
    sources_by_name = {c.name.lower(): _base_columns(c.name, query.select) for c in columns}
    known = {name: sources for name, sources in sources_by_name.items() if sources is not None} if query.base else {}
    types = {sources[0][0].lower(): c for c in columns if (sources := known.get(c.name.lower())) and _is_copy(sources)}
    datasets = []
    base = None
    for name in query.tables:
        own = (
            tuple(replace(types[k], name=known[types[k].name.lower()][0][0]) for k in types)
            if name == query.base
            else ()
        )
        table = rdbms_table(url, name, own)
        if table is not None:
            datasets.append(table)
            base = table.key if name == query.base else base
    unknown = [c.name for c in columns if c.name.lower() not in known]
    reasons = (
        *((_UNKNOWN_COLUMNS,) if unknown else ()),
        *((CONDITIONS_UNKNOWN,) if query.decides_rows else ()),
    )
    return Reading(datasets=tuple(datasets), base=base, columns=known, counts=(*counts, *reasons))


def _is_copy(sources: Sequence[tuple[str, Dependency]]) -> bool:
    return len(sources) == 1 and sources[0][1] is Dependency.IDENTITY


def _base_columns(name: str, select: Sequence[Sequence[str]]) -> tuple[tuple[str, Dependency], ...] | None:
    """Return the columns of the base table on which a query's column depends; None if unknown."""
    for item in select:
        if item[0].lower() == name.lower() and len(item) > 1:
            use = Dependency.IDENTITY if item[1] == "=" else Dependency.TRANSFORMATION
            return tuple((column, use) for column in item[2:] if column.lower() not in _NOT_COLUMNS)
    return ((name, Dependency.IDENTITY),) if any(item[0] == "*" for item in select) else None


def _identify(options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
    name = options.get("dbtable")
    return named_table(options.get("url", ""), name, columns) if name else None


def _at_host(subprotocol: str, options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
    """Name a table by `host`, `port`, `database` and `dbtable`, the options of Databricks' formats named after a database."""
    host, database = options.get("host"), options.get("database")
    if options.get("url") or not host or not database:
        return _identify(options, columns)
    place = f"{host}:{options['port']}" if options.get("port") else host
    path = f";databaseName={{{database}}}" if subprotocol == "sqlserver" else f"/{quote(database, safe='')}"
    return _identify({**options, "url": f"jdbc:{subprotocol}://{place}{path}"}, columns)


_X = "org.apache.spark.sql.execution.datasources"
_JDBC = ("JDBC", "a URL and a table")

SOURCES = (
    connector(
        *_JDBC,
        _identify,
        "jdbc",
        "org.apache.spark.sql.jdbc",
        classes=(f"{_X}.jdbc.",),
        catalogs=(f"{_X}.v2.jdbc.",),
        reads={JDBCRelation: jdbc_reading, JDBCTable: jdbc_reading},
    ),
    connector(*_JDBC, _identify, "com.microsoft.sqlserver.jdbc.spark"),
    *(connector(*_JDBC, partial(_at_host, name), name) for name in ("sqlserver", "postgresql", "mysql")),
)
