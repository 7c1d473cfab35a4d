"""Apply ALTER TABLE to the definition of a table of a V2 catalog.

A connector may return the table from before or after the change, so each change is applied only if it is missing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

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
