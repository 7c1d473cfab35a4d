"""Find the columns of dbt models in their compiled SQL: only those whose sources the query proves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sac_kafka.lineage.datasets.queries.parsing import AnalyzedQuery, OutputItem, is_installed, parse_query
from sac_kafka.model import ColumnLineage, ColumnSource, Dataset, RowClause
from sac_kafka.model.columns import Sources
from sac_kafka.model.gaps import CONDITIONS_UNKNOWN, INPUTS_UNKNOWN
from sac_kafka.openlineage.sql_text import mask_sql

_UNKNOWN = "columns not known: they come out of a query that the database runs"
_IS_NOT_INSTALLED = "columns not known: sqlglot is not installed (pip install 'sac-kafka[sql]')"


@dataclass(frozen=True, slots=True)
class QueryLineage:
    """The lineage of a query: the tables that it reads, its columns, and the clauses that decide its rows."""

    tables: tuple[Dataset, ...] = ()
    columns: tuple[ColumnLineage, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    gaps: tuple[str, ...] = ()

    def without(self, key: str) -> QueryLineage:
        """Return the lineage without what is read of the dataset with this key."""
        columns = [(column, _others(column.sources, key)) for column in self.columns]
        clauses = [(clause, _others(clause.sources, key)) for clause in self.clauses]
        return replace(
            self,
            tables=tuple(table for table in self.tables if table.key != key),
            columns=tuple(replace(column, sources=sources) for column, sources in columns),
            clauses=tuple(replace(clause, sources=sources) for clause, sources in clauses if sources),
        )


def _others(sources: Sequence[ColumnSource], key: str) -> tuple[ColumnSource, ...]:
    return tuple(source for source in sources if source.dataset != key)


def query_lineage(
    sql: str, dialect: str, output: Dataset, names: Sequence[str], dataset: Callable[[str], Dataset | None]
) -> QueryLineage:
    """Return the lineage of a query.

    Args:
        sql: The query; "" if it is unknown.
        dialect: Its dialect of sqlglot.
        output: The dataset that its rows are written to.
        names: The columns of the output, in order; empty if they are not known.
        dataset: Returns the dataset of a table by its name in SQL; None if it is unknown.
    """
    if not is_installed():
        return QueryLineage(gaps=(_IS_NOT_INSTALLED, CONDITIONS_UNKNOWN))
    query = parse_query(sql, dialect).query if sql else None
    if query is None:
        return QueryLineage(gaps=(_UNKNOWN, CONDITIONS_UNKNOWN))
    known = {name: found for name in query.tables if (found := dataset(name)) is not None}
    columns = names or _own_names(query)
    sources = query.columns(columns)
    lineage = tuple(
        ColumnLineage(dataset=output.key, column=name, sources=renamed)
        for name in columns
        if (made := sources.get(name.lower())) is not None and (renamed := _renamed(made, known)) is not None
    )
    clauses = tuple(
        RowClause(dependency=each.kind, text=mask_sql(each.text(), dialect), sources=_sorted(used))
        for each in query.clauses
        if (used := _in_datasets(each.sources, known))
    )
    unknown = tuple(f"{INPUTS_UNKNOWN}{name}" for name in query.tables if name not in known)
    is_whole = columns and len(lineage) == len(columns)
    return QueryLineage(tuple(known.values()), lineage, clauses, (*unknown, *(() if is_whole else (_UNKNOWN,))))


def _own_names(query: AnalyzedQuery) -> tuple[str, ...]:
    """Return the names of a query's columns; empty if the database chooses one of them, or a star stands for some."""
    names = [each.name for each in query.items if isinstance(each, OutputItem)]
    return tuple(name for name in names if name) if len(names) == len(query.items) and all(names) else ()


def _renamed(sources: Sources, known: Mapping[str, Dataset]) -> tuple[ColumnSource, ...] | None:
    """Return sources with the keys of datasets; None if a table is unknown, or has no column of that name."""
    found = _in_datasets(sources, known)
    return _sorted(found) if len(found) == len(sources) else None


def _in_datasets(sources: Sources, known: Mapping[str, Dataset]) -> set[ColumnSource]:
    """Return the sources of known tables. With known columns, each source has their spelling."""
    found = set()
    for each in sources:
        table = known.get(each.dataset)
        if table is None:
            continue
        spelt = {column.name.lower(): column.name for column in table.columns}
        name = spelt.get(each.column.lower()) if spelt else each.column
        if name is not None:
            found.add(ColumnSource(table.key, name, each.dependency))
    return found


def _sorted(sources: set[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(sources, key=lambda each: (each.dataset, each.column, each.dependency.value)))
