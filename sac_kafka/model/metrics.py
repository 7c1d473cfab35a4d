"""Represent what a run wrote and read, as its engine counts it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.model import DatasetRead, Run
from sac_kafka.model.merging import merged_reads


@dataclasses.dataclass(frozen=True, slots=True)
class WriteMetrics:
    """The metrics of one write; None for each that was not counted."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: WriteMetrics) -> WriteMetrics:
        """Return the sum; a metric that either side lacks is unknown."""
        return WriteMetrics(_sum(self.rows, other.rows), _sum(self.files, other.files), _sum(self.bytes, other.bytes))

    def apply_to(self, run: Run) -> Run:
        """Return a run with these metrics."""
        return dataclasses.replace(run, rows_written=self.rows, files_written=self.files, bytes_written=self.bytes)


NOT_COUNTED = WriteMetrics()


def metrics_of_run(run: Run) -> WriteMetrics:
    """Return the metrics of a run."""
    return WriteMetrics(run.rows_written, run.files_written, run.bytes_written)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def sum_reads(one: Iterable[DatasetRead], other: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """Return the sum of what two runs read; datasets that were not counted in both are omitted."""
    first, second = ({each.dataset: each for each in run} for run in (one, other))
    both = first.keys() & second.keys()
    return merged_reads(run[key] for run in (first, second) for key in both)
