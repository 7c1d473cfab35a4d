"""Records on their way to a Kafka client: first in, first out, handed over in groups. Pure: talks to nobody.

A group is what is handed over at once: as many records as one batch of a client holds, and the next group only when all
reports of this one are in. So after any failure the records that follow it have not been handed over, and can be sent
again in their order. Of a group that fails each record is tried alone, part by part, because a broker refuses all
records of a batch for one of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sac_kafka.transport.base import DeliveryCallback, Record

GROUP_RECORDS = 64
GROUP_BYTES = 512 * 1024
"""With librdkafka's default batch size of 1 MB and 5 ms of linger a group is one batch."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A record with what is told of it; `next_part` is the first part that the broker is not known to have.

    It is -1 once the record has its outcome.
    """

    record: Record
    outcome: DeliveryCallback
    next_part: int = 0
    is_alone: bool = False
    first_offset: int = -1  # of part 0


@dataclass(slots=True)
class RecordGroup:
    """What was handed over: the record of each number, and which reports are still missing."""

    members: tuple[Waiting, ...]
    parts: dict[int, Waiting]
    is_single: bool  # one part only, so that a failure is its own
    since: float
    missing: set[int] = field(default_factory=set)
    refused: list[Waiting] = field(default_factory=list)  # perhaps only for their company


class Queue:
    """The records in order: those under way, those to be tried alone, those that wait. Bounded in bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._alone: deque[Waiting] = deque()
        self._waiting: deque[Waiting] = deque()
        self._bytes = 0
        self._count = 0
        self._number = 0
        self.group: RecordGroup | None = None

    def __len__(self) -> int:
        """How many records have no outcome yet."""
        return self._count

    def has_room(self, record: Record) -> bool:
        """True where the record fits; one always does."""
        return self._count == 0 or self._bytes + record.size <= self._max_bytes

    @property
    def is_group_full(self) -> bool:
        """True where so much waits that a group is worth handing over."""
        return len(self._waiting) >= GROUP_RECORDS or self._bytes >= GROUP_BYTES

    def add(self, record: Record, outcome: DeliveryCallback) -> None:
        """Put a record at the end."""
        self._waiting.append(Waiting(record, outcome))
        self._bytes += record.size
        self._count += 1

    def next_group(self, now: float) -> list[tuple[int, Record, bytes]]:
        """Make the next records the group under way, which must be done; gives number, record and value of each part."""
        members: list[Waiting] = []
        if self._alone:
            members.append(self._alone.popleft())
        else:
            size = 0
            while self._waiting and len(members) < GROUP_RECORDS:
                size += self._waiting[0].record.size
                if members and size > GROUP_BYTES:
                    break
                members.append(self._waiting.popleft())
        handed: list[tuple[int, Record, bytes]] = []
        parts: dict[int, Waiting] = {}
        for each in members:
            for value in _values(each):
                self._number += 1
                handed.append((self._number, each.record, value))
                parts[self._number] = each
        if members:
            self.group = RecordGroup(tuple(members), parts, len(parts) == 1, now, set(parts))
        return handed

    def delivered(self, number: int, offset: int) -> Waiting | None:
        """Note that a part arrived; gives its record if that is done with now."""
        member = self._reported(number)
        if member is None or self.group is None:
            return None
        if member.next_part == 0:
            member.first_offset = offset
        member.next_part += 1
        done = member.next_part == len(member.record.values) and member not in self.group.refused
        if done:
            self._forget(member)
        return member if done else None

    def refused(self, number: int) -> Waiting | None:
        """Note that a part was refused, perhaps for its company; gives its record if it was alone and is done with."""
        group, member = self.group, self._reported(number)
        if member is None or group is None:
            return None
        if group.is_single:
            self._forget(member)
            return member
        if member not in group.refused:
            group.refused.append(member)
        return None

    def close_group(self) -> None:
        """Let the group go once all reports are in: what was refused in company comes next, alone."""
        if self.group is None or self.group.missing:
            return
        group, self.group = self.group, None
        again = group.refused
        for each in again:
            each.next_part, each.is_alone = 0, True
        unfinished = [each for each in group.members if each.is_alone and each not in again and self._is_open(each)]
        self._alone.extendleft(reversed([*again, *unfinished]))

    def topic_of(self, number: int) -> str:
        """Give the topic of a record under way, "" of another."""
        member = self.group.parts.get(number) if self.group else None
        return member.record.topic if member else ""

    def take_all(self) -> list[Waiting]:
        """Give all records without outcome in their order, and keep none."""
        under_way: Iterable[Waiting] = self.group.members if self.group else ()
        left = [each for each in (*under_way, *self._alone, *self._waiting) if self._is_open(each)]
        self.group, self._bytes, self._count = None, 0, 0
        self._alone.clear()
        self._waiting.clear()
        return left

    def _reported(self, number: int) -> Waiting | None:
        if self.group is None or number not in self.group.missing:
            return None
        self.group.missing.remove(number)
        return self.group.parts[number]

    def _is_open(self, member: Waiting) -> bool:
        return member.next_part >= 0

    def _forget(self, member: Waiting) -> None:
        member.next_part = -1
        self._bytes -= member.record.size
        self._count -= 1


def _values(member: Waiting) -> Iterator[bytes]:
    """The parts to hand over: all, or of a record that is tried alone the next one."""
    values = member.record.values
    return iter(values[member.next_part : member.next_part + 1] if member.is_alone else values)
