"""Expected lineage of a part of a query, known only from how it was put together.

The rules here are the meaning of SQL written a second time: nothing of the lineage engine is imported, and no plan is
looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DIRECT = ("identity", "transformation", "aggregation")
"""Kinds by which a value flows, the weakest first; all others only decide."""

Source = tuple[str, str, str]
"""Dataset, column, kind."""
Sources = frozenset[Source]
NONE: Sources = frozenset()


def through(sources: Iterable[Source], kind: str) -> Sources:
    """Sources seen through a use: what only decides stays so, of two flows the stronger one counts."""

    def seen(lower: str) -> str:
        if kind not in DIRECT:
            return kind
        return max(kind, lower, key=DIRECT.index) if lower in DIRECT else lower

    return frozenset((dataset, column, seen(lower)) for dataset, column, lower in sources)


@dataclass(frozen=True)
class Reads:
    """Further facts of a part: sources of the rows, datasets, statements that must run before."""

    rows: Sources = NONE
    datasets: frozenset[str] = frozenset()
    before: tuple[str, ...] = ()

    def __or__(self, other: Reads) -> Reads:
        before = tuple(dict.fromkeys((*self.before, *other.before)))
        return Reads(self.rows | other.rows, self.datasets | other.datasets, before)


NOTHING = Reads()


@dataclass(frozen=True)
class Value:
    """An expression; `name` is that of the column where it is just one.

    `extent` is what decides how many elements an array has, None where that is all it is made of.
    """

    sql: str
    type: str
    sources: Sources = NONE
    reads: Reads = NOTHING
    name: str | None = None
    extent: Sources | None = None


@dataclass(frozen=True)
class Column:
    """A column of a query, a table or a view."""

    name: str
    type: str
    sources: Sources = NONE


@dataclass(frozen=True)
class Query:
    """A query."""

    sql: str
    columns: tuple[Column, ...]
    reads: Reads = NOTHING


def made(template: str, type_: str, *parts: tuple[Value, str]) -> Value:
    """Return a value made of others, each used as its kind says; of an `extent` only how many elements there are."""
    reads = NOTHING
    for part, _ in parts:
        reads |= part.reads
    sources = NONE.union(*(_used(part, kind) for part, kind in parts))
    extent = NONE if template.startswith("array(") else None
    return Value(template.format(*(part.sql for part, _ in parts)), type_, sources, reads, extent=extent)


def extent_of(array: Value) -> Sources:
    """Return what decides how many elements an array has."""
    return array.sources if array.extent is None else array.extent


def _used(part: Value, kind: str) -> Sources:
    return through(extent_of(part), "transformation") if kind == "extent" else through(part.sources, kind)


def reads_of(*parts: Value | Query) -> Reads:
    """Return what parts bring along."""
    reads = NOTHING
    for part in parts:
        reads |= part.reads
    return reads


def deciding(kind: str, *values: Value) -> Reads:
    """Return what values bring along that decide about rows."""
    return reads_of(*values) | Reads(NONE.union(*(through(v.sources, kind) for v in values)))
