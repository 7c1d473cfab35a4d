"""Delay the deletes of dropped tables.

Jobs drop a table to create it again, and so do statements (`saveAsTable` with overwrite). Deleting and creating an entity
under one name each time would fill the lineage with deleted entities (R17). So a drop is held back, and a table that is
re-created within the delay counts as the same table with a new definition.
"""

from __future__ import annotations

from sac_kafka.lineage.model import TableDropped


class HeldDrops:
    """Held drops, in order of arrival. Not thread-safe; times are epoch milliseconds."""

    def __init__(self, delay_ms: int) -> None:
        self._delay_ms = delay_ms
        self._held: dict[str, tuple[TableDropped, int]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, drop: TableDropped, now_ms: int) -> None:
        """Hold a drop until its delay expires or the table is re-created."""
        self._held[drop.table.key] = (drop, now_ms)

    def cancel(self, key: str) -> bool:
        """Cancel the held drop of a table that was re-created; return True if there was one."""
        return self._held.pop(key, None) is not None

    def release(self, key: str) -> tuple[TableDropped, ...]:
        """Return and remove the drop of a table, if held, so that it is emitted now."""
        return tuple(drop for drop, _ in filter(None, [self._held.pop(key, None)]))

    def due(self, now_ms: int) -> tuple[TableDropped, ...]:
        """Return and remove the drops whose delay has expired."""
        ready = [key for key, (_, since_ms) in self._held.items() if now_ms - since_ms >= self._delay_ms]
        return tuple(drop for key in ready for drop in self.release(key))

    def all(self) -> tuple[TableDropped, ...]:
        """Return and remove all held drops."""
        return tuple(drop for key in list(self._held) for drop in self.release(key))
