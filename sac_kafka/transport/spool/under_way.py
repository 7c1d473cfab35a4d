"""Records that the transport has, and what somebody wants to know of those that wait in files."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.spool.backlog import SpoolPlace
from sac_kafka.transport.spool.segment import Segment

MAX_PENDING = 10_000
"""Kept records whose delivery somebody still wants to know of; those of more are told `WAITS` at once."""

WAITS = Failure(FailureKind.TRANSIENT, "it waits in a file and is sent later; see sac-kafka spool list")
"""Told of a record that is kept when nobody will be there to hear of its delivery."""


@dataclass(slots=True, eq=False)
class Sent:
    """A record on its way; `place` is where it is kept, if it is, `lost` why its file was dropped meanwhile."""

    record: Record
    outcome: DeliveryCallback | None
    place: SpoolPlace | None = None
    is_own: bool = True
    lost: str | None = None

    def tell(self, failure: Failure | None) -> None:
        """Tell who has sent it, once; None: it is delivered."""
        outcome, self.outcome = self.outcome, None
        if outcome is not None:
            outcome(failure)


class UnderWay:
    """What the transport has, by number, in the order in which it was sent."""

    def __init__(self) -> None:
        self._sent: dict[int, Sent] = {}
        self.bytes = 0
        self.number = 0
        """How many were ever sent."""

    def __len__(self) -> int:
        return len(self._sent)

    def all(self) -> tuple[Sent, ...]:
        """All of them, in order."""
        return tuple(self._sent.values())

    def numbers(self) -> tuple[int, ...]:
        """The numbers of all of them, in order."""
        return tuple(self._sent)

    def add(self, sent: Sent) -> int:
        """Add one; gives its number."""
        self.number += 1
        self._sent[self.number] = sent
        self.bytes += sent.record.size
        return self.number

    def pop(self, number: int) -> Sent | None:
        """Take one out, None if nobody waits for it any longer."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            self.bytes -= sent.record.size
        return sent

    def take_all(self) -> tuple[Sent, ...]:
        """Take all out."""
        left, self._sent, self.bytes = self.all(), {}, 0
        return left

    def lose(self, segment: Segment, why: str) -> int:
        """A file was dropped: give how many of its records may still be delivered."""
        in_it = [each for each in self._sent.values() if each.place is not None and each.place.segment is segment]
        for each in in_it:
            each.place, each.lost = None, why
        return len(in_it)


class Pending:
    """Who wants to know of records that wait in files."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, int], DeliveryCallback] = {}

    def add(self, place: SpoolPlace, sent: Sent) -> None:
        """A record waits there now."""
        if sent.outcome is None:
            return
        if len(self._outcomes) >= MAX_PENDING:
            sent.tell(WAITS)
        else:
            self._outcomes[place.key] = sent.outcome
            sent.outcome = None

    def pop(self, place: SpoolPlace) -> DeliveryCallback | None:
        """It is to be sent now."""
        return self._outcomes.pop(place.key, None)

    def lose(self, segment: Segment, failure: Failure) -> None:
        """A file was dropped."""
        for key in [each for each in self._outcomes if each[0] == str(segment.path)]:
            self._outcomes.pop(key)(failure)

    def tell_all(self) -> None:
        """This is the end: what waits is the next driver's."""
        outcomes, self._outcomes = self._outcomes, {}
        for each in outcomes.values():
            each(WAITS)
