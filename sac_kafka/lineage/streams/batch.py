"""Extract what one micro-batch reads and writes: from its own plan, else from what ran within it (`foreachBatch`).

An execution that is a part of another one is dropped: the files that a CTAS or `saveAsTable` writes are its table. Spark states
for each only that it runs within the batch. Files are matched to a table by its location, or by its directory name if the
function has dropped the table again.

A batch that repeats an earlier one is not projected; the listener only adds up its counters, by their position in the batch. The
positions are, per execution in the order of their ends: one for each writing command, then one for a writer without a command.
`sackafka.PlanDigest` counts in the same order.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.executions import CHANGING_ROWS, WRITING_SAVED, Action, Ended, analyzed_plan
from sac_kafka.lineage.extract import Extraction, total, transaction_metrics, write_metrics
from sac_kafka.lineage.row_origins import RowOrigins
from sac_kafka.model import Dataset, PathDataset, Process, TableDataset
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics
from sac_kafka.plan.commands import (
    CreateDataSourceTableAsSelectCommand,
    InsertIntoDataSourceDirCommand,
    SaveAsV1TableCommand,
)
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.streaming import WriteToMicroBatchDataSource
from sac_kafka.plan.streaming_events import RepeatedWrites
from sac_kafka.plan.v2_writes import V2CreateTableAsSelect

Positions = tuple[int, ...]
"""Counters that add up to the metrics of a write; () if it was not counted."""


class ExecutionCounters:
    """Counters of executions, in the order of their ends; `writers` are those of them that wrote, by execution id."""

    def __init__(self, events: Sequence[SparkListenerSQLExecutionEnd], writers: Iterable[int]) -> None:
        self._metrics: list[WriteMetrics] = []
        self._commands: dict[int, Positions] = {}
        self._others: dict[int, Positions] = {}
        for event in events:
            self._commands[event.execution_id] = self._add(write_metrics(event.query_execution))
            self._others[event.execution_id] = self._add(transaction_metrics(event))
        self._parts = _parts(events, frozenset(writers))

    def _add(self, metrics: Sequence[WriteMetrics]) -> Positions:
        start = len(self._metrics)
        self._metrics.extend(metrics)
        return tuple(range(start, start + len(metrics)))

    def total(self, positions: Positions) -> WriteMetrics:
        """Return the sum of these counters."""
        return total(self._metrics[at] for at in positions)

    def positions(self, event: SparkListenerSQLExecutionEnd, command: int | None) -> Positions:
        """Return the counters of a write: those of its command, by number; else those of executions that ran for it alone.

        A command that changes rows has no number: it also counts the unchanged rows that it rewrites.
        """
        own = self._commands[event.execution_id]
        if command is not None and command < len(own) and self._metrics[own[command]] != NOT_COUNTED:
            return (own[command],)
        parts = self._parts.get(event.execution_id, ())
        if not all(part.is_alone for part in parts):  # threads that share the batch
            return ()
        commands = [at for part in parts for at in self._commands[part.event.execution_id]]
        if len(commands) == 1:
            return (commands[0],)
        if isinstance(analyzed_plan(event), CHANGING_ROWS):
            return ()
        return tuple(at for part in parts if part.event.failure is None for at in self._others[part.event.execution_id])


class _Part(NamedTuple):
    """An execution that a writer may have run; `is_alone` if no other writer may have."""

    event: SparkListenerSQLExecutionEnd
    is_alone: bool


def _parts(events: Sequence[SparkListenerSQLExecutionEnd], writers: frozenset[int]) -> Mapping[int, Sequence[_Part]]:
    """Return the executions that started after a writer and ended before it, by the writer's execution."""
    result: dict[int, list[_Part]] = {}
    order = {event.execution_id: at for at, event in enumerate(events)}
    for event in events:
        inner = event.execution_id
        around = () if inner in writers else tuple(w for w in writers if w < inner and order[w] > order[inner])
        for writer in around:
            result.setdefault(writer, []).append(_Part(event, len(around) == 1))
    return result


