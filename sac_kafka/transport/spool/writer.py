"""Write records to spool files in order, and account for those that cannot be written."""

from __future__ import annotations

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.spool.backlog import FULL, REJECTED_REMOVED, Backlog
from sac_kafka.transport.spool.directory import REJECTED
from sac_kafka.transport.spool.in_flight import InFlight, PendingCallbacks, TrackedRecord
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment
from sac_kafka.transport.spool.stats import OutcomeCounters


class SpoolWriter:
    """Writer of a spool's files, with the callbacks of the records in them."""

    def __init__(self, options: Options, application_id: str, in_flight: InFlight, counters: OutcomeCounters) -> None:
        self._options = options
        self.in_flight = in_flight
        self.counters = counters
        self.backlog = Backlog(options, application_id, self._count_loss)
        self.callbacks = PendingCallbacks()

    def write_ahead(self, tracked: TrackedRecord) -> None:
        """Write a record before it is sent. If that fails, it is sent anyway."""
        try:
            self._put((*self.in_flight.all(), tracked), None)
        except OSError as error:
            self.counters.warn("not kept", self._write_error(error))

    def keep(
        self,
        tracked: TrackedRecord,
        why: str | None,
        *,
        before: tuple[TrackedRecord, ...] = (),
        behind: tuple[TrackedRecord, ...] = (),
    ) -> None:
        """Write a record to a file, between the records in flight before and behind it, or drop it.

        Those are written as well, which fixes the order; one that is delivered after all is marked as done.
        """
        write_error = ""
        try:
            self._put((*before, tracked, *behind), why, waiting=tracked)
        except OSError as error:
            write_error = self._write_error(error)
        if tracked.place is None:
            self.drop(tracked, f"{why}; and {write_error}" if why else write_error)
        elif tracked.place.segment.is_discarded:  # Dropped at once to make room for the records behind it.
            tracked.report(_loss(FULL))
        else:
            self.callbacks.add(tracked.place, tracked)

    def add_dead_letter(self, tracked: TrackedRecord, reason: str) -> None:
        """Store a rejected record apart from the backlog."""
        directory = self.backlog.directory
        try:
            self.backlog.add_dead_letter(tracked.record, reason)
        except OSError as error:
            self.counters.count_rejection(f"{reason}; and {self._write_error(error)}")
            return
        self.counters.warn("rejected", f"message rejected, stored in {directory / REJECTED}: {logger.above(reason)}")
        self.counters.count_rejection(reason)

    def drop(self, tracked: TrackedRecord, reason: str) -> None:
        """Count a record as lost, and report that."""
        self.counters.count_loss(reason)
        tracked.report(_loss(reason))

    def _put(self, records: tuple[TrackedRecord, ...], why: str | None, waiting: TrackedRecord | None = None) -> None:
        """Append the records that are not in a file. All but `waiting` are in flight, so they are not to be sent next."""
        for record in records:
            if record.place is None and record.loss_reason is None:
                record.place = self.backlog.append(record.record, why)
                if record is not waiting:
                    self.backlog.skip(record.place)

    def _count_loss(self, segment: Segment, count: int, reason: str) -> None:
        """Count records that were dropped with their file, except those in flight, which may still be delivered."""
        if reason == REJECTED_REMOVED:  # Counted as rejected before.
            self.counters.count_removal(reason, count)
            return
        if segment.is_discarded:
            count -= self.in_flight.drop_segment(segment, reason)
            self.callbacks.drop_segment(segment, _loss(reason))
        self.counters.count_loss(reason, count)

    def _write_error(self, error: OSError) -> str:
        return f"{self.backlog.directory} cannot be written: {error.strerror or error}"


def _loss(reason: str) -> Failure:
    """Return the failure of a lost record: REJECTED, as it does not affect later records."""
    return Failure(FailureKind.REJECTED, reason)
