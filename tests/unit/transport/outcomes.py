"""Records for the tests of transports, and an outcome that remembers what was reported."""

from __future__ import annotations

from sac_kafka.transport.base import Record, Transport


class Outcomes:
    """Send records, and remember the outcomes in order."""

    def __init__(self) -> None:
        self.reported: list[tuple[bytes, str | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        """Send the record, and remember its outcome."""
        transport.send(
            record,
            lambda failure: self.reported.append((record.values[0], None if failure is None else failure.reason)),
        )

    @property
    def reasons(self) -> list[str | None]:
        return [reason for _, reason in self.reported]


def records(count: int, topic: str = "ATLAS_HOOK") -> list[Record]:
    return [Record(topic, b"app", (b'{"n": %d}' % number,)) for number in range(count)]
