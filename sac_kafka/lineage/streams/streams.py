"""Track the streaming queries of an application: one process each, emitted when it is first known, changes, and ends."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sac_kafka.lineage.bounds import Bounded
from sac_kafka.lineage.datasets.paths import without_run
from sac_kafka.lineage.executions import Ended, Executions, UnreportedWrites
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch import Batches, BatchFlows, Remember
from sac_kafka.lineage.streams.function_threads import Action
from sac_kafka.lineage.streams.notes import BatchNotes
from sac_kafka.lineage.streams.query_run import QueryRun, StreamingQuery, epoch_ms
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    RepeatedBatches,
)

_STATE = "/state"
_PIPELINE_CHECKPOINTS = "/_checkpoints/"
"""Checkpoint directory of Declarative Pipelines; each flow has one directory per full refresh, named by a number."""


def lasting_name(name: str | None) -> str | None:
    """Return the name of a query; None if it contains a date, a UUID or the like, which differ from run to run.

    >>> lasting_name("orders"), lasting_name("q-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa")
    ('orders', None)
    """
    return name if name and without_run(name) == name else None


def lasting_checkpoint(state_location: str | None) -> str | None:
    """Return the checkpoint directory of a state directory; None for a temporary one, made for a single run.

    >>> lasting_checkpoint("s3a://lake/checkpoints/orders/state")
    's3a://lake/checkpoints/orders'
    >>> lasting_checkpoint("file:/tmp/temporary-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa/state") is None
    True
    >>> lasting_checkpoint("s3a://lake/storage/_checkpoints/spark_catalog/default/raw/load/3/state")
    's3a://lake/storage/_checkpoints/spark_catalog/default/raw/load'
    """
    if not state_location or not state_location.endswith(_STATE):
        return None
    place = state_location.removesuffix(_STATE)
    of_flow, _, number = place.rpartition("/")
    if _PIPELINE_CHECKPOINTS in of_flow and number.isdecimal():
        place = of_flow
    return place if without_run(place) == place else None


def identity_of(name: str | None, checkpoint: str | None, flow: UnitedFlow) -> tuple[str, ...]:
    """Return the identity of a query: its lasting name and checkpoint; without a checkpoint, also its outputs and inputs.

    A query without a lasting checkpoint starts from scratch each time; with other inputs or outputs it is another process.
    """
    if checkpoint is not None:
        return name or "", checkpoint
    keys = (*(f"output {d.key}" for d in flow.outputs), *(f"input {d.key}" for d in flow.inputs))
    return name or "", "", *keys


MAX_QUERIES = 1_000
"""Queries, and runs of queries, that are remembered; the oldest is evicted first."""

CurrentTables = Callable[[Process], Process]
"""Return a process with its tables in their current state (`Catalog.current`)."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Emitted:
    """The last emission of a query."""

    flow: UnitedFlow
    has_failed: bool = False


UNKNOWN_FAILURE = "org.apache.spark.sql.streaming.StreamingQueryException"
"""Failure of a query for which Spark states no error condition."""


