"""Suppress repeated definitions of tables that `foreachBatch` functions recreate unchanged with every batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from sac_kafka.model import (
    ColumnRenamed,
    DatabaseDropped,
    Outcome,
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

    def mark_created(self, key: str) -> None:
        """Record that a table was created while a batch ran."""
        self._last.setdefault(key, None)

    def tracked(self, changes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the changes of commands that ran in a batch, and record the tables that they define."""
        for change in changes:
            if isinstance(change, TableDefined):
                self.mark_created(change.table.key)
            yield change

    def without_repeats(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Return outcomes without definitions that equal the last one of the same table."""
        return (outcome for outcome in outcomes if not self._is_repeat(outcome))

    def _is_repeat(self, outcome: Outcome) -> bool:
        match outcome:
            case TableDefined(table=table) if table.key in self._last:
                now = dataclasses.replace(table, created_ms=None)
                before, self._last[table.key] = self._last[table.key], now
                return before == now
            case TableDropped(table=gone) | TableRenamed(old=gone) | ColumnRenamed(table=gone):
                self._last.pop(gone.key, None)
            case DatabaseDropped():
                self._last.clear()
        return False
