"""Unite what all batches of a streaming query read for a dataset into one flow that only grows."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import TypeVar

from sac_kafka.lineage.extract import MAX_CLAUSES, sort_sources
from sac_kafka.lineage.flow import MAX_INPUTS, MAX_VERSIONS
from sac_kafka.model import (
    ColumnLineage,
    ColumnSource,
    Dataset,
    Dependency,
    DriverRead,
    PathDataset,
    Process,
    RowClause,
    distinct_reads,
)
from sac_kafka.model.gaps import worst_first
from sac_kafka.model.merging import merge

MAX_OUTPUTS = 300
"""Datasets reported as outputs of a flow: of a sink that has changed, or whose table was renamed."""
MAX_DEFINITIONS = 8
"""Alternative definitions reported for one column, if batches compute it differently."""

_VALUE = r"(?:-?\d[\w.]*|\?|(?:DATE |TIMESTAMP |TIMESTAMP_NTZ )?'[^']*')"
_VALUES = re.compile(rf"{_VALUE}(?:, {_VALUE})*")
"""Rendered literals: one, or a comma-separated list."""

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class UnitedFlow:
    """The lineage fields of `Process`, under the same names."""

    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    columns_omitted: str | None = None
    other_sources: tuple[str, ...] = ()
    versions_read: tuple[tuple[str, str], ...] = ()
    through_driver: tuple[DriverRead, ...] = ()
    decided_by: tuple[Dataset, ...] = ()
    gaps: tuple[str, ...] = ()

    def with_more(self, more: Process | UnitedFlow) -> UnitedFlow:
        """Return the flow extended by a write or another flow; equal to this one if that adds nothing."""
        outputs = _datasets(self.outputs, more.outputs, MAX_OUTPUTS)
        kept = {d.key for d in outputs}
        if not any(d.key in kept for d in more.outputs):
            return self
        return UnitedFlow(
            inputs=_datasets(self.inputs, more.inputs, MAX_INPUTS),
            outputs=outputs,
            columns=_columns(self.columns, more.columns),
            row_level=sort_sources({*self.row_level, *more.row_level}),
            clauses=_clauses(self.clauses, more.clauses),
            columns_omitted=self.columns_omitted or more.columns_omitted,
            other_sources=tuple(sorted({*self.other_sources, *more.other_sources})),
            versions_read=tuple(dict.fromkeys((*self.versions_read, *more.versions_read)))[:MAX_VERSIONS],
            through_driver=distinct_reads((*self.through_driver, *more.through_driver))[:MAX_INPUTS],
            decided_by=_datasets(self.decided_by, more.decided_by, MAX_INPUTS),
            gaps=worst_first((*self.gaps, *more.gaps)),
        )

    def apply_to(self, process: Process) -> Process:
        """Return a process with this flow."""
        return dataclasses.replace(process, **{f.name: getattr(self, f.name) for f in dataclasses.fields(self)})


def _datasets(known: Iterable[Dataset], more: Iterable[Dataset], limit: int) -> tuple[Dataset, ...]:
    """Return the distinct datasets, sorted by key, at most `limit` of them."""
    result = {dataset.key: dataset for dataset in known}
    for dataset in map(_lasting, more):
        seen = result.get(dataset.key)
        if seen is not None:
            result[dataset.key] = merge(seen, dataset)
        elif len(result) < limit:
            result[dataset.key] = dataset
    return tuple(sorted(result.values(), key=lambda d: d.key))


def _lasting(dataset: Dataset) -> Dataset:
    """Return the dataset without the facts of one batch: all but one of its locations, and whether it replaced earlier rows."""
    if not isinstance(dataset, PathDataset):
        return dataset
    example = min(dataset.known_locations, default="")
    return dataclasses.replace(dataset, locations=(), is_replaced=False, example=example)


def _columns(known: Iterable[ColumnLineage], more: Iterable[ColumnLineage]) -> tuple[ColumnLineage, ...]:
    """Return the distinct definitions of each column; two with the same sources are one, under the first expression.

    A source without new rows is missing from the plan of a batch, so a definition whose sources are a subset of another's is
    dropped.
    """
    ways: dict[tuple[str, str], list[ColumnLineage]] = {}
    for lineage in (*known, *more):
        of_column = ways.setdefault((lineage.dataset, lineage.column), [])
        sources = frozenset(lineage.sources)
        if not any(sources <= frozenset(other.sources) for other in of_column):
            of_column[:] = [other for other in of_column if not frozenset(other.sources) < sources]
            if len(of_column) < MAX_DEFINITIONS:
                of_column.append(lineage)
    return tuple(lineage for of_column in ways.values() for lineage in of_column)


def _clauses(known: Iterable[RowClause], more: Iterable[RowClause]) -> tuple[RowClause, ...]:
    """Return the distinct clauses; those that differ in literals only (such as the batch number) are represented by the first.

    As for columns, a clause whose sources are a subset of those of another one with the same text is dropped.
    """
    same: dict[tuple[Dependency, str], list[RowClause]] = {}
    for clause in (*known, *more):
        of_text = same.setdefault((clause.dependency, _VALUES.sub("?", clause.text)), [])
        sources = frozenset(clause.sources)
        if not any(sources <= frozenset(other.sources) for other in of_text):
            of_text[:] = [other for other in of_text if not frozenset(other.sources) < sources]
            of_text.append(clause)
    return tuple(clause for of_text in same.values() for clause in of_text)[:MAX_CLAUSES]
