"""Qualify column names in rendered texts wherever a plain name would be ambiguous."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from sac_kafka.lineage.columns.output_columns import OutputColumn, Relation
from sac_kafka.lineage.columns.placeholders import is_placeholder
from sac_kafka.lineage.expressions.rendering import Text, truncate
from sac_kafka.lineage.expressions.sql_parts import MARK, quote
from sac_kafka.model.columns import Sources
from sac_kafka.plan.expressions import AttributeReference, Expression, walk_expressions

_SEPARATORS = "./:"
"""Separators between the parts of a dataset's key."""
_PATH_SEPARATORS = "/:"
"""The same for paths, where a dot belongs to the file name."""
_MARKED = re.compile(rf"{MARK}(\w+|`(?:[^`]|``)*`)")


def find_expr_ids(expressions: Iterable[Expression]) -> Iterator[int]:
    """Yield the exprIds of the columns that expressions use, including outer references."""
    return (e.expr_id for e in walk_expressions(expressions) if isinstance(e, AttributeReference))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class NameScope:
    """The names visible to an expression.

    `numbers` numbers the relations of the same name from 1, which is also the default. `ambiguous` are the columns (dataset and
    name) that occur in several relations, `shared` the column names that do. `labels` are the short names of the datasets.
    """

    numbers: Mapping[Relation, int]
    ambiguous: Set[tuple[str, str]]
    shared: Set[str]
    labels: Mapping[str, str]

    @classmethod
    def from_columns(cls, columns: Collection[OutputColumn], outer: Collection[OutputColumn] = ()) -> NameScope:
        """Build the scope of the given columns and of those of the enclosing queries (`outer`)."""
        several = len({c.relation for c in columns} - {None}) > 1
        labels = _labels({d for c in (*columns, *outer) if (d := _dataset(c.sources))})
        by_column = _relations_by_column(columns) if several else {}
        by_name: defaultdict[str, set[Relation]] = defaultdict(set)
        for (_, name), relations in by_column.items():
            by_name[name] |= relations
        return cls(
            _number_relations((*columns, *outer), labels) if several or outer else {},
            {column for column, relations in by_column.items() if len(relations) > 1},
            {name for name, relations in by_name.items() if len(relations) > 1},
            labels,
        )


def _relations_by_column(columns: Iterable[OutputColumn]) -> Mapping[tuple[str, str], set[Relation]]:
    """Return the relations that contain a plain copy of a dataset's column, by dataset and column name."""
    relations: defaultdict[tuple[str, str], set[Relation]] = defaultdict(set)
    for c in columns:
        if c.relation is not None and c.copied_name:
            relations[_dataset(c.sources) or "", quote(c.copied_name)].add(c.relation)
    return relations


def _number_relations(columns: Iterable[OutputColumn], labels: Mapping[str, str]) -> dict[Relation, int]:
    firsts: dict[Relation, OutputColumn] = {}
    for c in columns:
        if c.relation is not None:
            firsts.setdefault(c.relation, c)
    uses: Counter[str] = Counter()
    numbers = {}
    for relation, first in firsts.items():
        name = quote(relation.alias) if relation.alias else labels.get(_dataset(first.sources) or "", "")
        uses[name] += 1
        numbers[relation] = uses[name]
    return numbers


def qualify(columns: Mapping[int, OutputColumn], scope: NameScope) -> dict[int, Text]:
    """Return qualified texts, by exprId, for columns with equal texts or from a table that is read several times.

    The qualifier is the table or file of the column, or the alias if the table is read several times. Equal qualifiers are
    numbered. A column that qualifiers cannot make unique gets the name that the query gives it.
    """
    plain = {i: c.render() for i, c in columns.items()}
    datasets = {i: _dataset(c.sources) for i, c in columns.items()}
    several = _read_several_times(columns, datasets)
    qualifiers: dict[int, tuple[str, int]] = {}
    for i, c in columns.items():
        dataset, names = datasets[i], set(_MARKED.findall(plain[i]))
        label = scope.labels.get(dataset or "", "")
        alias = quote(c.relation.alias) if c.relation is not None and c.relation.alias else ""
        is_one_of_several = dataset in several or any((dataset or "", name) in scope.ambiguous for name in names)
        if c.relation is not None and is_one_of_several:
            qualifiers[i] = (alias or label, scope.numbers.get(c.relation, 1))
        elif (label or alias) and not names.isdisjoint(scope.shared):
            qualifiers[i] = (label or alias, 1)
    texts = _distinguish_equal(
        plain, columns, {i: scope.labels.get(datasets[i] or "", "") for i in columns}, qualifiers
    )
    return texts | _make_unique(plain, columns, qualifiers)


