"""Track records that the transport has not reported on, and the callbacks of records in files."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.spool.backlog import SpoolPlace
from sac_kafka.transport.spool.segment import Segment

MAX_PENDING = 10_000
"""Maximum number of callbacks of records in files; further records are reported as `WAITS` at once."""

WAITS = Failure(FailureKind.TRANSIENT, "spooled, it will be sent later; see sac-kafka spool list")
"""Outcome of a record in a file whose delivery this process will not report."""


@dataclass(slots=True, eq=False)
class TrackedRecord:
    """A record with its callback, its `place` if it is in a file, and `loss_reason` if that file was dropped."""

    record: Record
    outcome: DeliveryCallback | None
    place: SpoolPlace | None = None
    is_own: bool = True
    loss_reason: str | None = None

    def report(self, failure: Failure | None) -> None:
        """Call the callback once; None means delivered."""
        outcome, self.outcome = self.outcome, None
        if outcome is not None:
            outcome(failure)


class InFlight:
    """Records that the transport has not reported on, by number, in sending order."""

    def __init__(self) -> None:
        self._sent: dict[int, TrackedRecord] = {}
        self.bytes = 0
        self.number = 0
        """Number of records sent so far."""

    def __len__(self) -> int:
        return len(self._sent)

    def all(self) -> tuple[TrackedRecord, ...]:
        """Return all records, in order."""
        return tuple(self._sent.values())

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all records, in order."""
        return tuple(self._sent)

    def add(self, tracked: TrackedRecord) -> int:
        """Add a record. Return its number."""
        self.number += 1
        self._sent[self.number] = tracked
        self.bytes += tracked.record.size
        return self.number

    def pop(self, number: int) -> TrackedRecord | None:
        """Remove and return a record, None if it is no longer tracked."""
        tracked = self._sent.pop(number, None)
        if tracked is not None:
            self.bytes -= tracked.record.size
        return tracked

    def take_all(self) -> tuple[TrackedRecord, ...]:
        """Remove and return all records."""
        left, self._sent, self.bytes = self.all(), {}, 0
        return left

    def drop_segment(self, segment: Segment, why: str) -> int:
        """Mark the records of a dropped file. Return how many of them are in flight, so may still be delivered."""
        in_it = [
            record for record in self._sent.values() if record.place is not None and record.place.segment is segment
        ]
        for each in in_it:
            each.place, each.loss_reason = None, why
        return len(in_it)


class PendingCallbacks:
    """Callbacks of records in files."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, int], DeliveryCallback] = {}

    def add(self, place: SpoolPlace, tracked: TrackedRecord) -> None:
        """Store the callback of a record that was written to a file."""
        if tracked.outcome is None:
            return
        if len(self._outcomes) >= MAX_PENDING:
            tracked.report(WAITS)
        else:
            self._outcomes[place.key] = tracked.outcome
            tracked.outcome = None

    def pop(self, place: SpoolPlace) -> DeliveryCallback | None:
        """Remove and return the callback of a record that is sent now."""
        return self._outcomes.pop(place.key, None)

    def drop_segment(self, segment: Segment, failure: Failure) -> None:
        """Report the failure for all records of a dropped file."""
        for key in [outcome for outcome in self._outcomes if outcome[0] == str(segment.path)]:
            self._outcomes.pop(key)(failure)

    def report_all(self) -> None:
        """Report `WAITS` for all records: a later process will deliver them."""
        outcomes, self._outcomes = self._outcomes, {}
        for outcome in outcomes.values():
            outcome(WAITS)
