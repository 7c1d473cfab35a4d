"""Origins: what the rows of a leaf were made of, where the leaf itself names no dataset.

A checkpoint, an RDD, a micro-batch that is handed to a function, rows that the driver had read: what follows begins with a
leaf of rows, and who has seen how they were made knows what that leaf reads.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

from sac_kafka.lineage.columns.handed_up import Clauses, Columns
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.plan.relations import RowsWithoutDataset


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Origin:
    """What was read to make some rows, and the columns that these came to; `left_out` is as of `QueryFlow`.

    `definitions` are those of the views among what was read, `versions` as of `Process.versions_read`,
    `other_sources` as of `Process`.
    """

    inputs: tuple[Dataset, ...]
    columns: Columns
    clauses: Clauses = ()
    left_out: str | None = None
    definitions: tuple[Process, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    other_sources: tuple[str, ...] = ()


class Origins(Protocol):
    """Some of the origins that are known."""

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What a leaf reads, its columns under the leaf's ids; None where this does not know it."""
