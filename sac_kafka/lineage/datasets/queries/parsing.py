"""Parse queries of other systems with sqlglot, if installed; limits bound the time that the worker spends on a query."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import time
from dataclasses import dataclass
from functools import lru_cache

from sac_kafka.lineage.datasets.queries.analyzed_query import AnalyzedQuery, NotUnderstoodError

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


def is_installed() -> bool:
    """Return True if sqlglot is installed, without importing it."""
    return importlib.util.find_spec("sqlglot") is not None


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
