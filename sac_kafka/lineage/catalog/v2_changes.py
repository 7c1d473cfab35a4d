"""Derive catalog changes from the commands of V2 catalogs, which post no events.

Tables of the session catalog are tracked by its events (`catalog`). A connector may return the table of ALTER TABLE from before
or after the change, so each change is applied only if it is missing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import singledispatchmethod

from sac_kafka.lineage.datasets.sources import has_external_tables
from sac_kafka.lineage.datasets.tables import columns, described_column
from sac_kafka.lineage.datasets.v2_tables import described_table, named_table, namespace_name
from sac_kafka.lineage.datasets.v2_writes import created_table
from sac_kafka.model import (
    SESSION_CATALOG,
    Change,
    Column,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.catalog import StructField
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import (
    AddColumns,
    AlterColumn,
    AlterColumns,
    AlterColumnSpec,
    ColumnDefinition,
    CommentOnTable,
    CreateNamespace,
    CreateTable,
    CreateTableLike,
    DropColumns,
    DropNamespace,
    DropTable,
    FieldName,
    QualifiedColType,
    RenameColumn,
    RenameTable,
    ReplaceColumns,
    SetTableLocation,
    SetTableProperties,
    TableChange,
    TableDefinition,
    UnsetTableProperties,
)
from sac_kafka.plan.v2_tables import Identifier, V2Column, V2Table, V2ViewCommand
from sac_kafka.plan.v2_writes import CreateTableAsSelect, TableSpec, V2CreateTableAsSelect
from sac_kafka.stages.tables import Tables

_KEEPING_COLUMNS = frozenset({"delta"})
"""Formats that do not store columns in the session catalog, and post no event when these change."""
MAX_DROPPED = 10_000
"""Dropped names that are remembered; the oldest is evicted first."""


class V2Changes:
    """Converter of the successful commands of an application, in order, to changes of V2 catalogs."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._gone: Bounded[str, None] = Bounded(MAX_DROPPED)  # dropped, so that IF NOT EXISTS creates it again

    def apply(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[tuple[Change, ...], tuple[Process, ...]]:
        """Apply a successful command; return the changes that it made, and those of its processes that took effect.

        `has_written` is True if a write ran within it: CREATE TABLE IF NOT EXISTS … AS SELECT may have found its table existing.
        """
        if isinstance(command, CreateTableAsSelect) and command.ignore_if_exists and not has_written:
            return (), ()
        if _is_tracked_elsewhere(command) and not _keeps_columns(command):
            return (), processes
        if isinstance(command, V2ViewCommand) and command.allow_existing and not self._were_dropped(processes):
            return (), ()  # it may have existed already, which no event shows
        if not isinstance(command, (V2CreateTableAsSelect, V2ViewCommand)):
            return tuple(self._changes(command)), processes
        defined = tuple(self._define(o) for p in processes for o in p.outputs if isinstance(o, TableDataset))
        return defined, processes

    def _were_dropped(self, processes: tuple[Process, ...]) -> bool:
        return all(o.key in self._gone for p in processes for o in p.outputs)

    @singledispatchmethod
    def _changes(self, command: LogicalPlan) -> Iterator[Change]:
        del command
        yield from ()

    @_changes.register
    def _(self, command: TableDefinition) -> Iterator[Change]:
        if command.identifier is None or command.spec is None:
            return
        table = created_table(
            command.catalog, command.identifier, command.spec, tuple(_columns(command.columns)), command.partitioning
        )
        if not (isinstance(command, CreateTable) and command.ignore_if_exists) or table.key in self._gone:
            yield self._define(table)

    @_changes.register
    def _(self, command: CreateTableLike) -> Iterator[Change]:
        if command.identifier is None or not isinstance(command.source, V2Table):
            return
        spec = TableSpec(
            properties=command.properties, provider=command.provider, location=command.location, comment=None
        )
        shown = tuple(map(described_column, command.source.columns))
        table = created_table(command.catalog, command.identifier, spec, shown, command.source.partitioning)
        if not command.if_not_exists or table.key in self._gone:
            yield self._define(table)

    @_changes.register
    def _(self, command: TableChange) -> Iterator[Change]:
        if command.identifier is None or not isinstance(command.table, V2Table):
            return
        table = described_table(named_table(command.catalog, command.identifier), alter(command, command.table))
        if isinstance(command, RenameColumn) and (renamed := top(command.column)) is not None:
            yield ColumnRenamed(table=table, old=renamed, new=command.new_name)
        else:
            yield TableDefined(table=table)

    @_changes.register
    def _(self, command: RenameTable) -> Iterator[Change]:
        is_known = isinstance(command.table, V2Table) or command.is_view
        if command.identifier is None or not is_known or not command.new_name:
            return
        *above, name = command.new_name
        if command.is_view and above[:1] == [command.catalog]:
            del above[0]
        moved = Identifier(namespace=tuple(above) or command.identifier.namespace, name=name)
        old = named_table(command.catalog, command.identifier)
        new = named_table(command.catalog, moved)
        if isinstance(command.table, V2Table):
            new = described_table(new, command.table)
        else:
            new = replace(new, table_type="VIEW", columns=self._tables.columns_of(old))
        self._gone[old.key] = None
        self._gone.pop(new.key, None)
        yield TableRenamed(old=old, new=new)

    @_changes.register
    def _(self, command: DropTable) -> Iterator[Change]:
        if command.identifier is not None:
            table = named_table(command.catalog, command.identifier)
            if not (command.if_exists and table.key in self._gone):
                self._gone[table.key] = None
                yield TableDropped(table=table)

    @_changes.register
    def _(self, command: CreateNamespace) -> Iterator[Change]:
        key = f"{command.catalog}.{namespace_name(command.namespace)}"
        if command.if_not_exists and key not in self._gone:
            return
        self._gone.pop(key, None)
        properties = dict(command.properties or {})
        yield DatabaseDefined(
            database=Database(
                name=namespace_name(command.namespace),
                catalog=command.catalog,
                location=properties.pop("location", None),
                comment=properties.pop("comment", None),
                properties=tuple(sorted(properties.items())),
            )
        )

    @_changes.register
    def _(self, command: DropNamespace) -> Iterator[Change]:
        name, catalog = namespace_name(command.namespace), command.catalog or ""
        if command.if_exists and f"{catalog}.{name}" in self._gone:
            return
        dropped = Database(name=name, catalog=catalog)
        for table in self._tables.forget_database(dropped):
            self._gone[table.key] = None
            yield TableDropped(table=TableDataset(catalog=catalog, database=table.database, name=table.name))
        self._gone[f"{catalog}.{name}"] = None
        yield DatabaseDropped(database=dropped)

    def _define(self, table: TableDataset) -> TableDefined:
        self._gone.pop(table.key, None)
        return TableDefined(table=table)


def _is_tracked_elsewhere(command: LogicalPlan) -> bool:
    """Return whether a command's catalog is the session catalog, or one whose tables are reported as those of another system."""
    catalog = getattr(command, "catalog", None)
    catalog_class = getattr(command, "catalog_class", None) or ""
    return catalog is None or catalog == SESSION_CATALOG or has_external_tables(catalog_class)


def _keeps_columns(command: LogicalPlan) -> bool:
    """Return whether a command changes a session catalog table whose format keeps the columns: no event shows the change."""
    changed = command.table if isinstance(command, TableChange) else None
    provider = changed.all_properties.get("provider") if isinstance(changed, V2Table) else None
    return provider in _KEEPING_COLUMNS and getattr(command, "catalog", None) == SESSION_CATALOG


def requested_table(command: LogicalPlan) -> TableDataset | None:
    """Return the session catalog table that a command creates, as the statement requests it; None for other commands."""
    if not isinstance(command, (TableDefinition, V2CreateTableAsSelect)) or command.catalog != SESSION_CATALOG:
        return None
    if command.identifier is None or command.spec is None:
        return None
    requested = (
        columns(command.query_output)
        if isinstance(command, V2CreateTableAsSelect)
        else tuple(_columns(command.columns))
    )
    return created_table(command.catalog, command.identifier, command.spec, requested, command.partitioning)


def _columns(defined: Iterable[object]) -> Iterator[Column]:
    for c in defined:
        if isinstance(c, (ColumnDefinition, StructField)):
            yield described_column(c)


def alter(command: TableChange, table: V2Table) -> V2Table:
    """Return the table after the command."""
    columns, properties = list(table.columns), dict(table.all_properties)
    match command:
        case AddColumns():
            known = {c.name for c in columns}
            columns += (c for c in _add_columns(command.columns) if c.name not in known)
        case ReplaceColumns():
            columns = list(_add_columns(command.columns))
        case DropColumns():
            dropped = {top(c) for c in command.columns}
            columns = [c for c in columns if c.name not in dropped]
        case RenameColumn():
            old = top(command.column)
            columns = [dataclasses.replace(c, name=command.new_name) if c.name == old else c for c in columns]
        case AlterColumn():
            columns = [_alter_column(c, command) for c in columns]
        case AlterColumns():
            for spec in command.specs:
                columns = [_alter_column(c, spec) for c in columns]
        case SetTableProperties():
            properties.update(command.properties or {})
        case UnsetTableProperties():
            properties = {k: v for k, v in properties.items() if k not in command.keys}
        case SetTableLocation() if command.partition_parts is None:
            properties["location"] = command.location
        case CommentOnTable():
            properties["comment"] = command.comment
    return dataclasses.replace(table, columns=tuple(columns), properties=properties)


def _alter_column(column: V2Column, spec: Expression | AlterColumn) -> V2Column:
    if not isinstance(spec, (AlterColumn, AlterColumnSpec)) or top(spec.column) != column.name:
        return column
    comment = column.comment if spec.comment is None else spec.comment
    return dataclasses.replace(column, type=spec.type or column.type, comment=comment)


def _add_columns(columns: Iterable[QualifiedColType]) -> Iterator[V2Column]:
    """Yield the columns that are added; fields within a column are skipped."""
    for c in columns:
        if len(c.name) == 1:
            yield V2Column(name=c.name[0], type=c.type, nullable=c.nullable, comment=c.comment)


def top(column: Expression) -> str | None:
    """Return the name of a top-level column; None for a field within one."""
    return column.name[0] if isinstance(column, FieldName) and len(column.name) == 1 else None
