"""Turn the events of an application into outcomes: `Actions.handlers` has the handler of each class of event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.executions import UnreportedWriteHandler, ignore
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.rdds import RddJobs
from sac_kafka.lineage.sql_actions import SqlActions
from sac_kafka.lineage.stream_actions import StreamActions
from sac_kafka.model import Outcome, TableDataset
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.execution import (
    Event,
    IncrementalExecution,
    SparkListenerJobStart,
    SparkListenerSQLExecutionEnd,
    SparkListenerSQLExecutionStart,
    SparkListenerThriftServerOperationStart,
    SparkOperationEvent,
)
from sac_kafka.plan.ml_events import ModelEvent
from sac_kafka.plan.rdds import RddJobStart, SparkListenerJobEnd
from sac_kafka.plan.streaming_events import QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent, RepeatedBatches
from sac_kafka.stages.process_stages import StageState

Handler = Callable[[Any], "Iterable[Outcome] | None"]
"""Handles an event; returns the outcomes of what it finishes, None if it can only start something."""

_DEFAULTS = LineageOptions()


class Actions:
    """State of an application: turns its events, in order, into the outcomes of finished actions.

    `state` is that of the stages, which the outcomes pass next; `unreported` is called for each write without a process.
    `handlers` are the classes of events, each with its handler, `attribution` the Python processes and sessions of the driver.
    """

    def __init__(
        self,
        state: StageState,
        options: LineageOptions = _DEFAULTS,
        unreported: UnreportedWriteHandler = ignore,
    ) -> None:
        self._context = context = ActionContext(state, options, unreported)
        self.attribution = context.attribution
        self._sql = SqlActions(context)
        self._streams = StreamActions(context)
        self._rdd_jobs = RddJobs(
            context.attribution,
            context.origins.rdds,
            options.patterns,
            context.counts,
            failed_too=options.failed_too,
            unreported=unreported,
        )
        self.handlers: tuple[tuple[type, Handler], ...] = (
            (SparkListenerSQLExecutionStart, context.open.start),
            (SparkListenerSQLExecutionEnd, self._end_execution),
            (SparkListenerThriftServerOperationStart, context.open.add_operation),
            (SparkOperationEvent, context.open.add_operation),
            (SparkListenerJobStart, context.open.add_job),
            (DriverNote, self._add_note),
            (RddJobStart, self._rdd_jobs.start),
            (SparkListenerJobEnd, self._end_rdd_job),
            (QueryStartedEvent, self._streams.start),
            (QueryProgressEvent, self._streams.progress),
            (QueryTerminatedEvent, self._streams.terminate),
            (RepeatedBatches, self._repeat_batches),
            *((event, self._of_model) for event in get_args(ModelEvent)),
            *((event, self._change_catalog) for event in get_args(CatalogEvent)),
        )
        self._handlers = dict(self.handlers)

    @property
    def counts(self) -> Counter[str]:
        """Counters of what was seen and of what was not understood, by reason."""
        return self._context.counts

    @property
    def pending(self) -> frozenset[int]:
        """The executions whose outcomes are still to come."""
        return self._context.open.pending

    def add(self, event: Event) -> Iterator[Outcome]:
        """Process one event and yield the outcomes of the action that it finishes, if any."""
        yield from self._handlers[type(event)](event) or ()

    def flush(self) -> Iterator[Outcome]:
        """Yield the outcomes of all executions that are held until a batch ends (at the end of the application)."""
        for action in self._streams.threads.release_all():
            yield from self._sql.outcomes(action)

    def end(self) -> Iterator[Outcome]:
        """Yield what the end of the driver means for streaming queries."""
        yield from self._streams.end()

    # ---- handlers

    def _end_execution(self, event: SparkListenerSQLExecutionEnd) -> Iterator[Outcome]:
        opened, within = self._context.open.end(event)
        self._sql.note_end((event, opened))
        if within is None:
            return
        action, query = ((event, opened), within), event.query_execution
        if isinstance(query, IncrementalExecution):
            yield from self._streams.end_batch((event, opened), query, within)
            yield from self._release((event.execution_id,))
        elif not self._streams.threads.hold(action, self._context.open.batches):
            yield from self._sql.outcomes(action)

    def _repeat_batches(self, event: RepeatedBatches) -> Iterator[Outcome]:
        yield from self._streams.repeat(event)
        yield from self._release(event.executions)

    def _release(self, batches: Iterable[int]) -> Iterator[Outcome]:
        for action in self._streams.release(batches):
            yield from self._sql.outcomes(action)

    def _add_note(self, note: DriverNote) -> None:
        self._context.origins.add_note(note, is_in_batch=bool(self._context.open.batches))

    def _end_rdd_job(self, event: SparkListenerJobEnd) -> Iterator[Outcome]:
        for process, views in self._rdd_jobs.end(event):
            yield from views
            yield process

    def _of_model(self, event: ModelEvent) -> Iterable[Outcome]:
        return self._context.origins.models.add(event, self._context.origins.of_plan)

    def _change_catalog(self, event: CatalogEvent) -> Iterator[Outcome]:
        context = self._context
        context.counts["catalog events"] += 1
        context.catalog.add(event, context.open.roots)
        if isinstance(event, CreateTableEvent):
            key = TableDataset(database=event.database, name=event.name).key
            context.open.note_creation(key)
            if context.open.batches:
                context.state.known.batches.note_creation(key)
        if not context.open:
            yield from context.catalog.pending((), frozenset())
