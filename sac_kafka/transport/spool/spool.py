"""Wraps a transport: what it cannot deliver is kept in files, and goes out in order once it can.

As long as anything of the backlog waits, new messages queue up behind it, in the own file. All methods but `abandon`
and the figures are called from one thread. The wrapped transport is never called with the lock held: it may hang.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sac_kafka.transport.base import Failure, Position, Record, Transport, Trouble
from sac_kafka.transport.spool.backlog import Backlog, Place
from sac_kafka.transport.spool.directory import REJECTED
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.replaying import as_spooled, is_outdated
from sac_kafka.transport.spool.retries import Retries
from sac_kafka.transport.spool.segment import Segment

logger = logging.getLogger("sac_kafka")

Settled = Callable[[bool], None]
"""Told once for each record whether the server's broker has it; False also when it still waits at the end."""

WINDOW_BYTES = 8 * 1024 * 1024
"""The most that is under way, but for one record: a transport's queue is bounded, and all of it is in memory."""
MOST_PENDING = 10_000
"""Kept records whose delivery somebody still wants to know of; those of more are told False at once."""
LAST_TRY_SECONDS = 1.0
"""How long a flush waits for an attempt while nothing gets through: everything is kept anyway."""
_LOCK_SECONDS = 1.0

OUTDATED = (
    "older than atlas.hook.spark.spool.catalog.max.age.seconds: what it says of tables may have been undone since"
)


class _Sent:
    """A record that the transport has; `place` is where it is kept, if it is."""

    __slots__ = ("is_lost", "is_own", "place", "record", "settled")

    def __init__(self, record: Record, settled: Settled | None, place: Place | None, *, is_own: bool) -> None:
        self.record = record
        self.settled = settled
        self.place = place
        self.is_own = is_own
        self.is_lost = False


