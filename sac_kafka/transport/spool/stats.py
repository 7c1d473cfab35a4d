"""Count the outcomes of records by reason, and report the counts to any thread."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator, Mapping

from sac_kafka.log import logger
from sac_kafka.stats import SpoolStats
from sac_kafka.transport.spool.backlog import Backlog
from sac_kafka.transport.spool.in_flight import InFlight

KINDS = ("delivered", "dropped", "rejected", "replayed")
MAX_REASONS = 20
OTHER_REASONS = "other reasons"
"""Counts all reasons beyond `MAX_REASONS`: a reason may quote its message, so there may be as many as messages."""
_LOCK_SECONDS = 0.5


class OutcomeCounters:
    """Number of records by outcome, and of dropped and rejected ones by reason."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, Counter[str]] = {"dropped": Counter(), "rejected": Counter()}
        self._warned: set[str] = set()

    def count_delivery(self, *, is_own: bool) -> None:
        """Count a delivered record; `replayed` if another driver wrote it."""
        self.counts["delivered" if is_own else "replayed"] += 1

    def count_rejection(self, reason: str) -> None:
        """Count a rejected record."""
        self.counts["rejected"] += 1
        self._count("rejected", reason, 1)

    def count_loss(self, reason: str, count: int = 1) -> None:
        """Count lost records, and warn."""
        if count > 0:
            self.warn("dropped", f"messages are dropped: {reason}")
            self.counts["dropped"] += count
            self._count("dropped", reason, count)

    def count_removal(self, reason: str, count: int) -> None:
        """Count deleted records, which were counted as rejected before, by this reason, and warn."""
        if count > 0:
            self.warn("rejected removed", f"rejected messages are deleted: {reason}")
            self._count("rejected", reason, count)

    def _count(self, kind: str, reason: str, count: int) -> None:
        reasons = self.reasons[kind]
        is_counted = reason in reasons or len(reasons) < MAX_REASONS
        reasons[reason if is_counted else OTHER_REASONS] += count

    def warn(self, kind: str, text: str) -> None:
        """Log a warning, once per kind until delivery resumes."""
        if kind not in self._warned:
            self._warned.add(kind)
            logger.warning("%s", text)

    def log_resumption(self, name: str) -> None:
        """Log that delivery works again, and allow further warnings."""
        logger.info("messages are delivered again to %s", name)
        self._warned.clear()


class RecordStats:
    """Number of records in files, in flight and with an outcome.

    The thread that holds the spool's lock may hang in file access. Callers therefore wait for the lock briefly, then read
    without it, which may give counts in the middle of a change.
    """

    def __init__(self, lock: threading.RLock, backlog: Backlog, in_flight: InFlight, counters: OutcomeCounters) -> None:
        self._lock = lock
        self._backlog = backlog
        self._in_flight = in_flight
        self._counters = counters
        self._is_stuck = False

    def counts(self) -> Mapping[str, int]:
        """Return the number of records by outcome; `spooled` are those of this driver in files."""
        with self._hold_lock():
            return self._count()

    def reasons(self, waiting: str) -> Mapping[str, Mapping[str, int]]:
        """Return the number of records by outcome and reason; `waiting` is the reason of all spooled ones."""
        with self._hold_lock():
            spooled = self._count()["spooled"]
            reasons = {kind: dict(each) for kind, each in self._counters.reasons.items()}
            return {**reasons, "spooled": {waiting: spooled} if spooled else {}}

    def figures(self) -> SpoolStats:
        """Return the directory, and the number of files, records and bytes in it."""
        with self._hold_lock():
            return self._backlog.figures

    def _count(self) -> dict[str, int]:
        stored = sum(record.is_own and record.place is not None for record in self._in_flight.all())
        spooled = max(0, self._backlog.own_remaining - stored)
        return {**{kind: self._counters.counts[kind] for kind in KINDS}, "spooled": spooled}

    @contextlib.contextmanager
    def _hold_lock(self) -> Iterator[None]:
        is_held = self._lock.acquire(timeout=0.0 if self._is_stuck else _LOCK_SECONDS)
        self._is_stuck = not is_held  # Wait only once for a hanging thread.
        try:
            yield
        finally:
            if is_held:
                self._lock.release()
