"""Run the stages from a line of the listener to records: decode, lineage, filters, steps, messages, records.

The only state is that of the application; recorded batches run through the same stages (`recording.replay`).
"""

from __future__ import annotations

import functools
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Dialect
from sac_kafka.atlas.flows.run_facts import FAILED, FINISHED, RUNNING
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, at_the_end, messages, values
from sac_kafka.atlas.outcome_scheduler import OutcomeScheduler, ScheduledOutcome
from sac_kafka.atlas.sent_names import Sending, SentNames
from sac_kafka.globs import flat
from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.budget import Budget
from sac_kafka.lineage.catalog.catalog_names import with_catalog_names
from sac_kafka.lineage.catalog.places import TablePlaces
from sac_kafka.lineage.completeness import MAX_JOBS, WriteCounter, without_columns
from sac_kafka.lineage.datasets.paths import PLACEHOLDER_PATTERNS, Patterns, SegmentPattern
from sac_kafka.lineage.executions import successful_plan
from sac_kafka.lineage.filters.outcomes import FilterCounts, filtered
from sac_kafka.lineage.filters.rulings import Selection
from sac_kafka.lineage.model import Application, Outcome, Process
from sac_kafka.lineage.model.gaps import HOOK_ERROR
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.runs.dbt import with_dbt_job
from sac_kafka.log import logger
from sac_kafka.plan import wire
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd
from sac_kafka.settings.declarations.choices import ColumnLineageMode, Views
from sac_kafka.settings.filters import Filters
from sac_kafka.settings.names import Names
from sac_kafka.stats import Completeness
from sac_kafka.transport.base import MessageKind, Record


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message, and the record that carries it."""

    message: Message
    record: Record


_SLOW = "slow accessor: "
_SLOW_WARNING = (
    "slow accessor {}: reading this field of the plan took over 50 ms. Lineage is delayed, the job is not; report it to the "
    "maintainer of the class, or remove the field from your plug-in"
)
_OF_SPARK = "org.apache.spark."
_OWN_PACKAGE = f"{__name__.partition('.')[0]}."

ControlHandler = Callable[[wire.Line], None]
"""Handles a control line of the listener: a flush marker, the end of the application, a stack trace."""
StageGuard = Callable[[str], AbstractContextManager[None]]
"""Returns the context manager under which the stage of this name runs (`guard.Guard`)."""


def is_of_a_plug_in(accessor: str) -> bool:
    """Return whether an accessor belongs to a class of a plug-in or a connector, not of Spark or this package.

    >>> is_of_a_plug_in("com.acme.Relation.schema"), is_of_a_plug_in("org.apache.spark.sql.catalyst.plans.logical.Join.left")
    (True, False)
    """
    name = accessor.rpartition(".")[0]
    declared = DECLARED.get(name)
    return not name.startswith(_OF_SPARK) and (declared is None or not declared.__module__.startswith(_OWN_PACKAGE))


def now_ms() -> int:
    """Return the current time in epoch milliseconds."""
    return int(time.time() * 1000)


class Pipeline:
    """The pipeline of one application.

    Args:
        context: The application, and the settings that all its messages share.
        topic: The topic of the records.
        remembered: What was sent before and need not be repeated.
        dialect: The types and names of the messages; Atlas' by default.
        selection: The rules for exclusion; none by default.
        places: The tables by location, shared with later runs.
        follows_rdds: Whether the listener observes RDDs.
        guard: The guard of the stages; by default errors are raised.
        clock: Returns epoch milliseconds.
    """

    def __init__(
        self,
        context: Context,
        topic: str,
        remembered: Remembered | None = None,
        *,
        dialect: Dialect | None = None,
        selection: Selection | None = None,
        places: TablePlaces | None = None,
        follows_rdds: bool = True,
        guard: StageGuard = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.context = context
        # `or` would replace an empty (falsy) memory.
        fresh = Remembered(max_age_ms=int(context.content.sent_max_age_seconds * 1000))
        self.remembered = fresh if remembered is None else remembered
        self.listener_counts: Mapping[str, int] = {}
        self.processes = 0
        self.projecting_microseconds = 0  # of the driver's JVM
        self.message_types: Counter[str] = Counter()
        self.left_out = FilterCounts()
        self.writes = WriteCounter()
        self.sent = SentNames()
        self._reported_jobs: Bounded[str, Application] = Bounded(MAX_JOBS)
        self._dialect = dialect or AtlasDialect()
        self._selection = selection or Selection(with_defaults=False)
        self._actions = _actions(context, places, self._unreported, follows_rdds=follows_rdds)
        self._catalog_names = dict(context.naming.names.catalog_names)
        self._steps = OutcomeScheduler(context)
        self._notes: Counter[str] = Counter()
        self._topic = topic
        self._guard = guard
        self._clock = clock

    @property
    def application(self) -> Application:
        """The application whose events are processed."""
        return self.context.application

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""
        return {**self._actions.counts, **self._notes, **self._dialect.counts}

    def run(self, text: str, on_control: ControlHandler = lambda _: None) -> Iterator[Outgoing]:
        """Decode one line of the listener and run it through all stages.

        Raises:
            Exception: Without a guard: the line is invalid, or a stage has failed.
        """
        line: wire.Line | None = None
        with self._guard("decode"):
            line = wire.read_line(text)
        if isinstance(line, wire.Projected):
            yield from self._emit("lineage", functools.partial(self.steps, line), line.event)
        elif isinstance(line, wire.Counters):
            self.listener_counts = line.counts
        elif line is not None:
            on_control(line)

    def due(self) -> Iterator[Outgoing]:
        """Yield the delayed messages whose delay has expired."""
        return self._emit("due", self._steps.due)

    def drain(self) -> Iterator[Outgoing]:
        """Yield all delayed messages now (at a flush and at the end of the application)."""
        return self._emit("due", lambda _: self.held())

    def ended(self, *, has_driver_ended: bool = True, has_failed: bool = False) -> Iterator[Outgoing]:
        """Yield the final messages: ends of streaming queries, status of the application, completeness of its lineage.

        Args:
            has_driver_ended: False if only the hook ends; the application and its streaming queries then continue.
            has_failed: True if an error or a signal ended the driver.
        """
        yield from self._emit("lineage", lambda now_ms: self._steps_of(self._actions.flush(), now_ms))
        if has_driver_ended:
            yield from self._emit("lineage", lambda now_ms: self._steps_of(self._actions.ended(), now_ms))
        made: tuple[Message, ...] = ()
        status = (FAILED if has_failed else FINISHED) if has_driver_ended else RUNNING
        with self._guard("entities"):
            made = at_the_end(
                self._jobs(), context=self.context, now_ms=self._clock(), dialect=self._dialect, status=status
            )
        yield from self._outgoing(made, is_flow=True)

    def _jobs(self) -> Iterator[tuple[Application, Completeness | None]]:
        """Yield each job that has written, with its completeness, then the other jobs that were reported, with None."""
        wrote = {of.job: (of, found) for of, found in self.writes.by_job()}
        yield from wrote.values()
        yield from ((of, None) for job, of in self._reported_jobs.items() if job not in wrote)

    def _emit(
        self, stage: str, steps: Callable[[int], Iterable[ScheduledOutcome]], event: Event | None = None
    ) -> Iterator[Outgoing]:
        """Run the stages after lineage, in sending order.

        Args:
            stage: The name under which `steps` is guarded.
            steps: Returns the steps for a time (epoch milliseconds).
            event: The event that the steps come from, if any.
        """
        ready: tuple[ScheduledOutcome, ...] | None = None
        with self._guard(stage):
            ready = tuple(steps(self._clock()))
        if ready is None and isinstance(event, SparkListenerSQLExecutionEnd) and successful_plan(event) is not None:
            self.writes.add_unreported(self.application, HOOK_ERROR)  # it may have been one
        for step in ready or ():
            made: tuple[Message, ...] | None = None
            is_flow = isinstance(step.outcome, Process)
            with self._guard("entities"):
                made = self.messages(step, self._clock())
                self.processes += is_flow and bool(made)
                if made and isinstance(step.outcome, Process) and not step.outcome.defines_view:
                    self._reported_jobs[step.outcome.application.job] = step.outcome.application
            if made is None and isinstance(step.outcome, Process):
                self.writes.mark_lost(step.outcome)
            yield from self._outgoing(made or (), is_flow=is_flow)

    def _outgoing(self, found: Iterable[Message], *, is_flow: bool) -> Iterator[Outgoing]:
        for message in found:
            record: Record | None = None
            with self._guard("send"):
                self.message_types[message.type] += 1
                if message.notification is not None:
                    self.sent.add(message.notification, Sending(made_ms=self._clock()))
                record = self._record(message, is_flow=is_flow)
            if record is not None:
                yield Outgoing(message, record)

    # ---- the stages one by one

    def steps(self, line: wire.Projected, now_ms: int) -> Iterator[ScheduledOutcome]:
        """Return the steps of an event; `now_ms` is epoch milliseconds."""
        for note in line.notes.keys() - self._notes.keys():
            if note.startswith(_SLOW) and is_of_a_plug_in(note.removeprefix(_SLOW)):
                logger.warning("%s", _SLOW_WARNING.format(note.removeprefix(_SLOW)))
        self._notes.update(line.notes)
        self.projecting_microseconds += line.microseconds
        return self._steps_of(self._actions.add(line.event), now_ms)

    def _steps_of(self, outcomes: Iterable[Outcome], now_ms: int) -> Iterator[ScheduledOutcome]:
        named = map(self._named, outcomes)
        left = tuple(map(self._counted, filtered(named, self.application, self._selection, self.left_out)))
        return self._steps.schedule(left, now_ms)

    def _counted(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Process):
            if self.context.column_lineage is ColumnLineageMode.OFF:
                outcome = without_columns(outcome)
            self.writes.add(outcome)
        return outcome

    def _unreported(self, application: Application, reason: str) -> None:
        if self._selection.job(application.job).is_kept and self._selection.user(application.user).is_kept:
            self.writes.add_unreported(application, reason)

    def _named(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the catalogs' names, under dbt's job name.

        A job name in the settings of the driver or the session takes precedence.
        """
        outcome = with_catalog_names(outcome, self._catalog_names)
        if not isinstance(outcome, Process) or not self.context.naming.names.has_no_job_name:
            return outcome
        application = outcome.application
        is_set = application.is_job_chosen and application.job != self.application.job
        return outcome if is_set else with_dbt_job(outcome)

    def held(self) -> Iterator[ScheduledOutcome]:
        """Return the steps that are still delayed."""
        return self._steps.held()

    def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Message, ...]:
        """Return the messages of a step, in sending order."""
        return messages(
            step.outcome,
            context=self.context,
            remembered=self.remembered,
            now_ms=now_ms,
            defined=step.defined,
            dialect=self._dialect,
        )

    def _record(self, message: Message, *, is_flow: bool) -> Record:
        # CATALOG keeps the order: a late delete could remove an object that was re-created in the meantime.
        kind = MessageKind.FLOW if is_flow and not message.is_delete else MessageKind.CATALOG
        key = self.application.application_id.encode()
        return Record(self._topic, key, values(message, self.context), kind, self._clock())


