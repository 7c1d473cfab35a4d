"""Poll the listener, confirm what is finished, and end a blocking poll from a thread, since a signal handler may ask for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable
from typing import TextIO

from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.spark.listener import GoneError, Listener


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
                lines = [line for line in text.split("\n") if line and not line.startswith(_NOT_RECORDED)]
                if lines:
                    self._recorder.write("\n".join(lines) + "\n")
                    self._recorder.flush()
        return text

    def close(self) -> None:
        """Close the recording."""
        if self._recorder is not None:
            with self._guard("record"):
                self._recorder.close()
