"""The names of columns in a text, such that they tell columns apart."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import Protocol

from sac_kafka.lineage.columns.combining import Sources
from sac_kafka.lineage.columns.stand_ins import is_stand_in
from sac_kafka.lineage.expressions.rendering import Text, cut
from sac_kafka.lineage.expressions.sql_parts import MARK, quoted
from sac_kafka.plan.expressions import AttributeReference, Expression, OuterReference
from sac_kafka.plan.functions import SqlFunction

_BETWEEN = "./:"
_IN_PATHS = "/:"
"""What stands between the parts of a path."""
_MARKED = re.compile(rf"{MARK}(\w+|`(?:[^`]|``)*`)")


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
    @property
    def copied(self) -> str: ...
    def shown(self) -> Text: ...


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
class Sight:
    """What an expression sees: the numbers of relations among those that are called the same, from 1 (also where not given).

    `ambiguous` are the columns, by dataset and name, that several relations have, `shared` the names that several have, of
    whatever dataset. `labels` are what datasets are called.
    """

    numbers: Mapping[Relation, int]
    ambiguous: Set[tuple[str, str]]
    shared: Set[str]
    labels: Mapping[str, str]

    @classmethod
    def of(cls, columns: Collection[_Column], outer: Collection[_Column] = ()) -> Sight:
        """Of columns, and of those of queries around."""
        several = len({c.relation for c in columns} - {None}) > 1
        labels = _labels({d for c in (*columns, *outer) if (d := _dataset(c.sources))})
        having = _having(columns) if several else {}
        by_name: defaultdict[str, set[Relation]] = defaultdict(set)
        for (_, name), relations in having.items():
            by_name[name] |= relations
        return cls(
            _numbered((*columns, *outer), labels) if several or outer else {},
            {column for column, relations in having.items() if len(relations) > 1},
            {name for name, relations in by_name.items() if len(relations) > 1},
            labels,
        )


def _having(columns: Iterable[_Column]) -> Mapping[tuple[str, str], set[Relation]]:
    """The relations that have a column of a dataset as it is."""
    having: defaultdict[tuple[str, str], set[Relation]] = defaultdict(set)
    for c in columns:
        if c.relation is not None and c.copied:
            having[_dataset(c.sources) or "", quoted(c.copied)].add(c.relation)
    return having


def _numbered(columns: Iterable[_Column], labels: Mapping[str, str]) -> dict[Relation, int]:
    firsts: dict[Relation, _Column] = {}
    for c in columns:
        if c.relation is not None:
            firsts.setdefault(c.relation, c)
    uses: Counter[str] = Counter()
    numbers = {}
    for relation, first in firsts.items():
        called = quoted(relation.alias) if relation.alias else labels.get(_dataset(first.sources) or "", "")
        uses[called] += 1
        numbers[relation] = uses[called]
    return numbers


def qualified(columns: Mapping[int, _Column], seen: Sight) -> dict[int, Text]:
    """Texts for those columns, by exprId, that their own do not tell apart: the same, or of one table that is read twice.

    Names are told by the table or file that they come from, by its alias where it is read twice. What is called the same
    nevertheless has a number; what the names of relations cannot tell apart is called as the query calls it.
    """
    shown = {i: c.shown() for i, c in columns.items()}
    datasets = {i: _dataset(c.sources) for i, c in columns.items()}
    several = _read_several_times(columns, datasets)
    told: dict[int, tuple[str, int]] = {}
    for i, c in columns.items():
        dataset, names = datasets[i], set(_MARKED.findall(shown[i]))
        label = seen.labels.get(dataset or "", "")
        alias = quoted(c.relation.alias) if c.relation is not None and c.relation.alias else ""
        is_one_of_several = dataset in several or any((dataset or "", name) in seen.ambiguous for name in names)
        if c.relation is not None and is_one_of_several:
            told[i] = (alias or label, seen.numbers.get(c.relation, 1))
        elif (label or alias) and not names.isdisjoint(seen.shared):
            told[i] = (label or alias, 1)
    rest: defaultdict[str, list[int]] = defaultdict(list)
    for i in columns:
        if i not in told and MARK in shown[i]:
            rest[shown[i]].append(i)
    texts: dict[int, Text] = {}
    for alike in rest.values():
        labels = [seen.labels.get(datasets[i] or "", "") for i in alike]
        if len(alike) > 1:
            if len(set(labels)) < len(alike) == len({columns[i].name for i in alike}):
                texts.update((i, Text(quoted(columns[i].name))) for i in alike)
            else:
                told.update((i, (label, 1)) for i, label in zip(alike, labels, strict=True) if label)
    by_text: dict[str, int] = {}
    for i in sorted(told):
        label, n = told[i]
        text = shown[i].labelled(_label(label, n))
        while text in by_text:
            relation = columns[i].relation
            if relation is not None and relation is columns[by_text[text]].relation:
                text = Text(f"{_label(label, n)}.{quoted(columns[i].name)}")
                break
            if MARK not in shown[i] or not label:
                break
            n += 1
            text = shown[i].labelled(_label(label, n))
        by_text[text] = i
        texts[i] = text
    return texts


def _read_several_times(columns: Mapping[int, _Column], datasets: Mapping[int, str | None]) -> set[str]:
    relations: defaultdict[str, set[Relation]] = defaultdict(set)
    for i, c in columns.items():
        dataset = datasets[i]
        if c.relation is not None and dataset is not None:
            relations[dataset].add(c.relation)
    return {dataset for dataset, found in relations.items() if len(found) > 1}


def _label(label: str, number: int) -> str:
    return f"{label}#{number}" if number > 1 else label


def _dataset(sources: Sources) -> str | None:
    """The only dataset behind a column."""
    datasets = {s.dataset for s in sources}
    dataset = datasets.pop() if len(datasets) == 1 else ""
    return None if not dataset or is_stand_in(dataset) else dataset


def _labels(datasets: Collection[str]) -> dict[str, str]:
    """What datasets are called: by the last part of their names, and as many more as tell them apart."""
    labels: dict[str, str] = {}
    for parts in range(1, 4):
        made = {d: _last_parts(d, parts) for d in datasets if d not in labels}
        uses = Counter(made.values())
        labels.update({d: label for d, label in made.items() if uses[label] == 1 or parts == 3})
    return labels


def _last_parts(dataset: str, count: int) -> str:
    kind, _, name = dataset.rstrip("/").partition(":")
    if kind == "table":
        return ".".join(quoted(part) for part in name.split(".")[-count:])
    between = _IN_PATHS if kind == "path" else _BETWEEN  # the name of a file has its extension
    rest = name
    for _ in range(count):
        rest = rest.rstrip(between)
        rest = rest[: max(rest.rfind(mark) for mark in between) + 1]
    return quoted(name[len(rest) :])


def shortened(text: str) -> str:
    """No longer than an expression may be, for people."""
    return cut(text).replace(MARK, "")
