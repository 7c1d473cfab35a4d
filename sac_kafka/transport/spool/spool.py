"""Wraps a transport: what it cannot deliver is kept in files, and goes out in order once it can.

As long as anything of the backlog waits, new messages queue up behind it, in the own file. All methods but `abandon`
and the figures are called from one thread. The wrapped transport is never called with the lock held: it may hang.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, Position, Record, Transport, Trouble
from sac_kafka.transport.spool.account import Account
from sac_kafka.transport.spool.contained import Contained
from sac_kafka.transport.spool.keeping import Keeping
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.tally import Tally
from sac_kafka.transport.spool.turn import Turn
from sac_kafka.transport.spool.under_way import Sent, Settled, UnderWay

LAST_TRY_SECONDS = 1.0
"""How long a flush waits for an attempt while nothing gets through: everything is kept anyway."""
_LOCK_SECONDS = 0.5


class _State(Enum):
    """`NEW`: nothing was sent yet. `ABANDONED`: the thread that sends hangs, and what it had is kept."""

    NEW = 1
    OPEN = 2
    ABANDONED = 3
    CLOSED = 4


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
        self._transport = Contained(transport, self._raised)
        self._options = options
        self._lock = threading.RLock()  # a signal handler may interrupt who holds it
        self._under_way = UnderWay()
        self._tally = Tally()
        self._keeping = Keeping(options, application_id, self._under_way, self._tally)
        self._turn = Turn(options, self._keeping, self._under_way, clock, ticks)
        self._account = Account(self._lock, self._keeping.backlog, self._under_way, self._tally)
        self._failure: Failure | None = None
        self._state = _State.NEW
        self._pid = os.getpid()

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
    def trouble(self) -> Trouble | None:
        """What keeps messages from getting through, None while they do."""
        return self._turn.trouble

    @property
    def errors(self) -> Mapping[str, int]:
        """Errors of the transport's own, which it should not have raised: `transport: class of the error` to how many."""
        return self._transport.errors

    @property
    def under_way(self) -> int:
        """How many records the transport has."""
        return len(self._under_way)

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
        return self._account.reasons(str(self._failure) if self._failure else "not delivered yet")

    @property
    def figures(self) -> Mapping[str, Any]:
        """The directory, and how many files, records and bytes wait there that are this spool's or that it has adopted."""
        return self._account.figures()

    def problem(self) -> str | None:
        """Give the problem of the wrapped transport, else why the last record was not delivered."""
        return self._transport.problem() or (str(self._failure) if self._failure and self._turn.trouble else None)

    def position(self) -> Position | None:
        """Give the position of the wrapped transport."""
        return self._transport.position()

    @property
    def _is_over(self) -> bool:
        """True where nothing is sent from here any more; a fork of the driver sends nothing at all."""
        return self._state is _State.CLOSED or os.getpid() != self._pid

    # ---- the way of a record

    def send(self, record: Record, settled: Settled) -> None:
        """Send a record, or keep it if others wait; `settled` is told its end."""
        if os.getpid() != self._pid:
            settled(False)
            return
        self._begin()
        sent, number = Sent(record, settled), None
        with self._lock:
            if self._is_direct(record):
                if self._options.is_first and self._options.files.enabled:
                    self._keeping.write_first(sent)
                number = self._under_way.add(sent)
            else:
                self._keep(sent, before=self._under_way.all())
        if number is not None:
            self._hand_over(number, sent)
        self._pump()

    def service(self, timeout_seconds: float) -> None:
        """Serve the wrapped transport, and send what waits if it is time."""
        if self._is_over:
            return
        self._begin()
        self._transport.service(timeout_seconds)
        if self._pump():
            self._transport.service(0)  # a transport may only queue in `send`

    def flush(self, timeout_seconds: float) -> int:
        """Wait at most this long for what is under way and what can be sent; gives how much is neither sent nor kept.

        Where nothing gets through, what is kept in files is not waited for.
        """
        if self._is_over:
            return 0
        self._begin()
        deadline = time.monotonic() + timeout_seconds
        while True:
            self._pump()
            has_trouble = self._turn.trouble is not None
            left = deadline - time.monotonic()
            if left <= 0 or not (self._under_way or (self._keeping.backlog.has_more and not has_trouble)):
                return self._waited_for()
            before = self._under_way.number, self.under_way
            still = self._transport.flush(min(left, LAST_TRY_SECONDS) if has_trouble else left)
            if still or before == (self._under_way.number, self.under_way):
                return self._waited_for()

    def close(self, timeout_seconds: float) -> None:
        """Try once more, close the wrapped transport, whose last failures are kept, then the files. Idempotent."""
        if self._is_over:
            return
        deadline = time.monotonic() + timeout_seconds
        try:
            self._try_again_before_the_end(deadline)
            self._transport.close(max(0.0, deadline - time.monotonic()))
        finally:
            with self._lock:
                self._keep_under_way("not acknowledged when the transport was closed")
                self._state = _State.CLOSED
                self._keeping.pending.tell_all()
                self._keeping.backlog.close()

    def abandon(self, reason: str) -> bool:
        """Keep what is under way, from another thread than the one that hangs: it may be sent twice, but is not lost.

        Gives whether all of it is in files: not where that thread hangs in one, or (counted) there is no room.
        """
        if self._is_over:
            return True
        if not self._lock.acquire(timeout=_LOCK_SECONDS):
            return False
        try:
            if self._state is not _State.CLOSED:  # meanwhile
                self._state = _State.ABANDONED
            is_kept = self._keep_under_way(reason)
            self._keeping.pending.tell_all()
            return is_kept
        finally:
            self._lock.release()

    # ---- sending

    def _begin(self) -> None:
        """Before the first record: what others have left goes first."""
        if self._state is not _State.NEW:
            return
        self._state = _State.OPEN
        if self._options.files.enabled:
            with self._lock:
                found = self._keeping.backlog.adopt()
            if found:
                logger.info("%d messages of earlier applications wait in %s", found, self.directory)

    def _is_direct(self, record: Record) -> bool:
        """True if nothing waits that would have to go first, and there is room on the way."""
        if self._options.files.enabled:
            return self._state is _State.OPEN and self._turn.is_of(record)
        return self._state is not _State.CLOSED

    def _hand_over(self, number: int, sent: Sent) -> None:
        self._transport.send(sent.record, lambda _, failure: self._outcome(number, failure))

    def _raised(self, kind: str) -> None:
        """The transport has failed with an error of its own: what it has counts as failed."""
        failure = Failure(Trouble.PASSING, f"{self.name} failed with {kind}; it is tried again", is_vague=True)
        for number in self._under_way.numbers():
            self._outcome(number, failure)

    def _pump(self) -> bool:
        """Send what waits, as long as it may be: one record where the last one failed, else a window of them."""
        has_sent = False
        while True:
            with self._lock:
                sent = self._turn.next() if self._state is _State.OPEN else None
                if sent is None:
                    return has_sent
                number = self._under_way.add(sent)
            has_sent = True
            self._hand_over(number, sent)

    # ---- outcomes

    def _outcome(self, number: int, failure: Failure | None) -> None:
        with self._lock:
            sent = self._under_way.pop(number)
            if sent is None:  # it was abandoned
                return
            if failure is None:
                self._delivered(sent)
            elif failure.trouble is Trouble.REJECTED:
                self._rejected(sent, failure)
            else:
                self._failed(sent, failure)

    def _delivered(self, sent: Sent) -> None:
        self._gets_through()
        self._turn.delivered(sent)
        self._tally.delivered(is_own=sent.is_own)
        if sent.place is not None:
            self._keeping.backlog.done(sent.place)
        sent.tell(True)

    def _rejected(self, sent: Sent, failure: Failure) -> None:
        self._gets_through()
        if self._options.files.enabled:
            self._keeping.set_aside(sent, failure.reason)
        else:
            self._tally.rejected(failure.reason)
        if sent.place is not None:
            self._keeping.backlog.done(sent.place)
        sent.tell(False)

    def _failed(self, sent: Sent, failure: Failure) -> None:
        if self._turn.is_convicted(sent, failure):
            others = "others got through, and this one failed again"
            self._rejected(sent, Failure(Trouble.REJECTED, f"{failure.reason} ({others})"))
            return
        self._failure = failure
        if not self._options.files.enabled:
            self._keeping.drop(sent, f"{failure.reason}; not kept: atlas.hook.spool.enabled = false")
            return
        self._turn.failed(failure, self._transport.retry_after())
        # By the transport's contract the others under way fail, too.
        is_alone = not self._under_way
        self._keep(sent, behind=self._under_way.all())
        self._turn.suspects(sent, failure, is_alone=is_alone)

    def _gets_through(self) -> None:
        if self._turn.trouble is not None:
            self._tally.gets_through(self.name)
            self._turn.retries.succeeded()

    # ---- keeping

    def _keep(self, sent: Sent, *, before: tuple[Sent, ...] = (), behind: tuple[Sent, ...] = ()) -> None:
        """Keep a record in its place among those under way, or drop it."""
        trouble = self._turn.trouble
        why = str(self._failure) if self._failure and (trouble or self._state is _State.ABANDONED) else None
        if sent.is_lost or self._state is _State.CLOSED or not self._options.files.enabled:
            self._keeping.drop(sent, why or "sent after the end")
            return
        self._keeping.keep(sent, why, before=before, behind=behind)
        if trouble is not None and sent.place is not None:
            where = f"{self.directory} until they get through to {self.name}"
            self._tally.warn("kept", f"messages are kept in {where}: {why and logger.above(why)}")

    def _keep_under_way(self, reason: str) -> bool:
        """Nobody waits for these any longer; gives whether all are kept."""
        left = self._under_way.take_all()
        if left and self._turn.trouble is None:
            self._failure = Failure(Trouble.PASSING, reason)
        for sent in left:
            self._keep(sent)
        return all(sent.place is not None for sent in left)

    # ---- the end

    def _waited_for(self) -> int:
        with self._lock:
            return self._turn.waited_for()

    def _try_again_before_the_end(self, deadline: float) -> None:
        """Trouble may have passed since the last attempt, and there will be none after this."""
        if self._turn.trouble is not Trouble.PASSING or not self._keeping.backlog.is_waiting:
            return
        self._turn.retries.hurry()
        self.flush(max(0.0, deadline - time.monotonic()))
