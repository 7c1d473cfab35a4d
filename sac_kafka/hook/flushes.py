"""Who waits until everything so far is delivered: each by a marker that comes out of the listener's queue in order."""

from __future__ import annotations

import threading

from sac_kafka.stats import Messages

LAST_MARKER = 0
"""The marker of the worker itself when it is to end; those of flushes count from 1."""


class Flush:
    """Somebody waits for a marker, until `deadline` (of the worker's clock); `messages` is the answer."""

    __slots__ = ("deadline", "done", "marker", "messages")

    def __init__(self, marker: int, deadline: float) -> None:
        self.marker = marker
        self.deadline = deadline
        self.done = threading.Event()
        self.messages: Messages | None = None


class Flushes:
    """Those who wait, by their markers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, Flush] = {}
        self._last = LAST_MARKER

    def begin(self, deadline: float) -> Flush:
        """Give a marker of its own."""
        with self._lock:
            self._last += 1
            flush = self._waiting[self._last] = Flush(self._last, deadline)
            return flush

    def of(self, marker: int) -> Flush | None:
        """Give who waits for a marker; None if nobody does any longer."""
        with self._lock:
            return self._waiting.get(marker)

    def end(self, flush: Flush) -> None:
        """Wait no longer."""
        with self._lock:
            self._waiting.pop(flush.marker, None)
