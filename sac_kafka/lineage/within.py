"""Add the metrics of nested executions (CTAS, saveAsTable, a save through JDBC) to the process of their root."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Iterator, Sequence

from sac_kafka.lineage.bounds import NOT_PROJECTED
from sac_kafka.lineage.extract import datasets_at, with_reads
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.lineage.merging import merged_reads
from sac_kafka.lineage.model import DatasetRead, Process
from sac_kafka.lineage.runs.metrics import NOT_COUNTED, WriteMetrics, metrics_of_only_write, metrics_of_run, reads
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.systems.delta import DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand

MAX_JOBS = 100
"""Jobs listed for one action, as for one execution (`spark/java/Jobs`)."""
_CHANGING_ROWS = (DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand)
_METRICS = dataclasses.fields(WriteMetrics)


def with_nested_metrics(
    process: Process, root: LogicalPlan, within: Sequence[SparkListenerSQLExecutionEnd], options: TraversalOptions
) -> Process:
    """Return the process of an action with the jobs of all its executions, and the metrics of the nested ones.

    The metrics of a DELETE, UPDATE or MERGE as `root` are ignored: such a command also rewrites unchanged rows.
    """
    jobs = sorted({*process.run.jobs, *(job for inner in within for job in inner.jobs)})[:MAX_JOBS]
    run = dataclasses.replace(process.run, jobs=tuple(jobs))
    if metrics_of_run(run) == NOT_COUNTED and not run.failure:
        only = metrics_of_only_write(inner.query_execution for inner in within)
        is_known = only != NOT_COUNTED or isinstance(root, _CHANGING_ROWS)
        run = (only if is_known else _counted(within)).apply_to(run)
    process = dataclasses.replace(process, run=run)
    return process if run.read or run.failure else with_reads(process, merged_reads(_read(within, options)))


def _counted(within: Sequence[SparkListenerSQLExecutionEnd]) -> WriteMetrics:
    """Return the total of writers that have no command in the plan: all transactions of an action write one table."""
    found = [
        WriteMetrics(*each.counted) for each in within if each.failure is None and len(each.counted) == len(_METRICS)
    ]
    return functools.reduce(operator.add, found) if found else NOT_COUNTED


def _read(within: Sequence[SparkListenerSQLExecutionEnd], options: TraversalOptions) -> Iterator[DatasetRead]:
    for inner in within:
        query = inner.query_execution
        if inner.failure is None and query is not None and query.analyzed is not None and query.scans:
            flow = QueryFlow(options, Counter())
            flow.skip_columns(NOT_PROJECTED)  # only the datasets are needed
            flow.follow(query.analyzed)
            yield from reads(query.scans, datasets_at(flow))
