"""Track running flushes by their markers, which come out of the listener's queue in order with the events."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sac_kafka.hook.questions import Asked
from sac_kafka.stats import Messages

LAST_MARKER = 0
"""Marker of the worker's own end; those of flushes count from 1."""


class Flush:
    """A caller that waits for a marker until `deadline` (of the worker's clock); `messages` is the result."""

    __slots__ = ("deadline", "done", "marker", "messages")

    def __init__(self, marker: int, deadline: float) -> None:
        self.marker = marker
        self.deadline = deadline
        self.done = threading.Event()
        self.messages: Messages | None = None


class Flushes:
    """Running flushes by marker; `answer` is called with the number of a question of another process, and the question."""

    def __init__(self) -> None:
        self.answer: Callable[[int, Asked], None] = lambda _number, _asked: None
        self._lock = threading.Lock()
        self._waiting: dict[int, Flush] = {}
        self._last = LAST_MARKER

    def begin(self, deadline: float) -> Flush:
        """Start a flush with a new marker."""
        with self._lock:
            self._last += 1
            flush = self._waiting[self._last] = Flush(self._last, deadline)
            return flush

    def of(self, marker: int) -> Flush | None:
        """Return the flush of a marker; None if its caller has stopped waiting."""
        with self._lock:
            return self._waiting.get(marker)

    def end(self, flush: Flush) -> None:
        """Remove a flush whose caller has stopped waiting."""
        with self._lock:
            self._waiting.pop(flush.marker, None)
