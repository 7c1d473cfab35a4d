"""Convert the events and commands of an application's catalogs to changes.

The session catalog posts events, several per statement; V2 catalogs post none, so their commands are used instead. What is known
of datasets follows a change from the moment it is emitted (`stages.process_stages`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.catalog.changes import Changes
from sac_kafka.lineage.catalog.v2_changes import V2Changes, requested_table
from sac_kafka.lineage.datasets.tables import table_by_name
from sac_kafka.lineage.datasets.v2_tables import named_table
from sac_kafka.model import Change, Outcome, Process, TableDataset, TableDefined
from sac_kafka.plan.catalog import CatalogEvent, CreateTableEvent, TableIdentifier
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions
from sac_kafka.plan.v2_tables import Identifier
from sac_kafka.stages.known_datasets import KnownDatasets


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
        for table in map(requested_table, commands):
            if table is not None:
                self._changes.complete(table)
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