class Streams:
    """The streaming queries of an application, updated by their events in order.

    `unreported` is called for each write that is not understood, once per run.
    """

    def __init__(
        self,
        executions: Executions,
        current: CurrentTables,
        remember: Remember,
        counts: Counter[str],
        unreported: UnreportedWrites,
        notes: BatchNotes,
    ) -> None:
        self._batches = Batches(executions, remember, notes)
        self._executions = executions
        self._current = current
        self._runs: Bounded[str, QueryRun] = Bounded(MAX_QUERIES)
        self._emitted: Bounded[tuple[str, ...], _Emitted] = Bounded(MAX_QUERIES)
        self._queries: Bounded[str, StreamingQuery] = Bounded(MAX_QUERIES)
        self._counts = counts
        self._unreported = unreported

    def started(self, event: QueryStartedEvent) -> None:
        """Add a run that has started; what it writes is unknown until its first batch, so there is no process yet."""
        known = self._queries.get(event.query_id) or StreamingQuery(event.query_id, None)
        query = dataclasses.replace(known, name=lasting_name(event.name))
        self._runs[event.run_id] = QueryRun(query, event.run_id, epoch_ms(event.timestamp))

    def progressed(self, event: QueryProgressEvent) -> None:
        """Add the counts of a batch that has ended."""
        run = self._runs.get(event.progress.run_id)
        if run is not None:
            sink = event.progress.sink
            run.add_progress(event.progress.sources, -1 if sink is None else sink.rows)

    def session_of(self, run_id: str) -> str | None:
        """Return the session in which the batches of a run are executed; None before the first batch has ended."""
        run = self._runs.get(run_id)
        return run.session if run is not None else None

    def repeated(self, event: RepeatedBatches, thread_actions: Sequence[Action] = ()) -> Iterator[Process]:
        """Add batches that repeat an earlier one, and yield the process if a delayed change is due now."""
        self._counts["micro-batches"] += event.batches
        self._counts["micro-batches that repeat an earlier one"] += event.batches
        run = self._runs.get(event.run_id)
        if run is not None:
            run.repeat(event)
            yield from self._add_thread_actions(run, thread_actions)
            if run.query.identity is not None:
                yield from self._emit_if_due(run)

    def terminated(self, event: QueryTerminatedEvent, thread_actions: Sequence[Action] = ()) -> Iterator[Process]:
        """Yield the process of a run that has ended, with its final counts."""
        run = self._runs.pop(event.run_id, None)
        if run is not None:
            yield from self._add_thread_actions(run, thread_actions)
        if run is None or run.query.identity is None:
            self._counts["streaming query ended before a batch showed what it writes"] += 1
            return
        if run.batches or event.has_failed:
            failure = run.last_batch.failure or event.condition or UNKNOWN_FAILURE if event.has_failed else None
            yield from self._emit(run, has_ended=True, failure=failure)

    def ended(self) -> Iterator[Process]:
        """Yield the queries that still ran when their driver ended: Spark posts no event then."""
        for run in tuple(self._runs.values()):
            if run.query.identity is not None and run.batches:
                yield from self._emit(run, has_ended=True)

    def batch(self, root: Ended, within: Sequence[Ended], thread_actions: Sequence[Action] = ()) -> Iterator[Process]:
        """Add a batch that has ended, with the executions within it and of its function's threads."""
        event, opened = root
        query = event.query_execution
        if not isinstance(query, IncrementalExecution):
            return
        run = self._runs.get(query.run_id)
        if run is None:  # attached after its start
            run = self._runs[query.run_id] = QueryRun(
                StreamingQuery(query.query_id, None), query.run_id, opened.started_ms
            )
        found = self._batches.flows(root, within, thread_actions)
        self._counts["micro-batches"] += 1
        self._unreported.report(root, sorted(set(found.unreported) - run.unreported))
        run.unreported.update(found.unreported)
        run.add(root, query, self._executions.application(opened, query), counts_itself=found.is_of_function)
        yield from self._add_flow(run, found)
        if run.query.identity is not None:
            yield from self._emit_if_due(run)

    def _add_thread_actions(self, run: QueryRun, thread_actions: Sequence[Action]) -> Iterator[Process]:
        """Add what threads of a function have written, apart from a batch."""
        if thread_actions and run.origin is not None:
            yield from self._add_flow(run, self._batches.function_flows(run.origin, (), thread_actions))
        elif thread_actions:
            self._counts["execution in a thread of a function whose batch was not seen"] += len(thread_actions)

    def _add_flow(self, run: QueryRun, found: BatchFlows) -> Iterator[Process]:
        self._counts.update(found.counts)
        yield from map(self._current, {v.outputs[0].key: v for v in found.views}.values())
        if found.origin is not None:
            run.origin = found.origin.with_texts()
        run.add_flow(map(self._current, found.processes))
        if run.query.flow.outputs:
            self._set_identity(run.query, run.state_location)

    def _set_identity(self, query: StreamingQuery, state_location: str | None) -> None:
        """Set the identity of a query once it has outputs, and add the flow of its earlier runs: the server keeps that."""
        if query.identity is None:
            query.checkpoint = lasting_checkpoint(state_location)
            query.identity = identity_of(query.name, query.checkpoint, query.flow)
            if (emitted := self._emitted.get(query.identity)) is not None:
                query.flow = emitted.flow.with_more(query.flow)
        self._queries[query.id] = query

    def _emit_if_due(self, run: QueryRun) -> Iterator[Process]:
        emitted = self._emitted.get(run.query.identity or ())
        has_changed = emitted is None or emitted.has_failed or emitted.flow != run.query.flow
        if has_changed and run.emissions.is_due(run.batches):
            run.emissions.add(run.batches)
            yield from self._emit(run)

    def _emit(self, run: QueryRun, *, has_ended: bool = False, failure: str | None = None) -> Iterator[Process]:
        process = run.process(has_ended=has_ended, failure=failure)
        if process is not None and process.stream is not None:
            self._emitted[process.stream.identity] = _Emitted(run.query.flow, failure is not None)
            yield process
