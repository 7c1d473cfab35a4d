"""Track the streaming queries of an application.

A query is one process per dataset that it writes, emitted when it is first known, changes, and ends.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from sac_kafka.lineage.executions import Action, Ended
from sac_kafka.lineage.row_origins import RowOrigins
from sac_kafka.lineage.streams.batch import Batches, BatchFlows, BatchWrite
from sac_kafka.lineage.streams.query_run import (
    FlowRun,
    FlowWrite,
    QueryRun,
    StreamFlow,
    StreamingQuery,
    Target,
    epoch_ms,
    lasting_checkpoint,
)
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.model import Process
from sac_kafka.model.bounds import Bounded
from sac_kafka.names.paths import without_run
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    RepeatedBatches,
)
from sac_kafka.stages.process_stages import StageState, pass_stages_of_datasets


def lasting_name(name: str | None) -> str | None:
    """Return the name of a query; None if it contains a date, a UUID or the like, which differ from run to run.

    >>> lasting_name("orders"), lasting_name("q-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa")
    ('orders', None)
    """
    return name if name and without_run(name) == name else None


def identity_of(query: StreamingQuery, flow: UnitedFlow, target: Target) -> tuple[str, ...]:
    """Return the identity of a flow: the name and checkpoint of its query, and the dataset that it writes.

    Which dataset a function writes first may differ with each start, so its flows always name it; a sink's flow does not.
    A query without a lasting checkpoint starts from scratch each time; with other inputs its flow is another one.
    """
    outputs, inputs = (
        [f"{side} {d.key}" for d in datasets] for side, datasets in (("output", flow.outputs), ("input", flow.inputs))
    )
    if query.checkpoint is None:
        return query.name or "", "", *outputs, *inputs
    return query.name or "", query.checkpoint, *(() if target is None else outputs)


MAX_QUERIES = 1_000
"""Queries, and runs of queries, that are remembered; the oldest is evicted first."""
MAX_FLOWS = 10_000
"""Flows of all queries whose last emission is remembered."""
MAX_TARGETS = 300
"""Datasets of one query that are processes; a function may write another one with every batch."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Emitted:
    """The last emission of a flow."""

    flow: UnitedFlow
    has_failed: bool = False


UNKNOWN_FAILURE = "org.apache.spark.sql.streaming.StreamingQueryException"
"""Failure of a query for which Spark states no error condition."""


