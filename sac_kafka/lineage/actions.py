"""Turn the events of an application into outcomes: `Actions.handlers` has the handler of each class of event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from sac_kafka.lineage.action_context import action_context
from sac_kafka.lineage.executions import UnreportedWriteHandler, ignore
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.rdds.jobs import RddJobs
from sac_kafka.lineage.sql_actions import SqlActions
from sac_kafka.lineage.stream_actions import StreamActions
from sac_kafka.model import Application, Outcome, TableDataset
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.execution import (
    Event,
    SparkListenerJobStart,
    SparkListenerSQLExecutionEnd,
    SparkListenerSQLExecutionStart,
    SparkListenerThriftServerOperationStart,
    SparkOperationEvent,
)
from sac_kafka.plan.ml_events import ModelEvent
from sac_kafka.plan.rdds import RddJobStart, SparkListenerJobEnd
from sac_kafka.plan.streaming_events import QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent, RepeatedBatches
from sac_kafka.stages.table_places import TablePlaces

Handler = Callable[[Any], "Iterable[Outcome] | None"]
"""Handles an event; returns the outcomes of what it finishes, None if it can only start something."""

_DEFAULTS = LineageOptions()


class Actions:
    """State of an application: turns its events, in order, into the outcomes of finished actions.

    `application` is under the driver's job name, `places` are table locations known from earlier runs, and `unreported` is called
    for each write without a process. `handlers` are the classes of events, each with its handler, `attribution` the Python
    processes and sessions of the driver.
    """

    def __init__(
        self,
        application: Application,
        options: LineageOptions = _DEFAULTS,
        *,
        places: TablePlaces | None = None,
        unreported: UnreportedWriteHandler = ignore,
    ) -> None:
        self._context = context = action_context(application, options, places, unreported)
        self.attribution = context.attribution
        self._sql = SqlActions(context)
        self._streams = StreamActions(context, self._sql.outcomes)
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
            (SparkListenerSQLExecutionEnd, self._execution_ended),
            (SparkListenerThriftServerOperationStart, context.open.add_operation),
            (SparkOperationEvent, context.open.add_operation),
            (SparkListenerJobStart, context.open.add_job),
            (DriverNote, self._noted),
            (RddJobStart, self._rdd_jobs.started),
            (SparkListenerJobEnd, self._rdd_job_ended),
            (QueryStartedEvent, self._streams.streams.started),
            (QueryProgressEvent, self._streams.streams.progressed),
            (QueryTerminatedEvent, self._streams.terminated),
            (RepeatedBatches, self._streams.repeated),
            *((event, self._of_model) for event in get_args(ModelEvent)),
            *((event, self._catalog_changed) for event in get_args(CatalogEvent)),
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
        outcomes = self._handlers[type(event)](event) or ()
        yield from self._streams.definitions.without_repeats(self._context.origins.models.without_parts(outcomes))

    def flush(self) -> Iterator[Outcome]:
        """Yield the outcomes of all executions that are held until a batch ends (at the end of the application)."""
        return self._streams.definitions.without_repeats(self._streams.release_all())

    def ended(self) -> Iterator[Outcome]:
        """Yield what the end of the driver means for streaming queries."""
        yield from self._streams.streams.ended()

    # ---- handlers

    def _execution_ended(self, event: SparkListenerSQLExecutionEnd) -> Iterator[Outcome]:
        opened, within = self._context.open.end(event)
        self._sql.note_ended((event, opened))
        if within is not None:
            yield from self._streams.action_ended(((event, opened), within))

    def _noted(self, note: DriverNote) -> None:
        self._context.origins.add_note(note, is_in_batch=bool(self._context.open.batches))

    def _rdd_job_ended(self, event: SparkListenerJobEnd) -> Iterator[Outcome]:
        for process, views in self._rdd_jobs.ended(event):
            yield from map(self._context.catalog.current, views)
            yield self._context.joined(process)

    def _of_model(self, event: ModelEvent) -> Iterator[Outcome]:
        yield from map(self._context.catalog.current, self._context.origins.models.add(event))

    def _catalog_changed(self, event: CatalogEvent) -> Iterator[Outcome]:
        context = self._context
        context.counts["catalog events"] += 1
        context.catalog.add(event, context.open.roots)
        if isinstance(event, CreateTableEvent):
            key = TableDataset(database=event.database, name=event.name).key
            context.open.created(key)
            if context.open.batches:
                self._streams.definitions.mark_created(key)
        if not context.open:
            yield from context.catalog.ready(frozenset())
