"""Describe the origin of rows whose leaf in the plan names no dataset.

The plan of a query over a checkpoint, an RDD, a micro-batch passed to a function, or rows collected by the driver begins with a
leaf of anonymous rows. An `Origins` knows how such rows were computed and thus what the leaf reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Iterable
from typing import Protocol

from sac_kafka.lineage.columns.output_columns import EMPTY, Clause, Clauses, Columns, OutputColumn
from sac_kafka.model import Dataset, DriverRead, Process, distinct_reads
from sac_kafka.model.gaps import worst_first
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import RowsWithoutDataset


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Origin:
    """The inputs from which some rows were computed, and the resulting columns; `skip_reason` as in `QueryFlow`.

    `definitions` are those of the views among the inputs; `versions`, `other_sources`, `through_driver` and `gaps` as in
    `Process`.
    """

    inputs: tuple[Dataset, ...]
    columns: Columns
    clauses: Clauses = ()
    skip_reason: str | None = None
    definitions: tuple[Process, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    other_sources: tuple[str, ...] = ()
    through_driver: tuple[DriverRead, ...] = ()
    gaps: tuple[str, ...] = ()

    def with_texts(self) -> Origin:
        """Return the origin with rendered definitions and clauses, which otherwise keep the whole plan below in memory."""
        columns = Columns(map(_with_text, self.columns.outputs))
        return dataclasses.replace(self, columns=columns, clauses=tuple(map(_render, self.clauses)))


def merge_origins(origins: Iterable[Origin]) -> Origin:
    """Merge several origins into one with all their inputs and clauses, but without columns."""
    known = tuple(origins)
    return Origin(
        inputs=tuple({d.key: d for origin in known for d in origin.inputs}.values()),
        columns=EMPTY,
        clauses=tuple(clause for origin in known for clause in origin.clauses),
        skip_reason=next((origin.skip_reason for origin in known if origin.skip_reason), None),
        definitions=tuple({d.outputs[0].key: d for origin in known for d in origin.definitions}.values()),
        versions=tuple(sorted({version for origin in known for version in origin.versions})),
        other_sources=tuple(sorted({words for origin in known for words in origin.other_sources})),
        through_driver=distinct_reads(read for origin in known for read in origin.through_driver),
        gaps=worst_first(gap for origin in known for gap in origin.gaps),
    )


class ColumnOrigins(Protocol):
    """Lookup of further inputs of columns, which expressions do not reveal (ML models)."""

    @property
    def columns(self) -> Container[int]:
        """The exprIds of such columns; none before the first."""

    def origins_of(self, node: LogicalPlan) -> Iterable[Origin]:
        """Return the origins of the columns that a node adds; the columns of these origins are meaningless."""


OriginOf = Callable[[LogicalPlan], Origin]
"""Return the origin of the rows of a plan."""


class Origins(Protocol):
    """Lookup of the known origins of one kind of rows."""

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of a leaf's rows, with columns under the leaf's ids; None if unknown."""


def _with_text(column: OutputColumn) -> OutputColumn:
    if column.definition is not None:
        column.definition.mark_columns()
    for part in column.parts:
        _with_text(part)
    return column


def _render(clause: Clause) -> Clause:
    text = clause.text()
    return dataclasses.replace(clause, text=lambda: text)
