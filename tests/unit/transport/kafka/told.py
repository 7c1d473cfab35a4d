"""What tests of the transport's faults send over a client that does what it is told, and what records were told."""

from __future__ import annotations

from sac_kafka.transport.base import Failure, Record, Transport
from tests.unit.transport.kafka.clients import Bench
from tests.unit.transport.outcomes import records


class Told:
    """What records were told, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[bytes, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.all.append((b"".join(record.values[:1]), failure)))

    @property
    def troubles(self) -> list[str]:
        return ["delivered" if failure is None else failure.kind.value for _, failure in self.all]

    @property
    def reasons(self) -> list[str]:
        return [str(failure) for _, failure in self.all]


def send(bench: Bench, told: Told, count: int = 1, **options: object) -> list[Record]:
    sent = records(count)
    for record in sent:
        told.send(bench.transport, record)
    bench.transport.service(0)
    return sent


def record(text: str, *more: str) -> Record:
    return Record("ATLAS_HOOK", b"app", tuple(each.encode() for each in (text, *more)))
