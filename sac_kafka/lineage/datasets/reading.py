"""Describe what a leaf of a plan reads: datasets, and the mapping of their columns to the leaf's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.lineage.columns.output_columns import Clauses
from sac_kafka.model import Column, Dataset, Dependency
from sac_kafka.model.columns import Sources
from sac_kafka.names.files import Patterns
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.nodes import NAME, NAMESPACE, OwnName

SourceColumns = Mapping[str, tuple[tuple[str, Dependency], ...]]
"""Source columns with their dependency, by the lower-case name of the leaf's column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a leaf reads.

    By default, the leaf's columns have their sources in the columns of the same name in each of `datasets`. Otherwise
    `columns` maps them to columns of a single dataset `base` (its key), or `made_of` to columns of any of the datasets, by
    key; both have lower-case names as keys, and a missing column has unknown sources. `clauses` are those that the source
    itself applied. `counts` are reasons for gaps, to be counted. `version` describes the requested state of the datasets if
    it is not the latest (`version 3`, `timestamp 2026-11-21 00:00:00`, `branch audit`, `changes from version 2 to 5`); it is
    not part of any name. `other_source` describes an origin of rows that is not a dataset. `hidden` are columns added by the
    reader, which have no sources.
    """

    datasets: tuple[Dataset, ...] = ()
    base: str | None = None
    columns: SourceColumns | None = None
    made_of: Mapping[str, Sources] | None = None
    clauses: Clauses = ()
    counts: tuple[str, ...] = ()
    version: str | None = None
    other_source: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def only(self) -> Dataset | None:
        """The dataset if there is exactly one."""
        return self.datasets[0] if len(self.datasets) == 1 else None


def reading_of(dataset: Dataset | None) -> Reading | None:
    """Return the reading of a single dataset with its own columns; None for None."""
    return None if dataset is None else Reading(datasets=(dataset,))


def own_reading(names: tuple[OwnName, ...], columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Return the datasets read under the given names; None if there are none."""
    datasets = tuple(d for name in names if (d := dataset_of(name, columns, patterns)) is not None)
    return Reading(datasets=datasets) if datasets else None


def own_name_of(properties: Mapping[str, str] | None) -> OwnName | None:
    """Return the OpenLineage name in the properties of a table, or None."""
    known = properties or {}
    namespace, name = known.get(NAMESPACE), known.get(NAME)
    return OwnName(namespace=namespace, name=name) if namespace and name else None
