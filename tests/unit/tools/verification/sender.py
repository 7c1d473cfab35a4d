"""What a hook knows of how its messages were sent, as a spool says it."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.transport.base import Position


@dataclass
class Sender:
    """How many messages wait in files or are under way, and where the last one was put."""

    records: int = 0
    in_flight: int = 0
    at: Position | None = None

    @property
    def figures(self) -> dict[str, int]:
        return {"records": self.records}

    def position(self) -> Position | None:
        return self.at
