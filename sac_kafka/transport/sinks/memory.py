"""Sink that keeps records in a list, for tests of the project and its users."""

from __future__ import annotations

import json
from typing import Any

from sac_kafka.transport.base import DeliveryCallback, Immediate, Record
from sac_kafka.transport.sinks.sink import Sink


class MemoryTransport(Immediate):
    """Keep all records in `records`, in order, even after `close`; each is delivered at once."""

    name = "memory"

    def __init__(self) -> None:
        self.records: list[Record] = []

    def messages(self) -> list[dict[str, Any]]:
        """Return the envelopes of all records, part by part, as parsed JSON."""
        return [json.loads(value) for record in self.records for value in record.values]

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Keep the record and report it as delivered."""
        self.records.append(record)
        outcome(None)


SINK = Sink(make=lambda _, __: MemoryTransport(), describe=lambda _: "memory", address=None)
