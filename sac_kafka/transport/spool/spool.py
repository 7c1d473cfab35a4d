"""A transport around a transport: what that one cannot deliver is kept in files, and goes out in order once it can.

As long as anything of the backlog waits, new messages queue up behind it, in the own file. All methods but `abandon`
and the figures are called from one thread. The wrapped transport is never called with the lock held: it may hang.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Position, Record, Transport
from sac_kafka.transport.spool.account import Account
from sac_kafka.transport.spool.contained import Contained
from sac_kafka.transport.spool.keeping import Keeping
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.outcomes import Life, Outcomes, SpoolPhase
from sac_kafka.transport.spool.tally import Tally
from sac_kafka.transport.spool.turn import Turn
from sac_kafka.transport.spool.under_way import Sent, UnderWay

LAST_TRY_SECONDS = 1.0
"""How long a flush waits for an attempt while nothing gets through: everything is kept anyway."""
_LOCK_SECONDS = 0.5
_FORKED = Failure(FailureKind.TRANSIENT, "this process is a fork of the driver, which sends nothing")


class Spool:
    """Keeps what `transport` does not deliver, and is a `CountingTransport` itself.

    Its `send` never fails for trouble that passes: an outcome is the record's end. It is a failure where the record is
    rejected or gone (both are `REJECTED`: others get through), and `under_way.WAITS` where it is in a file at the end.

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
        self._transport = Contained(transport, self._raised)
        self._options = options
        self._ticks = ticks
        self._lock = threading.RLock()  # a signal handler may interrupt who holds it
        self._keeping = Keeping(options, application_id, UnderWay(), Tally())
        self._under_way = self._keeping.under_way
        self._turn = Turn(options, self._keeping, clock, ticks)
        self._account = Account(self._lock, self._keeping)
        self._life = Life()
        self._outcomes = Outcomes(self._transport, options, self._keeping, self._turn, self._life)

    # ---- what others may ask

    @property
    def name(self) -> str:
        """The name of the wrapped transport."""
        return self._transport.name

    @property
    def wrapped(self) -> Transport:
        """The transport that records go to."""
        return self._transport.wrapped

    @property
    def directory(self) -> Path:
        """Where the files are, or would be."""
        return self._keeping.backlog.directory

    @property
    def failure_kind(self) -> FailureKind | None:
        """What keeps messages from getting through, None while they do."""
        return self._turn.failure_kind

    @property
    def errors(self) -> Mapping[str, int]:
        """Errors of the transport's own, which it should not have raised: `transport: class of the error` to how many."""
        return self._transport.errors

    @property
    def under_way(self) -> int:
        """How many records the transport has."""
        return len(self._under_way)

    @property
    def is_busy(self) -> bool:
        """Whether records are under way or wait in files, or something keeps them."""
        return bool(self._under_way) or self.failure_kind is not None or self._keeping.backlog.has_more

    @property
    def counts(self) -> Mapping[str, int]:
        """Records delivered, spooled (they wait in files), dropped and rejected; replayed ones are of other drivers."""
        return self._account.counts()

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why records were dropped or rejected, and why those wait that do: reason to how many."""
        return dict(sum(map(Counter, self.reasons_by_kind.values()), Counter[str]()))

    @property
    def reasons_by_kind(self) -> Mapping[str, Mapping[str, int]]:
        """The same for those `spooled`, `dropped` and `rejected`."""
        return self._account.reasons(str(self._outcomes.failure or "not delivered yet"))

    @property
    def figures(self) -> Mapping[str, Any]:
        """The directory, and how many files, records and bytes wait there that are this spool's or that it has adopted."""
        return self._account.figures()

    def problem(self) -> str | None:
        """Give the problem of the wrapped transport, else why the last record was not delivered."""
        failure = self._outcomes.failure if self._turn.failure_kind else None
        return self._transport.problem() or (str(failure) if failure else None)

    def position(self) -> Position | None:
        """Give the position of the wrapped transport."""
        return self._transport.position()

    @property
    def flush_slice_seconds(self) -> float:
        """That of the wrapped transport."""
        return self._transport.flush_slice_seconds

    def retry_after(self) -> float:
        """Give 0.0: what cannot be sent is kept; without files what the wrapped transport gives."""
        return 0.0 if self._options.files.enabled else self._transport.retry_after()

    # ---- the way of a record

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Send a record, or keep it if others wait; `outcome` is told its end."""
        if self._life.is_of_a_fork:
            outcome(_FORKED)
            return
        self._begin()
        sent, number = Sent(record, outcome), None
        with self._lock:
            if self._is_direct(record):
                if self._options.is_first and self._options.files.enabled:
                    self._keeping.write_first(sent)
                number = self._under_way.add(sent)
            else:
                self._outcomes.keep(sent, before=self._under_way.all())
        if number is not None:
            self._hand_over(number, sent)
        self._pump()

    def service(self, timeout_seconds: float) -> None:
        """Serve the wrapped transport, and send what waits if it is time."""
        if self._life.is_over:
            return
        self._begin()
        self._transport.service(timeout_seconds)
        if self._pump():
            self._transport.service(0)  # a transport may only queue in `send`

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for what is under way and what can be sent; gives how much is neither sent nor kept.

        Where nothing gets through, what is kept in files is not waited for.
        """
        if self._life.is_over:
            return 0
        self._begin()
        deadline = self._ticks() + timeout_seconds
        while True:
            self._pump()
            has_trouble = self._turn.failure_kind is not None
            left = deadline - self._ticks()
            if left <= 0 or not (self._under_way or (self._keeping.backlog.has_more and not has_trouble)):
                return self._waited_for()
            before = self._under_way.number, self.under_way
            still = self._transport.flush(min(left, LAST_TRY_SECONDS) if has_trouble else left)
            if still or before == (self._under_way.number, self.under_way):
                return self._waited_for()

    def close(self, timeout_seconds: float) -> None:
        """Try once more, close the wrapped transport, whose last failures are kept, then the files. Idempotent."""
        if self._life.is_over:
            return
        deadline = self._ticks() + timeout_seconds
        try:
            self._try_again_before_the_end(deadline)
            self._transport.close(max(0.0, deadline - self._ticks()))
        finally:
            with self._lock:
                self._outcomes.keep_all("not acknowledged when the transport was closed")
                self._life.phase = SpoolPhase.CLOSED
                self._keeping.pending.tell_all()
                self._keeping.backlog.close()

    def abandon(self, reason: str) -> bool:
        """Keep what is under way, from another thread than the one that hangs: it may be sent twice, but is not lost.

        Gives whether all of it is in files: not where that thread hangs in one, or (counted) there is no room.
        """
        if self._life.is_over:
            return True
        if not self._lock.acquire(timeout=_LOCK_SECONDS):
            return False
        try:
            if self._life.phase is not SpoolPhase.CLOSED:  # meanwhile
                self._life.phase = SpoolPhase.ABANDONED
            is_kept = self._outcomes.keep_all(reason)
            self._keeping.pending.tell_all()
            return is_kept
        finally:
            self._lock.release()

    # ---- sending

    def _begin(self) -> None:
        """Before the first record: what others have left goes first."""
        if self._life.phase is not SpoolPhase.NEW:
            return
        self._life.phase = SpoolPhase.OPEN
        if self._options.files.enabled:
            with self._lock:
                found = self._keeping.backlog.adopt()
            if found:
                logger.info("%d messages of earlier applications wait in %s", found, self.directory)

    def _is_direct(self, record: Record) -> bool:
        """True if nothing waits that would have to go first, and there is room on the way."""
        if self._options.files.enabled:
            return self._life.phase is SpoolPhase.OPEN and self._turn.is_of(record)
        return self._life.phase is not SpoolPhase.CLOSED

    def _hand_over(self, number: int, sent: Sent) -> None:
        self._transport.send(sent.record, lambda failure: self._settle(number, failure))

    def _raised(self, kind: str) -> None:
        """The transport has failed with an error of its own: what it has counts as failed."""
        failure = Failure(
            FailureKind.TRANSIENT, f"{self.name} failed with {kind}; it is tried again", is_ambiguous=True
        )
        for number in self._under_way.numbers():
            self._settle(number, failure)

    def _settle(self, number: int, failure: Failure | None) -> None:
        with self._lock:
            self._outcomes.take(number, failure)

    def _pump(self) -> bool:
        """Send what waits, as long as it may be: one record where the last one failed, else a window of them."""
        has_sent = False
        while True:
            with self._lock:
                sent = self._turn.next() if self._life.phase is SpoolPhase.OPEN else None
                if sent is None:
                    return has_sent
                number = self._under_way.add(sent)
            has_sent = True
            self._hand_over(number, sent)

    # ---- the end

    def _waited_for(self) -> int:
        with self._lock:
            return self._turn.waited_for()

    def _try_again_before_the_end(self, deadline: float) -> None:
        """Trouble may have passed since the last attempt, and there will be none after this."""
        if self._turn.failure_kind is not FailureKind.TRANSIENT or not self._keeping.backlog.is_waiting:
            return
        self._turn.retries.hurry()
        self.flush(max(0.0, deadline - self._ticks()))