def selection_of(filters: Filters) -> Selection:
    """Return the exclusion rules of the settings."""
    return Selection(filters.include, filters.exclude, with_defaults=filters.with_defaults)


def segment_patterns(names: Names) -> Patterns:
    """Return the patterns for path segments in the settings; those of kept segments come first."""
    return (
        *(SegmentPattern(flat(glob, PLACEHOLDER_PATTERNS), is_kept=True) for glob in names.path_kept),
        *(SegmentPattern(flat(glob, PLACEHOLDER_PATTERNS)) for glob in names.path_folded),
        *(SegmentPattern(re.compile(pattern)) for pattern in names.path_patterns),
    )


def _actions(
    context: Context, places: TablePlaces | None, unreported: Callable[[Application, str], None], *, follows_rdds: bool
) -> Actions:
    names, content, is_sac = context.naming.names, context.content, context.naming.is_sac
    options = LineageOptions(
        patterns=segment_patterns(names),
        paths_as_tables=names.paths_as_tables,
        path_aliases=names.path_aliases,
        budget=Budget(
            nodes=content.column_lineage_max_nodes,
            columns=content.column_lineage_max_columns,
            edges=content.column_lineage_max_edges,
        ),
        # SAC has one process per application, so a failed statement has no separate process.
        failed_too=not is_sac,
        plan_text=content.plan_text,
        # The process of a whole application cannot be split at its views.
        stops_at_views=not is_sac and content.views is Views.HOP,
        reads=content.reads and not is_sac,
        follows_rdds=follows_rdds,
        statement_inputs=content.statement_inputs,
    )
    return Actions(context.application, options, places=places, unreported=unreported)
