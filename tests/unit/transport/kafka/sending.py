"""Send records over a client whose behaviour a test scripts, and remember their outcomes."""

from __future__ import annotations

from sac_kafka.transport.base import Failure, Record, Transport
from tests.unit.transport.kafka.clients import Bench
from tests.unit.transport.outcomes import records


class Sender:
    """Send records, and remember their outcomes in order."""

    def __init__(self) -> None:
        self.all: list[tuple[bytes, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.all.append((b"".join(record.values[:1]), failure)))

    @property
    def kinds(self) -> list[str]:
        return ["delivered" if failure is None else failure.kind.value for _, failure in self.all]

    @property
    def reasons(self) -> list[str]:
        return [str(failure) for _, failure in self.all]


def send(bench: Bench, sender: Sender, count: int = 1, **options: object) -> list[Record]:
    sent = records(count)
    for record in sent:
        sender.send(bench.transport, record)
    bench.transport.service(0)
    return sent


def record(text: str, *more: str) -> Record:
    return Record("ATLAS_HOOK", b"app", tuple(each.encode() for each in (text, *more)))
