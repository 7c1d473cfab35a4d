"""The sink that keeps records in a list, for tests: the project's own and its users'."""

from __future__ import annotations

import json
from typing import Any

from sac_kafka.transport.base import DeliveryCallback, Immediate, Record
from sac_kafka.transport.sinks.sink import Sink


class MemoryTransport(Immediate):
    """Keeps what is sent in `records`, in order, also after `close`; every record is delivered at once."""

    name = "memory"

    def __init__(self) -> None:
        self.records: list[Record] = []

    def messages(self) -> list[dict[str, Any]]:
        """Give the envelopes of all records, part by part, as parsed JSON."""
        return [json.loads(value) for record in self.records for value in record.values]

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Keep the record and report it as delivered."""
        self.records.append(record)
        outcome(None)


SINK = Sink(make=lambda _, __: MemoryTransport(), shown=lambda _: "memory", address=None)
