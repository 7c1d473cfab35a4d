"""Origins: what the rows of a leaf were made of, where the leaf itself names no dataset.

A checkpoint, an RDD, a micro-batch that is handed to a function, rows that the driver had read: what follows begins with a
leaf of rows, and who has seen how they were made knows what that leaf reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from sac_kafka.lineage.columns.handed_up import EMPTY, Clause, Clauses, Columns, OutputColumn
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.lineage.model.gaps import worst_first
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import RowsWithoutDataset


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Origin:
    """What was read to make some rows, and the columns that these came to; `skip_reason` is as of `QueryFlow`.

    `definitions` are those of the views among what was read; `versions`, `other_sources`, `through_driver` and `gaps` are as
    of `Process`.
    """

    inputs: tuple[Dataset, ...]
    columns: Columns
    clauses: Clauses = ()
    skip_reason: str | None = None
    definitions: tuple[Process, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    other_sources: tuple[str, ...] = ()
    through_driver: tuple[tuple[str, str], ...] = ()
    gaps: tuple[str, ...] = ()

    def settled(self) -> Origin:
        """The same with the texts of its definitions and clauses: these hold on to all of the plan that is below them."""
        columns = Columns(map(_rendered, self.columns.outputs))
        return dataclasses.replace(self, columns=columns, clauses=tuple(map(_told, self.clauses)))


def together(origins: Iterable[Origin]) -> Origin:
    """Return what several origins read, as one; its columns are none, and its clauses those of all."""
    known = tuple(origins)
    return Origin(
        inputs=tuple({d.key: d for each in known for d in each.inputs}.values()),
        columns=EMPTY,
        clauses=tuple(clause for each in known for clause in each.clauses),
        skip_reason=next((each.skip_reason for each in known if each.skip_reason), None),
        definitions=tuple({d.outputs[0].key: d for each in known for d in each.definitions}.values()),
        versions=tuple(sorted({version for each in known for version in each.versions})),
        other_sources=tuple(sorted({words for each in known for words in each.other_sources})),
        through_driver=tuple(sorted({way for each in known for way in each.through_driver})),
        gaps=worst_first(gap for each in known for gap in each.gaps),
    )


class Makers(Protocol):
    """What has made columns besides what their expressions say: models."""

    def of(self, node: LogicalPlan) -> Iterable[Origin]:
        """What was read to make the columns that a node makes; the columns of these origins say nothing."""


class Origins(Protocol):
    """Some of the origins that are known."""

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What a leaf reads, its columns under the leaf's ids; None where this does not know it."""


def _rendered(column: OutputColumn) -> OutputColumn:
    if column.definition is not None:
        column.definition.marked()
    for part in column.parts:
        _rendered(part)
    return column


def _told(clause: Clause) -> Clause:
    text = clause.text()
    return dataclasses.replace(clause, text=lambda: text)
