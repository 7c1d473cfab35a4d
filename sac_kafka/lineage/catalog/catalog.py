"""Convert the events and commands of an application's catalogs to changes.

The session catalog posts events, several per statement; V2 catalogs post none, so their commands are used instead. What is known
of datasets follows a change from the moment it is emitted (`stages.process_stages`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from sac_kafka.lineage.catalog.changes import Changes
from sac_kafka.lineage.catalog.v2_changes import V2Changes, requested_table
from sac_kafka.lineage.datasets.tables import table_by_name
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.model import Change, Outcome, Process, RowsRemoved, TableDataset, TableDefined
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions
from sac_kafka.stages.known_datasets import KnownDatasets


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement that has ended.

    Attributes:
        command: Its plan if it was successful.
        processes: Its processes.
        views: The definitions of the views that it read.
        has_written: As in `V2Changes.apply`.
        removals: Returns what it has left empty without a flow, given its changes.
    """

    command: LogicalPlan | None
    processes: tuple[Process, ...]
    views: tuple[Process, ...] = ()
    has_written: bool = False
    removals: Callable[[Iterable[Change]], Iterable[RowsRemoved]] = lambda _changes: ()


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

    def ready(self, open_roots: Set[int]) -> Iterator[Change]:
        """Yield the pending changes that need not wait for an execution in `open_roots`."""
        return self._changes.ready(open_roots)

    def outcomes(self, statement: Statement, open_roots: Set[int]) -> Iterator[Outcome]:
        """Yield what a statement has changed, the definitions of views that it read, then its processes that took effect."""
        processes = statement.processes
        if statement.command is not None:
            self._complete_from(statement.command)
        yield from self.ready(open_roots)
        if statement.command is not None:
            applied, processes = self._apply(statement.command, processes, has_written=statement.has_written)
            changes = tuple(applied)
            yield from changes
            yield from statement.removals(changes)
        yield from statement.views
        yield from processes

    def changes_within(self, commands: Sequence[LogicalPlan], open_roots: Set[int]) -> Iterator[Outcome]:
        """Yield what commands that ran within a batch have changed; tables that they create are marked as the batch's."""
        for command in commands:
            self._complete_from(command)
        yield from self.ready(open_roots)
        for command in commands:
            for change in self._apply(command, (), has_written=True)[0]:
                if isinstance(change, TableDefined):
                    self._known.batches.note_creation(change.table.key)
                yield change

    def _complete_from(self, command: LogicalPlan) -> None:
        """Complete pending changes from a successful command: some table formats keep the columns out of the session catalog."""
        table = requested_table(command)
        if table is not None:
            self._changes.complete(table)

    def _apply(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[Iterator[Change], tuple[Process, ...]]:
        """Apply a successful command; return the changes that it made in a V2 catalog, and the processes that took effect."""
        self._learn_partitions(command)
        changes, true = self._v2_changes.apply(command, processes, has_written=has_written)
        return map(self._known.definitions.complete, changes), true

    def _learn_partitions(self, command: LogicalPlan) -> None:
        table = _table_of_partitions(command)
        if table is None:
            return
        if isinstance(command, (AddPartitionsCommand, AddPartitions)):
            self._known.tables.add_partitions(table.key, command.locations)
        else:
            self._known.tables.forget_partitions(table.key)


def _table_of_partitions(command: LogicalPlan) -> TableDataset | None:
    """Return the table whose partitions a command adds, moves or drops; None for other commands."""
    if isinstance(command, (AddPartitionsCommand, DropPartitionsCommand)):
        return None if command.table is None else table_by_name(command.table)
    if isinstance(command, (AddPartitions, DropPartitions)) and command.identifier is not None:
        return named_table(command.catalog, command.identifier)
    return None