class Streams:
    """The streaming queries of an application, updated by their events in order."""

    def __init__(self, origins: RowOrigins, state: StageState, counts: Counter[str]) -> None:
        self._batches = Batches(origins)
        self._executions = origins.executions
        self._state = state
        self._runs: Bounded[str, QueryRun] = Bounded(MAX_QUERIES)
        self._emitted: Bounded[tuple[str, ...], _Emitted] = Bounded(MAX_FLOWS)
        self._queries: Bounded[str, StreamingQuery] = Bounded(MAX_QUERIES)
        self._counts = counts

    def start(self, event: QueryStartedEvent) -> None:
        """Add a run that has started; what it writes is unknown until its first batch, so there is no process yet."""
        known = self._queries.get(event.query_id) or StreamingQuery(event.query_id, None)
        query = dataclasses.replace(known, name=lasting_name(event.name))
        self._runs[event.run_id] = QueryRun(query, event.run_id, epoch_ms(event.timestamp))

    def progress(self, event: QueryProgressEvent) -> None:
        """Add the counts of a batch that has ended."""
        run = self._runs.get(event.progress.run_id)
        if run is not None:
            sink = event.progress.sink
            run.add_progress(event.progress.sources, -1 if sink is None else sink.rows)

    def session_of(self, run_id: str) -> str | None:
        """Return the session in which the batches of a run are executed; None before the first batch has ended."""
        run = self._runs.get(run_id)
        return run.session if run is not None else None

    def repeat(self, event: RepeatedBatches, thread_actions: Sequence[Action] = ()) -> Iterator[Process]:
        """Add batches that repeat an earlier one, and yield the processes whose delayed change is due now."""
        self._counts["micro-batches"] += event.batches
        self._counts["micro-batches that repeat an earlier one"] += event.batches
        run = self._runs.get(event.run_id)
        if run is not None:
            run.repeat(event)
            yield from self._add_thread_actions(run, thread_actions)
            yield from self._emit_changes(run)

    def terminate(self, event: QueryTerminatedEvent, thread_actions: Sequence[Action] = ()) -> Iterator[Process]:
        """Yield the processes of a run that has ended, with their final counts; of a failed one those of earlier runs, too."""
        run = self._runs.pop(event.run_id, None)
        if run is not None:
            yield from self._add_thread_actions(run, thread_actions)
        if run is None or not run.query.flows:
            self._counts["streaming query ended before a batch showed what it writes"] += 1
            return
        failure = run.last_batch.failure or event.condition or UNKNOWN_FAILURE if event.has_failed else None
        for target in run.query.flows if event.has_failed else run.flows:
            yield from self._emit(run, target, has_ended=True, failure=failure)

    def end(self) -> Iterator[Process]:
        """Yield the processes of queries that still ran when their driver ended: Spark posts no event then."""
        for run in tuple(self._runs.values()):
            for target in run.flows:
                yield from self._emit(run, target, has_ended=True)

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
        flows = self._batches.flows(root, within, thread_actions)
        self._counts["micro-batches"] += 1
        self._executions.report(root, sorted(set(flows.unreported) - run.unreported))
        run.unreported.update(flows.unreported)
        run.add(root, query, self._executions.application(opened, query))
        yield from self._add_flows(run, flows, event.execution_id)
        yield from self._emit_changes(run)

    def _add_thread_actions(self, run: QueryRun, thread_actions: Sequence[Action]) -> Iterator[Process]:
        """Add what threads of a function have written, apart from a batch."""
        if thread_actions and run.origin is not None:
            yield from self._add_flows(run, self._batches.function_flows(run.origin, (), thread_actions))
        elif thread_actions:
            self._counts["execution in a thread of a function whose batch was not seen"] += len(thread_actions)

    def _add_flows(self, run: QueryRun, flows: BatchFlows, batch: int | None = None) -> Iterator[Process]:
        """Add the writes of a batch, by its root execution, or of threads; yield the definitions of views that they read."""
        self._counts.update(flows.counts)
        yield from {v.outputs[0].key: v for v in flows.views}.values()
        if flows.origin is not None:
            run.origin = flows.origin.with_texts()
        repeatable = []
        for write in flows.writes:
            process = pass_stages_of_datasets(write.process, self._state)
            target = self._add_write(run, dataclasses.replace(write, process=process))
            if write.counters is not None:
                repeatable.append(FlowWrite(target, write.counters))
        if batch is not None:
            run.writes[batch] = tuple(repeatable)

    def _add_write(self, run: QueryRun, write: BatchWrite) -> Target:
        """Add a write to its flow, for the first one with the flow of earlier queries of this identity; return its target."""
        query, target = run.query, None if write.is_to_sink else write.process.outputs[0].key
        known = query.flows.get(target)
        if known is None and len(query.flows) >= MAX_TARGETS:
            self._counts[f"dataset of a streaming query omitted: more than {MAX_TARGETS}"] += 1
            return target
        self._queries[query.id] = query
        flow_run = run.flows.setdefault(target, FlowRun())
        if write.written is not None:
            flow_run.add(write.written)
        flow = (UnitedFlow() if known is None else known.flow).with_more(write.process)
        if known is None:
            if not query.flows:
                query.checkpoint = lasting_checkpoint(run.state_location)
            identity = identity_of(query, flow, target)
            emitted = self._emitted.get(identity)
            flow = flow if emitted is None else emitted.flow.with_more(flow)
            query.flows[target] = StreamFlow(identity, flow, write.process.run)
        else:
            known.flow, known.last_write = flow, write.process.run
        emitted = self._emitted.get(query.flows[target].identity)
        flow_run.has_changed = emitted is None or emitted.has_failed or emitted.flow != flow
        return target

    def _emit_changes(self, run: QueryRun) -> Iterator[Process]:
        for target, flow_run in run.flows.items():
            if flow_run.is_due(run.batches):
                flow_run.count_emission(run.batches)
                yield from self._emit(run, target)

    def _emit(
        self, run: QueryRun, target: Target, *, has_ended: bool = False, failure: str | None = None
    ) -> Iterator[Process]:
        process = run.process(target, has_ended=has_ended, failure=failure)
        if process is not None and process.stream is not None:
            self._emitted[process.stream.identity] = _Emitted(run.query.flows[target].flow, failure is not None)
            if target in run.flows:
                run.flows[target].has_changed = False
            yield process
