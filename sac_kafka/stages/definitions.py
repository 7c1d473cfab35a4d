"""Keep the current definition of each table of an application, and emit that of a view again when it is renamed.

The definition of a view is forgotten when a table that it reads changes: emitting it would recreate a dropped table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import chain

from sac_kafka.model import (
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
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.substitution import substitute
from sac_kafka.stages.tables import add_location, is_in

MAX_DEFINITIONS = 10_000
"""Tables whose definition is remembered, and former names of tables; the oldest is evicted first."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Known:
    """The current definition of a table, and the names of its former columns in lower case."""

    table: TableDataset
    gone: frozenset[str] = frozenset()

    def become(self, table: TableDataset) -> _Known:
        return _Known(add_location(table, self.table), (self.gone | _names(self.table.columns)) - _names(table.columns))

    def seen_as(self, shown: TableDataset) -> TableDataset:
        """Return the table as a plan shows it in `shown`, with columns that another application has added since."""
        table = add_location(self.table, shown)
        if not table.columns:  # some table formats keep the columns out of the catalog
            return dataclasses.replace(table, columns=shown.columns)
        known = _names(table.columns) | self.gone
        added = tuple(c for c in shown.columns if c.name.lower() not in known)
        return dataclasses.replace(table, columns=(*table.columns, *added)) if added else table


class Definitions:
    """Current definitions of tables, the `last` by key, updated by catalog changes in the order in which they are emitted."""

    def __init__(self) -> None:
        self.last: Bounded[str, _Known] = Bounded(MAX_DEFINITIONS)
        self._renamed: Bounded[str, str] = Bounded(MAX_DEFINITIONS)  # key of a former name -> key of the next name

    def apply(self, change: Change) -> None:
        """Update the definitions by a change that is emitted now."""
        match change:
            case TableDropped(table=table):
                self.last.pop(table.key, None)
                self._renamed.pop(table.key, None)
            case TableRenamed(old=old, new=new):
                self._keep(new, self.last.pop(old.key, None))
                self._renamed[old.key] = new.key
            case TableDefined(table=table) | ColumnRenamed(table=table):
                self._keep(table, self.last.get(table.key))
            case DatabaseDropped(database=database):
                for key in [key for key, known in self.last.items() if is_in(known.table, database)]:
                    del self.last[key]

    def complete(self, change: Change) -> Change:
        """Return a command's change of a session catalog table, with the other facts of its last known definition."""
        if not isinstance(change, (TableDefined, ColumnRenamed)) or change.table.catalog is not None:
            return change
        known = self.last.get(change.table.key)
        if known is None:
            return change
        named_table = change.table
        table = dataclasses.replace(
            known.table, columns=named_table.columns, comment=named_table.comment, properties=named_table.properties
        )
        return dataclasses.replace(change, table=table)

    def note_creation(self, key: str) -> None:
        """Record that a table with this key exists now, even if it is dropped before it can be looked up."""
        self._renamed.pop(key, None)

    def apply_to(self, process: Process) -> Process:
        """Return a process with its tables as they are currently defined.

        A plan may show a table before its last change, as Spark caches relations; a table that the statement creates is shown as
        requested.
        """
        # A statement writes to the name that it states; inputs, and a view being defined, may appear under a former name.
        named = (
            *process.inputs,
            *process.decided_by,
            *process.in_question,
            *(process.outputs if process.defines_view else ()),
        )
        now = substitute(process, {d.key: known.table for d in named if (known := self._former_table(d)) is not None})
        return dataclasses.replace(
            now,
            inputs=self._current(now.inputs),
            outputs=self._current(now.outputs),
            decided_by=self._current(now.decided_by),
        )

    def _former_table(self, dataset: Dataset) -> _Known | None:
        """Return the table that formerly had the name of a dataset; None if the dataset's name is current."""
        key, last = dataset.key, None
        passed: set[str] = set()
        while key in self._renamed and key not in passed:
            passed.add(key)
            last = key = self._renamed[key]
        return self.last.get(last) if last is not None and last != dataset.key else None

    def _current(self, datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
        return tuple(
            known.seen_as(d) if isinstance(d, TableDataset) and (known := self.last.get(d.key)) is not None else d
            for d in datasets
        )

    def _keep(self, table: TableDataset, before: _Known | None) -> None:
        self._renamed.pop(table.key, None)
        self.last[table.key] = _Known(table) if before is None else before.become(table)


def _names(columns: Iterable[Column]) -> frozenset[str]:
    return frozenset(c.name.lower() for c in columns)


MAX_VIEWS = 1_000
"""Views whose definition is remembered; the oldest is evicted first."""


class ViewDefinitions:
    """Definitions of views, updated by catalog changes in the order in which they are emitted."""

    def __init__(self) -> None:
        self._last: Bounded[str, Process] = Bounded(MAX_VIEWS)  # by the key of the view

    def remember(self, definition: Process) -> None:
        """Remember the definition of a view that is emitted now."""
        (view,) = definition.outputs
        self._last[view.key] = definition

    def after(self, change: Change) -> Iterator[Process]:
        """Yield the definition of a view under its new name if the change renames the view."""
        match change:
            case TableRenamed(old=old, new=new):
                renamed = self._last.get(old.key)
                self._forget({old.key, new.key})
                if renamed is not None and new.is_view:
                    yield substitute(renamed, {old.key: new})
            case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
                self._forget({table.key})
            case DatabaseDropped(database=database):
                everything = chain.from_iterable(_datasets_of(each) for each in self._last.values())
                self._forget({each.key for each in everything if is_in(each, database)})

    def _forget(self, keys: set[str]) -> None:
        """Forget the definitions of these datasets and of views that read them."""
        for view in [v for v, each in self._last.items() if any(d.key in keys for d in _datasets_of(each))]:
            del self._last[view]


def _datasets_of(definition: Process) -> Iterable[Dataset]:
    return (*definition.outputs, *definition.inputs)