def repeated_total(positions: Positions, repeated: RepeatedWrites) -> WriteMetrics:
    """Return the sum of these counters over batches that repeat one; NOT_COUNTED if one of them is missing."""
    counted = write_metrics(repeated)
    return total(counted[at] for at in positions) if max(positions, default=0) < len(counted) else NOT_COUNTED


_NESTING = (
    CreateDataSourceTableAsSelectCommand,
    InsertIntoDataSourceDirCommand,
    SaveAsV1TableCommand,
    V2CreateTableAsSelect,
)
"""Commands whose rows another execution writes."""

Extracted = tuple[Ended, Extraction]
"""An execution that has ended, and its processes."""


def independent_processes(
    extracted: Sequence[Extracted],
) -> Iterator[tuple[SparkListenerSQLExecutionEnd, Process, int | None]]:
    """Yield the processes of the executions within a batch, in the order of their ends, without parts of others.

    Each comes with its execution, and the number of its command as in `Extraction`.
    """
    reported = [pair for at, pair in enumerate(extracted) if not _is_reported_within(pair[0][0], extracted[:at])]
    for position, ((event, _), extraction) in enumerate(reported):
        # A nested execution starts after the outer one and ends before it.
        around = [
            dataset
            for (outer, _), report in reported[position + 1 :]
            if outer.execution_id < event.execution_id and isinstance(analyzed_plan(outer), _NESTING)
            for process in report.processes
            for dataset in process.outputs
        ]
        for process, command in zip(extraction.processes, extraction.commands, strict=True):
            if not (process.outputs and all(_is_in(o, around) for o in process.outputs)):
                yield event, process, command


def _is_reported_within(event: SparkListenerSQLExecutionEnd, ended: Sequence[Extracted]) -> bool:
    """Return whether a command that `saveAsTable` ran reports its table: only that one has the current database."""
    plan = analyzed_plan(event)
    if not isinstance(plan, SaveAsV1TableCommand):
        return False
    name = plan.table.identifier.table.lower()
    commands = (
        analyzed_plan(inner)
        for (inner, _), report in ended
        if inner.execution_id > event.execution_id and report.processes
    )
    return any(
        isinstance(command, WRITING_SAVED) and command.table.identifier.table.lower() == name for command in commands
    )


def _is_in(output: Dataset, written: Sequence[Dataset]) -> bool:
    return any(
        output.key == dataset.key
        or (isinstance(output, PathDataset) and isinstance(dataset, TableDataset) and _lies_at(dataset, output.path))
        for dataset in written
    )


def _lies_at(table: TableDataset, path: str) -> bool:
    """Return whether a path is a table's location; for a table without a known location, compare the directory's name.

    >>> _lies_at(TableDataset(database="sales", name="Stage"), "file:/warehouse/sales.db/stage")
    True
    >>> _lies_at(TableDataset(database="sales", name="stage"), "file:/out/orders")
    False
    """
    if table.location is not None:
        return table.location.rstrip("/") == path.rstrip("/")
    return path.rstrip("/").rpartition("/")[2].lower() == table.name.lower()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchWrite:
    """A successful write of a batch.

    Attributes:
        process: The write, with one output.
        is_to_sink: True if the sink names what it writes, so that all batches write it; else any batch may write something else.
        written: What the write counted; None if the sink counts for itself.
        counters: Where a batch that repeats this one counts it; None if that shows the write again.
    """

    process: Process
    is_to_sink: bool = False
    written: WriteMetrics | None = None
    counters: Positions | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchFlows:
    """The lineage of one batch.

    Attributes:
        writes: Its writes.
        views: As in `Extraction`, like the next two.
        counts: What was not understood.
        unreported: The reason for each write that has no process.
        origin: The origin of the rows of the batch, if a function writes them (`foreachBatch`).
    """

    writes: tuple[BatchWrite, ...] = ()
    views: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    unreported: tuple[str, ...] = ()
    origin: Origin | None = None


