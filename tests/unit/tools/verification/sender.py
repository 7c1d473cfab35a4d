"""The delivery state of a hook's messages, as a spool reports it."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.stages.output import Position


@dataclass
class Sender:
    """The number of messages in files or in flight, and the position of the last one."""

    records: int = 0
    in_flight: int = 0
    at: Position | None = None

    @property
    def figures(self) -> dict[str, int]:
        return {"records": self.records}

    def position(self) -> Position | None:
        return self.at
