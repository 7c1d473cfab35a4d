"""Origins: what the rows of a leaf were made of, where the leaf itself names no dataset.

A checkpoint, an RDD, a micro-batch that is handed to a function, rows that the driver had read: what follows begins with a
leaf of rows, and who has seen how they were made knows what that leaf reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from sac_kafka.lineage.columns.handed_up import Clause, Clauses, Columns, OutputColumn
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import RowsWithoutDataset


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Origin:
    """What was read to make some rows, and the columns that these came to; `left_out` is as of `QueryFlow`.

    `definitions` are those of the views among what was read; `versions`, `other_sources`, `through_driver` and `gaps` are as
    of `Process`.
    """

    inputs: tuple[Dataset, ...]
    columns: Columns
    clauses: Clauses = ()
    left_out: str | None = None
    definitions: tuple[Process, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    other_sources: tuple[str, ...] = ()
    through_driver: tuple[tuple[str, str], ...] = ()
    gaps: tuple[str, ...] = ()

    def settled(self) -> Origin:
        """The same with the texts of its definitions and clauses: these hold on to all of the plan that is below them."""
        columns = Columns(map(_rendered, self.columns.outputs))
        return dataclasses.replace(self, columns=columns, clauses=tuple(map(_told, self.clauses)))


class Makers(Protocol):
    """What has made columns besides what their expressions say: models."""

    def of(self, node: LogicalPlan) -> Iterable[Origin]:
        """What was read to make the columns that a node makes; the columns of these origins say nothing."""


class Origins(Protocol):
    """Some of the origins that are known."""

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What a leaf reads, its columns under the leaf's ids; None where this does not know it."""


def _rendered(column: OutputColumn) -> OutputColumn:
    if column.definition is None:
        return column
    column.definition.marked()
    return column


def _told(clause: Clause) -> Clause:
    text = clause.text()
    return dataclasses.replace(clause, text=lambda: text)
