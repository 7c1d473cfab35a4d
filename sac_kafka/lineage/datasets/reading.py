"""What is read at one place of a plan: datasets, and which of their columns are which of the plan's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.lineage.columns.combining import Sources
from sac_kafka.lineage.model import Dataset, Dependency

SourceColumns = Mapping[str, tuple[tuple[str, Dependency], ...]]
"""Columns of a dataset by the name of the column that is made of them, lower case."""


@dataclass(frozen=True, slots=True)
class ReadClause:
    """A clause that decided rows before Spark saw them; `text` as in `model.RowClause`."""

    kind: Dependency
    sources: Sources
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a leaf reads.

    Its columns are those of the same name in each of `datasets`, unless `columns` says which columns of the only dataset
    `base` (its key) they are made of, or `made_of` which columns of any of them, by their keys; both by names in small
    letters. A column that is not there has unknown sources. `clauses` are what the system itself did with the rows.
    `counts` are reasons why something is missing. `version` says in words which state of the datasets was asked for, where it
    was not the newest: `version 3`, `timestamp 2026-11-21 00:00:00`, `branch audit`, `changes from version 2 to 5`. It is
    never part of a name. `other_source` says in words where rows come from that no dataset holds.
    `hidden` are columns that the reading adds to those of the datasets: they come from nowhere.
    """

    datasets: tuple[Dataset, ...] = ()
    base: str | None = None
    columns: SourceColumns | None = None
    made_of: Mapping[str, Sources] | None = None
    clauses: tuple[ReadClause, ...] = ()
    counts: tuple[str, ...] = ()
    version: str | None = None
    other_source: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def only(self) -> Dataset | None:
        """The dataset, where there is exactly one."""
        return self.datasets[0] if len(self.datasets) == 1 else None


def reading_of(dataset: Dataset | None) -> Reading | None:
    """One dataset read as it is; None for none."""
    return None if dataset is None else Reading(datasets=(dataset,))
