"""Run the stages from a line of the listener to messages: decode, lineage, filters, schedule, entities.

The only state is that of the application; recorded batches run through the same stages (`recording.replay`).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Dialect
from sac_kafka.atlas.flows.run_facts import FAILED, FINISHED, RUNNING
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, at_the_end, messages, values, without_obsolete
from sac_kafka.atlas.outcome_scheduler import OutcomeScheduler, ScheduledOutcome
from sac_kafka.hook.outcome_filter import OutcomeFilter
from sac_kafka.hook.pipeline_options import lineage_options
from sac_kafka.hook.pipeline_stats import PipelineStats
from sac_kafka.lineage.catalog.places import TablePlaces
from sac_kafka.lineage.filters.rulings import Selection
from sac_kafka.lineage.model import Application, Outcome, Process
from sac_kafka.lineage.model.gaps import HOOK_ERROR
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.plan import wire
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd
from sac_kafka.settings import Settings
from sac_kafka.transport.base import MessageKind, Record

if TYPE_CHECKING:
    from sac_kafka.lineage.actions import Actions

ControlHandler = Callable[[wire.Line], None]
"""Handles a control line of the listener: a flush marker, the end of the application, a stack trace."""
StageGuard = Callable[[str], AbstractContextManager[None]]
"""Returns the context manager under which the stage of this name runs (`guard.Guard`)."""


def now_ms() -> int:
    """Return the current time in epoch milliseconds."""
    return int(time.time() * 1000)


class Pipeline:
    """The pipeline of one application.

    Args:
        context: The application, and the properties that all its messages share.
        remembered: What was sent before and need not be repeated.
        dialect: The types and names of the messages; Atlas' by default.
        selection: The rules for exclusion; none by default.
        places: The tables by location, shared with later runs.
        options: The options of lineage; by default those of the context.
        guard: The guard of the stages; by default errors are raised.
        clock: Returns epoch milliseconds.

    Attributes:
        has_served_failed: Whether an error or a signal has ended the last Python process that this one has served.
    """

    def __init__(
        self,
        context: Context,
        remembered: Remembered | None = None,
        *,
        dialect: Dialect | None = None,
        selection: Selection | None = None,
        places: TablePlaces | None = None,
        options: LineageOptions | None = None,
        guard: StageGuard = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.context = context
        # `or` would replace an empty (falsy) memory.
        fresh = Remembered(max_age_ms=int(context.content.sent_max_age_seconds * 1000))
        self.remembered = fresh if remembered is None else remembered
        self.stats = PipelineStats()
        self.has_served_failed = False
        self._dialect = dialect or AtlasDialect()
        self._filter = OutcomeFilter(context, selection or Selection(with_defaults=False), self.stats)
        options = options or lineage_options(context, Settings())
        self._registered: list[wire.Registration | wire.SessionOwner] = []
        self._actions: Actions | None = None  # the rules of lineage are a third of the code: the first event loads them

        def actions() -> Actions:
            from sac_kafka.lineage.actions import Actions

            return Actions(context.application, options, places=places, unreported=self._filter.add_unreported)

        self._make_actions = actions
        self._scheduler = OutcomeScheduler(context)
        self._guard = guard
        self._clock = clock

    @property
    def application(self) -> Application:
        """The application whose events are processed."""
        return self.context.application

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""
        actions = self._actions.counts if self._actions is not None else {}
        return {**actions, **self.stats.notes, **self._dialect.counts}

    @property
    def pending(self) -> frozenset[int] | None:
        """The executions whose outcomes are still to come; None while an outcome is held back."""
        if self._scheduler:
            return None
        return self._actions.pending if self._actions is not None else frozenset()

    def run(self, text: str, on_control: ControlHandler = lambda _: None) -> Iterator[Message]:
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
            self.stats.listener = line.counts
        elif isinstance(line, wire.Registration | wire.SessionOwner):
            self.has_served_failed = False
            with self._guard("lineage"):
                self._register(line)
        elif isinstance(line, wire.Parted):
            self.has_served_failed = line.has_failed
        elif line is not None:
            on_control(line)

    def prepare(self) -> None:
        """Load the rules of lineage now, so that the first event is processed as fast as the later ones."""
        with self._guard("lineage"):
            self._loaded()

    def due(self) -> Iterator[Message]:
        """Yield the delayed messages whose delay has expired."""
        yield from self._emit("due", self._scheduler.due)
        yield from self._without_obsolete(everything=False)

    def drain(self) -> Iterator[Message]:
        """Yield all delayed drops now (at the end of the application, before its last flows)."""
        return self._emit("due", lambda _: self.held())

    def flush(self) -> Iterator[Message]:
        """Yield all delayed messages now, those of obsolete flows too."""
        yield from self.drain()
        yield from self._without_obsolete(everything=True)

    def _without_obsolete(self, *, everything: bool) -> Iterator[Message]:
        made: tuple[Message, ...] = ()
        with self._guard("entities"):
            made = without_obsolete(
                self.remembered,
                context=self.context,
                now_ms=self._clock(),
                dialect=self._dialect,
                everything=everything,
            )
        yield from self._counted(made)

    def ended(self, *, has_driver_ended: bool = True, has_failed: bool = False) -> Iterator[Message]:
        """Yield the final messages: ends of streaming queries, status of the application, completeness of its lineage.

        Args:
            has_driver_ended: False if only the hook ends; the application and its streaming queries then continue.
            has_failed: True if an error or a signal ended the driver.
        """
        if (actions := self._actions) is not None:
            yield from self._emit("lineage", lambda now_ms: self._schedule(actions.flush(), now_ms))
            if has_driver_ended:
                yield from self._emit("lineage", lambda now_ms: self._schedule(actions.ended(), now_ms))
        yield from self._without_obsolete(everything=True)
        made: tuple[Message, ...] = ()
        status = (FAILED if has_failed else FINISHED) if has_driver_ended else RUNNING
        with self._guard("entities"):
            made = at_the_end(
                self.stats.jobs(), context=self.context, now_ms=self._clock(), dialect=self._dialect, status=status
            )
        yield from self._counted(made)

    def _emit(
        self, stage: str, steps: Callable[[int], Iterable[ScheduledOutcome]], event: Event | None = None
    ) -> Iterator[Message]:
        """Run the stages after lineage, in sending order.

        Args:
            stage: The name under which `steps` is guarded.
            steps: Returns the steps for a time (epoch milliseconds).
            event: The event that the steps come from, if any.
        """
        writes, ready = self.stats.writes, None
        with self._guard(stage):
            ready = tuple(steps(self._clock()))
        if ready is None and isinstance(event, SparkListenerSQLExecutionEnd) and _is_successful(event):
            writes.add_unreported(self.application, HOOK_ERROR)  # it may have been one
        for step in ready or ():
            made: tuple[Message, ...] | None = None
            with self._guard("entities"):
                made = self.messages(step, self._clock())
                if made:
                    self.stats.add_reported(step.outcome)
                elif isinstance(step.outcome, Process) and step.outcome.outputs and not step.outcome.has_happened:
                    self.stats.add_unsent_failure(step.outcome)
            if made is None and isinstance(step.outcome, Process):
                writes.mark_lost(step.outcome)
            yield from self._counted(made or ())

    def _counted(self, found: Iterable[Message]) -> Iterator[Message]:
        for message in found:
            is_counted = False
            with self._guard("send"):
                self.stats.add_message(message, self._clock())
                is_counted = True
            if is_counted:
                yield message

    # ---- the stages one by one

    def steps(self, line: wire.Projected, now_ms: int) -> Iterator[ScheduledOutcome]:
        """Return the steps of an event; `now_ms` is epoch milliseconds."""
        self.stats.add_line(line)
        return self._schedule(self._loaded().add(line.event), now_ms)

    def _loaded(self) -> Actions:
        if self._actions is None:
            self._actions = self._make_actions()
            for line in self._registered:
                self._register(line)
            self._registered.clear()
        return self._actions

    def _register(self, line: wire.Registration | wire.SessionOwner) -> None:
        """Add a Python process or a session of the driver; before the first event, keep it until then."""
        if self._actions is None:
            self._registered.append(line)
        else:
            self._actions.attribution.add(line)

    def _schedule(self, outcomes: Iterable[Outcome], now_ms: int) -> Iterator[ScheduledOutcome]:
        return self._scheduler.schedule(self._filter.kept(outcomes), now_ms)

    def held(self) -> Iterator[ScheduledOutcome]:
        """Return the steps that are still delayed."""
        return self._scheduler.held()

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

    def record(self, message: Message) -> Record:
        """Return the record that carries a message."""
        return record_of(message, self.context, self._clock())


def _is_successful(event: SparkListenerSQLExecutionEnd) -> bool:
    from sac_kafka.lineage.executions import successful_plan

    return successful_plan(event) is not None


def record_of(message: Message, context: Context, created_ms: int) -> Record:
    """Return the record that carries a message, created at an epoch time in milliseconds."""
    # CATALOG keeps the order: a late delete could remove an object that was re-created in the meantime.
    kind = MessageKind.FLOW if message.is_flow and not message.is_delete else MessageKind.CATALOG
    key = context.application.application_id.encode()
    return Record(context.receiver.topic, key, values(message, context), kind, created_ms)
