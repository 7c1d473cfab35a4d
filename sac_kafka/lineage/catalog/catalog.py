"""Track the tables and databases of an application's catalogs from events and commands.

The session catalog posts events, several per statement; V2 catalogs post none, so their commands are used instead. All
remembered state follows a change from the moment it is emitted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.catalog.aliases import Aliases
from sac_kafka.lineage.catalog.changes import Changes
from sac_kafka.lineage.catalog.definitions import Definitions, ViewDefinitions
from sac_kafka.lineage.catalog.places import TablePlaces
from sac_kafka.lineage.catalog.tables import Tables
from sac_kafka.lineage.catalog.v2_changes import V2Changes, requested_table
from sac_kafka.lineage.datasets.tables import named
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.lineage.model import (
    Change,
    ColumnRenamed,
    Dataset,
    Outcome,
    PathDataset,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions


class Catalog:
    """Current state of an application's catalogs, updated by their events and commands in order.

    `paths_as_tables` replaces a path that is a table's location by that table. `aliases` are as for `Aliases`, `places` table
    locations that persist between runs.
    """

    def __init__(
        self,
        *,
        paths_as_tables: bool = True,
        aliases: Sequence[tuple[str, str]] = (),
        places: TablePlaces | None = None,
    ) -> None:
        self._paths_as_tables = paths_as_tables
        self._aliases = Aliases(aliases)
        self._tables = Tables(self._aliases, places)
        self._changes = Changes(self._tables)
        self._v2_changes = V2Changes(self._tables)
        self._definitions = Definitions()
        self._views = ViewDefinitions()

    def add(self, event: CatalogEvent, open_roots: Set[int]) -> None:
        """Add an event of the session catalog that arrived while the root executions `open_roots` ran."""
        self._changes.add(event, open_roots)
        if isinstance(event, CreateTableEvent):
            self._definitions.mark_created(TableDataset(database=event.database, name=event.name).key)

    def complete_from(self, command: LogicalPlan) -> None:
        """Complete pending changes from a successful command: some table formats keep the columns out of the session catalog."""
        made = requested_table(command)
        if made is not None:
            self._changes.complete(made)

    def ready(self, open_roots: Set[int]) -> Iterator[Outcome]:
        """Yield the pending changes that need not wait for an execution in `open_roots`, and definitions of renamed views."""
        return self._emit(self._changes.ready(open_roots))

    def apply(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[Iterator[Outcome], tuple[Process, ...]]:
        """Apply a successful command.

        Returns:
            The changes that it made in a V2 catalog, and those of its processes that took effect. `has_written` is as in
            `V2Changes.apply`.
        """
        self._learn_partitions(command)
        changes, true = self._v2_changes.apply(command, processes, has_written=has_written)
        return self._emit(map(self._definitions.completed, changes)), true

    def _learn_partitions(self, command: LogicalPlan) -> None:
        table = _table_of_partitions(command)
        if table is None:
            return
        if isinstance(command, (AddPartitionsCommand, AddPartitions)):
            self._tables.add_partitions(table.key, command.locations)
        else:
            self._tables.forget_partitions(table.key)

    def current(self, process: Process) -> Process:
        """Return a process with its tables in their current state: definitions, tables for paths, the SQL text of a view."""
        process = self._definitions.apply_to(self._aliases.apply_to(process))
        if process.defines_view and (text := next((getattr(d, "view_text", None) for d in process.outputs), None)):
            process = dataclasses.replace(process, run=dataclasses.replace(process.run, query_text=text))
        made = process.outputs if process.run.failure is None else ()  # a failed statement created no table
        for d in (*process.inputs, *process.decided_by, *made):
            if isinstance(d, TableDataset):
                self._tables.add_seen(d)
        if self._paths_as_tables:
            process = self._tables.substitute_paths(process)
        if process.defines_view:
            self._views.remember(process)
        return process

    def current_dataset(self, dataset: Dataset) -> Dataset:
        """Return a dataset under its current name: that of an alias, or the table at the location."""
        dataset = self._aliases.resolve_dataset(dataset)
        table = self._tables.table_of(dataset) if self._paths_as_tables and isinstance(dataset, PathDataset) else None
        return dataset if table is None else table

    def _emit(self, changes: Iterable[Change]) -> Iterator[Outcome]:
        for change in changes:
            self._follow(change)
            yield change
            yield from map(self.current, self._views.after(change))

    def _follow(self, change: Change) -> None:
        """Update the remembered state by a change that is emitted now."""
        self._definitions.apply(change)
        match change:
            case TableDefined(table=table) | ColumnRenamed(table=table):
                self._tables.learn(table)
            case TableRenamed(old=old, new=new):
                self._tables.forget(old.key)
                self._tables.learn(new)
            case TableDropped(table=table):
                self._tables.forget(table.key)


def _table_of_partitions(command: LogicalPlan) -> TableDataset | None:
    """Return the table whose partitions a command adds, moves or drops; None for other commands."""
    if isinstance(command, (AddPartitionsCommand, DropPartitionsCommand)):
        return None if command.table is None else named(command.table)
    if isinstance(command, (AddPartitions, DropPartitions)) and command.identifier is not None:
        return named_table(command.catalog, command.identifier)
    return None
