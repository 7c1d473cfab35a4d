"""How the columns of the output come about: which made which, and which decided the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

_LITERAL = re.compile(r"[?'…]|(?<!\w)\d")
"""What literals are shown as in an expression; behind the end of one that was cut there may be more."""


class Dependency(Enum):
    """How a source column bears on an output column. The first three are DIRECT: the value flows."""

    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"
    CONDITIONAL = "conditional"
    WINDOW = "window"
    JOIN = "join"
    FILTER = "filter"
    GROUP_BY = "group_by"
    SORT = "sort"

    @property
    def is_direct(self) -> bool:
        """True where the value of the source flows into the output."""
        return self in _DIRECT


_DIRECT = frozenset({Dependency.IDENTITY, Dependency.TRANSFORMATION, Dependency.AGGREGATION})


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """A column of an input dataset (`dataset` is its `key`) and how it is used."""

    dataset: str
    column: str
    dependency: Dependency


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLineage:
    """Where one column of the output dataset `dataset` (its `key`) comes from.

    `sources` is sorted and without duplicates; a column may be there several times, once a dependency. `expression` is
    the defining expression with literals as `?`, None for a plain copy.
    """

    dataset: str
    column: str
    sources: tuple[ColumnSource, ...]
    expression: str | None = None

    @property
    def values(self) -> tuple[ColumnSource, ...]:
        """The sources whose value flows into the column."""
        return tuple(s for s in self.sources if s.dependency.is_direct)

    @property
    def influences(self) -> tuple[ColumnSource, ...]:
        """The sources that decide which value there is: conditions, windows, what correlates a subquery."""
        return tuple(s for s in self.sources if not s.dependency.is_direct)


def are_copies(columns: Collection[ColumnLineage]) -> bool:
    """True where there are columns, each a plain copy: no value of anything else is in them."""
    return bool(columns) and all(c.sources and c.expression is None for c in columns)


def may_hold_literals(columns: Collection[ColumnLineage]) -> bool:
    """Return False where there are columns, and none has a literal in its expression: no value of a statement is in them.

    >>> of = (ColumnSource("in", "a", Dependency.TRANSFORMATION),)
    >>> def made_by(expression):
    ...     return [ColumnLineage(dataset="out", column="x", sources=of, expression=expression)]
    >>> [may_hold_literals(made_by(each)) for each in (None, "a + b2", "a + 2", "concat(a, ?)")]
    [False, False, True, True]
    """
    return not columns or not all(c.sources and not _LITERAL.search(c.expression or "") for c in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowClause:
    """A clause that decided which rows were written, or how they were grouped and sorted.

    `dependency` is JOIN, FILTER, GROUP_BY or SORT. `text` is its condition or its columns as SQL, literals as in
    `ColumnLineage.expression`, at most 1000 characters; a set operation or DISTINCT begins with its word. `sources` are
    the columns that it looks at, sorted, all under that dependency.
    """

    dependency: Dependency
    text: str
    sources: tuple[ColumnSource, ...] = ()
