"""Represent what a run wrote and read, as its engine counts it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sac_kafka.model import DatasetRead, Run
from sac_kafka.model.processes import sum_counts


@dataclasses.dataclass(frozen=True, slots=True)
class WriteMetrics:
    """The metrics of one write; None for each that was not counted."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    def __add__(self, other: WriteMetrics) -> WriteMetrics:
        """Return the sum; a metric that either side lacks is unknown."""
        return WriteMetrics(
            sum_counts(self.rows, other.rows), sum_counts(self.files, other.files), sum_counts(self.bytes, other.bytes)
        )

    def apply_to(self, run: Run) -> Run:
        """Return a run with these metrics."""
        return dataclasses.replace(run, rows_written=self.rows, files_written=self.files, bytes_written=self.bytes)


NOT_COUNTED = WriteMetrics()


def metrics_of_run(run: Run) -> WriteMetrics:
    """Return the metrics of a run."""
    return WriteMetrics(run.rows_written, run.files_written, run.bytes_written)


def merge_reads(reads: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """Return one read per dataset, sorted by key; counts of the same dataset are added."""
    by_key: dict[str, DatasetRead] = {}
    for read in reads:
        known = by_key.get(read.dataset)
        by_key[read.dataset] = read if known is None else known + read
    return tuple(by_key[key] for key in sorted(by_key))


def sum_reads(one: Iterable[DatasetRead], other: Iterable[DatasetRead]) -> tuple[DatasetRead, ...]:
    """Return the sum of what two runs read; datasets that were not counted in both are omitted."""
    first, second = ({each.dataset: each for each in run} for run in (one, other))
    both = first.keys() & second.keys()
    return merge_reads(run[key] for run in (first, second) for key in both)
