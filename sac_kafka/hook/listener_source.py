"""Provide the listener in the driver's JVM as a source of events: poll it, confirm what is finished, and end a blocking poll."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from sac_kafka.guard import Guard
from sac_kafka.hook.event_source import Control, ControlHandler, ControlKind
from sac_kafka.hook.exits import has_driver_failed, runs_job
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.log import logger
from sac_kafka.plan import wire
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome


class Waker:
    """Thread that wakes the listener on request. If its JVM call hangs, only this thread does; the poll times out by itself."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._requests: queue.SimpleQueue[bool] = queue.SimpleQueue()  # Reentrant: safe in a signal handler.

    def start(self) -> None:
        """Start the thread; early, because no thread can be started while the interpreter exits."""
        threading.Thread(target=self._run, name="sac-kafka-wake", daemon=True).start()

    def ask(self) -> None:
        """End the running poll, or the next one. Safe in any thread and in signal handlers."""
        self._requests.put(True)

    def end(self) -> None:
        """End the thread."""
        self._requests.put(False)

    def _run(self) -> None:
        while self._requests.get():
            self._wake()

    def _wake(self) -> None:
        try:
            self._listener.wake()
        except GoneError as e:
            logger.debug("cannot end the poll: %s", e)


class Unconfirmed:
    """Event lines that are read and not confirmed, numbered from 1 as the listener numbers them (`TextQueue.java`).

    A process that takes over reads them again.
    The lines of a running execution are needed until its root execution has ended: its start, and the ends of the executions
    nested in it.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._last = 0
        self._confirmed = 0
        self._by_execution: dict[int, list[int]] = {}

    def add(self, event: Event | None) -> None:
        """Add a line that was processed; None for one whose event could not be read."""
        self._last += 1
        if isinstance(event, (SparkListenerSQLExecutionStart, SparkListenerSQLExecutionEnd)):
            self._by_execution.setdefault(event.execution_id, []).append(self._last)

    def confirm(self, pending: Iterable[int]) -> None:
        """Confirm all lines but those of pending executions: what came of the others is delivered or in the spool.

        Raises:
            GoneError: The driver's JVM cannot be reached.
        """
        if self._last == self._confirmed:
            return
        self._by_execution = {each: self._by_execution[each] for each in pending if each in self._by_execution}
        needed = sorted(number for numbers in self._by_execution.values() for number in numbers)
        self._listener.confirm(self._last, needed)
        self._confirmed = self._last


_NOT_RECORDED = ('["python"', '["session"', '["parted"', '["question"')
"""Lines about Python processes: they contain values of the environment and of threads that are not masked yet."""


class Polling:
    """Polls of the listener, whose lines are recorded if there is a `recorder`."""

    def __init__(self, listener: Listener, recorder: TextIO | None, guard: Guard) -> None:
        self.listener = listener
        self._recorder = recorder
        self._guard = guard
        self.waker = Waker(listener)
        self.unconfirmed = Unconfirmed(listener)

    def poll(self, wait_ms: int) -> str:
        """Return the listener's new lines, "" without any.

        Raises:
            GoneError: The driver's JVM cannot be reached.
        """
        text = self.listener.poll(wait_ms) or ""
        if text and self._recorder is not None:
            with self._guard("record"):
                self._record(text, self._recorder)
        return text

    def _record(self, text: str, recorder: TextIO) -> None:
        lines = [line for line in text.split("\n") if line and not line.startswith(_NOT_RECORDED)]
        if lines:
            recorder.write("\n".join(lines) + "\n")
            recorder.flush()

    def close(self) -> None:
        """Close the recording."""
        if self._recorder is not None:
            with self._guard("record"):
                self._recorder.close()


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
