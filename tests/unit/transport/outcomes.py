"""What tests of transports send, and an outcome that remembers what it is told."""

from __future__ import annotations

from sac_kafka.transport.base import Record, Transport


class Outcomes:
    """An outcome that remembers what it is told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[bytes, str | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        """Send the record, and remember what it is told."""
        transport.send(
            record,
            lambda failure: self.told.append((record.values[0], None if failure is None else failure.reason)),
        )

    @property
    def reasons(self) -> list[str | None]:
        return [reason for _, reason in self.told]


def records(count: int, topic: str = "ATLAS_HOOK") -> list[Record]:
    return [Record(topic, b"app", (b'{"n": %d}' % number,)) for number in range(count)]
