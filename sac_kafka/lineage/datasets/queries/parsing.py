"""Parses the queries that other systems run with sqlglot, where that is installed, in bounds: a parse is the worker's time."""

from __future__ import annotations

import importlib.util
import sys
import time
from dataclasses import dataclass
from functools import lru_cache

from sac_kafka.lineage.datasets.queries.found import FoundQuery, NotUnderstoodError

LONGEST = 20_000
"""Characters of a query that is parsed; its text does not travel beyond (`ForeignText.java`)."""
DEEPEST = 100
"""Brackets within brackets."""
MAX_RECURSION = 20_000
"""What Python may be told of recursion: beyond, a parse could use up the thread's stack."""
SLOW_SECONDS = 0.05
REMEMBERED = 500

MASKED = "***"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A query, None where it is not understood, and reasons to be counted."""

    query: FoundQuery | None
    counts: tuple[str, ...] = ()


def is_installed() -> bool:
    """True where queries can be parsed; imports nothing."""
    return importlib.util.find_spec("sqlglot") is not None


def parsed(text: str, dialect: str) -> Parsed:
    """What a query means in a dialect of sqlglot."""
    if len(text) > LONGEST or _depth(text) > DEEPEST or sys.getrecursionlimit() > MAX_RECURSION:
        return Parsed(None, ("query of a database not parsed: too long or too deep",))
    return _parsed(text, dialect)


@lru_cache(maxsize=REMEMBERED)
def _parsed(text: str, dialect: str) -> Parsed:
    try:
        import sqlglot

        from sac_kafka.lineage.datasets.queries.resolving import resolved
    except ImportError:
        return Parsed(None)
    query = None
    failed: tuple[str, ...] = ()
    started = time.thread_time()
    try:
        sqlglot.Dialect.get_or_raise(dialect)  # loaded by the first query, which is not slow for that
        started = time.thread_time()
        trees = [tree for tree in sqlglot.parse(text.replace(MASKED, "NULL"), read=dialect) if tree is not None]
        if len(trees) != 1:
            raise NotUnderstoodError("statements")
        query = resolved(trees[0], dialect)
    except (sqlglot.errors.SqlglotError, NotUnderstoodError, RecursionError) as e:
        failed = (f"query of a database not parsed: {type(e).__name__}",)
    slow = ("query of a database parsed slowly",) if time.thread_time() - started > SLOW_SECONDS else ()
    return Parsed(query, (*failed, *slow))


def _depth(text: str) -> int:
    """How deep brackets are within each other at most."""
    depth = deepest = 0
    for c in text:
        if c == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif c == ")":
            depth -= 1
    return deepest
