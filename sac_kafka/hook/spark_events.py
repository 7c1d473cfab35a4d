"""Turn the lines of the listener into outcomes: decode, lineage. Recorded batches are read in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from sac_kafka.hook.emitter import StageGuard
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Application, Outcome
from sac_kafka.model.gaps import HOOK_ERROR
from sac_kafka.plan import wire
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

if TYPE_CHECKING:
    from sac_kafka.lineage.actions import Actions

LineHandler = Callable[[wire.Line], None]
"""Handles a control line of the listener: a flush marker, the end of the application, a stack trace."""


class SparkEvents:
    """The events of one Spark application, in order.

    Args:
        pipeline: Takes their outcomes.
        options: The options of lineage.
        guard: The guard of the stages; without one errors are raised.

    Attributes:
        has_served_failed: Whether an error or a signal has ended the last Python process that this one has served.
    """

    def __init__(self, pipeline: Pipeline, options: LineageOptions, guard: StageGuard) -> None:
        self.has_served_failed = False
        self.stats = pipeline.stats
        self._pipeline = pipeline
        self._options = options
        self._guard = guard
        self._registered: list[wire.Registration | wire.SessionOwner] = []
        self._actions: Actions | None = None  # the rules of lineage are a third of the code: the first event loads them

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""
        actions = self._actions.counts if self._actions is not None else {}
        return {**actions, **self.stats.notes}

    @property
    def pending(self) -> frozenset[int]:
        """The executions whose outcomes are still to come."""
        return self._actions.pending if self._actions is not None else frozenset()

    def run(self, text: str, on_control: LineHandler = lambda _: None) -> Iterator[ScheduledOutcome]:
        """Decode one line of the listener, and yield what comes of it after all stages.

        Raises:
            Exception: Without a guard: the line is invalid, or a stage has failed.
        """
        line: wire.Line | None = None
        with self._guard("decode"):
            line = wire.read_line(text)
        if isinstance(line, wire.Projected):
            yield from self._add_projection(line)
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

    def end(self, *, has_driver_ended: bool = True) -> Iterator[ScheduledOutcome]:
        """Yield what is held until the end: executions that may belong to a batch, ends of streaming queries.

        Args:
            has_driver_ended: False if only the hook ends; the application and its streaming queries then continue.
        """
        if (actions := self._actions) is not None:
            yield from self._pipeline.add(actions.flush)
            if has_driver_ended:
                yield from self._pipeline.add(actions.end)

    def _add_projection(self, line: wire.Projected) -> Iterator[ScheduledOutcome]:
        def outcomes() -> Iterator[Outcome]:
            self.stats.last_event = line.event
            self.stats.capture_microseconds += line.microseconds
            if line.notes:
                self.stats.add_notes(line.notes)
            return (self._actions or self.load_actions()).add(line.event)

        def on_error() -> None:
            if isinstance(line.event, SparkListenerSQLExecutionEnd) and _is_successful(line.event):
                self.stats.writes.count_unreported(self._pipeline.application, HOOK_ERROR)  # it may have been one

        yield from self._pipeline.add(outcomes, on_error)

    def prepare(self) -> None:
        """Load the rules of lineage now, so that the first event is processed as fast as the later ones."""
        with self._guard("lineage"):
            self.load_actions()

    def load_actions(self) -> Actions:
        """Return the rules of lineage, which the first call loads."""
        if self._actions is None:
            from sac_kafka.lineage.actions import Actions

            self._actions = Actions(self._pipeline.state(), self._options, self._count_unreported_write)
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

    def _count_unreported_write(self, application: Application, reason: str) -> None:
        """Count a write without a process, unless its job or user is excluded."""
        if self._pipeline.state().rules.keeps(application):
            self.stats.writes.count_unreported(application, reason)


def _is_successful(event: SparkListenerSQLExecutionEnd) -> bool:
    from sac_kafka.lineage.executions import successful_plan

    return successful_plan(event) is not None
