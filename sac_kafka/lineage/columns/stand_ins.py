"""Columns that are not known yet stand for themselves among sources, until the node above puts in their place what they are.

Such are the columns of the query around a subquery, by exprId, and those of the loop that a recursion is in, by position; and
what a column of some rows was made of, where only their datasets are known. A stand-in is a source of a dataset whose key
no dataset has; how it is written is known here only.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.columns.combining import Sources, through
from sac_kafka.lineage.model import ColumnSource, Dependency

_MARK = "?"
_OUTER = f"{_MARK}outer"
_UNKNOWN = f"{_MARK}unknown"


def outer_column(expr_id: int) -> Sources:
    """A column of the query around."""
    return _stand_in(_OUTER, expr_id)


def loop_column(loop: int, position: int) -> Sources:
    """A column of a loop."""
    return _stand_in(_loop(loop), position)


def unknown(because: str) -> Sources:
    """Of a column of rows whose datasets alone are known, and why: it comes from some columns of these, or from none."""
    return _stand_in(_UNKNOWN, because)


def is_unknown(sources: Sources) -> bool:
    """True where nothing is known of all that a column is made of, so that it cannot be said to come from no other."""
    return bool(unknown_because(sources)) and not resolved(sources)


def unknown_because(sources: Sources) -> frozenset[str]:
    """Why something of all that a column is made of is not known; nothing where all is."""
    return frozenset(s.column for s in sources if s.dataset == _UNKNOWN)


def with_outer(sources: Sources, known: Mapping[int, Sources]) -> Sources:
    """The sources of a subquery's value, with the columns of the query around it in their place."""
    return _substituted(sources, _OUTER, known)


def with_loop(sources: Sources, loop: int, known: Mapping[int, Sources]) -> Sources:
    """The sources of what a recursion makes, with the loop's columns in their place."""
    return _substituted(sources, _loop(loop), known)


def split_outer(sources: Sources) -> tuple[Sources, frozenset[int]]:
    """The sources without those that stand for columns of the query around; and the exprIds of these."""
    outer = frozenset(s for s in sources if s.dataset == _OUTER)
    return sources - outer, frozenset(int(s.column) for s in outer)


def resolved(sources: Sources) -> Sources:
    """The sources without those that stand for something that was not found."""
    return frozenset(s for s in sources if not s.dataset.startswith(_MARK))


def is_stand_in(dataset: str) -> bool:
    """True for what is no dataset's key."""
    return dataset.startswith(_MARK)


def _loop(loop: int) -> str:
    return f"{_MARK}loop{loop}"


def _stand_in(dataset: str, what: object) -> Sources:
    return frozenset({ColumnSource(dataset, str(what), Dependency.IDENTITY)})


def _substituted(sources: Sources, dataset: str, known: Mapping[int, Sources]) -> Sources:
    found = frozenset(s for s in sources if s.dataset == dataset and int(s.column) in known)
    if not found:
        return sources
    return (sources - found).union(*(through(known[int(s.column)], s.dependency) for s in found))
