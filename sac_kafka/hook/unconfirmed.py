"""Confirm to the listener what this process has finished, so that a process that takes over reads the rest again."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.spark.listener import Listener


class Unconfirmed:
    """Event lines that are read and not confirmed, numbered from 1 as the listener numbers them (`TextQueue.java`).

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
