"""The names of columns in a text, such that they tell columns apart."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import Protocol

from sac_kafka.lineage.columns.combining import Sources
from sac_kafka.lineage.columns.stand_ins import is_stand_in
from sac_kafka.lineage.expressions.rendering import LONGEST, Text
from sac_kafka.lineage.expressions.sql_parts import quoted
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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What an expression sees: the numbers of relations among those that are called the same, from 1 (also where not given).

    `ambiguous` are the columns, by origin and name, that several relations have.
    """

    numbers: Mapping[Relation, int]
    ambiguous: Set[tuple[str, str]]

    @classmethod
    def of(cls, columns: Collection[_Column], outer: Collection[_Column] = ()) -> Seen:
        """Of columns, and of those of queries around."""
        several = len({c.relation for c in columns} - {None}) > 1
        ambiguous = _ambiguous(columns) if several else frozenset[tuple[str, str]]()
        return cls(_numbered((*columns, *outer)) if several or outer else {}, ambiguous)


def _ambiguous(columns: Iterable[_Column]) -> Set[tuple[str, str]]:
    having: defaultdict[tuple[str, str], set[Relation]] = defaultdict(set)
    for c in columns:
        if c.relation is not None and (origin := _origin(c.sources)) is not None:
            having[origin, c.name].add(c.relation)
    return {column for column, relations in having.items() if len(relations) > 1}


def _numbered(columns: Iterable[_Column]) -> dict[Relation, int]:
    firsts: dict[Relation, _Column] = {}
    for c in columns:
        if c.relation is not None:
            firsts.setdefault(c.relation, c)
    uses: Counter[str | None] = Counter()
    numbers = {}
    for relation, first in firsts.items():
        called = relation.alias or _origin(first.sources)
        uses[called] += 1
        numbers[relation] = uses[called]
    return numbers


def qualified(columns: Mapping[int, _Column], seen: Seen) -> dict[int, Text]:
    """Names for those columns, by exprId, that their own do not tell apart: of one name, or of one table that is read twice.

    They are named after the table or file that they come from, after its alias where it is read twice. What is called the
    same nevertheless has a number.
    """
    uses = Counter(c.name for c in columns.values())
    origins = {i: _origin(c.sources) for i, c in columns.items()}
    several = _read_several_times(columns, origins)
    told: dict[int, tuple[str, int]] = {}
    for i, c in columns.items():
        origin, alias = origins[i], c.relation.alias if c.relation is not None else ""
        is_one_of_several = origin in several or (origin or "", c.name) in seen.ambiguous
        if c.relation is not None and is_one_of_several:
            told[i] = (alias or origin or "", seen.numbers.get(c.relation, 1))
        elif uses[c.name] > 1 and (label := origin or alias):
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
    key = datasets.pop() if len(datasets) == 1 else ""
    found = _LAST.search(key.rstrip("/"))
    return None if found is None or is_stand_in(key) else found[0]


def shortened(text: str) -> str:
    """No longer than an expression may be."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
