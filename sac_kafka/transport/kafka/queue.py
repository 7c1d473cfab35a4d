"""Queue records for a Kafka client: FIFO order, sent in groups. Does no I/O.

A group is about one batch of the client. The next group is sent only when all reports of the current one have arrived.
After a failure, the following records have therefore not been sent and can be retried in order. If a group is rejected,
each of its records is retried alone, part by part, because a broker rejects a whole batch for one invalid record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sac_kafka.transport.base import DeliveryCallback, Record

GROUP_RECORDS = 64
GROUP_BYTES = 512 * 1024
"""Limits of a group. With librdkafka's default batch size (1 MB) and linger (5 ms), a group is sent as one batch."""


@dataclass(slots=True, eq=False)
class QueuedRecord:
    """A record and its callback; `next_part` is the first part not yet acknowledged, -1 once the outcome is reported."""

    record: Record
    outcome: DeliveryCallback
    next_part: int = 0
    is_alone: bool = False
    first_offset: int = -1  # of part 0


@dataclass(slots=True)
class RecordGroup:
    """The records in flight: the record of each part number, and the numbers without a report."""

    members: tuple[QueuedRecord, ...]
    parts: dict[int, QueuedRecord]
    is_single: bool  # only one part: a rejection is about this record
    since: float
    missing: set[int] = field(default_factory=set)
    rejected: list[QueuedRecord] = field(default_factory=list)  # possibly because of another record of the batch


class Queue:
    """Records in order: in flight, to be retried alone, waiting. Bounded in bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._alone: deque[QueuedRecord] = deque()
        self._waiting: deque[QueuedRecord] = deque()
        self._bytes = 0
        self._count = 0
        self._number = 0
        self.group: RecordGroup | None = None

    def __len__(self) -> int:
        """Return the number of records without an outcome."""
        return self._count

    def has_room(self, record: Record) -> bool:
        """Return whether the record fits; an empty queue accepts any record."""
        return self._count == 0 or self._bytes + record.size <= self._max_bytes

    @property
    def is_group_full(self) -> bool:
        """True if the waiting records fill a group."""
        return len(self._waiting) >= GROUP_RECORDS or self._bytes >= GROUP_BYTES

    def add(self, record: Record, outcome: DeliveryCallback) -> None:
        """Append a record."""
        self._waiting.append(QueuedRecord(record, outcome))
        self._bytes += record.size
        self._count += 1

    def next_group(self, now: float) -> list[tuple[int, Record, bytes]]:
        """Start the next group and return number, record and value of each part; the current group must be closed."""
        members: list[QueuedRecord] = []
        if self._alone:
            members.append(self._alone.popleft())
        else:
            size = 0
            while self._waiting and len(members) < GROUP_RECORDS:
                size += self._waiting[0].record.size
                if members and size > GROUP_BYTES:
                    break
                members.append(self._waiting.popleft())
        to_send: list[tuple[int, Record, bytes]] = []
        parts: dict[int, QueuedRecord] = {}
        for member in members:
            for value in _values(member):
                self._number += 1
                to_send.append((self._number, member.record, value))
                parts[self._number] = member
        if members:
            self.group = RecordGroup(tuple(members), parts, len(parts) == 1, now, set(parts))
        return to_send

    def confirm(self, number: int, offset: int) -> QueuedRecord | None:
        """Mark a part as acknowledged; return its record if it is now completely delivered."""
        member = self._take(number)
        if member is None or self.group is None:
            return None
        if member.next_part == 0:
            member.first_offset = offset
        member.next_part += 1
        done = member.next_part == len(member.record.values) and member not in self.group.rejected
        if done:
            self._remove(member)
        return member if done else None

    def reject(self, number: int) -> QueuedRecord | None:
        """Mark a part as rejected; return its record if it was sent alone, else retry it alone later."""
        group, member = self.group, self._take(number)
        if member is None or group is None:
            return None
        if group.is_single:
            self._remove(member)
            return member
        if member not in group.rejected:
            group.rejected.append(member)
        return None

    def close_group(self) -> None:
        """Close the group if all reports have arrived; its rejected records are next, each alone."""
        if self.group is None or self.group.missing:
            return
        group, self.group = self.group, None
        retried = group.rejected
        for record in retried:
            record.next_part, record.is_alone = 0, True
        unfinished = [
            member for member in group.members if member.is_alone and member not in retried and self._is_open(member)
        ]
        self._alone.extendleft(reversed([*retried, *unfinished]))

    def topic_of(self, number: int) -> str:
        """Return the topic of a part in flight, "" for other numbers."""
        member = self.group.parts.get(number) if self.group else None
        return member.record.topic if member else ""

    def take_all(self) -> list[QueuedRecord]:
        """Remove and return all records without an outcome, in order."""
        in_flight: Iterable[QueuedRecord] = self.group.members if self.group else ()
        left = [each for each in (*in_flight, *self._alone, *self._waiting) if self._is_open(each)]
        self.group, self._bytes, self._count = None, 0, 0
        self._alone.clear()
        self._waiting.clear()
        return left

    def _take(self, number: int) -> QueuedRecord | None:
        if self.group is None or number not in self.group.missing:
            return None
        self.group.missing.remove(number)
        return self.group.parts[number]

    def _is_open(self, member: QueuedRecord) -> bool:
        return member.next_part >= 0

    def _remove(self, member: QueuedRecord) -> None:
        member.next_part = -1
        self._bytes -= member.record.size
        self._count -= 1


def _values(member: QueuedRecord) -> Iterator[bytes]:
    """Return the parts to send: all, or only the next one of a record that is retried alone."""
    values = member.record.values
    return iter(values[member.next_part : member.next_part + 1] if member.is_alone else values)
