"""Whose turn it is: what waits in files goes first, in its order; after a failure one record at a time."""

from __future__ import annotations

from collections.abc import Callable

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.spool.backlog import SpoolPlace
from sac_kafka.transport.spool.keeping import Keeping
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.replaying import as_spooled, is_outdated
from sac_kafka.transport.spool.retries import Retries
from sac_kafka.transport.spool.suspect import Suspect
from sac_kafka.transport.spool.under_way import Sent

MAX_UNDER_WAY = 1_000
"""The most records of this driver that are under way."""
OUTDATED = (
    "older than atlas.hook.spark.spool.catalog.max.age.seconds, or from a clock that is ahead: what it says of tables "
    "may have been undone since"
)


class Turn:
    """Finds what is sent next; used under the spool's lock.

    Args:
        options: How much may be under way, and until when what waits is sent.
        keeping: What waits, and what the transport has.
        clock: Epoch seconds.
        ticks: Seconds that only grow.
    """

    def __init__(
        self,
        options: Options,
        keeping: Keeping,
        clock: Callable[[], float],
        ticks: Callable[[], float],
    ) -> None:
        self._options = options
        self._keeping = keeping
        self._backlog = keeping.backlog
        self._under_way = keeping.under_way
        self._clock = clock
        self._is_to_be_rewound = False
        self._suspect = Suspect()
        self.retries = Retries(options.files.retry_ms / 1000, ticks)

    @property
    def failure_kind(self) -> FailureKind | None:
        """What keeps messages from getting through, None while they do."""
        return self.retries.failure_kind

    def is_of(self, record: Record) -> bool:
        """True if nothing waits that would have to go before this one, and there is room on the way."""
        if self._is_to_be_rewound or self.failure_kind or self._backlog.has_more:
            return False
        size = self._under_way.bytes + record.size
        is_bounded = size <= self._options.window_bytes and len(self._under_way) < MAX_UNDER_WAY
        return is_bounded or not self._under_way

    def next(self) -> Sent | None:
        """Give the next one that waits, None if it is nobody's turn."""
        # Where one has failed those under way fail as well, or are delivered late: only then the next one is known.
        has_failed = self.failure_kind is not None or self._is_to_be_rewound or self._suspect.is_on_trial
        if has_failed and (self._under_way or not (self.retries.is_due or self._suspect.is_probing)):
            return None
        if self._is_to_be_rewound:
            self._is_to_be_rewound = False
            self._backlog.rewind()
        while self._backlog.has_more:
            if self._under_way and (
                len(self._under_way) >= self._options.files.batch_records
                or self._under_way.bytes >= self._options.window_bytes
            ):
                return None
            place = self._backlog.next()
            if place is None:
                break
            if self._suspect.passes_over(place):
                continue
            sent = self._of_backlog(place)
            if sent is not None:
                return sent
        if self._suspect.is_probing:
            self._suspect.nothing_behind()
            self._backlog.rewind()
        elif not self._under_way:
            self._backlog.lose_what_is_not_there()
        return None

    def _of_backlog(self, place: SpoolPlace) -> Sent | None:
        kept, is_own = place.block.kept, place.segment.is_own
        assert kept is not None
        outcome = self._keeping.pending.pop(place)
        sent = Sent(as_spooled(kept.record, self._options.topic), outcome, place, is_own=is_own)
        if is_outdated(kept.record, self._clock(), self._options.files.catalog_max_age_seconds):
            self._backlog.done(place)
            self._keeping.drop(sent, OUTDATED)
            return None
        return sent

    # ---- what became of it

    def delivered(self, sent: Sent) -> None:
        """It got through."""
        self._is_to_be_rewound |= self._suspect.delivered(sent.place)

    def is_convicted(self, sent: Sent, failure: Failure) -> bool:
        """Say whether one that failed is to blame itself; then it is no longer under suspicion."""
        if not failure.is_ambiguous or not self._suspect.is_convicted(sent.place):
            return False
        self._suspect.clear()
        return True

    def failed(self, failure: Failure, retry_after: float) -> None:
        """One failed: all begins anew with the first that waits, once it is time."""
        if self.retries.is_due or failure.kind is not self.failure_kind:
            self.retries.failed(failure.kind, retry_after)
        self._is_to_be_rewound = True

    def suspects(self, sent: Sent, failure: Failure, *, is_alone: bool) -> None:
        """One that failed, and is kept, may be to blame itself if it failed alone."""
        if not failure.is_ambiguous:
            self._suspect.clear()
        elif is_alone:
            self._suspect.failed(sent.place)

    def waited_for(self) -> int:
        """How many records a flush waits for: what is kept while nothing gets through is not among them."""
        if self.failure_kind is None:
            return len(self._under_way) + (not self._under_way and self._backlog.has_more)
        return sum(each.place is None for each in self._under_way.all())
