"""The streaming queries of an application: one process each, said when it shows, when it changes and when it ends."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.executions import Ended, Executions
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch import Batches, BatchFlows, Remember
from sac_kafka.lineage.streams.function_threads import Action
from sac_kafka.lineage.streams.identity import identity_of, lasting_checkpoint, lasting_name
from sac_kafka.lineage.streams.notes import NotesOfBatches
from sac_kafka.lineage.streams.query_run import QueryRun, epoch_ms
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.lineage.unsaid import UnsaidWrites
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    RepeatedBatches,
)

MAX_QUERIES = 1_000
"""Queries and runs of them that are remembered; the oldest is forgotten first."""

KnownTables = Callable[[Process], Process]
"""Gives a process with what is known of its tables by now."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Said:
    """What was said last of a query."""

    flow: UnitedFlow
    has_failed: bool = False


UNNAMED_FAILURE = "org.apache.spark.sql.streaming.StreamingQueryException"
"""What a query has failed with where Spark says no more than that."""


class Streams:
    """Takes what happens to streaming queries, in order, and counts what it saw.

    `known` is as of `Catalog.known`, `remember` and `notes` are as of `Batches`; of what a query writes and is not understood,
    `unsaid` is told once a run.
    """

    def __init__(
        self,
        executions: Executions,
        known: KnownTables,
        remember: Remember,
        counts: Counter[str],
        unsaid: UnsaidWrites,
        notes: NotesOfBatches,
    ) -> None:
        self._batches = Batches(executions, remember, notes)
        self._executions = executions
        self._known = known
        self._runs: Bounded[str, QueryRun] = Bounded(MAX_QUERIES)
        self._said: Bounded[tuple[str, ...], _Said] = Bounded(MAX_QUERIES)
        self._of_query: Bounded[str, QueryRun] = Bounded(MAX_QUERIES)
        self._counts = counts
        self._unsaid = unsaid

    def started(self, event: QueryStartedEvent) -> Iterator[Process]:
        """A run has begun: its first batch says what it is."""
        run = QueryRun(event.query_id, event.run_id, lasting_name(event.name), epoch_ms(event.timestamp))
        if (before := self._of_query.get(event.query_id)) is not None:
            run.goes_on(before)
        self._runs[event.run_id] = run
        yield from ()

    def progressed(self, event: QueryProgressEvent) -> Iterator[Process]:
        """A batch is over, and has been counted."""
        run = self._runs.get(event.progress.run_id)
        if run is not None:
            sink = event.progress.sink
            run.counted(event.progress.sources, -1 if sink is None else sink.rows)
        yield from ()

    def session_of(self, run_id: str) -> str | None:
        """The session in which the batches of a run run, once one has been told."""
        run = self._runs.get(run_id)
        return run.session if run is not None else None

    def repeated(self, event: RepeatedBatches, beside: Sequence[Action] = ()) -> Iterator[Process]:
        """Batches are over that say what an earlier one said: what has waited may be due; `beside` is as of `Batches`."""
        self._counts["micro-batches"] += event.batches
        self._counts["micro-batches that say nothing new"] += event.batches
        run = self._runs.get(event.run_id)
        if run is not None:
            run.repeat(event)
            yield from self._beside(run, beside)
            if run.identity is not None:
                yield from self._due(run)

    def terminated(self, event: QueryTerminatedEvent, beside: Sequence[Action] = ()) -> Iterator[Process]:
        """A run has ended: it is said once more, with all that it did."""
        run = self._runs.pop(event.run_id, None)
        if run is not None:
            yield from self._beside(run, beside)
        if run is None or run.identity is None:
            self._counts["streaming query ended before a batch showed what it writes"] += 1
            return
        if run.batches or event.has_failed:
            failure = run.failure or event.condition or UNNAMED_FAILURE if event.has_failed else None
            yield from self._say(run, has_ended=True, failure=failure)

    def ended(self) -> Iterator[Process]:
        """Yield the queries that still ran when their driver ended: Spark posts no event then."""
        for run in tuple(self._runs.values()):
            if run.identity is not None and run.batches:
                yield from self._say(run, has_ended=True)

    def batch(self, root: Ended, within: Sequence[Ended], beside: Sequence[Action] = ()) -> Iterator[Process]:
        """The execution of a batch has ended, with all that ran within it and beside it."""
        event, opened = root
        query = event.query_execution
        if not isinstance(query, IncrementalExecution):
            return
        run = self._runs.get(query.run_id)
        if run is None:  # attached after its start
            run = self._runs[query.run_id] = QueryRun(query.query_id, query.run_id, None, opened.started_ms)
        found = self._batches.flows(root, within, beside)
        self._counts["micro-batches"] += 1
        self._unsaid.of(root, sorted(set(found.unsaid) - run.unsaid))
        run.unsaid.update(found.unsaid)
        run.add(root, query, self._executions.application(opened, query), counts_itself=found.are_within)
        yield from self._flowed(run, found)
        if run.identity is not None:
            yield from self._due(run)

    def _beside(self, run: QueryRun, beside: Sequence[Action]) -> Iterator[Process]:
        """What threads of a function have written, where no batch is told with it."""
        if beside and run.made is not None:
            yield from self._flowed(run, self._batches.of_function(run.made, (), beside))
        elif beside:
            self._counts["execution in a thread of a function whose batch was not seen"] += len(beside)

    def _flowed(self, run: QueryRun, found: BatchFlows) -> Iterator[Process]:
        self._counts.update(found.counts)
        yield from map(self._known, {v.outputs[0].key: v for v in found.views}.values())
        if found.made is not None:
            run.made = found.made.settled()
        run.flowed(map(self._known, found.processes))
        if run.flow.outputs:
            self._identified(run)

    def _identified(self, run: QueryRun) -> None:
        """What the query has flowed in earlier runs it still does, as far as a server knows."""
        if run.identity is None:
            run.checkpoint = lasting_checkpoint(run.state_location)
            run.identity = identity_of(run.name, run.checkpoint, run.flow)
            if (said := self._said.get(run.identity)) is not None:
                run.flow = said.flow.with_more(run.flow)
        self._of_query[run.query_id] = run

    def _due(self, run: QueryRun) -> Iterator[Process]:
        said = self._said.get(run.identity or ())
        is_news = said is None or said.has_failed or said.flow != run.flow
        if is_news and run.is_due:
            run.told += 1
            run.told_at_batch = run.batches
            yield from self._say(run)

    def _say(self, run: QueryRun, *, has_ended: bool = False, failure: str | None = None) -> Iterator[Process]:
        process = run.process(has_ended=has_ended, failure=failure)
        if process is not None and process.stream is not None:
            self._said[process.stream.identity] = _Said(run.flow, failure is not None)
            yield process
