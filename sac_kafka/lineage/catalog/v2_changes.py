"""What the commands of V2 catalogs mean for the catalog: such catalogs post no events, the commands are all there is.

The session catalog's own tables are left to its events.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import singledispatch, singledispatchmethod

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.datasets.sources import has_tables_elsewhere
from sac_kafka.lineage.datasets.tables import SESSION_CATALOG
from sac_kafka.lineage.datasets.v2_tables import described_table, named_table, namespace_name, table_column
from sac_kafka.lineage.datasets.v2_writes import created_table
from sac_kafka.lineage.model import (
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
from sac_kafka.plan.v2_tables import Identifier, V2Column, V2Table
from sac_kafka.plan.v2_views import CreateV2View, V2ViewCommand
from sac_kafka.plan.v2_writes import CreateTableAsSelect, TableSpec, V2CreateTableAsSelect

MOST_DROPPED = 10_000
"""Names that are remembered as gone; the oldest is forgotten first."""

Seen = Callable[[str, str], Iterable[TableDataset]]
"""The tables of a database (catalog, name) that an application has seen."""


class V2Changes:
    """Takes the commands of an application that have succeeded, in order."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._gone: Bounded[str, None] = Bounded(MOST_DROPPED)  # what IF NOT EXISTS makes anew

    def said(
        self, command: LogicalPlan, processes: tuple[Process, ...], *, has_written: bool
    ) -> tuple[tuple[Change, ...], tuple[Process, ...]]:
        """What a command that has succeeded changed in a catalog of its own, and which of its processes are true.

        `has_written` is True where a write ran within it: an AS SELECT with IF NOT EXISTS may have found its table there.
        """
        if _is_elsewhere(command):
            return (), processes
        if isinstance(command, CreateV2View) and command.allow_existing and not self._is_anew(processes):
            return (), ()  # nothing says whether it was there
        if not isinstance(command, (V2CreateTableAsSelect, V2ViewCommand)):
            return tuple(self._of(command)), processes
        if isinstance(command, CreateTableAsSelect) and command.ignore_if_exists and not has_written:
            return (), ()
        made = tuple(self._defined(o) for p in processes for o in p.outputs if isinstance(o, TableDataset))
        return made, processes

    def _is_anew(self, processes: tuple[Process, ...]) -> bool:
        return all(o.key in self._gone for p in processes for o in p.outputs)

    @singledispatchmethod
    def _of(self, command: LogicalPlan) -> Iterator[Change]:
        del command
        yield from ()

    @_of.register
    def _(self, command: TableDefinition) -> Iterator[Change]:
        if command.identifier is None or command.spec is None:
            return
        table = created_table(
            command.catalog, command.identifier, command.spec, tuple(_columns(command.columns)), command.partitioning
        )
        if not (isinstance(command, CreateTable) and command.ignore_if_exists) or table.key in self._gone:
            yield self._defined(table)

    @_of.register
    def _(self, command: CreateTableLike) -> Iterator[Change]:
        if command.identifier is None or not isinstance(command.source, V2Table):
            return
        spec = TableSpec(
            properties=command.properties, provider=command.provider, location=command.location, comment=None
        )
        shown = tuple(map(table_column, command.source.columns))
        table = created_table(command.catalog, command.identifier, spec, shown, command.source.partitioning)
        if not command.if_not_exists or table.key in self._gone:
            yield self._defined(table)

    @_of.register
    def _(self, command: TableChange) -> Iterator[Change]:
        if command.identifier is None or not isinstance(command.table, V2Table):
            return
        table = described_table(named_table(command.catalog, command.identifier), changed(command, command.table))
        if isinstance(command, RenameColumn) and (renamed := _top(command.column)) is not None:
            yield ColumnRenamed(table=table, old=renamed, new=command.new_name)
        else:
            yield TableDefined(table=table)

    @_of.register
    def _(self, command: RenameTable) -> Iterator[Change]:
        if command.identifier is None or not isinstance(command.table, V2Table) or not command.new_name:
            return
        *above, name = command.new_name
        moved = Identifier(namespace=tuple(above) or command.identifier.namespace, name=name)
        old = named_table(command.catalog, command.identifier)
        new = described_table(named_table(command.catalog, moved), command.table)
        self._gone[old.key] = None
        self._gone.pop(new.key, None)
        yield TableRenamed(old=old, new=new)

    @_of.register
    def _(self, command: DropTable) -> Iterator[Change]:
        if command.identifier is not None:
            table = named_table(command.catalog, command.identifier)
            if not (command.if_exists and table.key in self._gone):
                self._gone[table.key] = None
                yield TableDropped(table=table)

    @_of.register
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

    @_of.register
    def _(self, command: DropNamespace) -> Iterator[Change]:
        name, catalog = namespace_name(command.namespace), command.catalog or ""
        if command.if_exists and f"{catalog}.{name}" in self._gone:
            return
        for table in self._seen(catalog, name):
            self._gone[table.key] = None
            yield TableDropped(table=TableDataset(catalog=catalog, database=table.database, name=table.name))
        self._gone[f"{catalog}.{name}"] = None
        yield DatabaseDropped(database=Database(name=name, catalog=catalog))

    def _defined(self, table: TableDataset) -> TableDefined:
        self._gone.pop(table.key, None)
        return TableDefined(table=table)


