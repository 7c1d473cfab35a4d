"""Create and replace placeholders: sources whose columns are not known yet.

There are three kinds: columns of the query enclosing a subquery and their parts (by exprId and path), columns of the loop
enclosing a recursion (by position), and unknown columns of known datasets. A placeholder is a `ColumnSource` with a reserved
dataset key; only this module knows its format. A node higher up replaces the first two kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.model.columns import Sources, through

_MARK = "?"
_OUTER = f"{_MARK}outer"
_UNKNOWN = f"{_MARK}unknown"


def outer_column(expr_id: int, path: tuple[int, ...] = ()) -> Sources:
    """Return the placeholder of a column of the enclosing query, or of the part of it at a path."""
    return _stand_in(_OUTER, ".".join(map(str, (expr_id, *path))))


def loop_column(loop: int, position: int) -> Sources:
    """Return the placeholder of a column of a loop."""
    return _stand_in(_loop(loop), position)


def unknown(because: str) -> Sources:
    """Return the placeholder of a column whose datasets are known, but not its source columns, with the reason."""
    return _stand_in(_UNKNOWN, because)


def unknown_reasons(sources: Sources) -> frozenset[str]:
    """Return the reasons why some sources are unknown; empty if all are known."""
    return frozenset(s.column for s in sources if s.dataset == _UNKNOWN)


def with_outer(sources: Sources, part_of: Callable[..., Sources | None]) -> Sources:
    """Replace the placeholders of the enclosing query's columns in the sources of a subquery.

    `part_of` returns the sources for an exprId and the steps of a path; None for an unknown column.
    """
    return _substitute(sources, _OUTER, part_of)


def with_loop(sources: Sources, loop: int, known: Mapping[int, Sources]) -> Sources:
    """Replace the placeholders of a loop's columns in the sources of its recursion."""
    return _substitute(sources, _loop(loop), known.get)


def split_outer(sources: Sources) -> tuple[Sources, frozenset[int]]:
    """Return the sources without placeholders of the enclosing query's columns, and the exprIds of these columns."""
    outer = frozenset(s for s in sources if s.dataset == _OUTER)
    return sources - outer, frozenset(int(s.column.partition(".")[0]) for s in outer)


def without_placeholders(sources: Sources) -> Sources:
    """Return the sources without placeholders."""
    return frozenset(s for s in sources if not s.dataset.startswith(_MARK))


def is_placeholder(dataset: str) -> bool:
    """Return True if a dataset key is that of a placeholder."""
    return dataset.startswith(_MARK)


def _loop(loop: int) -> str:
    return f"{_MARK}loop{loop}"


def _stand_in(dataset: str, what: object) -> Sources:
    return frozenset({ColumnSource(dataset, str(what), Dependency.IDENTITY)})


def _substitute(sources: Sources, dataset: str, known: Callable[..., Sources | None]) -> Sources:
    stand_ins = (s for s in sources if s.dataset == dataset)
    substitutes = {s: columns for s in stand_ins if (columns := known(*map(int, s.column.split(".")))) is not None}
    return (
        (sources - substitutes.keys()).union(*(through(columns, s.dependency) for s, columns in substitutes.items()))
        if substitutes
        else sources
    )
