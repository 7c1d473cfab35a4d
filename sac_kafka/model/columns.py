"""Column lineage: the sources of each output column, and the columns that decide the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

_LITERAL = re.compile(r"[?'…]|(?<!\w)\d")
"""Traces of literals in a rendered expression: a masked literal, a number, or `…`, as the truncated rest may contain some."""
_DIRECT = frozenset({"identity", "transformation", "aggregation"})


class Dependency(Enum):
    """How an output column depends on a source column. The first three are DIRECT: the value flows."""

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
        """True if the value of the source flows into the output."""
        return self.value in _DIRECT


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """A column of an input dataset (`dataset` is its `key`) and how it is used."""

    dataset: str
    column: str
    dependency: Dependency


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLineage:
    """The sources of one column of the output dataset `dataset` (its `key`).

    `sources` is sorted and without duplicates; a source column occurs once per dependency. `expression` is the defining
    expression with literals as `?`, None for a plain copy.
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
        """The sources that only decide the value: conditions, windows, correlation of a subquery."""
        return tuple(s for s in self.sources if not s.dependency.is_direct)


def are_copies(columns: Collection[ColumnLineage]) -> bool:
    """Return True if there are columns and each is a plain copy."""
    return bool(columns) and all(c.sources and c.expression is None for c in columns)


def may_hold_literals(columns: Collection[ColumnLineage]) -> bool:
    """Return False if there are columns and none of their expressions contains a literal.

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

    `dependency` is JOIN, FILTER, GROUP_BY or SORT. `text` is its condition or its columns as SQL, at most 1000 characters,
    with literals as in `ColumnLineage.expression`; the text of a set operation or DISTINCT begins with its keyword.
    `sources` are the columns used by the clause, sorted, all with that dependency.
    """

    dependency: Dependency
    text: str
    sources: tuple[ColumnSource, ...] = ()


Sources = frozenset[ColumnSource]
NO_SOURCES: Sources = frozenset()

_STRENGTH = {Dependency.IDENTITY: 0, Dependency.TRANSFORMATION: 1, Dependency.AGGREGATION: 2}


def combine(upper: Dependency, lower: Dependency) -> Dependency:
    """Return the dependency along a path: INDIRECT if either part is, else the stronger one."""
    if not upper.is_direct:
        return upper
    if not lower.is_direct:
        return lower
    return upper if _STRENGTH[upper] >= _STRENGTH[lower] else lower


def through(sources: Sources, upper: Dependency) -> Sources:
    """Return the sources of a value as seen by an expression that uses the value as `upper`."""
    if upper is Dependency.IDENTITY:
        return sources
    return frozenset(ColumnSource(s.dataset, s.column, combine(upper, s.dependency)) for s in sources)
