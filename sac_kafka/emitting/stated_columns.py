"""Read the columns of a stated flow: the sources of each column of an output, by kind of use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.emitting.stated_datasets import StatedDataset, reject_unknown, text_of
from sac_kafka.errors import FlowError
from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, RowClause
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings.declarations.values import did_you_mean

_CLAUSES = (Dependency.JOIN, Dependency.FILTER, Dependency.GROUP_BY, Dependency.SORT)
KINDS: Mapping[str, Dependency] = {
    "direct": Dependency.IDENTITY,
    "expression": Dependency.TRANSFORMATION,
    "aggregation": Dependency.AGGREGATION,
    "condition": Dependency.CONDITIONAL,
    **{each.value: each for each in (Dependency.WINDOW, *_CLAUSES)},
}
"""How a column is used, as a flow states it."""
CLAUSES: Mapping[str, Dependency] = {each.value: each for each in _CLAUSES}
"""The clauses that decide rows, as a flow states them."""
_UNSTATED = Dependency.TRANSFORMATION
"""A plain copy is only what is stated to be one."""
_TEXT = "text"
_REFERENCE = ("dataset", "column")
_MAX_TEXT = 1_000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class StatedColumns:
    """The columns of a flow; `is_typed`: it states how they are used."""

    columns: tuple[ColumnLineage, ...] = ()
    is_typed: bool = False


class _Side:
    """The datasets of one side of a flow, as its columns refer to them."""

    def __init__(self, side: str, stated: Sequence[StatedDataset]) -> None:
        self._side = side
        self._shown = {each.dataset.key: each.alias or each.names[0] for each in stated}
        self._columns: dict[str, set[str]] = {}
        self._by_name: dict[str, set[str]] = {}
        for each in stated:
            self._columns.setdefault(each.dataset.key, set()).update(column.name for column in each.dataset.columns)
            for name in (each.alias, *each.names):
                if name:
                    self._by_name.setdefault(name, set()).add(each.dataset.key)
        for each in stated:  # an alias is chosen, so it takes precedence over the names of others
            if each.alias:
                self._by_name[each.alias] = {each.dataset.key}

    def find(self, value: object, place: str) -> tuple[str, str]:
        """Return the key of the dataset and the column that a reference means.

        Raises:
            FlowError: It means none, or several.
        """
        if isinstance(value, Mapping):
            reject_unknown(value, _REFERENCE, place)
            column = text_of(value.get("column"), f"{place}.column")
            if "dataset" in value:
                return self._declared(self._only(text_of(value["dataset"], f"{place}.dataset"), place), column, place)
            (key,) = self._shown if len(self._shown) == 1 else (self._single(column, place),)
            return self._declared(key, column, place)
        text = text_of(value, place)
        at = len(text)
        while (at := text.rfind(".", 0, at)) > 0:
            if text[:at] in self._by_name and text[at + 1 :]:
                return self._declared(self._only(text[:at], place), text[at + 1 :], place)
        return self._declared(self._single(text, place), text, place)

    def _only(self, name: str, place: str) -> str:
        keys = self._by_name.get(name, set())
        if len(keys) == 1:
            return next(iter(keys))
        if keys:
            raise FlowError(
                f"{place}: {name!r} is the name of several {self._side}; give them aliases: {{alias: dataset}}"
            )
        raise FlowError(
            f"{place}: {name!r} is no dataset of the {self._side}{did_you_mean(name, self._by_name)}; {self._known}"
        )

    def _single(self, column: str, place: str) -> str:
        """Return the only dataset of the side, for a column without a dataset."""
        if len(self._shown) != 1:
            what = "there are several" if self._shown else "there are none"
            raise FlowError(
                f"{place}: {column!r} is of which of the {self._side}? {what}; write dataset.column; {self._known}"
            )
        (key,) = self._shown
        if "." in column and not self._columns[key]:
            name = column.rpartition(".")[0]
            hint = did_you_mean(name, self._by_name)
            raise FlowError(
                f"{place}: {name!r} is no dataset of the {self._side}{hint}; {self._known}; "
                f"a column whose name has a dot is written as {{column = {column!r}}}"
            )
        return key

    def _declared(self, key: str, column: str, place: str) -> tuple[str, str]:
        names = self._columns[key]
        if names and column not in names:
            hint = did_you_mean(column, names)
            raise FlowError(
                f"{place}: {self._shown[key]} has no column {column!r}{hint}; declare it, or correct the name"
            )
        return key, column

    @property
    def _known(self) -> str:
        names = [*self._shown.values()]
        return f"the {self._side} are {', '.join(names[:_SHOWN]) or 'empty'}{' …' if len(names) > _SHOWN else ''}"


def read_column_lineage(
    value: object, inputs: Sequence[StatedDataset], outputs: Sequence[StatedDataset]
) -> StatedColumns:
    """Return the column lineage of a flow.

    Args:
        value: A mapping from columns of outputs to their sources: `{"out.total": ["in.amount"]}`, or by kind of use
            `{"out.total": {"aggregation": ["in.amount"], "text": "sum(amount)"}}`; None if it is not stated.
        inputs: The inputs.
        outputs: The outputs.

    Raises:
        FlowError: A column is wrong.
    """
    if value is None:
        return StatedColumns()
    if not isinstance(value, Mapping):
        raise FlowError(f'columns: a {type(value).__name__}; state a table: {{"output.column": ["input.column"]}}')
    from_side, to_side = _Side("inputs", inputs), _Side("outputs", outputs)
    found: dict[tuple[str, str], ColumnLineage] = {}
    is_typed = False
    for target, stated in value.items():
        place = f"columns.{target}"
        dataset, column = to_side.find(target, "columns")
        by_kind = stated if isinstance(stated, Mapping) and not stated.keys() & {*_REFERENCE} else {"": stated}
        reject_unknown(by_kind, ("", *KINDS, _TEXT), place)
        is_typed |= bool(by_kind.keys() & KINDS.keys())
        sources = {
            ColumnSource(*from_side.find(each, place), KINDS.get(kind, _UNSTATED))
            for kind, listed in by_kind.items()
            if kind != _TEXT
            for each in _each(listed, place)
        }
        if (dataset, column) in found:
            raise FlowError(f"{place}: the column occurs twice; state all its sources together")
        found[dataset, column] = ColumnLineage(
            dataset=dataset, column=column, sources=_sorted(sources), expression=_text(by_kind, place)
        )
    return StatedColumns(tuple(found.values()), is_typed)


def read_conditions(value: object, inputs: Sequence[StatedDataset]) -> tuple[RowClause, ...]:
    """Return the clauses that decided the rows of a flow.

    Args:
        value: By kind of clause its columns, `{"filter": ["in.country"]}`; or a list of clauses, each with `kind`, `columns`,
            and `text`. None if they are not stated.
        inputs: The inputs.

    Raises:
        FlowError: A clause is wrong.
    """
    listed = (
        [{"kind": kind, "columns": each} for kind, each in value.items()] if isinstance(value, Mapping) else value or ()
    )
    if not isinstance(listed, (list, tuple)):
        raise FlowError(f'conditions: a {type(value).__name__}; state a table: {{"filter": ["input.column"]}}')
    side = _Side("inputs", inputs)
    return tuple(_clause(each, side, f"conditions[{number}]") for number, each in enumerate(listed))


def _clause(value: object, side: _Side, place: str) -> RowClause:
    if not isinstance(value, Mapping):
        raise FlowError(f"{place}: a {type(value).__name__}; state a table with kind, columns and text")
    reject_unknown(value, ("kind", "columns", _TEXT), place)
    kind = text_of(value.get("kind"), f"{place}.kind")
    if kind not in CLAUSES:
        raise FlowError(f"{place}: unknown kind {kind!r}{did_you_mean(kind, CLAUSES)}; known are {', '.join(CLAUSES)}")
    columns = {side.find(each, place) for each in _each(value.get("columns", ()), place)}
    sources = _sorted({ColumnSource(dataset, column, CLAUSES[kind]) for dataset, column in columns})
    text = _text(value, place) or ", ".join(dict.fromkeys(each.column for each in sources))
    return RowClause(dependency=CLAUSES[kind], text=text, sources=sources)


def _each(value: object, place: str) -> Iterator[object]:
    if isinstance(value, (str, Mapping)):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    else:
        raise FlowError(f"{place}: a {type(value).__name__}; state a list of columns")


def _text(by_kind: Mapping[str, object], place: str) -> str | None:
    return mask_sql(text_of(by_kind[_TEXT], f"{place}.{_TEXT}"))[:_MAX_TEXT] if _TEXT in by_kind else None


def _sorted(sources: set[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(sources, key=lambda each: (each.dataset, each.column, each.dependency.value)))
