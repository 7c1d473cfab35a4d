"""Dropped tables that are not yet said to be dropped.

Jobs drop a table to create it again, and so do statements (`saveAsTable` with overwrite). A server that deletes and
creates under one name as routine fills lineage with deleted entities (R17), so a drop waits: a table that is created
again in time is the same table with another definition.
"""

from __future__ import annotations

from sac_kafka.lineage.model import TableDropped


class HeldDrops:
    """The drops that wait, in order; used by one thread. Times are epoch milliseconds."""

    def __init__(self, delay_ms: int) -> None:
        self._delay_ms = delay_ms
        self._held: dict[str, tuple[TableDropped, int]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, drop: TableDropped, now_ms: int) -> None:
        """Keep a drop until its time comes or the table is created again."""
        self._held[drop.table.key] = (drop, now_ms)

    def take_back(self, key: str) -> bool:
        """The table with this key is there again: True where its drop was held, which is forgotten now."""
        return self._held.pop(key, None) is not None

    def release(self, key: str) -> tuple[TableDropped, ...]:
        """The drop of this table, if it was held: it has to be said now."""
        return tuple(drop for drop, _ in filter(None, [self._held.pop(key, None)]))

    def due(self, now_ms: int) -> tuple[TableDropped, ...]:
        """The drops that have waited long enough."""
        ready = [key for key, (_, since_ms) in self._held.items() if now_ms - since_ms >= self._delay_ms]
        return tuple(drop for key in ready for drop in self.release(key))

    def all(self) -> tuple[TableDropped, ...]:
        """Every drop that waits."""
        return tuple(drop for key in list(self._held) for drop in self.release(key))
