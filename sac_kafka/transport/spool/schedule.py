"""Decide which record is sent next: the backlog first, in order; after a failure one record at a time."""

from __future__ import annotations

from collections.abc import Callable

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.spool.backlog import SpoolPlace
from sac_kafka.transport.spool.in_flight import TrackedRecord
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.poison import PoisonDetector
from sac_kafka.transport.spool.replaying import as_spooled, is_outdated
from sac_kafka.transport.spool.retries import Retries
from sac_kafka.transport.spool.writer import SpoolWriter

MAX_IN_FLIGHT = 1_000
"""Maximum number of this driver's records in flight."""
OUTDATED = (
    "older than atlas.hook.spark.spool.catalog.max.age.seconds, or dated in the future: the change of the catalog may be "
    "obsolete"
)


class Schedule:
    """Decides which record is sent next; used under the spool's lock.

    Args:
        options: Limits for records in flight, and the maximum age of catalog changes.
        writer: The backlog, and the records in flight.
        clock: Returns epoch seconds.
        ticks: Returns monotonic seconds.
    """

    def __init__(
        self,
        options: Options,
        writer: SpoolWriter,
        clock: Callable[[], float],
        ticks: Callable[[], float],
    ) -> None:
        self._options = options
        self._writer = writer
        self._backlog = writer.backlog
        self._in_flight = writer.in_flight
        self._clock = clock
        self._needs_rewind = False
        self._poison_detector = PoisonDetector()
        self.retries = Retries(options.files.retry_ms / 1000, ticks)

    @property
    def failure_kind(self) -> FailureKind | None:
        """Kind of the failure that prevents delivery, None while records get through."""
        return self.retries.failure_kind

    def may_send(self, record: Record) -> bool:
        """Return whether a new record may be sent now: the backlog is empty, and the window has room."""
        if self._needs_rewind or self.failure_kind or self._backlog.has_more:
            return False
        size = self._in_flight.bytes + record.size
        is_bounded = size <= self._options.window_bytes and len(self._in_flight) < MAX_IN_FLIGHT
        return is_bounded or not self._in_flight

    def next(self) -> TrackedRecord | None:
        """Return the next record of the backlog, None if none may be sent now."""
        # After a failure, wait for the outcomes of the records in flight: only then is the first unsent record known.
        has_failed = self.failure_kind is not None or self._needs_rewind or self._poison_detector.is_retrial
        if has_failed and (self._in_flight or not (self.retries.is_due or self._poison_detector.is_probing)):
            return None
        if self._needs_rewind:
            self._needs_rewind = False
            self._backlog.rewind()
        while self._backlog.has_more:
            if self._in_flight and (
                len(self._in_flight) >= self._options.files.batch_records
                or self._in_flight.bytes >= self._options.window_bytes
            ):
                return None
            place = self._backlog.next()
            if place is None:
                break
            if self._poison_detector.skips(place):
                continue
            tracked = self._of_backlog(place)
            if tracked is not None:
                return tracked
        if self._poison_detector.is_probing:
            self._poison_detector.no_other_record()
            self._backlog.rewind()
        elif not self._in_flight:
            self._backlog.drop_unreadable()
        return None

    def _of_backlog(self, place: SpoolPlace) -> TrackedRecord | None:
        stored, is_own = place.block.stored, place.segment.is_own
        assert stored is not None
        outcome = self._writer.callbacks.pop(place)
        tracked = TrackedRecord(as_spooled(stored.record, self._options.topic), outcome, place, is_own=is_own)
        if is_outdated(stored.record, self._clock(), self._options.files.catalog_max_age_seconds):
            self._backlog.mark_done(place)
            self._writer.drop(tracked, OUTDATED)
            return None
        return tracked

    # ---- outcomes

    def delivered(self, tracked: TrackedRecord) -> None:
        """Note a delivery."""
        self._needs_rewind |= self._poison_detector.delivered(tracked.place)

    def is_poison(self, tracked: TrackedRecord, failure: Failure) -> bool:
        """Return whether a failed record is the cause of its failure; it is then no longer suspected."""
        if not failure.is_ambiguous or not self._poison_detector.is_poison(tracked.place):
            return False
        self._poison_detector.clear()
        return True

    def failed(self, failure: Failure, retry_after: float) -> None:
        """Note a failure: sending restarts with the first unsent record when the next attempt is due."""
        if self.retries.is_due or failure.kind is not self.failure_kind:
            self.retries.note_failure(failure.kind, retry_after)
        self._needs_rewind = True

    def suspect(self, tracked: TrackedRecord, failure: Failure, *, is_alone: bool) -> None:
        """Suspect a failed record as the cause, if its failure is ambiguous and no other record was in flight."""
        if not failure.is_ambiguous:
            self._poison_detector.clear()
        elif is_alone:
            self._poison_detector.failed(tracked.place)

    def unsettled(self) -> int:
        """Return the number of records that a flush waits for; those in files do not count while delivery fails."""
        if self.failure_kind is None:
            return len(self._in_flight) + (not self._in_flight and self._backlog.has_more)
        return sum(each.place is None for each in self._in_flight.all())
