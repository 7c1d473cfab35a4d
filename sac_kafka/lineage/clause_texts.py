"""The names of columns in a text, such that they tell columns apart."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from sac_kafka.lineage.dependencies import Sources
from sac_kafka.lineage.rendering import LONGEST, Text
from sac_kafka.lineage.sql_parts import quoted
from sac_kafka.plan.expressions import AttributeReference, Expression, OuterReference, SqlFunction

_LAST = re.compile(r"[^./:]+$")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """One of the tables and subqueries of a FROM clause; two of one table are two. `alias` is "" where none is known."""

    alias: str = ""


class _Column(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def relation(self) -> Relation | None: ...


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


def functions_of_sql(expressions: Iterable[Expression]) -> Iterator[SqlFunction]:
    """The calls of functions of SQL among expressions."""
    seen: set[int] = set()
    stack = list(expressions)
    while stack:
        e = stack.pop()
        if id(e) not in seen and not isinstance(e, AttributeReference):
            seen.add(id(e))
            stack.extend(e.children)
            if isinstance(e, SqlFunction):
                yield e


def numbered(columns: Iterable[_Column]) -> dict[Relation, int]:
    """The relations that columns are of, numbered from 1 among those that are called the same."""
    called = {c.relation: c.relation.alias or _origin(c.sources) for c in columns if c.relation is not None}
    uses: Counter[str | None] = Counter()
    numbers = {}
    for relation, name in called.items():
        uses[name] += 1
        numbers[relation] = uses[name]
    return numbers


def qualified(columns: Mapping[int, _Column], numbers: Callable[[], Mapping[Relation, int]]) -> dict[int, Text]:
    """Names for those columns, by exprId, that their own do not tell apart: of one name, or of one table that is read twice.

    They are named after the table or file that they come from, after its alias where it is read twice. What is called the
    same nevertheless has a number; `numbers` are those of the relations.
    """
    uses = Counter(c.name for c in columns.values())
    origins = {i: _origin(c.sources) for i, c in columns.items()}
    several = _read_several_times(columns, origins)
    told: dict[int, tuple[str, int]] = {}
    for i, c in columns.items():
        alias = c.relation.alias if c.relation is not None else ""
        if c.relation is not None and origins[i] in several:
            told[i] = (alias or origins[i] or "", numbers().get(c.relation, 1))
        elif uses[c.name] > 1 and (label := origins[i] or alias):
            told[i] = (label, 1)
    texts: dict[str, int] = {}
    for i in sorted(told):
        label, n = told[i]
        while (text := _text(label, n, columns[i].name)) in texts:
            n += 1
        texts[text] = i
    return {i: Text(text) for text, i in texts.items()}


def _read_several_times(columns: Mapping[int, _Column], origins: Mapping[int, str | None]) -> set[str]:
    relations: defaultdict[str, set[Relation]] = defaultdict(set)
    for i, c in columns.items():
        origin = origins[i]
        if c.relation is not None and origin is not None:
            relations[origin].add(c.relation)
    return {origin for origin, found in relations.items() if len(found) > 1}


def _text(label: str, number: int, name: str) -> str:
    return f"{quoted(label)}{f'#{number}' if number > 1 else ''}.{quoted(name)}"


def _origin(sources: Sources) -> str | None:
    """The last part of the name of the only dataset behind a column."""
    datasets = {s.dataset for s in sources}
    found = _LAST.search(datasets.pop().rstrip("/")) if len(datasets) == 1 else None
    return None if found is None or found[0].startswith("?") else found[0]


def shortened(text: str) -> str:
    """No longer than an expression may be."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
