"""Read the column lineage of outputs: the facet `columnLineage`, and the newer `lineage` in the same form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, RowClause
from sac_kafka.model.bounds import Budget
from sac_kafka.model.cache import HashedTuple
from sac_kafka.openlineage.events import NamespacedName, name_of, objects
from sac_kafka.openlineage.runs import MergedRun, facet
from sac_kafka.openlineage.sql_text import mask_sql

_ROWS = (Dependency.JOIN, Dependency.FILTER, Dependency.GROUP_BY, Dependency.SORT)
_BY_SUBTYPE: Mapping[str, Dependency] = {
    **{dependency.name: dependency for dependency in Dependency},
    "CONDITION": Dependency.CONDITIONAL,
    "MASKED": Dependency.TRANSFORMATION,
}
_BY_TYPE: Mapping[str, Dependency] = {"DIRECT": Dependency.TRANSFORMATION, "INDIRECT": Dependency.CONDITIONAL}
MAX_EXPRESSION = 1_000
MASKED = "masked"
"""Begins the expression of a column whose values are masked; of an aggregation the producers state it as well."""
_MAX_CLAUSES = 100


class Used(NamedTuple):
    """A column of a dataset that is used, how, and the description of it. `is_stated`: the producer states how."""

    dataset: NamespacedName
    column: str
    dependency: Dependency
    description: str
    is_stated: bool

    @property
    def order(self) -> tuple[str, ...]:
        """The order of columns."""
        return self.dependency.value, self.dataset.namespace, self.dataset.name, self.column, self.description


@dataclass(slots=True)
class OutputLineage:
    """The sources of one output: of its `fields`, of its `rows`, and the datasets in `inputs`."""

    fields: dict[str, list[Used]] = field(default_factory=dict)
    rows: list[Used] = field(default_factory=list)
    inputs: list[NamespacedName] = field(default_factory=list)

    @property
    def is_typed(self) -> bool:
        """Whether the producer states how columns are used."""
        return any(use.is_stated for used in (self.rows, *self.fields.values()) for use in used)

    @property
    def sources(self) -> Iterator[NamespacedName]:
        """The datasets that occur."""
        yield from self.inputs
        for used in (self.rows, *self.fields.values()):
            yield from (use.dataset for use in used)


def output_lineages(run: MergedRun) -> dict[NamespacedName, OutputLineage]:
    """Return the lineage that the facets of a run state, by output; an output may be in no list of the event."""
    lineages: dict[NamespacedName, OutputLineage] = {}
    for name, facets in run.outputs.items():
        _add(lineages.setdefault(name, OutputLineage()), facet(facets, "columnLineage"), "inputFields", "dataset")
        _add_entry(lineages[name], facet(facets, "lineage"))
    for entry in objects(run.facet("lineage").get("entries")):
        target = name_of(entry)
        if target is not None and entry.get("type", "DATASET") == "DATASET":
            _add_entry(lineages.setdefault(target, OutputLineage()), entry)
    for lineage in lineages.values():
        _lift_rows(lineage)
    return lineages


def _add_entry(lineage: OutputLineage, entry: Mapping[str, object]) -> None:
    """Add an entry of the facet `lineage`, whose inputs may be jobs: these have no form in the model."""
    _add(lineage, entry, "inputs", "inputs")
    lineage.inputs += [
        name for of_dataset in _of_datasets(entry.get("inputs")) if (name := name_of(of_dataset)) is not None
    ]


def _add(lineage: OutputLineage, facet: Mapping[str, object], of_field: str, of_rows: str) -> None:
    fields = facet.get("fields")
    for column, value in fields.items() if isinstance(fields, dict) else ():
        if isinstance(column, str) and column and isinstance(value, dict):
            used = lineage.fields.setdefault(column, [])
            used += _read_uses(_of_datasets(value.get(of_field)), value)
    lineage.rows += _read_uses(_of_datasets(facet.get(of_rows)), {})


def _of_datasets(value: object) -> Iterator[Mapping[str, object]]:
    return (each for each in objects(value) if each.get("type", "DATASET") == "DATASET")


def _read_uses(inputs: Iterable[Mapping[str, object]], facet: Mapping[str, object]) -> Iterator[Used]:
    """Yield how columns are used; `facet` may state it in the form of older versions."""
    for input_ in inputs:
        name, column = name_of(input_), input_.get("field")
        if name is None or not isinstance(column, str) or not column:
            continue
        older = {"subtype": facet.get("transformationType"), "description": facet.get("transformationDescription")}
        stated = [*objects(input_.get("transformations"))]
        for transformation in stated or [older]:
            description = transformation.get("description")
            text = description if isinstance(description, str) else ""
            dependency = _dependency(transformation)
            if transformation.get("masking") is True and dependency is not Dependency.AGGREGATION:
                text = f"{MASKED}: {text or column}"
            yield Used(name, column, dependency, text, is_stated=bool(stated))


def _dependency(transformation: Mapping[str, object]) -> Dependency:
    """Return the dependency; a plain copy only if it is stated."""
    subtype, kind = (str(transformation.get(key) or "").upper() for key in ("subtype", "type"))
    return _BY_SUBTYPE.get(subtype) or _BY_TYPE.get(kind, Dependency.TRANSFORMATION)


def _lift_rows(lineage: OutputLineage) -> None:
    """Move what decides the rows from all columns to the rows: older versions repeat it in each."""
    every = [{use for use in used if use.dependency in _ROWS} for used in lineage.fields.values()]
    shared = set[Used].intersection(*every) if every else set()
    if shared:
        lineage.rows += sorted(shared, key=lambda use: use.order)
        for used in lineage.fields.values():
            used[:] = [use for use in used if use not in shared]


@dataclass(frozen=True, slots=True)
class FlowColumns:
    """The column lineage of a flow as in `Process`; `omitted` is the reason if it has more than the budget allows."""

    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    omitted: str | None = None


def flow_columns(
    lineages: Mapping[str, Iterable[OutputLineage]], key: Callable[[NamespacedName], str | None], budget: Budget
) -> FlowColumns:
    """Return the column lineage of outputs by their keys; `key` returns that of an input, None if it is no dataset."""
    columns: list[ColumnLineage] = []
    rows: dict[tuple[Dependency, str], set[ColumnSource]] = {}
    edges = 0
    for output, parts in lineages.items():
        by_column: dict[str, list[Used]] = {}
        for lineage in parts:
            for column, used in lineage.fields.items():
                by_column.setdefault(column, []).extend(used)
            for row in lineage.rows:
                if (dataset := key(row.dataset)) is not None and row.dependency in _ROWS:
                    column_source = ColumnSource(dataset, row.column, row.dependency)
                    rows.setdefault((row.dependency, row.description), set()).add(column_source)
        for column, used in by_column.items():
            columns.append(_column(output, column, used, key))
            edges += len(used)
    exceeded = budget.exceeded_limit(columns=len(columns), edges=edges)
    if exceeded is not None:
        return FlowColumns(omitted=exceeded)
    clauses = tuple(
        RowClause(dependency=dependency, text=_clause_text(text, sources), sources=_sort(sources))
        for (dependency, text), sources in sorted(rows.items(), key=lambda row: (_ROWS.index(row[0][0]), row[0][1]))
    )
    row_level = _sort({source for sources in rows.values() for source in sources})
    return FlowColumns(HashedTuple(columns), row_level, clauses[:_MAX_CLAUSES])


def _column(
    output: str, column: str, used: Iterable[Used], key: Callable[[NamespacedName], str | None]
) -> ColumnLineage:
    known = [
        (ColumnSource(dataset, use.column, use.dependency), use.description)
        for use in used
        if (dataset := key(use.dataset))
    ]
    texts = dict.fromkeys(mask_sql(text)[:MAX_EXPRESSION] for source, text in known if text and _is_made(source))
    return ColumnLineage(
        dataset=output,
        column=column,
        sources=_sort({source for source, _ in known}),
        expression="; ".join(texts)[:MAX_EXPRESSION] or None,
    )


def _is_made(source: ColumnSource) -> bool:
    return source.dependency.is_direct and source.dependency is not Dependency.IDENTITY


def _clause_text(text: str, sources: Iterable[ColumnSource]) -> str:
    return mask_sql(text)[:MAX_EXPRESSION] or ", ".join(dict.fromkeys(source.column for source in _sort(sources)))


def _sort(sources: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(sources, key=lambda source: (source.dataset, source.column, source.dependency.value)))
