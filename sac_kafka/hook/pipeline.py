"""Run the stages from an input to scheduled outcomes: decode and lineage of a listener's lines, then the stages of all inputs.

The only state is that of the application; recorded batches run through the same stages (`recording.replay`).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sac_kafka.hook.emitter import StageGuard
from sac_kafka.hook.pipeline_options import PipelineOptions
from sac_kafka.hook.pipeline_stats import PipelineStats
from sac_kafka.model import Application, Outcome
from sac_kafka.model.gaps import HOOK_ERROR
from sac_kafka.plan import wire
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd
from sac_kafka.stages.outcome_scheduler import OutcomeScheduler, ScheduledOutcome
from sac_kafka.stages.table_places import TablePlaces

if TYPE_CHECKING:
    from sac_kafka.lineage.actions import Actions
    from sac_kafka.stages.process_stages import StageState

ControlHandler = Callable[[wire.Line], None]
"""Handles a control line of the listener: a flush marker, the end of the application, a stack trace."""


def now_ms() -> int:
    """Return the current time in epoch milliseconds."""
    return int(time.time() * 1000)


class Pipeline:
    """The pipeline of one application.

    Args:
        options: What its outcomes pass.
        places: The tables by location, shared with later runs.
        guard: The guard of the stages; by default errors are raised.
        clock: Returns epoch milliseconds.

    Attributes:
        stats: What has passed.
        has_served_failed: Whether an error or a signal has ended the last Python process that this one has served.
    """

    def __init__(
        self,
        options: PipelineOptions,
        places: TablePlaces | None = None,
        *,
        guard: StageGuard = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.stats = PipelineStats()
        self.has_served_failed = False
        self._options = options
        self._places = places
        self._registered: list[wire.Registration | wire.SessionOwner] = []
        # The rules of lineage are a third of the code: the first event loads them.
        self._stage_state: StageState | None = None
        self._actions: Actions | None = None
        self._scheduler = OutcomeScheduler(
            options.content.drop_delay_seconds, is_one_process=options.is_one_process, is_hive=options.is_hive
        )
        self._guard = guard
        self._clock = clock

    @property
    def application(self) -> Application:
        """The application whose events are processed."""
        return self._options.application

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""
        actions = self._actions.counts if self._actions is not None else {}
        return {**actions, **self.stats.dropped, **self.stats.notes}

    @property
    def pending(self) -> frozenset[int] | None:
        """The executions whose outcomes are still to come; None while an outcome is held back."""
        if self._scheduler:
            return None
        return self._actions.pending if self._actions is not None else frozenset()

    def run(self, text: str, on_control: ControlHandler = lambda _: None) -> Iterator[ScheduledOutcome]:
        """Decode one line of the listener and run it through all stages.

        Raises:
            Exception: Without a guard: the line is invalid, or a stage has failed.
        """
        line: wire.Line | None = None
        with self._guard("decode"):
            line = wire.read_line(text)
        if isinstance(line, wire.Projected):
            yield from self._scheduled("lineage", functools.partial(self.steps, line), line.event)
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

    def add(self, outcomes: Iterable[Outcome]) -> Iterator[ScheduledOutcome]:
        """Run the outcomes of one action of any input through the stages; `application` of each process says whose it is."""
        return self._scheduled("lineage", lambda now_ms: self._schedule(outcomes, now_ms))

    def due(self) -> Iterator[ScheduledOutcome]:
        """Yield the delayed outcomes whose delay has expired."""
        return self._scheduled("due", self._scheduler.due)

    def drain(self) -> Iterator[ScheduledOutcome]:
        """Yield all delayed outcomes now (at a flush and at the end of the application)."""
        return self._scheduled("due", lambda _: self._scheduler.held())

    def ended(self, *, has_driver_ended: bool = True) -> Iterator[ScheduledOutcome]:
        """Yield what is held until the end: executions that may belong to a batch, ends of streaming queries.

        Args:
            has_driver_ended: False if only the hook ends; the application and its streaming queries then continue.
        """
        if (actions := self._actions) is not None:
            yield from self.add(actions.flush())
            if has_driver_ended:
                yield from self.add(actions.ended())

    def steps(self, line: wire.Projected, now_ms: int) -> Iterator[ScheduledOutcome]:
        """Return the scheduled outcomes of an event; `now_ms` is epoch milliseconds."""
        self.stats.add_line(line)
        return self._schedule(self._loaded().add(line.event), now_ms)

    def _scheduled(
        self, stage: str, steps: Callable[[int], Iterable[ScheduledOutcome]], event: Event | None = None
    ) -> Iterator[ScheduledOutcome]:
        """Yield scheduled outcomes; if an error occurs, none of these, and a write that they may be is counted.

        Args:
            stage: The name under which `steps` is guarded.
            steps: Returns the scheduled outcomes for a time (epoch milliseconds).
            event: The event that they come from, if any.
        """
        ready = None
        with self._guard(stage):
            ready = tuple(steps(self._clock()))
        if ready is None and isinstance(event, SparkListenerSQLExecutionEnd) and _is_successful(event):
            self.stats.writes.add_unreported(self.application, HOOK_ERROR)  # it may have been one
        yield from ready or ()

    def _loaded(self) -> Actions:
        if self._actions is None:
            from sac_kafka.lineage.actions import Actions

            self._actions = Actions(self._state(), self._options.lineage, self._add_unreported)
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
        from sac_kafka.stages.process_stages import pass_outcomes

        return self._scheduler.schedule(pass_outcomes(outcomes, self._state()), now_ms)

    def _state(self) -> StageState:
        """Return the state of the stages, which are loaded by the first event."""
        if self._stage_state is None:
            from sac_kafka.stages.filters.outcomes import Rules
            from sac_kafka.stages.known_datasets import known_datasets
            from sac_kafka.stages.process_stages import StageState

            options = self._options
            self._stage_state = StageState(
                application=options.application,
                known=known_datasets(options.names.path_aliases, self._places),
                rules=Rules(options.selection, self.stats.excluded),
                names=options.names,
                content=options.content,
                has_columns=options.has_columns,
                counts=self.stats.dropped,
                writes=self.stats.writes,
            )
        return self._stage_state

    def _add_unreported(self, application: Application, reason: str) -> None:
        """Count a write without a process, unless its job or user is excluded."""
        if self._state().rules.keeps(application):
            self.stats.writes.add_unreported(application, reason)


def _is_successful(event: SparkListenerSQLExecutionEnd) -> bool:
    from sac_kafka.lineage.executions import successful_plan

    return successful_plan(event) is not None
