"""Provide a transport that wraps another one, keeps undelivered records in files, and sends them in order later.

While the backlog has records, new ones are appended to it. All methods but `abandon` and the counts are called from one
thread. The wrapped transport is never called with the lock held, because it may hang.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from sac_kafka.escaping import escape
from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.stages.output import Position
from sac_kafka.stats import SpoolStats
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record, Transport, guard_transport
from sac_kafka.transport.spool.in_flight import InFlight, TrackedRecord
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.outcomes import Lifecycle, Outcomes, SpoolPhase
from sac_kafka.transport.spool.schedule import Schedule
from sac_kafka.transport.spool.stats import OutcomeCounters, RecordStats
from sac_kafka.transport.spool.writer import SpoolWriter

LAST_TRY_SECONDS = 1.0
"""Limit of a flush while delivery fails; the records are kept anyway."""
_LOCK_SECONDS = 0.5
_FORKED = Failure(FailureKind.TRANSIENT, "a fork of the driver sends nothing")


class Spool:
    """Keep what `transport` does not deliver; a transport itself.

    A failure that is not a rejection is not reported: the record is retried. The outcome is a failure if the record is
    rejected or lost (both `REJECTED`, as later records get through), or `in_flight.WAITS` if it is in a file at the end.

    Args:
        transport: Delivers records in order (`base.Transport`).
        options: How records are kept.
        application_id: Spark's application id, part of the file names.
        clock: Returns epoch seconds.
        ticks: Returns monotonic seconds.
    """

    def __init__(
        self,
        transport: Transport,
        options: Options,
        application_id: str,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.wrapped = transport
        self._guard = Guard()
        self._options = options
        self._is_write_ahead = options.is_write_ahead and options.files.enabled
        self._ticks = ticks
        self._lock = threading.RLock()  # Reentrant: a signal handler may interrupt the thread that holds it.
        self._writer = SpoolWriter(options, application_id, InFlight(), OutcomeCounters())
        self._in_flight = self._writer.in_flight
        self._schedule = Schedule(options, self._writer, clock, ticks)
        self._stats = RecordStats(self._lock, self._writer.backlog, self._in_flight, self._writer.counters)
        self._lifecycle = Lifecycle()
        self._outcomes = Outcomes(transport, options, self._writer, self._schedule, self._lifecycle)

    # ---- state

    @property
    def name(self) -> str:
        """Name of the wrapped transport."""
        return self.wrapped.name

    @property
    def directory(self) -> Path:
        """Directory of the files, which may not exist."""
        return self._writer.backlog.directory

    @property
    def failure_kind(self) -> FailureKind | None:
        """Kind of the failure that prevents delivery, None while records get through."""
        return self._schedule.failure_kind

    @property
    def errors(self) -> Mapping[str, int]:
        """Number of exceptions that the transport raised against its contract, by `transport: class`."""
        return self._guard.counts

    @property
    def in_flight(self) -> int:
        """Number of records that the transport has not reported on."""
        return len(self._in_flight)

    @property
    def is_busy(self) -> bool:
        """Whether records are in flight or in files, or delivery fails."""
        return bool(self._in_flight) or self.failure_kind is not None or self._writer.backlog.has_more

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of records delivered, spooled (now in files), dropped, rejected, and replayed for other drivers."""
        return self._stats.counts()

    @property
    def reasons(self) -> Mapping[str, int]:
        """Number of dropped, rejected and spooled records by reason."""
        return dict(sum(map(Counter, self.reasons_by_kind.values()), Counter[str]()))

    @property
    def reasons_by_kind(self) -> Mapping[str, Mapping[str, int]]:
        """Number of records by reason, for each of `spooled`, `dropped` and `rejected`."""
        return self._stats.reasons(str(self._outcomes.failure or "not delivered yet"))

    @property
    def figures(self) -> SpoolStats:
        """Directory, and number of files, records and bytes of this spool, adopted files included."""
        return self._stats.figures()

    def problem(self) -> str | None:
        """Return the problem of the wrapped transport, else the reason of the last failure."""
        failure = self._outcomes.failure if self._schedule.failure_kind else None
        try:
            return escape(self.wrapped.problem() or str(failure or "")) or None
        except Exception as error:  # noqa: BLE001 (does not affect records in flight)
            return f"{self.name} cannot say why: {type(error).__name__}"

    def position(self) -> Position | None:
        """Return the position of the wrapped transport."""
        with self._guard_transport():
            return self.wrapped.position()
        return None

    @property
    def flush_slice_seconds(self) -> float:
        """The interval of the wrapped transport."""
        return self.wrapped.flush_slice_seconds

    def retry_after(self) -> float:
        """Return 0.0, as records are accepted and kept; if files are disabled, the time of the wrapped transport."""
        return 0.0 if self._options.files.enabled else self._outcomes.retry_after()

    # ---- records

    def prepare(self) -> bool:
        """Return whether each record is written before it is sent; then load now what the first one needs."""
        if self._is_write_ahead:
            self._writer.backlog.prepare()
        return self._is_write_ahead

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Send a record, or append it to the backlog if that has others; `outcome` receives its final outcome."""
        if self._lifecycle.is_forked_child:
            outcome(_FORKED)
            return
        if self._lifecycle.phase is SpoolPhase.NEW:
            self._begin()
        tracked, number = TrackedRecord(record, outcome), None
        with self._lock:
            # A record may be sent now if no other goes first, and the number in flight is below its limit.
            if self._options.files.enabled:
                is_direct = self._lifecycle.phase is SpoolPhase.OPEN and self._schedule.may_send(record)
            else:
                is_direct = self._lifecycle.phase is not SpoolPhase.CLOSED
            if is_direct:
                if self._is_write_ahead:
                    self._writer.write_ahead(tracked)
                number = self._in_flight.add(tracked)
            else:
                self._outcomes.keep(tracked, before=self._in_flight.all())
        if number is not None:
            self._hand_over(number, tracked)
        self._pump()

    def service(self, timeout_seconds: float) -> None:
        """Serve the wrapped transport, and send records of the backlog that are due."""
        if self._lifecycle.is_over:
            return
        self._begin()
        with self._guard_transport():
            self.wrapped.service(timeout_seconds)
        if self._pump():
            with self._guard_transport():
                self.wrapped.service(0)  # `send` of a transport may only queue.

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for records in flight and the backlog. Return the number neither sent nor in files.

        While delivery fails, the backlog is not waited for.
        """
        if self._lifecycle.is_over:
            return 0
        self._begin()
        deadline = self._ticks() + timeout_seconds
        while True:
            self._pump()
            is_failing = self._schedule.failure_kind is not None
            left = deadline - self._ticks()
            if left <= 0 or not (self._in_flight or (self._writer.backlog.has_more and not is_failing)):
                return self._unsettled()
            before = self._in_flight.number, self.in_flight
            unfinished = 0
            with self._guard_transport():
                unfinished = self.wrapped.flush(min(left, LAST_TRY_SECONDS) if is_failing else left)
            if unfinished or before == (self._in_flight.number, self.in_flight):
                return self._unsettled()

    def close(self, timeout_seconds: float) -> None:
        """Retry once, close the wrapped transport, keep what it did not deliver, and close the files. Idempotent."""
        if self._lifecycle.is_over:
            return
        deadline = self._ticks() + timeout_seconds
        try:
            self._try_again_before_the_end(deadline)
            with self._guard_transport():
                self.wrapped.close(max(0.0, deadline - self._ticks()))
        finally:
            with self._lock:
                self._outcomes.keep_all("not acknowledged when the transport was closed")
                self._lifecycle.phase = SpoolPhase.CLOSED
                self._writer.callbacks.report_all()
                self._writer.backlog.close()

    def abandon(self, reason: str) -> bool:
        """Keep the records in flight, called by another thread if the worker hangs: duplicates are possible, losses not.

        Return whether all of them are in files; not if the worker hangs in file access, or if there is no room (counted).
        """
        if self._lifecycle.is_over:
            return True
        if not self._lock.acquire(timeout=_LOCK_SECONDS):
            return False
        try:
            if self._lifecycle.phase is not SpoolPhase.CLOSED:  # Closed while this thread waited for the lock.
                self._lifecycle.phase = SpoolPhase.ABANDONED
            is_kept = self._outcomes.keep_all(reason)
            self._writer.callbacks.report_all()
            return is_kept
        finally:
            self._lock.release()

    # ---- sending

    def _begin(self) -> None:
        """Adopt the files of earlier applications before the first record, as they are sent first."""
        if self._lifecycle.phase is not SpoolPhase.NEW:
            return
        self._lifecycle.phase = SpoolPhase.OPEN
        if self._options.files.enabled:
            with self._lock:
                found = self._writer.backlog.adopt()
            if found:
                logger.info("%d undelivered messages of earlier applications found in %s", found, self.directory)

    def _hand_over(self, number: int, tracked: TrackedRecord) -> None:
        with self._guard_transport():
            self.wrapped.send(tracked.record, lambda failure: self._settle(number, failure))

    def _guard_transport(self) -> AbstractContextManager[None]:
        return guard_transport(self._guard, lambda: self.name, self._in_flight.numbers, self._settle)

    def _settle(self, number: int, failure: Failure | None) -> None:
        with self._lock:
            self._outcomes.handle(number, failure)

    def _pump(self) -> bool:
        """Send due records of the backlog: one after a failure, else up to the window. Return whether any was sent."""
        has_sent = False
        while True:
            with self._lock:
                tracked = self._schedule.next() if self._lifecycle.phase is SpoolPhase.OPEN else None
                if tracked is None:
                    return has_sent
                number = self._in_flight.add(tracked)
            has_sent = True
            self._hand_over(number, tracked)

    # ---- the end

    def _unsettled(self) -> int:
        with self._lock:
            return self._schedule.unsettled()

    def _try_again_before_the_end(self, deadline: float) -> None:
        """Retry the last time, if the failure may have passed since the last attempt."""
        if self._schedule.failure_kind is not FailureKind.TRANSIENT or not self._writer.backlog.is_waiting:
            return
        self._schedule.retries.retry_now()
        self.flush(max(0.0, deadline - self._ticks()))
