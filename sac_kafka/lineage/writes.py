"""Which nodes write, and what: one registered function a command."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import singledispatch

from sac_kafka.lineage.datasets import Patterns, columns, paths, table
from sac_kafka.lineage.model import Dataset
from sac_kafka.plan.commands import (
    CreateDataSourceTableAsSelectCommand,
    CreateHiveTableAsSelectCommand,
    InsertIntoDataSourceDirCommand,
    InsertIntoHadoopFsRelationCommand,
    InsertIntoHiveTable,
    SaveAsV1TableCommand,
)
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union, WithCTE


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Write:
    """A dataset that a command writes, from `query`; `output` are its columns under the ids that the query gives them.

    `is_named` is False where the command left the database of the table to the session; `columns_cut` is True where
    its columns did not travel.
    """

    dataset: Dataset
    query: LogicalPlan
    output: tuple[Attribute, ...]
    is_named: bool = True
    columns_cut: bool = False


def writes(root: LogicalPlan, patterns: Patterns) -> Iterator[Write]:
    """The writes of an execution: of its root command, or of the commands under a multi-insert's Union or a WITH."""
    write = write_of(root, patterns)
    if write is not None:
        yield dataclasses.replace(write, columns_cut=root.columns_cut)
    elif isinstance(root, (Union, WithCTE)):
        for child in root.children:
            if child.is_command:
                yield from writes(child, patterns)


@singledispatch
def write_of(node: LogicalPlan, patterns: Patterns) -> Write | None:
    """What this node writes; None if it writes nothing."""
    del node, patterns
    return None


@write_of.register
def _(node: InsertIntoHadoopFsRelationCommand, patterns: Patterns) -> Write:
    written = columns(node.output_columns)
    dataset: Dataset
    if node.catalog_table is not None:
        # The table may have more columns than are written (static partitions); those of the catalog are all.
        dataset = table(node.catalog_table)
    else:
        (dataset,) = paths((node.output_path,), node.file_format, written, patterns)
    return Write(dataset=dataset, query=node.query, output=node.output_columns)


@write_of.register(CreateDataSourceTableAsSelectCommand)
@write_of.register(CreateHiveTableAsSelectCommand)
def _(node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand, patterns: Patterns) -> Write:
    del patterns
    output = tuple(
        dataclasses.replace(a, name=name) for a, name in zip(node.query_output, node.output_column_names, strict=False)
    )
    return _created(node, output)


@write_of.register
def _(node: SaveAsV1TableCommand, patterns: Patterns) -> Write:
    del patterns
    return _created(node, node.query_output)


def _created(
    node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand | SaveAsV1TableCommand,
    output: tuple[Attribute, ...],
) -> Write:
    # The definition in the command precedes the creation: its owner and time are not yet those of the catalog.
    dataset = dataclasses.replace(table(node.table, columns(output)), owner=None, created_ms=None)
    return Write(dataset=dataset, query=node.query, output=output, is_named=node.table.identifier.database is not None)


@write_of.register
def _(node: InsertIntoHiveTable, patterns: Patterns) -> Write:
    del patterns
    return Write(dataset=table(node.table), query=node.query, output=node.output_columns)


@write_of.register
def _(node: InsertIntoDataSourceDirCommand, patterns: Patterns) -> Write | None:
    if node.storage.location is None:
        return None
    written = columns(node.query_output)
    (dataset,) = paths((node.storage.location,), node.provider, written, patterns)
    return Write(dataset=dataset, query=node.query, output=node.query_output)
