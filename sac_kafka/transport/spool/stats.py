"""Report the counts of a spool to any thread."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sac_kafka.transport.spool.counters import KINDS
from sac_kafka.transport.spool.writer import SpoolWriter

_LOCK_SECONDS = 0.5


class _Lock(Protocol):
    """Type of `threading.RLock()`, which is a function before Python 3.13."""

    def acquire(self, *, timeout: float) -> bool: ...

    def release(self) -> None: ...


class RecordStats:
    """Number of records in files, in flight and with an outcome.

    The thread that holds the spool's lock may hang in file access. Callers therefore wait for the lock briefly, then read
    without it, which may give counts in the middle of a change.

    Args:
        lock: Lock of the spool.
        writer: Files, records in flight, and counters.
    """

    def __init__(self, lock: _Lock, writer: SpoolWriter) -> None:
        self._lock = lock
        self._backlog = writer.backlog
        self._in_flight = writer.in_flight
        self._counters = writer.counters
        self._is_stuck = False

    def counts(self) -> Mapping[str, int]:
        """Return the number of records by outcome; `spooled` are those of this driver in files."""
        with self._locked():
            return self._counted()

    def reasons(self, waiting: str) -> Mapping[str, Mapping[str, int]]:
        """Return the number of records by outcome and reason; `waiting` is the reason of all spooled ones."""
        with self._locked():
            spooled = self._counted()["spooled"]
            reasons = {kind: dict(each) for kind, each in self._counters.reasons.items()}
            return {**reasons, "spooled": {waiting: spooled} if spooled else {}}

    def figures(self) -> Mapping[str, Any]:
        """Return the directory, and the number of files, records and bytes in it."""
        with self._locked():
            return {"directory": str(self._backlog.directory), **self._backlog.figures}

    def _counted(self) -> dict[str, int]:
        stored = sum(each.is_own and each.place is not None for each in self._in_flight.all())
        spooled = max(0, self._backlog.own_remaining - stored)
        return {**{kind: self._counters.counts[kind] for kind in KINDS}, "spooled": spooled}

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        is_held = self._lock.acquire(timeout=0.0 if self._is_stuck else _LOCK_SECONDS)
        self._is_stuck = not is_held  # Wait only once for a hanging thread.
        try:
            yield
        finally:
            if is_held:
                self._lock.release()
