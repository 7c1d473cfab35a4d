"""Provide the listener in the driver's JVM as a source of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind
from sac_kafka.hook.exits import has_driver_failed, runs_job
from sac_kafka.hook.poll_waker import Polling
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.log import logger
from sac_kafka.plan import wire
from sac_kafka.spark.listener import Listener
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

_EVENT = '["event"'


class ListenerSource:
    """The source of events of one driver (`event_source.EventSource`).

    Args:
        listener: The listener.
        events: Turns its lines into outcomes.
        guard: The guard of recording.
        recorder: The file that its lines are recorded in, if any.
    """

    def __init__(self, listener: Listener, events: SparkEvents, guard: Guard, recorder: TextIO | None = None) -> None:
        self._listener = listener
        self._events = events
        self._polling = Polling(listener, recorder, guard)

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of events, and of what was not understood, by reason."""
        return self._events.counts

    @property
    def pending(self) -> frozenset[int]:
        """The executions whose outcomes are still to come."""
        return self._events.pending

    @property
    def has_failed(self) -> bool:
        """Whether an error or a signal has ended the driver."""
        return has_driver_failed(self._events.has_served_failed)

    @property
    def goes_on_without(self) -> bool:
        """Whether this process runs next to a driver of another language: a JVM that ends without Spark's own end was killed."""
        return not runs_job()

    def start(self) -> None:
        """Start the thread that ends polls."""
        self._polling.waker.start()

    def prepare(self) -> None:
        """Load the rules of lineage."""
        self._events.prepare()

    def poll(self, wait_ms: int) -> Sequence[str]:
        """Return the listener's new lines. Raises GoneError."""
        text = self._polling.poll(wait_ms)
        return text.split("\n") if text else ()

    def is_event(self, text: str) -> bool:
        """Return whether a line has an event."""
        return text.startswith(_EVENT)

    def read(self, text: str, on_control: ControlHandler) -> Iterator[ScheduledOutcome]:
        """Read one line, and yield what comes of it after the stages."""
        self._events.stats.last_event = None
        yield from self._events.run(text, lambda line: _control(line, on_control))
        if text.startswith(_EVENT):
            self._polling.unconfirmed.add(self._events.stats.last_event)

    def ended(self, *, goes_on: bool) -> Iterator[ScheduledOutcome]:
        """Yield what is held until the end."""
        return self._events.end(has_driver_ended=not goes_on)

    def confirm(self, pending: Iterable[int]) -> None:
        """Confirm all lines but those of pending executions. Raises GoneError."""
        self._polling.unconfirmed.confirm(pending)

    def mark(self, number: int) -> None:
        """Post a marker on Spark's bus. Raises GoneError."""
        self._listener.mark(number)

    def wake(self) -> None:
        """End the running poll, or the next one, by a thread: a signal handler may call this."""
        self._polling.waker.ask()

    def others(self) -> bool:
        """Return whether other Python processes have attached to the SparkContext. Raises GoneError."""
        return bool(self._listener.others())

    def release(self) -> None:
        """Leave the listener to the other processes. Raises GoneError."""
        self._listener.release()

    def end(self) -> None:
        """End the thread that ends polls."""
        self._polling.waker.end()

    def close(self) -> None:
        """Close the recording."""
        self._polling.close()


def _control(line: wire.Line, on_control: ControlHandler) -> None:
    match line:
        case wire.Marker(id=number):
            on_control(Control(ControlKind.MARKER, number))
        case wire.Question(id=number, text=text):
            on_control(Control(ControlKind.QUESTION, number, text))
        case wire.Stuck(stack=stack):
            logger.warning("capturing a query plan timed out and was abandoned: %s", stack)
        case _:
            on_control(Control(ControlKind.END))
