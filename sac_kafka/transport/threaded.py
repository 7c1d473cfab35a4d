"""Provide a transport that runs another one in a separate thread, so that a call that blocks delays no other destination."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from sac_kafka.guard import Guard
from sac_kafka.stages.output import Position
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record, Transport, guard_transport

_TURN_SECONDS = 0.2
"""Shortest useful flush, and longest wait of the thread for outcomes."""
_PAUSE_SECONDS = 0.01
"""Pause of the thread between two calls of a transport that does not wait for outcomes itself."""
_GRACE_SECONDS = 0.5

_Outcome = tuple[int, "Failure | None"]


class ThreadedTransport:
    """A transport over another one. Outcomes are reported by the calling thread, as of any transport.

    Args:
        transport: The transport; all calls but `problem` and `retry_after` are made by the thread.
        clock: Returns monotonic seconds.
    """

    flush_slice_seconds = _TURN_SECONDS

    def __init__(self, transport: Transport, clock: Callable[[], float] = time.monotonic) -> None:
        self.wrapped = transport
        self._clock = clock
        self._guard = Guard()
        self._records: queue.SimpleQueue[tuple[int, Record] | float] = queue.SimpleQueue()  # a time: close until then
        self._outcomes: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()
        self._waiting: dict[int, DeliveryCallback] = {}
        self._number = 0
        self._position: Position | None = None
        self._unsettled: dict[int, None] = {}  # of the thread, like the next one: not reported by the transport
        self._settled: list[_Outcome] = []  # and not passed on
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="sac-kafka-destination", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """Name of the wrapped transport."""
        return self.wrapped.name

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Hand the record to the thread; the caller bounds what is in flight."""
        if self._is_closed or not self._thread.is_alive():
            outcome(Failure(FailureKind.TRANSIENT, "the transport is closed"))
            return
        self._number += 1
        self._waiting[self._number] = outcome
        self._records.put((self._number, record))

    def service(self, timeout_seconds: float) -> None:
        """Report the outcomes that are known, waiting for the first at most this long."""
        if self._waiting and timeout_seconds > 0:
            self._report(timeout_seconds)
        while self._report(0):
            pass

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for outcomes. Return the number of records still without one."""
        deadline = self._clock() + timeout_seconds
        while self._waiting and (left := deadline - self._clock()) > 0:
            self._report(left)
        self.service(0)
        return len(self._waiting)

    def close(self, timeout_seconds: float) -> None:
        """Flush, fail all remaining records with a reason, and leave the rest to the thread. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        self._records.put(self._clock() + timeout_seconds)
        self._thread.join(timeout_seconds + _GRACE_SECONDS)
        self.service(0)
        waiting, self._waiting = self._waiting, {}
        for outcome in waiting.values():
            outcome(Failure(FailureKind.TRANSIENT, "not acknowledged when the transport was closed"))

    def problem(self) -> str | None:
        """Return the current failure as one masked line, None while records get through."""
        return self.wrapped.problem()

    def retry_after(self) -> float:
        """Return the remaining circuit-breaker time in seconds."""
        return self.wrapped.retry_after()

    def position(self) -> Position | None:
        """Return the location of the last delivered record, as known when its outcome was."""
        return self._position

    def _report(self, timeout_seconds: float) -> bool:
        """Report one outcome, waiting at most this long; return whether there was one."""
        try:
            number, failure = (
                self._outcomes.get(timeout=timeout_seconds) if timeout_seconds else self._outcomes.get(False)
            )
        except queue.Empty:
            return False
        outcome = self._waiting.pop(number, None)  # None: failed when the transport was closed
        if outcome is not None:
            outcome(failure)
        return True

    # ---- the thread itself

    def _run(self) -> None:
        end: float | None = None
        while end is None:
            try:
                item = self._records.get(timeout=_PAUSE_SECONDS if self._unsettled else None)
            except queue.Empty:
                item = None
            if isinstance(item, float):
                end = item
                continue
            with self._guard_transport():
                if item is not None:
                    self._hand_over(*item)
                if self._records.empty():
                    self.wrapped.service(_TURN_SECONDS / 2)
            self._pass_on()
        with self._guard_transport():
            self.wrapped.close(max(0.0, end - self._clock()))
        self._pass_on()

    def _guard_transport(self) -> AbstractContextManager[None]:
        return guard_transport(self._guard, lambda: self.name, lambda: tuple(self._unsettled), self._settle)

    def _hand_over(self, number: int, record: Record) -> None:
        self._unsettled[number] = None
        self.wrapped.send(record, lambda failure: self._settle(number, failure))

    def _settle(self, number: int, failure: Failure | None) -> None:
        if number in self._unsettled:
            del self._unsettled[number]
            self._settled.append((number, failure))

    def _pass_on(self) -> None:
        """Pass on the outcomes that are known, once the position of the last record is."""
        if any(failure is None for _, failure in self._settled):
            with self._guard("transport"):
                self._position = self.wrapped.position()
        for outcome in self._settled:
            self._outcomes.put(outcome)
        self._settled.clear()
