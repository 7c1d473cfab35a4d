"""What the executions within an action counted (CTAS, saveAsTable, a save through JDBC), where it does not itself."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Iterator, Sequence

from sac_kafka.lineage.budget import NOT_TRAVELLED
from sac_kafka.lineage.extract import datasets_at, with_reads
from sac_kafka.lineage.flow import Following, QueryFlow
from sac_kafka.lineage.merging import merged_reads
from sac_kafka.lineage.model import DatasetRead, Process
from sac_kafka.lineage.runs.figures import NOT_COUNTED, Figures, of_run, of_the_only_write
from sac_kafka.lineage.runs.reads import reads
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.systems.delta import DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand

MAX_JOBS = 100
"""Of one action, as of one execution (`spark/java/Jobs`)."""
_CHANGING_ROWS = (DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand)
_FIGURES = dataclasses.fields(Figures)


def with_figures(
    process: Process, root: LogicalPlan, within: Sequence[SparkListenerSQLExecutionEnd], following: Following
) -> Process:
    """The process of an action with the jobs of all its executions, and what those within it read and wrote.

    A command `root` that changes rows in place writes rows anew that stay as they are: what that counts says nothing.
    """
    jobs = sorted({*process.run.jobs, *(job for inner in within for job in inner.jobs)})[:MAX_JOBS]
    run = dataclasses.replace(process.run, jobs=tuple(jobs))
    if of_run(run) == NOT_COUNTED and not run.failure:
        only = of_the_only_write(inner.query_execution for inner in within)
        is_known = only != NOT_COUNTED or isinstance(root, _CHANGING_ROWS)
        run = (only if is_known else _counted(within)).put_on(run)
    process = dataclasses.replace(process, run=run)
    return process if run.read or run.failure else with_reads(process, merged_reads(_read(within, following)))


def _counted(within: Sequence[SparkListenerSQLExecutionEnd]) -> Figures:
    """Return what the writers without a command counted, in all: the transactions of an action write one table."""
    found = [Figures(*each.counted) for each in within if each.failure is None and len(each.counted) == len(_FIGURES)]
    return functools.reduce(operator.add, found) if found else NOT_COUNTED


def _read(within: Sequence[SparkListenerSQLExecutionEnd], following: Following) -> Iterator[DatasetRead]:
    for inner in within:
        query = inner.query_execution
        if inner.failure is None and query is not None and query.analyzed is not None and query.scans:
            flow = QueryFlow(following, Counter())
            flow.leave_out_columns(NOT_TRAVELLED)  # which datasets there are is all that is asked
            flow.follow(query.analyzed)
            yield from reads(query.scans, datasets_at(flow))
