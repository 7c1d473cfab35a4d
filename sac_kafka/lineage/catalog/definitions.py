"""What the tables of an application are by now: the last definition of each, from the moment on at which it is said."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.catalog.databases import is_in
from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.catalog.tables import located
from sac_kafka.lineage.model import (
    Change,
    Column,
    ColumnRenamed,
    DatabaseDropped,
    Dataset,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)

MAX_DEFINITIONS = 10_000
"""Tables whose definition is remembered, and names that tables had; the oldest is forgotten first."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Known:
    """A table as it is by now, and the columns that it had before, in small letters."""

    table: TableDataset
    gone: frozenset[str] = frozenset()

    def become(self, table: TableDataset) -> _Known:
        return _Known(located(table, self.table), (self.gone | _names(self.table.columns)) - _names(table.columns))

    def seen_as(self, shown: TableDataset) -> TableDataset:
        """Return the table where a plan shows `shown`: what is new to us somebody else has added."""
        table = located(self.table, shown)
        if not table.columns:  # a table format keeps them itself, and not in the catalog
            return dataclasses.replace(table, columns=shown.columns)
        known = _names(table.columns) | self.gone
        added = tuple(c for c in shown.columns if c.name.lower() not in known)
        return dataclasses.replace(table, columns=(*table.columns, *added)) if added else table


class Definitions:
    """Takes the changes of the catalog in the order in which they are said."""

    def __init__(self) -> None:
        self._last: Bounded[str, _Known] = Bounded(MAX_DEFINITIONS)  # by key
        self._renamed: Bounded[str, str] = Bounded(MAX_DEFINITIONS)  # key of a name that a table had -> of its next

    def take(self, change: Change) -> None:
        """A change that is said now."""
        match change:
            case TableDropped(table=table):
                self._last.pop(table.key, None)
                self._renamed.pop(table.key, None)
            case TableRenamed(old=old, new=new):
                self._keep(new, self._last.pop(old.key, None))
                self._renamed[old.key] = new.key
            case TableDefined(table=table) | ColumnRenamed(table=table):
                self._keep(table, self._last.get(table.key))
            case DatabaseDropped(database=database):
                for key in [key for key, known in self._last.items() if is_in(known.table, database)]:
                    del self._last[key]

    def completed(self, change: Change) -> Change:
        """What a command says of a table of the session catalog, with what is known of it beside its columns."""
        if not isinstance(change, (TableDefined, ColumnRenamed)) or change.table.catalog is not None:
            return change
        known = self._last.get(change.table.key)
        if known is None:
            return change
        of = change.table
        table = dataclasses.replace(known.table, columns=of.columns, comment=of.comment, properties=of.properties)
        return dataclasses.replace(change, table=table)

    def made(self, key: str) -> None:
        """There is a table with this key, whatever had its name before: also where it is gone before anyone looks."""
        self._renamed.pop(key, None)

    def applied(self, process: Process) -> Process:
        """The process with its tables as they are by now.

        A plan may show what a table was before the last change: Spark caches relations, and does not look again. Of a
        table that the statement itself makes it shows what the statement asked for.
        """
        # What a query writes it writes under the name that it knows; the view that it reads has had another since.
        named = (*process.inputs, *process.decided_by, *(process.outputs if process.defines_view else ()))
        now = substituted(process, {d.key: known.table for d in named if (known := self._moved(d)) is not None})
        return dataclasses.replace(
            now,
            inputs=self._current(now.inputs),
            outputs=self._current(now.outputs),
            decided_by=self._current(now.decided_by),
        )

    def _moved(self, dataset: Dataset) -> _Known | None:
        """The table that had the name of a dataset, under its last name; None where it has that name."""
        key, last = dataset.key, None
        passed: set[str] = set()
        while key in self._renamed and key not in passed:
            passed.add(key)
            last = key = self._renamed[key]
        return self._last.get(last) if last is not None and last != dataset.key else None

    def _current(self, datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
        return tuple(self._seen(datasets))

    def _seen(self, datasets: Iterable[Dataset]) -> Iterator[Dataset]:
        for dataset in datasets:
            known = self._last.get(dataset.key) if isinstance(dataset, TableDataset) else None
            yield dataset if known is None or not isinstance(dataset, TableDataset) else known.seen_as(dataset)

    def _keep(self, table: TableDataset, before: _Known | None) -> None:
        self._renamed.pop(table.key, None)
        self._last[table.key] = _Known(table) if before is None else before.become(table)


def _names(columns: Iterable[Column]) -> frozenset[str]:
    return frozenset(c.name.lower() for c in columns)
