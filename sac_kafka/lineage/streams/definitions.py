"""Definitions of tables that functions of queries make again and again: a batch that replaces a table as it was is no news."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.model import (
    ColumnRenamed,
    DatabaseDropped,
    Outcome,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)

MAX_TABLES = 1_000
"""Tables made by batches whose last definition is remembered; the oldest is forgotten first."""


class DefinitionsOfBatches:
    """Knows what was said of the tables that batches make: only the time at which a table was created differs then."""

    def __init__(self) -> None:
        self._said: Bounded[str, TableDataset | None] = Bounded(MAX_TABLES)  # by key

    def made(self, key: str) -> None:
        """A table with this key was made while a batch ran."""
        self._said.setdefault(key, None)

    def made_by(self, changes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The changes of commands that ran in a batch."""
        for change in changes:
            if isinstance(change, TableDefined):
                self.made(change.table.key)
            yield change

    def news(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The outcomes without the definitions that say what the last one said."""
        return (outcome for outcome in outcomes if self._is_news(outcome))

    def _is_news(self, outcome: Outcome) -> bool:
        match outcome:
            case TableDefined(table=table) if table.key in self._said:
                now = dataclasses.replace(table, created_ms=None)
                before, self._said[table.key] = self._said[table.key], now
                return before != now
            case TableDropped(table=gone) | TableRenamed(old=gone) | ColumnRenamed(table=gone):
                self._said.pop(gone.key, None)
            case DatabaseDropped():
                self._said.clear()
        return True
