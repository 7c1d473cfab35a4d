"""What becomes of a record that the transport has done with: it is delivered, set aside, kept, or dropped with a reason."""

from __future__ import annotations

import os
from enum import Enum

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.spool.contained import Contained
from sac_kafka.transport.spool.keeping import Keeping
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.turn import Turn
from sac_kafka.transport.spool.under_way import Sent


class SpoolPhase(Enum):
    """`NEW`: nothing was sent yet. `ABANDONED`: the thread that sends hangs, and what it had is kept."""

    NEW = 1
    OPEN = 2
    ABANDONED = 3
    CLOSED = 4


class Life:
    """How far a spool is."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self.phase = SpoolPhase.NEW

    @property
    def is_of_a_fork(self) -> bool:
        """True in a fork of the driver, which sends nothing."""
        return os.getpid() != self._pid

    @property
    def is_over(self) -> bool:
        """True where nothing is sent any more."""
        return self.phase is SpoolPhase.CLOSED or self.is_of_a_fork


class Outcomes:
    """Takes the outcomes of a transport; used under the spool's lock.

    Args:
        transport: Where records go.
        options: Whether what fails is kept.
        keeping: Where it is kept.
        turn: What is sent next.
        life: How far the spool is.
    """

    def __init__(self, transport: Contained, options: Options, keeping: Keeping, turn: Turn, life: Life) -> None:
        self._transport = transport
        self._options = options
        self._keeping = keeping
        self._turn = turn
        self._life = life
        self.failure: Failure | None = None
        """Why a record was not delivered, the last time."""

    def take(self, number: int, failure: Failure | None) -> None:
        """The transport has done with a record; None: it is delivered."""
        sent = self._keeping.under_way.pop(number)
        if sent is None:  # it was abandoned
            return
        if failure is None:
            self._delivered(sent)
        elif failure.kind is FailureKind.REJECTED:
            self._rejected(sent, failure)
        else:
            self._failed(sent, failure)

    def _delivered(self, sent: Sent) -> None:
        self._gets_through()
        self._turn.delivered(sent)
        self._keeping.tally.delivered(is_own=sent.is_own)
        if sent.place is not None:
            self._keeping.backlog.done(sent.place)
        sent.tell(None)

    def _rejected(self, sent: Sent, failure: Failure) -> None:
        self._gets_through()
        if self._options.files.enabled:
            self._keeping.set_aside(sent, failure.reason)
        else:
            self._keeping.tally.rejected(failure.reason)
        if sent.place is not None:
            self._keeping.backlog.done(sent.place)
        sent.tell(failure)

    def _failed(self, sent: Sent, failure: Failure) -> None:
        if self._turn.is_convicted(sent, failure):
            others = "others got through, and this one failed again"
            self._rejected(sent, Failure(FailureKind.REJECTED, f"{failure.reason} ({others})"))
            return
        self.failure = failure
        if not self._options.files.enabled:
            self._keeping.drop(sent, f"{failure.reason}; not kept: atlas.hook.spool.enabled = false")
            return
        self._turn.failed(failure, self._transport.retry_after())
        # By the transport's contract the others under way fail, too.
        is_alone = not self._keeping.under_way
        self.keep(sent, behind=self._keeping.under_way.all())
        self._turn.suspects(sent, failure, is_alone=is_alone)

    def _gets_through(self) -> None:
        if self._turn.failure_kind is not None:
            self._keeping.tally.gets_through(self._transport.name)
            self._turn.retries.succeeded()

    # ---- keeping

    def keep(self, sent: Sent, *, before: tuple[Sent, ...] = (), behind: tuple[Sent, ...] = ()) -> None:
        """Keep a record in its place among those under way, or drop it."""
        failure_kind = self._turn.failure_kind
        why = str(self.failure) if self.failure and (failure_kind or self._life.phase is SpoolPhase.ABANDONED) else None
        if sent.lost is not None:
            self._keeping.drop(sent, sent.lost)
            return
        if self._life.phase is SpoolPhase.CLOSED or not self._options.files.enabled:
            self._keeping.drop(sent, why or "sent after the end")
            return
        self._keeping.keep(sent, why, before=before, behind=behind)
        if failure_kind is not None and sent.place is not None:
            where = f"{self._keeping.backlog.directory} until they get through to {self._transport.name}"
            self._keeping.tally.warn("kept", f"messages are kept in {where}: {why and logger.above(why)}")

    def keep_all(self, reason: str) -> bool:
        """Nobody waits for these any longer; gives whether all are kept."""
        left = self._keeping.under_way.take_all()
        if left and self._turn.failure_kind is None:
            self.failure = Failure(FailureKind.TRANSIENT, reason)
        for sent in left:
            self.keep(sent)
        return all(sent.place is not None for sent in left)
