"""Parse queries of other systems with sqlglot, if installed, into their tables, columns and clauses.

Limits bound the time that the worker spends on a query.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sac_kafka.lineage.columns.output_columns import Clauses
from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.model.columns import Sources
from sac_kafka.names.jdbc_dialects import is_installed as is_installed


class NotUnderstoodError(Exception):
    """The text is not a query, or uses an unsupported feature."""


@dataclass(frozen=True, slots=True)
class OutputItem:
    """An output column of a query. `name` is None if the database generates it, `sources` if they are unknown."""

    name: str | None
    sources: Sources | None

    def sources_of(self, name: str) -> Sources | None:
        """Return the sources of the column; the name is ignored."""
        del name
        return self.sources


@dataclass(frozen=True, slots=True)
class AllColumns:
    """All columns of a table whose columns are unknown."""

    table: str

    def sources_of(self, name: str) -> Sources | None:
        """Return the sources of the table's column with that name."""
        return frozenset({ColumnSource(self.table, name, Dependency.IDENTITY)})


@dataclass(frozen=True, slots=True)
class UnknownColumns:
    """Columns of unknown number and names with common sources; None if these are unknown as well."""

    sources: Sources | None

    def sources_of(self, name: str) -> Sources | None:
        """Return the common sources; the name is ignored."""
        del name
        return self.sources


Item = OutputItem | AllColumns | UnknownColumns
"""One or several columns in a SELECT list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzedQuery:
    """An analyzed query. `tables`, and `dataset` in its sources, are names as written in SQL, with quotes if any."""

    tables: tuple[str, ...]
    items: tuple[Item, ...]
    clauses: Clauses

    def columns(self, names: Sequence[str]) -> Mapping[str, Sources]:
        """Return the sources of the columns that Spark reads, by lower-case name, without columns of unknown sources."""
        items = self._by_position(names)
        paired = zip(names, items, strict=True) if items else ((name, self._by_name(name)) for name in names)
        sources_by_name = {name.lower(): item.sources_of(name) for name, item in paired if item is not None}
        return {name: sources for name, sources in sources_by_name.items() if sources is not None}

    def _by_position(self, names: Sequence[str]) -> list[Item] | None:
        """Return the item of each column by position; None if positions and names contradict each other."""
        wide = [i for i, item in enumerate(self.items) if not isinstance(item, OutputItem)]
        spread = len(names) - len(self.items) + 1 if wide else 0
        if len(wide) > 1 or spread < 0 or (not wide and len(names) != len(self.items)):
            return None
        items: list[Item] = []
        for i, item in enumerate(self.items):
            items += [item] * (spread if i in wide else 1)
        is_consistent = all(_may_have_name(item, name) for item, name in zip(items, names, strict=True))
        return items if is_consistent else None

    def _by_name(self, name: str) -> Item | None:
        same = [i for i in self.items if isinstance(i, OutputItem) and i.name is not None and _may_have_name(i, name)]
        wide = [i for i in self.items if not isinstance(i, OutputItem)]
        return same[0] if len(same) == 1 else wide[0] if not same and len(wide) == 1 else None


def _may_have_name(item: Item, name: str) -> bool:
    return not isinstance(item, OutputItem) or item.name is None or item.name.lower() == name.lower()


MAX_LENGTH = 20_000
"""Maximum number of characters of a parsed query; the listener omits longer texts (`ForeignText.java`)."""
MAX_DEPTH = 100
"""Maximum nesting of parentheses."""
MAX_RECURSION = 20_000
"""Maximum recursion limit of the interpreter: with a higher one, parsing could overflow the thread's stack."""
SLOW_SECONDS = 0.05
"""CPU time from which a parse is counted as slow."""
CACHE_SIZE = 500
"""Number of cached queries."""

MASKED = "***"
"""Text by which the listener replaces literals."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An analyzed query, None if it is not understood, and the reasons to be counted."""

    query: AnalyzedQuery | None
    counts: tuple[str, ...] = ()


def parse_query(text: str, dialect: str) -> Parsed:
    """Parse and analyze a query in a dialect of sqlglot."""
    if len(text) > MAX_LENGTH or _depth(text) > MAX_DEPTH or sys.getrecursionlimit() > MAX_RECURSION:
        return Parsed(None, ("query of a database not parsed: too long or too deep",))
    return _parse(text, dialect)


@lru_cache(maxsize=CACHE_SIZE)
def _parse(text: str, dialect: str) -> Parsed:
    try:
        import sqlglot

        from sac_kafka.lineage.datasets.queries.resolving import analyze
    except ImportError:
        return Parsed(None)
    if "from_" not in sqlglot.exp.Select.arg_types:  # it is `from` before 28: all tables would be missed
        return Parsed(None, ("query of a database not parsed: sqlglot is older than 28",))
    query = None
    failed: tuple[str, ...] = ()
    started = time.thread_time()
    try:
        sqlglot.Dialect.get_or_raise(dialect)  # load the dialect before measuring
        started = time.thread_time()
        trees = [tree for tree in sqlglot.parse(text.replace(MASKED, "NULL"), read=dialect) if tree is not None]
        if len(trees) != 1:
            raise NotUnderstoodError("statements")
        query = analyze(trees[0], dialect)
    except (sqlglot.errors.SqlglotError, NotUnderstoodError, RecursionError) as e:
        failed = (f"query of a database not parsed: {type(e).__name__}",)
    slow = ("query of a database parsed slowly",) if time.thread_time() - started > SLOW_SECONDS else ()
    return Parsed(query, (*failed, *slow))


def _depth(text: str) -> int:
    """Return the maximum nesting of parentheses."""
    return max(itertools.accumulate((c == "(") - (c == ")") for c in text), default=0)
