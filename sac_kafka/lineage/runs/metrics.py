"""Read the metrics of writes (rows, files, bytes), and attribute those of scans to the datasets that a run reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import reduce
from itertools import zip_longest
from operator import add

from sac_kafka.model import DatasetRead
from sac_kafka.model.merging import merged_reads
from sac_kafka.model.metrics import NOT_COUNTED, WriteMetrics
from sac_kafka.plan.execution import QueryExecution, ScanMetrics, SparkListenerSQLExecutionEnd
from sac_kafka.plan.streaming_events import RepeatedWrites


def write_metrics(query: QueryExecution | RepeatedWrites | None) -> tuple[WriteMetrics, ...]:
    """Return the metrics of each writing command of an execution, or of batches that repeat one, in order."""
    if query is None:
        return ()
    counted = zip_longest(query.rows_written, query.files_written, query.bytes_written, fillvalue=-1)
    return tuple(WriteMetrics(*(n if n >= 0 else None for n in numbers)) for numbers in counted)


def metrics_of_only_write(queries: Iterable[QueryExecution | None]) -> WriteMetrics:
    """Return the metrics of the single write within an action; unknown if there are several or none."""
    writes = [metrics for metrics in map(write_metrics, queries) if metrics]
    return writes[0][0] if len(writes) == 1 and len(writes[0]) == 1 else NOT_COUNTED


def transaction_metrics(event: SparkListenerSQLExecutionEnd) -> tuple[WriteMetrics, ...]:
    """Return what a writer without a command in the plan has counted in its transaction; () if there was none."""
    return (WriteMetrics(*event.counted),) if len(event.counted) == len(fields(WriteMetrics)) else ()


def total(metrics: Iterable[WriteMetrics]) -> WriteMetrics:
    """Return the sum of metrics; NOT_COUNTED if there are none."""
    parts = tuple(metrics)
    return reduce(add, parts) if parts else NOT_COUNTED


_ANY_WRITE = -1


def reads(
    scans: Iterable[ScanMetrics], datasets: Mapping[int, Iterable[str]], position: int = 0
) -> tuple[DatasetRead, ...]:
    """Return what was read for the write at a position, by dataset; `datasets` has the keys of leaves by their identity.

    Datasets that a single scan reads together are omitted, as the share of each is unknown.
    """
    alone: list[DatasetRead] = []
    together: set[str] = set()
    for scan in scans:
        if scan.write in (_ANY_WRITE, position):
            keys = {key for leaf in scan.leaves for key in datasets.get(id(leaf), ())}
            if len(keys) == 1:
                alone.append(DatasetRead(dataset=keys.pop(), rows=scan.rows, files=scan.files, bytes=scan.bytes))
            else:
                together |= keys
    return merged_reads(read for read in alone if read.dataset not in together)
