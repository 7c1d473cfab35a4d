"""Derive the writes of the commands of V2 sources and catalogs."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from sac_kafka.lineage.columns.v2_rows import as_deletion, as_merge, as_update, has_values, without_copies
from sac_kafka.lineage.datasets.leaves import only_dataset
from sac_kafka.lineage.datasets.sources import has_external_tables
from sac_kafka.lineage.datasets.tables import columns
from sac_kafka.lineage.datasets.v1_writes import rename
from sac_kafka.lineage.datasets.v2_tables import (
    class_of,
    named_table,
    partition_columns,
    user_properties,
    v2_reading,
)
from sac_kafka.lineage.datasets.writes import Write, directory, directory_write, part_of, write_of, writes_of
from sac_kafka.model import Column, TableDataset
from sac_kafka.names.files import Patterns
from sac_kafka.plan.expressions import Attribute, Literal
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import Filter
from sac_kafka.plan.relations import LogicalRelation
from sac_kafka.plan.v2_tables import (
    DataSourceV2Relation,
    Identifier,
    RowLevelOperationTable,
    Transform,
    V2Table,
    V2ViewCommand,
)
from sac_kafka.plan.v2_writes import (
    DeleteFromTable,
    MergeIntoTable,
    MergeRows,
    OverwriteByExpression,
    OverwritePartitionsDynamic,
    ReplaceData,
    RowLevelWrite,
    TableSpec,
    UpdateTable,
    V2CreateTableAsSelect,
    V2Write,
)

_OPERATION = "__row_operation"

_CHANGED_ROWS = {"UPDATE": without_copies, "DELETE": as_deletion}
"""Functions that reduce the query of a copy-on-write command to the changed rows, by command."""


@writes_of.register
def _(node: V2Write, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    match = _by_name if node.is_by_name else _by_position
    output = match(node.query_output, node.table_output)
    target = v2_reading(node, columns(output), patterns)
    counts.update((f"sink not understood: {class_of(node.table)}",) if target is None else target.counts)
    if target is None or target.only is None:
        return ()
    part, is_replacement = _replaced_part(node)
    return (Write(dataset=target.only, query=node.query, output=output, part=part, is_replacement=is_replacement),)


def _replaced_part(node: V2Write) -> tuple[str, bool]:
    """Return the part that a write replaces ("" for the whole table), and whether it replaces any."""
    if isinstance(node, OverwritePartitionsDynamic):  # what it replaces depends on its rows, if there are partitions
        return "", isinstance(node.table, V2Table) and not node.table.partitioning
    if not isinstance(node, OverwriteByExpression) or node.is_partial:
        return "", False
    if isinstance(node.replaced, Literal):
        return "", True
    return part_of(node.condition), node.condition is not None


@write_of.register
def _(node: V2CreateTableAsSelect, patterns: Patterns) -> Write | None:
    # A table of a JDBC catalog is identified by its URL, which only the nested execution that writes it contains.
    if has_external_tables(node.catalog_class):
        return None
    output = columns(node.query_output)
    if node.path is not None:  # CREATE TABLE delta.`/data/t`
        path = directory(
            node.path,
            node.spec.provider or node.identifier.namespace[-1],
            output,
            patterns,
            is_whole=not node.is_partial,
        )
        return directory_write(path, node.query, node.query_output, node.path, is_replacement=not node.is_partial)
    dataset = created_table(node.catalog, node.identifier, node.spec, output, node.partitioning)
    return Write(dataset=dataset, query=node.query, output=node.query_output, is_replacement=not node.is_partial)


@write_of.register
def _(node: V2ViewCommand, _patterns: Patterns) -> Write | None:
    if node.identifier is None or node.query is None:
        return None
    output = rename(node.query_output, node.names or [a.name for a in node.query_output])
    view = dataclasses.replace(named_table(node.catalog, node.identifier), table_type="VIEW", columns=columns(output))
    return Write(dataset=view, query=node.query, output=output, is_view=True)


@write_of.register
def _(node: RowLevelWrite, patterns: Patterns) -> Write | None:
    target = v2_reading(node, columns(node.table_output), patterns)
    if target is None or target.only is None:
        return None
    changed = _CHANGED_ROWS.get(_command(node)) if isinstance(node, ReplaceData) else None
    query = node.query if changed is None else changed(node.query)
    rows = tuple(a for a in node.query_output if a.name != _OPERATION)
    if isinstance(query, MergeRows) and not isinstance(node, ReplaceData):
        query = dataclasses.replace(query, marks_deletions=True)
    # A deletion writes no values; the columns of its condition decide the remaining rows.
    is_deletion = _command(node) == "DELETE" or not has_values(query)
    output = () if is_deletion else _by_position(rows[: len(node.table_output)], node.table_output)
    own = tuple(leaf for leaf in walk(query) if isinstance(leaf, DataSourceV2Relation) and leaf.is_own_target)
    return Write(dataset=target.only, query=query, output=output, own_reads=own)


@write_of.register(MergeIntoTable)
@write_of.register(UpdateTable)
def _(node: MergeIntoTable | UpdateTable, patterns: Patterns) -> Write | None:
    target = target_of(node)
    if target is None:
        return None
    query = as_merge(node, target.output) if isinstance(node, MergeIntoTable) else as_update(node, target.output)
    return change_rows(target, query, query.output, patterns)


@write_of.register
def _(node: DeleteFromTable, patterns: Patterns) -> Write | None:
    target = target_of(node)
    if target is None or isinstance(node.condition, Literal):  # deleting all rows depends on no column
        return None
    rows = Filter(children=node.children[:1], subqueries=node.subqueries, condition=node.condition)
    return change_rows(target, rows, (), patterns)


def created_table(
    catalog: str | None,
    identifier: Identifier,
    spec: TableSpec,
    with_columns: tuple[Column, ...],
    partitioning: Sequence[Transform],
) -> TableDataset:
    """Return the table that a CREATE TABLE defines."""
    return dataclasses.replace(
        named_table(catalog, identifier),
        provider=spec.provider,
        location=spec.location,
        comment=spec.comment,
        partition_columns=partition_columns(partitioning),
        columns=with_columns,
        properties=user_properties(spec.properties or {}),
    )


def target_of(node: LogicalPlan) -> DataSourceV2Relation | LogicalRelation | None:
    """Return the relation of the table that a command changes: its first child, below aliases."""
    target: LogicalPlan = node.children[0]
    while len(target.children) == 1:
        target = target.children[0]
    return target if isinstance(target, (DataSourceV2Relation, LogicalRelation)) else None


def change_rows(
    target: LogicalPlan, query: LogicalPlan, output: tuple[Attribute, ...], patterns: Patterns
) -> Write | None:
    """Return the write that changes the rows of `query` in the table of the leaf `target`, with new values for `output`."""
    dataset = only_dataset(target, patterns)
    return None if dataset is None else Write(dataset=dataset, query=query, output=output, own_reads=(target,))


def _command(node: RowLevelWrite) -> str:
    return node.table.command if isinstance(node.table, RowLevelOperationTable) else ""


def _by_position(rows: tuple[Attribute, ...], table: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Rename the query's columns to those of the table by position; more columns are new ones (schema evolution)."""
    named = (dataclasses.replace(a, name=t.name) for a, t in zip(rows, table, strict=False))
    return (*named, *rows[len(table) :])


def _by_name(rows: tuple[Attribute, ...], table: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Return the query's columns in the table's spelling; others are new ones (schema evolution)."""
    exact = {t.name for t in table}
    spelled = {t.name.lower(): t.name for t in table}
    return tuple(
        a if a.name in exact else dataclasses.replace(a, name=spelled.get(a.name.lower(), a.name)) for a in rows
    )