def _is_elsewhere(command: LogicalPlan) -> bool:
    """True for commands over the session catalog, and over catalogs whose tables are known by where they are."""
    catalog = getattr(command, "catalog", None)
    of = getattr(command, "catalog_class", None) or ""
    return catalog is None or catalog == SESSION_CATALOG or has_tables_elsewhere(of)


def _columns(defined: Iterable[object]) -> Iterator[Column]:
    for c in defined:
        if isinstance(c, (ColumnDefinition, StructField)):
            yield Column(name=c.name, type=c.type, nullable=c.nullable, comment=c.comment)


# ---- ALTER TABLE. A connector may hand out what the table was or what it is: each change is made only where it is not yet.


@singledispatch
def changed(command: TableChange, table: V2Table) -> V2Table:
    """The table after the command."""
    del command
    return table


@changed.register
def _(command: AddColumns, table: V2Table) -> V2Table:
    known = {c.name for c in table.columns}
    return _with(table, [*table.columns, *(c for c in _added(command.columns) if c.name not in known)])


@changed.register
def _(command: ReplaceColumns, table: V2Table) -> V2Table:
    return _with(table, list(_added(command.columns)))


@changed.register
def _(command: DropColumns, table: V2Table) -> V2Table:
    dropped = {_top(c) for c in command.columns}
    return _with(table, [c for c in table.columns if c.name not in dropped])


@changed.register
def _(command: RenameColumn, table: V2Table) -> V2Table:
    old = _top(command.column)
    return _with(table, [dataclasses.replace(c, name=command.new_name) if c.name == old else c for c in table.columns])


@changed.register
def _(command: AlterColumn, table: V2Table) -> V2Table:
    return _altered(command, table)


@changed.register
def _(command: AlterColumns, table: V2Table) -> V2Table:
    for spec in command.specs:
        if isinstance(spec, AlterColumnSpec):
            table = _altered(spec, table)
    return table


def _altered(spec: AlterColumn | AlterColumnSpec, table: V2Table) -> V2Table:
    name = _top(spec.column)
    return _with(table, [_as_specified(c, spec) if c.name == name else c for c in table.columns])


def _as_specified(column: V2Column, spec: AlterColumn | AlterColumnSpec) -> V2Column:
    comment = column.comment if spec.comment is None else spec.comment
    return dataclasses.replace(column, type=spec.type or column.type, comment=comment)


@changed.register
def _(command: SetTableProperties, table: V2Table) -> V2Table:
    return _with_properties(table, {**(table.properties or {}), **(command.properties or {})})


@changed.register
def _(command: UnsetTableProperties, table: V2Table) -> V2Table:
    return _with_properties(table, {k: v for k, v in (table.properties or {}).items() if k not in command.keys})


@changed.register
def _(command: SetTableLocation, table: V2Table) -> V2Table:
    if command.partition_parts is not None:
        return table
    return _with_properties(table, {**(table.properties or {}), "location": command.location})


@changed.register
def _(command: CommentOnTable, table: V2Table) -> V2Table:
    return _with_properties(table, {**(table.properties or {}), "comment": command.comment})


def _with(table: V2Table, columns: Sequence[V2Column]) -> V2Table:
    return dataclasses.replace(table, columns=tuple(columns))


def _with_properties(table: V2Table, properties: Mapping[str, str]) -> V2Table:
    return dataclasses.replace(table, properties=properties)


def _added(columns: Iterable[QualifiedColType]) -> Iterator[V2Column]:
    """The columns that are added; not fields within a column."""
    for c in columns:
        if len(c.name) == 1:
            yield V2Column(name=c.name[0], type=c.type, nullable=c.nullable, comment=c.comment)


def _top(column: Expression) -> str | None:
    """The name of a column; None for a field within one."""
    return column.name[0] if isinstance(column, FieldName) and len(column.name) == 1 else None
