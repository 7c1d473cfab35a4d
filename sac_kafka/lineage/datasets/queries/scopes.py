"""Resolve the names in a query: relations of its FROM clause and of the enclosing queries, and common table expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sac_kafka.lineage.columns.combining import NO_SOURCES, Sources, through
from sac_kafka.lineage.datasets.queries.analyzed_query import AllColumns, Item, Output, UnknownColumns
from sac_kafka.lineage.model import Dependency

ABSENT = object()
"""Result of a lookup if no relation in the scope has the column."""


@dataclass(frozen=True, slots=True)
class FromItem:
    """A relation in FROM, identified by its alias, or by the parts of its name if it has none; in lower case."""

    alias: str
    items: tuple[Item, ...]
    path: tuple[str, ...] = ()

    def has_name(self, qualifier: tuple[str, ...]) -> bool:
        """Return True if a qualifier is the alias or a suffix of the name."""
        return qualifier == (self.alias,) or (bool(self.path) and self.path[-len(qualifier) :] == qualifier)

    def column(self, name: str) -> Sources | object | None:
        """Return the sources of a column; None if unknown, ABSENT if there is no such column."""
        named = [
            i for i in self.items if isinstance(i, Output) and i.name is not None and i.name.lower() == name.lower()
        ]
        if named:
            return named[0].sources
        wide = [i for i in self.items if not isinstance(i, Output)]
        return ABSENT if not wide else wide[0].sources_of(name) if len(wide) == 1 else None

    @property
    def has_names(self) -> bool:
        """True if all of its columns are known by name."""
        return all(isinstance(i, Output) for i in self.items)

    def is_value(self, name: str) -> bool:
        """Return True if the name is the alias of a function's result: `unnest(a) x`."""
        return self.alias == name.lower() and all(isinstance(i, UnknownColumns) for i in self.items)

    def has_column(self, name: str) -> bool:
        """Return True if the relation is known to have a column."""
        return any(isinstance(i, Output) and i.name is not None and i.name.lower() == name.lower() for i in self.items)


@dataclass(slots=True)
class QueryScope:
    """The names visible to one SELECT; `joined` are the columns merged by USING."""

    common: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    outer: QueryScope | None = None
    relations: list[FromItem] = field(default_factory=list)
    aliases: dict[str, Item] = field(default_factory=dict)
    joined: dict[str, Sources | None] = field(default_factory=dict)

    def column(self, qualifier: tuple[str, ...], name: str) -> Sources | None:
        """Return the sources of a column; None if unknown."""
        scope: QueryScope | None = self
        while scope is not None:
            found = scope._qualified(qualifier, name) if qualifier else scope._bare(name)
            if found is not ABSENT:
                return found  # type: ignore[return-value] # the object is ABSENT
            scope = scope.outer
        # Either a pseudo-column of the database, such as ROWNUM, or a field of a column named like the qualifier.
        if not qualifier:
            return NO_SOURCES
        whole = self.column((), qualifier[0])
        return None if whole is None else through(whole, Dependency.TRANSFORMATION)

    def all_of(self) -> list[Item]:
        """Return the columns of a star; those merged by USING come first, and once."""
        rest = [i for r in self.relations for i in r.items]
        joined = [Output(name, sources) for name, sources in self.joined.items()]
        return [*joined, *(i for i in rest if not (isinstance(i, Output) and (i.name or "").lower() in self.joined))]

    def _qualified(self, qualifier: tuple[str, ...], name: str) -> object:
        return next((r.column(name) for r in self.relations if r.has_name(qualifier)), ABSENT)

    def _bare(self, name: str) -> object:
        if name.lower() in self.joined:
            return self.joined[name.lower()]
        known = (
            [r for r in self.relations if r.has_column(name)]
            or [r for r in self.relations if r.is_value(name)]
            or [r for r in self.relations if not r.has_names]
        )
        if known:
            # The query is valid, so exactly one relation has the column; which one is unknown if there are several candidates.
            return known[0].column(name) if len(known) == 1 else None
        return ABSENT


def union(sources: Iterable[object]) -> Sources | None:
    """Combine sources; return None if any of them are unknown."""
    all_of: Sources = NO_SOURCES
    for each in sources:
        if each is None:
            return None
        if each is not ABSENT:
            all_of |= each  # type: ignore[operator] # the object is ABSENT
    return all_of


def table(name: str) -> tuple[Item, ...]:
    """Return the columns of a table."""
    return (AllColumns(name),)
