"""Apply ALTER TABLE to the definition of a table of a V2 catalog.

A connector may return the table from before or after the change, so each change is applied only if it is missing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import singledispatch

from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.v2_definitions import (
    AddColumns,
    AlterColumn,
    AlterColumns,
    AlterColumnSpec,
    CommentOnTable,
    DropColumns,
    FieldName,
    QualifiedColType,
    RenameColumn,
    ReplaceColumns,
    SetTableLocation,
    SetTableProperties,
    TableChange,
    UnsetTableProperties,
)
from sac_kafka.plan.v2_tables import V2Column, V2Table


@singledispatch
def changed(command: TableChange, table: V2Table) -> V2Table:
    """Return the table after the command."""
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
    dropped = {top(c) for c in command.columns}
    return _with(table, [c for c in table.columns if c.name not in dropped])


@changed.register
def _(command: RenameColumn, table: V2Table) -> V2Table:
    old = top(command.column)
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
    name = top(spec.column)
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
    """Yield the columns that are added; fields within a column are skipped."""
    for c in columns:
        if len(c.name) == 1:
            yield V2Column(name=c.name[0], type=c.type, nullable=c.nullable, comment=c.comment)


def top(column: Expression) -> str | None:
    """Return the name of a top-level column; None for a field within one."""
    return column.name[0] if isinstance(column, FieldName) and len(column.name) == 1 else None
