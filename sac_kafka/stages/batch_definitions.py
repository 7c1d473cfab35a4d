"""Suppress repeated definitions of tables that `foreachBatch` functions recreate unchanged with every batch."""

from __future__ import annotations

import dataclasses

from sac_kafka.model import (
    Change,
    ColumnRenamed,
    DatabaseDropped,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.bounds import Bounded

MAX_TABLES = 1_000
"""Tables created by batches whose last definition is remembered; the oldest is evicted first."""


class BatchDefinitions:
    """The last emitted definitions of tables that batches create; a definition that differs in its time only is a repeat."""

    def __init__(self) -> None:
        self._last: Bounded[str, TableDataset | None] = Bounded(MAX_TABLES)  # by key

    def note_creation(self, key: str) -> None:
        """Record that a table was created while a batch ran."""
        self._last.setdefault(key, None)

    def is_repeat(self, change: Change) -> bool:
        """Return whether a change is a definition that equals the last one of the same table, and remember it."""
        match change:
            case TableDefined(table=table) if table.key in self._last:
                now = dataclasses.replace(table, created_ms=None)
                before, self._last[table.key] = self._last[table.key], now
                return before == now
            case TableDropped(table=gone) | TableRenamed(old=gone) | ColumnRenamed(table=gone):
                self._last.pop(gone.key, None)
            case DatabaseDropped():
                self._last.clear()
        return False
