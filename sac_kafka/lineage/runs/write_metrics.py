"""Read the metrics of writes: rows, files, bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from itertools import zip_longest

from sac_kafka.lineage.model import Run
from sac_kafka.plan.execution import QueryExecution


@dataclasses.dataclass(frozen=True, slots=True)
class WriteMetrics:
    """Spark's metrics of one write; None for each that it did not count."""

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


def write_metrics(query: QueryExecution | None) -> tuple[WriteMetrics, ...]:
    """Return the metrics of each writing command of an execution, in order."""
    if query is None:
        return ()
    counted = zip_longest(query.rows_written, query.files_written, query.bytes_written, fillvalue=-1)
    return tuple(WriteMetrics(*(n if n >= 0 else None for n in each)) for each in counted)


def metrics_of_only_write(queries: Iterable[QueryExecution | None]) -> WriteMetrics:
    """Return the metrics of the single write within an action; unknown if there are several or none."""
    found = [each for each in map(write_metrics, queries) if each]
    return found[0][0] if len(found) == 1 and len(found[0]) == 1 else NOT_COUNTED


def metrics_of_run(run: Run) -> WriteMetrics:
    """Return the metrics of a run."""
    return WriteMetrics(run.rows_written, run.files_written, run.bytes_written)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
