"""Convert the events and commands of an application's catalogs to changes, each once and in order.

The session catalog posts events; V2 catalogs post none, so their commands are used instead. What is known of datasets follows a
change from the moment it is emitted (`stages.process_stages`).

A statement may post several events for one table (replacing a view drops and creates it), and statements of several threads
may run at once. So a drop is delayed until every execution that ran when it arrived has ended; a definition of the same
name before that turns it into a replacement.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import singledispatchmethod

from sac_kafka.lineage.catalog.v2_changes import V2Changes, requested_table
from sac_kafka.lineage.datasets.sources import is_external
from sac_kafka.lineage.datasets.tables import database, table, table_by_name
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.model import (
    Change,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.catalog import (
    AlterTableEvent,
    CatalogEvent,
    CreateTableEvent,
    DatabaseEvent,
    DropDatabaseEvent,
    DropTableEvent,
    RenameTableEvent,
    TableIdentifier,
)
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions
from sac_kafka.plan.v2_tables import Identifier
from sac_kafka.stages.known_datasets import KnownDatasets
from sac_kafka.stages.tables import MAX_TABLES, Tables


@dataclasses.dataclass(slots=True)
class _Waiting:
    """A change that has not been emitted yet."""

    change: Change
    open: Set[int]  # root executions that were running when it arrived


class Changes:
    """Pending changes from the catalog events of an application; each event also updates `tables`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._external: Bounded[str, None] = Bounded(MAX_TABLES)
        self._moved: Bounded[str, TableDataset] = Bounded(MAX_TABLES)  # key of a new name -> the last known name
        self._missed: Bounded[str, None] = Bounded(MAX_TABLES)  # created or altered, but gone when it was looked up
        self._waiting: list[_Waiting] = []

    def add(self, event: CatalogEvent, open_roots: Set[int]) -> None:
        """Add an event that arrived while the root executions `open_roots` ran."""
        for change in self._changes(event):
            self._wait(change, open_roots)

    def complete(self, requested: TableDataset) -> None:
        """Add the columns of a table that a command has created to its pending definition, if the catalog does not have them."""
        for w in self._waiting:
            if (
                isinstance(w.change, TableDefined)
                and w.change.table.key == requested.key
                and not w.change.table.columns
            ):
                parted = w.change.table.partition_columns or requested.partition_columns
                whole = dataclasses.replace(w.change.table, columns=requested.columns, partition_columns=parted)
                w.change = TableDefined(table=whole)
                self._tables.learn(whole)

    def ready(self, open_roots: Set[int]) -> Iterator[Change]:
        """Yield the pending changes that need not wait for an execution in `open_roots`."""
        waiting, self._waiting = self._waiting, []
        for w in waiting:
            if isinstance(w.change, TableDropped) and w.open & open_roots:
                self._waiting.append(w)
            else:
                yield w.change

    def _wait(self, change: Change, open_roots: Set[int]) -> None:
        if isinstance(change, (TableDefined, TableDropped)):
            at = self._waits_at(change.table.key)
            if at is not None:
                self._waiting[at] = _Waiting(change, frozenset(open_roots))
                return
        else:  # a rename may reuse the name of a dropped table: release the pending drops first
            for w in self._waiting:
                w.open = frozenset()
        self._waiting.append(_Waiting(change, frozenset(open_roots)))

    def _waits_at(self, key: str) -> int | None:
        """Return the position of a pending definition or drop of this name, unless the name was moved by a rename after it."""
        for at in reversed(range(len(self._waiting))):
            change = self._waiting[at].change
            if isinstance(change, (TableDefined, TableDropped)) and change.table.key == key:
                return at
            if isinstance(change, TableRenamed) and key in (change.old.key, change.new.key):
                return None
        return None

    @singledispatchmethod
    def _changes(self, event: object) -> Iterator[Change]:
        raise TypeError(f"no catalog event: {type(event).__name__}")

    @_changes.register
    def _(self, event: CreateTableEvent) -> Iterator[Change]:
        created = _reference(event.database, event.name)
        for moved in [key for key, first in self._moved.items() if first.key == created.key]:
            del self._moved[moved]  # the name belongs to the new table from now on
        if event.definition is None:
            self._note_recreation(created)
        else:
            yield from self._define(table(event.definition))

    def _note_recreation(self, recreated: TableDataset) -> None:
        """Record that a table was recreated but was gone when it was looked up; a later event shows where it went.

        Until then, what is known of this name belongs to the replaced table.
        """
        self._missed[recreated.key] = None
        at = self._waits_at(recreated.key)
        if at is not None and isinstance(self._waiting[at].change, TableDropped):
            del self._waiting[at]
            self._tables.add_seen(recreated)

    @_changes.register
    def _(self, event: AlterTableEvent) -> Iterator[Change]:
        if event.kind == "stats":
            return
        if event.definition is not None:
            yield from self._define(table(event.definition))
        else:
            self._missed[_reference(event.database, event.name).key] = None

    def _define(self, defined: TableDataset) -> Iterator[Change]:
        if is_external(defined.provider):
            self._external[defined.key] = None
            return
        self._external.pop(defined.key, None)
        self._tables.learn(defined)
        self._missed.pop(defined.key, None)
        moved = self._moved.pop(defined.key, None)
        if moved is not None:
            yield TableRenamed(old=moved, new=defined)
        yield TableDefined(table=defined)

    @_changes.register
    def _(self, event: RenameTableEvent) -> Iterator[Change]:
        old, new = _reference(event.database, event.name), _reference(event.database, event.new_name)
        self._tables.forget(old.key)
        was_external = old.key in self._external
        self._external.pop(old.key, None)
        first = self._moved.pop(old.key, old)
        # The definition that was looked up under the old name may be that of a later table, even of another system.
        has_missed = was_external or old.key in self._missed
        self._missed.pop(old.key, None)
        is_internal = event.definition is not None and not is_external(event.definition.provider)
        if not is_internal and (was_external or event.definition is not None):
            self._external[new.key] = None
        if not event.is_looked_up or (was_external and not is_internal):
            return
        if event.definition is None or not is_internal:  # renamed again or dropped meanwhile: a later event shows which
            self._moved[new.key] = first
            if has_missed:
                self._missed[new.key] = None
            return
        for key in [key for key, other in self._moved.items() if other.key == new.key]:
            yield TableDropped(table=self._moved.pop(key))  # its name was reused: a later event defines it again
        whole = table(event.definition)
        self._tables.learn(whole)
        if first.key != new.key:
            yield TableRenamed(old=first, new=whole)
        if has_missed or first.key == new.key:
            yield TableDefined(table=whole)

    @_changes.register
    def _(self, event: DropTableEvent) -> Iterator[Change]:
        dropped = _reference(event.database, event.name)
        self._tables.forget(dropped.key)  # its location is free at once, even though the drop is emitted later
        was_external = dropped.key in self._external
        self._external.pop(dropped.key, None)
        first = self._moved.pop(dropped.key, dropped)
        self._missed.pop(dropped.key, None)
        if event.is_looked_up and not (was_external and first.key == dropped.key):
            yield TableDropped(table=first)

    @_changes.register
    def _(self, event: DatabaseEvent) -> Iterator[Change]:
        if event.definition is not None:
            yield DatabaseDefined(database=database(event.definition))

    @_changes.register
    def _(self, event: DropDatabaseEvent) -> Iterator[Change]:
        dropped = Database(name=event.database)
        inside = self._tables.forget_database(dropped)
        if event.is_looked_up:
            yield from (TableDropped(table=_reference(known.database, known.name)) for known in inside)
            yield DatabaseDropped(database=dropped)


