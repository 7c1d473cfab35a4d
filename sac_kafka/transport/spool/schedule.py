"""Decide which record is sent next and when: the backlog first, in order; after a failure one record at a time.

An attempt after a transient failure is due soon, and rarely if a person must act.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from sac_kafka.transport.base import Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.spool.backlog import SpoolPlace
from sac_kafka.transport.spool.in_flight import TrackedRecord
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.writer import SpoolWriter

FIRST_SECONDS = 1.0
NEEDS_ACTION_FIRST_SECONDS = 30.0
NEEDS_ACTION_MAX_SECONDS = 600.0
ATTEMPTS = 3
"""Failures of a record before another one is tried."""
_MESSAGE = b'"message":'
_AHEAD_SECONDS = 600.0
"""A message dated further in the future has the time of a wrong clock, so its age is unknown."""
_NOT_SPOOLED, _SPOOLED = b'"spooled":false', b'"spooled":true'
MAX_IN_FLIGHT = 1_000
"""Maximum number of this driver's records in flight."""
OUTDATED = (
    "older than atlas.hook.spark.spool.catalog.max.age.seconds, or dated in the future: the change of the catalog may be "
    "obsolete"
)


class Retries:
    """Delays of consecutive failed attempts, each twice the previous one.

    Args:
        max_seconds: Longest delay after a transient failure (`atlas.hook.spool.destination.retry.ms`).
        clock: Returns monotonic seconds.
    """

    def __init__(self, max_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._delays = {  # first and longest
            FailureKind.TRANSIENT: (min(FIRST_SECONDS, max_seconds), max_seconds),
            FailureKind.NEEDS_ACTION: (NEEDS_ACTION_FIRST_SECONDS, NEEDS_ACTION_MAX_SECONDS),
        }
        self._clock = clock
        self._delay = 0.0
        self._due_at = 0.0
        self.failure_kind: FailureKind | None = None

    def note_failure(self, failure_kind: FailureKind, min_seconds: float = 0.0) -> None:
        """Note a failed attempt: the next one is due after the next delay, and not before `min_seconds`."""
        first, longest = self._delays[failure_kind]
        self._delay = first if failure_kind is not self.failure_kind else min(self._delay * 2, longest)
        self.failure_kind = failure_kind
        self._due_at = self._clock() + max(self._delay, min_seconds)

    def note_success(self) -> None:
        """Note a delivery: delivery no longer fails."""
        self.failure_kind = None
        self._delay = self._due_at = 0.0

    def retry_now(self) -> None:
        """Make the next attempt due now, for the last attempt of a process."""
        self._due_at = 0.0

    @property
    def is_due(self) -> bool:
        """True if an attempt may be made now."""
        return self._clock() >= self._due_at


class PoisonDetector:
    """Find the record that blocks the backlog, where its failure is ambiguous: the server's, or the record's own.

    A server that answers "internal error" may have failed, or may not be able to process this one record. After a record
    has failed alone `ATTEMPTS` times, the next record is tried (a probe). If that is delivered and the first one then fails
    again, the first one is poison and is rejected. If the probe fails too, the server is the cause, and the order is kept.

    The suspected record is the first of the backlog. Used under the spool's lock.
    """

    def __init__(self) -> None:
        self._key: tuple[str, int] | None = None
        self._failures = 0
        self._failed_probes = 0
        self._probes_to_skip = 0
        self.is_probing = False
        """True if a later record is to be sent next, without a delay."""
        self.is_retrial = False
        """True if a later record was delivered: the suspect is sent once more, alone."""

    def note_failure(self, place: SpoolPlace | None) -> None:
        """Note an ambiguous failure of a record that was sent alone."""
        if place is None:
            return
        if place.key == self._key:
            self._failures += 1
        elif self.is_probing:
            self.is_probing = False
            self._failed_probes += 1  # The next probe is another record: this one may be poison, too.
            return
        else:
            self.clear()
            self._key, self._failures = place.key, 1
        self.is_probing, self._probes_to_skip = self._failures >= ATTEMPTS, self._failed_probes

    def is_poison(self, place: SpoolPlace | None) -> bool:
        """Return whether the record that just failed is the cause of its failure."""
        return self.is_retrial and place is not None and place.key == self._key

    def skips(self, place: SpoolPlace) -> bool:
        """Return whether this record is skipped, as a later one is the probe."""
        if not self.is_probing:
            return False
        if place.key == self._key:
            return True
        self._probes_to_skip -= 1
        return self._probes_to_skip >= 0

    def no_other_record(self) -> None:
        """End probing, as no later record exists."""
        self.is_probing, self._failed_probes = False, 0

    def note_delivery(self, place: SpoolPlace | None) -> bool:
        """Note a delivery. Return whether the suspect is to be sent again now."""
        if not self.is_probing or (place is not None and place.key == self._key):
            self.clear()
            return False
        self.is_probing, self.is_retrial = False, True
        return True

    def clear(self) -> None:
        """Suspect no record."""
        self._key, self._failures, self._failed_probes = None, 0, 0
        self.is_probing = self.is_retrial = False


def as_spooled(record: Record, topic: str | None = None) -> Record:
    """Mark the message as spooled, as Atlas' own spool does (`AtlasNotificationMessage.spooled`).

    Parts and compressed messages are unchanged. A `topic` replaces that of the record.
    """
    if topic is not None:
        record = replace(record, topic=topic)
    if len(record.values) != 1:
        return record
    envelope, separator, message = record.values[0].partition(_MESSAGE)
    if _NOT_SPOOLED not in envelope:
        return record
    return replace(record, values=(envelope.replace(_NOT_SPOOLED, _SPOOLED, 1) + separator + message,))


def is_outdated(record: Record, now_seconds: float, max_age_seconds: float) -> bool:
    """Return whether a record is a change of the catalog that is too old to be certainly valid, or of unknown age."""
    age_seconds = now_seconds - record.created_ms / 1000
    return record.kind is MessageKind.CATALOG and not -_AHEAD_SECONDS <= age_seconds <= max_age_seconds


class Schedule:
    """Decides which record is sent next; used under the spool's lock.

    `clock` returns epoch seconds, `ticks` monotonic ones.
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
        if self._needs_rewind or self.retries.failure_kind or self._backlog.has_more:
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

    def note_delivery(self, tracked: TrackedRecord) -> None:
        """Note a delivery."""
        self._needs_rewind |= self._poison_detector.note_delivery(tracked.place)

    def is_poison(self, tracked: TrackedRecord, failure: Failure) -> bool:
        """Return whether a failed record is the cause of its failure; it is then no longer suspected."""
        if not failure.is_ambiguous or not self._poison_detector.is_poison(tracked.place):
            return False
        self._poison_detector.clear()
        return True

    def note_failure(self, failure: Failure, retry_after: float) -> None:
        """Note a failure: sending restarts with the first unsent record when the next attempt is due."""
        if self.retries.is_due or failure.kind is not self.failure_kind:
            self.retries.note_failure(failure.kind, retry_after)
        self._needs_rewind = True

    def suspect(self, tracked: TrackedRecord, failure: Failure, *, is_alone: bool) -> None:
        """Suspect a failed record as the cause, if its failure is ambiguous and no other record was in flight."""
        if not failure.is_ambiguous:
            self._poison_detector.clear()
        elif is_alone:
            self._poison_detector.note_failure(tracked.place)

    def unsettled(self) -> int:
        """Return the number of records that a flush waits for; those in files do not count while delivery fails."""
        if self.failure_kind is None:
            return len(self._in_flight) + (not self._in_flight and self._backlog.has_more)
        return sum(record.place is None for record in self._in_flight.all())