class Spool:
    """Keeps what `transport` does not deliver.

    Args:
        transport: Where records go; it keeps their order (`base.Transport`).
        options: How they are kept.
        application_id: Spark's, names the files.
        clock: Epoch seconds.
        ticks: Seconds that only grow.
    """

    def __init__(
        self,
        transport: Transport,
        options: Options,
        application_id: str,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport = transport
        self._options = options
        self._clock = clock
        self._retries = Retries(options.retry_seconds, ticks)
        self._backlog = Backlog(options, application_id, self._lost)
        self._lock = threading.RLock()  # a signal handler may interrupt who holds it
        self._under_way: dict[int, _Sent] = {}
        self._bytes_under_way = 0
        self._number = 0
        self._pending: dict[tuple[int, int], Settled] = {}
        self._counts: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._failure: Failure | None = None
        self._is_begun = False
        self._is_to_be_rewound = False
        self._is_abandoned = False
        self._is_closed = False
        self._warned: set[str] = set()
        self._pid = os.getpid()

    # ---- what others may ask

    @property
    def name(self) -> str:
        """The name of the wrapped transport."""
        return self._transport.name

    @property
    def wrapped(self) -> Transport:
        """The transport that records go to."""
        return self._transport

    @property
    def directory(self) -> Path:
        """Where the files are, or would be."""
        return self._backlog.directory

    @property
    def trouble(self) -> Trouble | None:
        """What keeps messages from getting through, None while they do."""
        return self._retries.trouble

    @property
    def under_way(self) -> int:
        """How many records the transport has."""
        return len(self._under_way)

    @property
    def counts(self) -> Mapping[str, int]:
        """Records delivered, spooled (they wait in files), dropped and rejected; replayed ones are of other drivers."""
        with self._lock:
            kept = sum(each.is_own and each.place is not None for each in self._under_way.values())
            spooled = max(0, self._backlog.own_left - kept)
            counted = {kind: self._counts[kind] for kind in ("delivered", "dropped", "rejected", "replayed")}
            return {**counted, "spooled": spooled}

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why records were dropped or rejected, and why those wait that do: reason to how many."""
        with self._lock:
            reasons = Counter(self._reasons)
            spooled = self.counts["spooled"]
            if spooled:
                reasons[str(self._failure) if self._failure else "not delivered yet"] += spooled
            return dict(reasons)

    @property
    def figures(self) -> Mapping[str, Any]:
        """The directory, and how many files, records and bytes wait there that are this spool's or that it has adopted."""
        with self._lock:
            return {"directory": str(self.directory), **self._backlog.figures}

    def problem(self) -> str | None:
        """Give the problem of the wrapped transport, else why the last record was not delivered."""
        return self._transport.problem() or (str(self._failure) if self._failure and self._retries.trouble else None)

    def position(self) -> Position | None:
        """Give the position of the wrapped transport."""
        return self._transport.position()

    # ---- the way of a record

    def send(self, record: Record, settled: Settled) -> None:
        """Send a record, or keep it if others wait; `settled` is told its end."""
        if os.getpid() != self._pid:
            settled(False)
            return
        self._begin()
        sent = None
        with self._lock:
            if self._is_direct(record):
                sent = _Sent(record, settled, None, is_own=True)
                self._write_first(sent)
            else:
                self._keep(_Sent(record, settled, None, is_own=True), before=tuple(self._under_way.values()))
        if sent is not None:
            self._hand_over(sent)
        self._pump()

    def service(self, timeout_seconds: float) -> None:
        """Serve the wrapped transport, and send what waits if it is time."""
        if os.getpid() != self._pid or self._is_closed:
            return
        self._begin()
        self._transport.service(timeout_seconds)
        if self._pump():
            self._transport.service(0)  # a transport may only queue in `send`

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for what is under way and what can be sent; gives how much is neither sent nor kept.

        Where nothing gets through, what is kept in files is not waited for.
        """
        if os.getpid() != self._pid or self._is_closed:
            return 0
        self._begin()
        deadline = time.monotonic() + timeout_seconds
        while True:
            self._pump()
            has_trouble = self._retries.trouble is not None
            left = deadline - time.monotonic()
            if left <= 0 or not (self._under_way or (self._backlog.has_more and not has_trouble)):
                return self._waited_for()
            before = self._number, self.under_way
            still = self._transport.flush(min(left, LAST_TRY_SECONDS) if has_trouble else left)
            if still or before == (self._number, self.under_way):
                return self._waited_for()

    def close(self, timeout_seconds: float) -> None:
        """Try once more, close the wrapped transport, whose last failures are kept, then the files. Idempotent."""
        if os.getpid() != self._pid or self._is_closed:
            return
        deadline = time.monotonic() + timeout_seconds
        self._try_again_before_the_end(deadline)
        self._transport.close(max(0.0, deadline - time.monotonic()))
        with self._lock:
            self._is_closed = True
            self._keep_under_way("not acknowledged when the transport was closed")
            self._tell_pending()
            self._backlog.close()

    def abandon(self, reason: str) -> None:
        """Keep what is under way, from another thread than the one that hangs: it may be sent twice, but is not lost."""
        if os.getpid() != self._pid or self._is_closed or not self._lock.acquire(timeout=_LOCK_SECONDS):
            return
        try:
            self._is_abandoned = True
            self._keep_under_way(reason)
            self._tell_pending()
        finally:
            self._lock.release()

    # ---- sending

    def _begin(self) -> None:
        """Before the first record: what others have left goes first."""
        if self._is_begun:
            return
        self._is_begun = True
        if self._options.is_enabled:
            with self._lock:
                found = self._backlog.adopt()
            if found:
                logger.info("sac_kafka: %d messages of earlier applications wait in %s", found, self.directory)

    def _is_direct(self, record: Record) -> bool:
        """True if nothing waits that would have to go first, and there is room on the way."""
        if not self._options.is_enabled:
            return not self._is_closed
        is_free = not (self._is_closed or self._is_abandoned or self._is_to_be_rewound or self._retries.trouble)
        has_room = not self._under_way or self._bytes_under_way + record.size <= WINDOW_BYTES
        return is_free and has_room and not self._backlog.has_more

    def _write_first(self, sent: _Sent) -> None:
        if not self._options.is_first or not self._options.is_enabled:
            return
        try:
            for each in (*self._under_way.values(), sent):
                self._put(each, None, is_under_way=True)
        except OSError as error:
            self._warn("not kept", f"{self.directory} cannot be written: {error.strerror or error}")

    def _hand_over(self, sent: _Sent) -> None:
        with self._lock:
            self._number += 1
            number = self._number
            self._under_way[number] = sent
            self._bytes_under_way += sent.record.size
        self._transport.send(sent.record, lambda _, failure: self._outcome(number, failure))

    def _pump(self) -> bool:
        """Send what waits, as long as it may be: one record where the last one failed, else a window of them."""
        has_sent = False
        while True:
            with self._lock:
                sent = self._next()
            if sent is None:
                return has_sent
            has_sent = True
            self._hand_over(sent)

    def _next(self) -> _Sent | None:
        if self._is_closed or self._is_abandoned:
            return None
        # Where one has failed those under way fail as well, or are delivered late: only then the next one is known.
        has_failed = self._retries.trouble is not None or self._is_to_be_rewound
        if has_failed and (self._under_way or not self._retries.is_due):
            return None
        if self._is_to_be_rewound:
            self._is_to_be_rewound = False
            self._backlog.rewind()
        while self._backlog.has_more:
            if len(self._under_way) >= self._options.batch_records or self._bytes_under_way >= WINDOW_BYTES:
                return None
            place = self._backlog.next()
            if place is None:
                break
            sent = self._of_backlog(place)
            if sent is not None:
                return sent
        if not self._under_way:
            self._backlog.lose_what_is_not_there()
        return None

    def _of_backlog(self, place: Place) -> _Sent | None:
        kept, is_own = place.block.kept, place.segment.is_own
        assert kept is not None
        settled = self._pending.pop(place.key, None)
        if is_outdated(kept.record, self._clock(), self._options.catalog_max_age_seconds):
            self._backlog.done(place)
            self._drop(settled, OUTDATED)
            return None
        return _Sent(as_spooled(kept.record), settled, place, is_own=is_own)

    # ---- outcomes

    def _outcome(self, number: int, failure: Failure | None) -> None:
        with self._lock:
            sent = self._under_way.pop(number, None)
            if sent is None:  # it was abandoned
                return
            self._bytes_under_way -= sent.record.size
            if failure is None:
                self._delivered(sent)
            elif failure.trouble is Trouble.REJECTED:
                self._rejected(sent, failure)
            else:
                self._failed(sent, failure)

    def _delivered(self, sent: _Sent) -> None:
        self._gets_through()
        self._counts["delivered" if sent.is_own else "replayed"] += 1
        if sent.place is not None:
            self._backlog.done(sent.place)
        _tell(sent.settled, True)

    def _rejected(self, sent: _Sent, failure: Failure) -> None:
        self._gets_through()
        reason = failure.reason
        if self._options.is_enabled:
            try:
                self._backlog.set_aside(sent.record, reason)
                self._warn("rejected", f"a message was refused and is kept in {self.directory / REJECTED}: {reason}")
            except OSError as error:
                reason = f"{reason}; and {self.directory} cannot be written: {error.strerror or error}"
        if sent.place is not None:
            self._backlog.done(sent.place)
        self._counts["rejected"] += 1
        self._reasons[reason] += 1
        _tell(sent.settled, False)

    def _failed(self, sent: _Sent, failure: Failure) -> None:
        self._failure = failure
        if not self._options.is_enabled:
            self._drop(sent.settled, f"{failure.reason}; not kept: atlas.hook.spool.enabled = false")
            return
        if self._retries.is_due or failure.trouble is not self._retries.trouble:
            self._retries.failed(failure.trouble, self._retry_after())
        self._is_to_be_rewound = True
        # By the transport's contract the others under way fail, too.
        self._keep(sent, behind=tuple(self._under_way.values()))

    def _gets_through(self) -> None:
        if self._retries.trouble is not None:
            logger.info("sac_kafka: messages get through again to %s", self.name)
            self._warned.clear()
            self._retries.succeeded()

    def _retry_after(self) -> float:
        """How long the transport itself refuses to try again, in seconds."""
        ask = getattr(self._transport, "retry_after", None)
        return float(ask()) if callable(ask) else 0.0

    # ---- keeping

    def _keep(self, sent: _Sent, *, before: tuple[_Sent, ...] = (), behind: tuple[_Sent, ...] = ()) -> None:
        """Keep a record in its place among those under way, or drop it.

        Those are kept with it, so that the order is that of the files from now on; one that is delivered after all is
        taken out again.
        """
        why = str(self._failure) if self._failure and (self._retries.trouble or self._is_abandoned) else None
        if sent.is_lost or self._is_closed or not self._options.is_enabled:
            self._drop(sent.settled, why or "sent after the end")
            return
        cannot = ""
        try:
            for each in (*before, sent, *behind):
                self._put(each, why, is_under_way=each is not sent)
        except OSError as error:
            cannot = f"{self.directory} cannot be written: {error.strerror or error}"
        if sent.place is None:
            self._drop(sent.settled, f"{why}; and {cannot}" if why else cannot)
            return
        if self._retries.trouble is not None:
            self._warn("kept", f"messages are kept in {self.directory} until they get through to {self.name}: {why}")
        if sent.place.segment.is_given_up:  # others have already taken its room
            _tell(sent.settled, False)
        elif sent.settled is not None:
            self._await(sent.place, sent.settled)

    def _put(self, sent: _Sent, why: str | None, *, is_under_way: bool) -> None:
        """Write a record to the own file, if it is in none; one that is under way is not the next to be sent."""
        if sent.place is None and not sent.is_lost:
            sent.place = self._backlog.append(sent.record, why)
            if is_under_way:
                self._backlog.skip(sent.place)

    def _keep_under_way(self, reason: str) -> None:
        """Nobody waits for these any longer."""
        left, self._under_way = tuple(self._under_way.values()), {}
        self._bytes_under_way = 0
        if left and self._retries.trouble is None:
            self._failure = Failure(Trouble.PASSING, reason)
        for sent in left:
            self._keep(sent)

    def _await(self, place: Place, settled: Settled) -> None:
        if len(self._pending) < MOST_PENDING:
            self._pending[place.key] = settled
        else:
            _tell(settled, False)

    def _tell_pending(self) -> None:
        pending, self._pending = self._pending, {}
        for settled in pending.values():
            _tell(settled, False)

    def _drop(self, settled: Settled | None, reason: str) -> None:
        self._warn("dropped", f"messages are dropped: {reason}")
        self._counts["dropped"] += 1
        self._reasons[reason] += 1
        _tell(settled, False)

    def _lost(self, segment: Segment, count: int, reason: str) -> None:
        """Messages were dropped with their file; those of it that are under way may still be delivered."""
        if segment.left <= 0:
            for sent in self._under_way.values():
                if sent.place is not None and sent.place.segment is segment:
                    sent.place, sent.is_lost = None, True
                    count -= 1
            for key in [each for each in self._pending if each[0] == id(segment)]:
                _tell(self._pending.pop(key), False)
        if count <= 0:
            return
        self._warn("dropped", f"messages are dropped, {count} of them now: {reason}")
        self._counts["dropped"] += count
        self._reasons[reason] += count

    def _warn(self, kind: str, text: str) -> None:
        """Say what has become of messages, once of each kind until they get through again."""
        if kind not in self._warned:
            self._warned.add(kind)
            logger.warning("sac_kafka: %s", text)

    # ---- the end

    def _waited_for(self) -> int:
        """How many records a flush waits for: what is kept while nothing gets through is not among them."""
        with self._lock:
            if self._retries.trouble is None:
                return len(self._under_way) + (not self._under_way and self._backlog.has_more)
            return sum(each.place is None for each in self._under_way.values())

    def _try_again_before_the_end(self, deadline: float) -> None:
        """Trouble may have passed since the last attempt, and there will be none after this."""
        if self._retries.trouble is not Trouble.PASSING or not self._backlog.is_waiting:
            return
        self._retries.hurry()
        self.flush(max(0.0, deadline - time.monotonic()))


def _tell(settled: Settled | None, delivered: bool) -> None:
    if settled is not None:
        settled(delivered)