class Batches:
    """Extractor of the lineage of micro-batches, which `origins` remembers for each execution within a batch."""

    def __init__(self, origins: RowOrigins) -> None:
        self._origins = origins
        self._executions = origins.executions

    def flows(self, root: Ended, within: Sequence[Ended], thread_actions: Sequence[Action] = ()) -> BatchFlows:
        """Return the lineage of a batch with the executions within it, in the order of their ends, and the actions of threads.

        If the plan of the batch shows what it writes, nested executions are ignored, and a failed batch has written nothing.
        """
        extraction = self._executions.processes(root)
        counts = Counter(extraction.counts)
        plan = analyzed_plan(root[0])
        if extraction.processes:
            is_to_sink = not _rows_name_their_topics(plan)
            written = extraction.processes if root[0].failure is None else ()
            writes = tuple(BatchWrite(process=process, is_to_sink=is_to_sink) for process in written)
            return BatchFlows(writes=writes, views=extraction.views, counts=counts, unreported=extraction.unreported)
        # If nothing has run yet, a thread of the function may still be working: its inputs are counted when it is done.
        origin = (
            None if plan is None else self._executions.origin(plan, counts if within or thread_actions else Counter())
        )
        inside = BatchFlows() if origin is None else self.function_flows(origin, within, thread_actions)
        unreported = () if inside.writes else (*extraction.unreported, *inside.unreported)
        return dataclasses.replace(inside, origin=origin, counts=counts + Counter(inside.counts), unreported=unreported)

    def function_flows(self, origin: Origin, within: Sequence[Ended], thread_actions: Sequence[Action]) -> BatchFlows:
        """Return the writes of a `foreachBatch` function, within a batch and in its threads; `origin` is that of the rows."""
        counts: Counter[str] = Counter()
        ran = [(within, tuple(self._inner(origin, within, counts)))]
        for ended, nested in thread_actions:
            part = (*nested, ended)
            ran.append((part, tuple(self._inner(origin, part, counts))))
        inner = tuple(extraction for _, part in ran for _, extraction in part)
        return BatchFlows(
            writes=tuple(
                dataclasses.replace(write, counters=write.counters if part is within else None)
                for part, extracted in ran
                for write in _writes([event for event, _ in part], extracted)
            ),
            views=tuple(v for extraction in inner for v in extraction.views),
            counts=counts,
            unreported=tuple(reason for extraction in inner for reason in extraction.unreported),
        )

    def _inner(self, origin: Origin, within: Sequence[Ended], counts: Counter[str]) -> Iterator[Extracted]:
        plans = [p for event, _ in within if (p := analyzed_plan(event)) is not None]
        if not plans:
            return
        rows, values = self._origins.rows_of_batch(origin, plans), self._origins.driver_values
        for ended in within:
            event = ended[0]
            inner = analyzed_plan(event)
            # A V2 sink runs the plan of the batch itself in a nested execution.
            if event.failure is not None or inner is None or isinstance(event.query_execution, IncrementalExecution):
                continue
            self._origins.remember(event, rows)
            extraction = self._executions.processes(ended, rows)
            counts.update(extraction.counts)
            reads, of_plan = ended[1].reads, self._origins.of_plan
            processes = tuple(values.with_statement_values(process, reads, of_plan) for process in extraction.processes)
            yield ended, dataclasses.replace(extraction, processes=processes)


def _writes(events: Sequence[SparkListenerSQLExecutionEnd], extracted: Sequence[Extracted]) -> Iterator[BatchWrite]:
    """Yield the writes of executions, `events`, that a function ran one after another."""
    independent = tuple(independent_processes(extracted))
    counters = ExecutionCounters(events, {event.execution_id for event, _, _ in independent})
    for event, process, command in independent:
        positions = counters.positions(event, command)
        yield BatchWrite(process=process, written=counters.total(positions), counters=positions)


def _rows_name_their_topics(plan: LogicalPlan | None) -> bool:
    """Return whether the column `topic` of a Kafka sink names what is written."""
    return isinstance(plan, WriteToMicroBatchDataSource) and bool(plan.topics) and "topic" not in (plan.options or {})