def _distinguish_equal(
    plain: Mapping[int, Text],
    columns: Mapping[int, OutputColumn],
    labels: Mapping[int, str],
    qualifiers: dict[int, tuple[str, int]],
) -> dict[int, Text]:
    """Qualify columns with equal texts by their tables; return the columns' names where these differ and the tables do not."""
    by_text: defaultdict[str, list[int]] = defaultdict(list)
    for i in columns:
        if i not in qualifiers and MARK in plain[i]:
            by_text[plain[i]].append(i)
    texts: dict[int, Text] = {}
    for ids in by_text.values():
        tables, names = {labels[i] for i in ids}, {columns[i].name for i in ids}
        if len(ids) > len(tables) and len(ids) == len(names):
            texts.update((i, Text(quote(columns[i].name))) for i in ids)  # the query's own names differ
        elif len(ids) > 1:
            qualifiers.update((i, (labels[i], 1)) for i in ids if labels[i])
    return texts


def _make_unique(
    plain: Mapping[int, Text], columns: Mapping[int, OutputColumn], qualifiers: Mapping[int, tuple[str, int]]
) -> dict[int, Text]:
    """Return the qualified texts, by exprId. Equal ones get another number, or the column's name within one relation."""
    by_text: dict[str, int] = {}
    texts: dict[int, Text] = {}
    for i in sorted(qualifiers):
        label, n = qualifiers[i]
        text = plain[i].with_label(_label(label, n))
        while text in by_text:
            relation = columns[i].relation
            if relation is not None and relation is columns[by_text[text]].relation:
                text = Text(f"{_label(label, n)}.{quote(columns[i].name)}")
                break
            if MARK not in plain[i] or not label:
                break
            n += 1
            text = plain[i].with_label(_label(label, n))
        by_text[text] = i
        texts[i] = text
    return texts


def _read_several_times(columns: Mapping[int, OutputColumn], datasets: Mapping[int, str | None]) -> set[str]:
    relations: defaultdict[str, set[Relation]] = defaultdict(set)
    for i, c in columns.items():
        dataset = datasets[i]
        if c.relation is not None and dataset is not None:
            relations[dataset].add(c.relation)
    return {dataset for dataset, of_dataset in relations.items() if len(of_dataset) > 1}


def _label(label: str, number: int) -> str:
    return f"{label}#{number}" if number > 1 else label


def _dataset(sources: Sources) -> str | None:
    """Return the single dataset of a column's sources; None if there are several or none."""
    datasets = {s.dataset for s in sources}
    dataset = datasets.pop() if len(datasets) == 1 else ""
    return None if not dataset or is_placeholder(dataset) else dataset


def _labels(datasets: Collection[str]) -> dict[str, str]:
    """Return a short name per dataset: as many trailing parts of its key, at most 3, as are needed to be unique."""
    labels: dict[str, str] = {}
    for parts in range(1, 4):
        longer = {d: _last_parts(d, parts) for d in datasets if d not in labels}
        uses = Counter(longer.values())
        labels.update({d: label for d, label in longer.items() if uses[label] == 1 or parts == 3})
    return labels


def _last_parts(dataset: str, count: int) -> str:
    kind, _, name = dataset.rstrip("/").partition(":")
    if kind == "table":
        return ".".join(quote(part) for part in name.split(".")[-count:])
    separators = _PATH_SEPARATORS if kind == "path" else _SEPARATORS
    rest = name
    for _ in range(count):
        rest = rest.rstrip(separators)
        rest = rest[: max(rest.rfind(separator) for separator in separators) + 1]
    return quote(name[len(rest) :])


def shorten(text: str) -> str:
    """Return a text for people: without marks, and truncated to the maximum length of an expression."""
    return truncate(text).replace(MARK, "")
