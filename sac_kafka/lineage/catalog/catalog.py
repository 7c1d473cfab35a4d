"""What an application has seen of its catalogs: what became of tables and databases, and what they are by now.

The session catalog posts events, and a statement may say several things of one table; V2 catalogs post none, so there the
commands are all there is. From the moment on at which a change is said, all that is remembered follows it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.catalog.aliases import Aliases
from sac_kafka.lineage.catalog.changes import Changes
from sac_kafka.lineage.catalog.definitions import Definitions
from sac_kafka.lineage.catalog.places import TablePlaces
from sac_kafka.lineage.catalog.tables import Tables
from sac_kafka.lineage.catalog.v2_changes import V2Changes, asked_for
from sac_kafka.lineage.catalog.view_definitions import ViewDefinitions
from sac_kafka.lineage.datasets.tables import named
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.lineage.model import (
    Change,
    ColumnRenamed,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.plan.catalog_events import (
    CatalogEvent,
    CreateTableEvent,
)
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions


class Catalog:
    """Takes what happens to the catalogs of an application, in order; knows what its tables are by now.

    `paths_as_tables` makes a path that is known to be a table's location that table; `aliases` are of `Aliases`, and
    `places` keeps where tables lie from run to run.
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
        """Take an event of the session catalog that came while the root executions `open_roots` ran."""
        self._changes.add(event, open_roots)
        if isinstance(event, CreateTableEvent):
            self._definitions.made(TableDataset(database=event.database, name=event.name).key)

    def made_by(self, command: LogicalPlan) -> None:
        """Take a command that has succeeded before its events are said: a table format may keep the columns to itself."""
        made = asked_for(command)
        if made is not None:
            self._changes.complete(made)

    def ready(self, open_roots: Set[int]) -> Iterator[Outcome]:
        """The changes that events have made and that need not wait any more, while `open_roots` still run.

        A view's new name is followed by its definition.
        """
        return self._all_said(self._changes.ready(open_roots))

    def after(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[Iterator[Outcome], tuple[Process, ...]]:
        """What a command that has succeeded changed in a V2 catalog, and which of its processes are true.

        `has_written` is as of `V2Changes.said`.
        """
        self._learn_partitions(command)
        changes, true = self._v2_changes.said(command, processes, has_written=has_written)
        return self._all_said(map(self._definitions.completed, changes)), true

    def _learn_partitions(self, command: LogicalPlan) -> None:
        table = _table_of_partitions(command)
        if table is None:
            return
        if isinstance(command, (AddPartitionsCommand, AddPartitions)):
            self._tables.has_partitions_at(table.key, command.locations)
        else:
            self._tables.has_dropped_partitions(table.key)

    def known(self, process: Process) -> Process:
        """The process with what is known of its tables by now: their definitions, tables for paths, a view's own text."""
        process = self._definitions.applied(self._aliases.applied(process))
        if process.defines_view and (text := next((getattr(d, "view_text", None) for d in process.outputs), None)):
            process = dataclasses.replace(process, run=dataclasses.replace(process.run, query_text=text))
        made = process.outputs if process.run.failure is None else ()  # what a failed statement did not make
        for d in (*process.inputs, *process.decided_by, *made):
            if isinstance(d, TableDataset):
                self._tables.seen(d)
        if self._paths_as_tables:
            process = self._tables.renamed(process)
        if process.defines_view:
            self._views.said(process)
        return process

    def _all_said(self, changes: Iterable[Change]) -> Iterator[Outcome]:
        for change in changes:
            self._take(change)
            yield change
            yield from map(self.known, self._views.after(change))

    def _take(self, change: Change) -> None:
        """A change that is said now."""
        self._definitions.take(change)
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
