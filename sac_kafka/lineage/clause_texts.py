"""The names of columns in a text, such that they tell columns apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from sac_kafka.lineage.dependencies import Sources
from sac_kafka.lineage.rendering import LONGEST, Text
from sac_kafka.lineage.sql_parts import quoted
from sac_kafka.plan.expressions import AttributeReference, Expression, OuterReference

_LAST = re.compile(r"[^./:]+$")


class _Column(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def sources(self) -> Sources: ...


def referred(expressions: Iterable[Expression]) -> Iterator[int]:
    """The exprIds of the columns that expressions use, outer ones too."""
    seen: set[int] = set()
    stack = list(expressions)
    while stack:
        e = stack.pop()
        if isinstance(e, AttributeReference):
            yield e.expr_id
        elif id(e) not in seen:
            seen.add(id(e))
            stack.extend(e.children)
            if isinstance(e, OuterReference):
                stack.append(e.reference)


def qualified(columns: Mapping[int, _Column]) -> dict[int, Text]:
    """Names for those columns that share theirs with another one: after the table or file that they come from."""
    uses = Counter(c.name for c in columns.values())
    shared = {i: c for i, c in columns.items() if uses[c.name] > 1}
    return {
        i: Text(f"{quoted(of)}.{quoted(c.name)}") for i, c in shared.items() if (of := _origin(c.sources)) is not None
    }


def _origin(sources: Sources) -> str | None:
    """The last part of the name of the only dataset behind a column."""
    datasets = {s.dataset for s in sources}
    found = _LAST.search(datasets.pop().rstrip("/")) if len(datasets) == 1 else None
    return None if found is None or found[0].startswith("?") else found[0]


def shortened(text: str) -> str:
    """No longer than an expression may be."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