def _reference(in_database: str, name: str) -> TableDataset:
    return TableDataset(database=in_database, name=name)


class Catalog:
    """Converter of the events and commands of an application's catalogs to changes; `known` are its datasets."""

    def __init__(self, known: KnownDatasets) -> None:
        self._known = known
        self._changes = Changes(known.tables)
        self._v2_changes = V2Changes(known.tables)

    def add(self, event: CatalogEvent, open_roots: Set[int]) -> None:
        """Add an event of the session catalog that arrived while the root executions `open_roots` ran."""
        self._changes.add(event, open_roots)
        if isinstance(event, CreateTableEvent):
            self._known.definitions.note_creation(TableDataset(database=event.database, name=event.name).key)

    def pending(self, commands: Iterable[LogicalPlan], open_roots: Set[int]) -> Iterator[Change]:
        """Yield the changes that events have shown, but for those that wait for an execution in `open_roots`.

        They are completed from `commands`, which were successful: some table formats keep the columns out of the session catalog.
        """
        for requested in map(requested_table, commands):
            if requested is not None:
                self._changes.complete(requested)
        yield from self._changes.ready(open_roots)

    def apply(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[tuple[Change, ...], tuple[Process, ...]]:
        """Apply a successful command; return the changes that it made in a V2 catalog, and the processes that took effect."""
        match command:
            case AddPartitionsCommand(table=TableIdentifier() as table):
                self._known.tables.add_partitions(table_by_name(table).key, command.locations)
            case DropPartitionsCommand(table=TableIdentifier() as table):
                self._known.tables.forget_partitions(table_by_name(table).key)
            case AddPartitions(identifier=Identifier() as table):
                self._known.tables.add_partitions(named_table(command.catalog, table).key, command.locations)
            case DropPartitions(identifier=Identifier() as table):
                self._known.tables.forget_partitions(named_table(command.catalog, table).key)
        changes, effective = self._v2_changes.apply(command, processes, has_written=has_written)
        return tuple(map(self._known.definitions.complete, changes)), effective

    def changes_within(self, commands: Sequence[LogicalPlan], open_roots: Set[int]) -> Iterator[Outcome]:
        """Yield what commands that ran within a batch have changed; tables that they create are marked as the batch's."""
        yield from self.pending(commands, open_roots)
        for command in commands:
            for change in self.apply(command, (), has_written=True)[0]:
                if isinstance(change, TableDefined):
                    self._known.batches.note_creation(change.table.key)
                yield change
