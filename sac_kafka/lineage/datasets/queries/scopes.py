"""What the names in a query stand for: the relations of its FROM, of the query around it, and its CTEs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sac_kafka.lineage.columns.combining import NO_SOURCES, Sources, through
from sac_kafka.lineage.datasets.queries.found import AllOf, Item, Output, SomeOf
from sac_kafka.lineage.model import Dependency

ABSENT = object()
"""No relation here has the column."""


@dataclass(frozen=True, slots=True)
class FromItem:
    """What stands in FROM: by its alias, and by the parts of its name where it has none; in small letters."""

    alias: str
    items: tuple[Item, ...]
    path: tuple[str, ...] = ()

    def is_called(self, qualifier: tuple[str, ...]) -> bool:
        """True for its alias, and for the end of its name."""
        return qualifier == (self.alias,) or (bool(self.path) and self.path[-len(qualifier) :] == qualifier)

    def column(self, name: str) -> Sources | object | None:
        """What a column is made of: None where nobody knows, ABSENT where there is none of that name."""
        named = [
            i for i in self.items if isinstance(i, Output) and i.name is not None and i.name.lower() == name.lower()
        ]
        if named:
            return named[0].sources
        wide = [i for i in self.items if not isinstance(i, Output)]
        return ABSENT if not wide else wide[0].of(name) if len(wide) == 1 else None

    @property
    def has_names(self) -> bool:
        """True where all its columns are known by name."""
        return all(isinstance(i, Output) for i in self.items)

    def is_value(self, name: str) -> bool:
        """True for what a function hands out under its alias: `unnest(a) x`."""
        return self.alias == name.lower() and all(isinstance(i, SomeOf) for i in self.items)

    def names(self, name: str) -> bool:
        """True where it is known to have a column."""
        return any(isinstance(i, Output) and i.name is not None and i.name.lower() == name.lower() for i in self.items)


@dataclass(slots=True)
class QueryScope:
    """What one SELECT sees."""

    common: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    outer: QueryScope | None = None
    relations: list[FromItem] = field(default_factory=list)
    aliases: dict[str, Item] = field(default_factory=dict)
    joined: dict[str, Sources | None] = field(default_factory=dict)  # columns of USING

    def column(self, qualifier: tuple[str, ...], name: str) -> Sources | None:
        """What a column is made of; None where nobody knows."""
        scope: QueryScope | None = self
        while scope is not None:
            found = scope._qualified(qualifier, name) if qualifier else scope._bare(name)
            if found is not ABSENT:
                return found  # type: ignore[return-value] # the object is ABSENT
            scope = scope.outer
        # A field of a column of that name, or a column that the database has of its own, as ROWNUM.
        if not qualifier:
            return NO_SOURCES
        whole = self.column((), qualifier[0])
        return None if whole is None else through(whole, Dependency.TRANSFORMATION)

    def all_of(self) -> list[Item]:
        """What a star stands for: columns of USING once, and first."""
        rest = [i for r in self.relations for i in r.items]
        joined = [Output(name, sources) for name, sources in self.joined.items()]
        return [*joined, *(i for i in rest if not (isinstance(i, Output) and (i.name or "").lower() in self.joined))]

    def _qualified(self, qualifier: tuple[str, ...], name: str) -> object:
        return next((r.column(name) for r in self.relations if r.is_called(qualifier)), ABSENT)

    def _bare(self, name: str) -> object:
        if name.lower() in self.joined:
            return self.joined[name.lower()]
        known = (
            [r for r in self.relations if r.names(name)]
            or [r for r in self.relations if r.is_value(name)]
            or [r for r in self.relations if not r.has_names]
        )
        if known:
            # The query did run, so that just one has it; which one is not known of tables.
            return known[0].column(name) if len(known) == 1 else None
        return ABSENT


def union(sources: Iterable[object]) -> Sources | None:
    """All of them; None where nobody knows one."""
    all_of: Sources = NO_SOURCES
    for each in sources:
        if each is None:
            return None
        if each is not ABSENT:
            all_of |= each  # type: ignore[operator] # the object is ABSENT
    return all_of


def table(name: str) -> tuple[Item, ...]:
    """The columns of a table."""
    return (AllOf(name),)
