"""Puts records into files in their order, and says what becomes of those that cannot be put there."""

from __future__ import annotations

from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.spool.backlog import FULL, REFUSED_MADE_ROOM, Backlog
from sac_kafka.transport.spool.directory import REJECTED
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.segment import Segment
from sac_kafka.transport.spool.tally import Tally
from sac_kafka.transport.spool.under_way import Pending, Sent, UnderWay


class Keeping:
    """The files of a spool, with who wants to know of what is in them.

    Args:
        options: How records are kept.
        application_id: Spark's, names the files.
        under_way: The records that the transport has.
        tally: Counts what is lost.
    """

    def __init__(self, options: Options, application_id: str, under_way: UnderWay, tally: Tally) -> None:
        self._options = options
        self.under_way = under_way
        self.tally = tally
        self.backlog = Backlog(options, application_id, self._lost)
        self.pending = Pending()

    def write_first(self, sent: Sent) -> None:
        """Write a record that is about to be sent; where that is not possible it is sent all the same."""
        try:
            self._put((*self.under_way.all(), sent), None)
        except OSError as error:
            self.tally.warn("not kept", self._cannot(error))

    def keep(
        self, sent: Sent, why: str | None, *, before: tuple[Sent, ...] = (), behind: tuple[Sent, ...] = ()
    ) -> None:
        """Keep a record in its place among those under way, or drop it.

        Those are kept with it, so that the order is that of the files from now on; one that is delivered after all is
        taken out again.
        """
        cannot = ""
        try:
            self._put((*before, sent, *behind), why, waiting=sent)
        except OSError as error:
            cannot = self._cannot(error)
        if sent.place is None:
            self.drop(sent, f"{why}; and {cannot}" if why else cannot)
        elif sent.place.segment.is_given_up:  # others have already taken its room
            sent.tell(_lost(FULL))
        else:
            self.pending.add(sent.place, sent)

    def set_aside(self, sent: Sent, reason: str) -> None:
        """Keep a record that is refused where it does not hold up others."""
        directory = self.backlog.directory
        try:
            self.backlog.set_aside(sent.record, reason)
        except OSError as error:
            self.tally.rejected(f"{reason}; and {self._cannot(error)}")
            return
        self.tally.warn(
            "rejected", f"a message was refused and is kept in {directory / REJECTED}: {logger.above(reason)}"
        )
        self.tally.rejected(reason)

    def drop(self, sent: Sent, reason: str) -> None:
        """A record is lost."""
        self.tally.dropped(reason)
        sent.tell(_lost(reason))

    def _put(self, records: tuple[Sent, ...], why: str | None, waiting: Sent | None = None) -> None:
        """Append those that are in no file yet. But for `waiting` they are under way, and not the next to be sent."""
        for each in records:
            if each.place is None and each.lost is None:
                each.place = self.backlog.append(each.record, why)
                if each is not waiting:
                    self.backlog.skip(each.place)

    def _lost(self, segment: Segment, count: int, reason: str) -> None:
        """Messages were dropped with their file; those of it that are under way may still be delivered."""
        if reason == REFUSED_MADE_ROOM:  # they are counted as rejected
            self.tally.forgotten(reason, count)
            return
        if segment.is_given_up:
            count -= self.under_way.lose(segment, reason)
            self.pending.lose(segment, _lost(reason))
        self.tally.dropped(reason, count)

    def _cannot(self, error: OSError) -> str:
        return f"{self.backlog.directory} cannot be written: {error.strerror or error}"


def _lost(reason: str) -> Failure:
    """What is told of a record that is gone: those that follow are none the worse for it."""
    return Failure(FailureKind.REJECTED, reason)
