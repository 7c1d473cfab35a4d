"""Identify reads of Delta Lake (current and past versions, change data feeds), and derive the writes of its commands."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from sac_kafka.lineage.columns.v2_rows import as_merge, as_update
from sac_kafka.lineage.datasets.leaves import only_leaf, relation_reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.tables import catalog_dataset
from sac_kafka.lineage.datasets.v2_writes import change_rows
from sac_kafka.lineage.datasets.writes import Write, write_of
from sac_kafka.model import Column
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.expressions import Attribute, AttributeReference, Expression, Literal
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Filter
from sac_kafka.plan.relations import LogicalRelation
from sac_kafka.plan.systems.delta import (
    CloneDeltaSource,
    CloneSource,
    CloneTableCommand,
    CreateDeltaTableCommand,
    DeltaChangesRelation,
    DeltaDeleteCommand,
    DeltaMergeAction,
    DeltaMergeIntoClause,
    DeltaMergeIntoCommand,
    DeltaUpdateCommand,
    TahoeFileIndex,
    TahoeLogFileIndex,
)
from sac_kafka.plan.v2_writes import AssigningAction, Assignment, MergeAction, MergeIntoTable, MergeRows, UpdateTable

FORMAT = "delta"

_CHANGE_COLUMNS = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
"""Columns that the change data feed adds: they are not columns of the table."""


@relation_reading.register
def _(index: TahoeFileIndex, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    is_requested = isinstance(index, TahoeLogFileIndex) and index.is_time_travel and index.version >= 0
    version = f"version {index.version}" if is_requested and isinstance(index, TahoeLogFileIndex) else None
    return Reading(datasets=paths((index.path,), FORMAT, columns, patterns), version=version)


@relation_reading.register
def _(relation: DeltaChangesRelation, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    first, last = relation.from_version, relation.to_version
    parts = ("changes", first is not None and f"from version {first}", last is not None and f"to version {last}")
    own = tuple(c for c in columns if c.name not in _CHANGE_COLUMNS)
    return Reading(
        datasets=paths((relation.path,), FORMAT, own, patterns),
        version=" ".join(part for part in parts if part),
        hidden=_CHANGE_COLUMNS,
    )


@relation_reading.register
def _(source: CloneSource, columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    location = source.name.partition("`")[2].rstrip("`")
    return Reading(datasets=paths((location,), source.format, columns, patterns)) if location else None


@relation_reading.register
def _(source: CloneDeltaSource, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    version = None if source.asked_for is None else f"version {source.version}"
    return Reading(datasets=paths((source.path,), FORMAT, columns, patterns), version=version)


_NEW_COLUMNS = 1 << 60
"""First id of the columns that a MERGE adds to its target, which have no exprId."""


@write_of.register
def _(node: DeltaMergeIntoCommand, patterns: Patterns) -> Write | None:
    clauses = [
        tuple(c for c in branch if isinstance(c, DeltaMergeIntoClause))
        for branch in (node.matched, node.not_matched, node.not_matched_by_source)
    ]
    target = _with_new(node.target_output, [a for branch in clauses for c in branch for a in _actions(c)])
    ids = {a.name.lower(): a.expr_id for a in target}
    matched, not_matched, by_source = (tuple(_action(c, ids) for c in branch) for branch in clauses)
    merge = MergeIntoTable(
        class_name=node.class_name,
        children=(node.target, node.source),
        subqueries=node.subqueries,
        condition=node.condition,
        matched=matched,
        not_matched=not_matched,
        not_matched_by_source=by_source,
    )
    return _change_table(node.target, as_merge(merge, target), node.target_output, patterns)


@write_of.register
def _(node: DeltaUpdateCommand, patterns: Patterns) -> Write | None:
    update = UpdateTable(
        class_name=node.class_name,
        children=(node.target,),
        subqueries=node.subqueries,
        assignments=tuple(_assignment(a.expr_id, v) for a, v in zip(node.target_output, node.values, strict=False)),
        condition=node.condition,
    )
    return _change_table(node.target, as_update(update, node.target_output), node.target_output, patterns)


@write_of.register
def _(node: DeltaDeleteCommand, patterns: Patterns) -> Write | None:
    if node.condition is None or isinstance(node.condition, Literal):  # deleting all rows depends on no column
        return None
    rows = Filter(children=(node.target,), subqueries=node.subqueries, condition=node.condition)
    return _change_table(node.target, rows, (), patterns)


@write_of.register
def _(node: CreateDeltaTableCommand, patterns: Patterns) -> Write | None:
    """Return the write of a clone, which copies all columns; other creations are reported by the enclosing command."""
    clone = node.query
    if not isinstance(clone, CloneTableCommand) or not isinstance(clone.source, CloneSource):
        return None
    dataset = catalog_dataset(node.table)
    if node.is_path and clone.target_path is not None:
        (dataset,) = paths((clone.target_path,), FORMAT, dataset.columns, patterns)
    output = tuple(Attribute(_NEW_COLUMNS + i, c.name, c.type, c.nullable) for i, c in enumerate(dataset.columns))
    source = LogicalRelation(
        class_name=clone.class_name, relation=clone.source, catalog_table=clone.source.catalog_table, output=output
    )
    return Write(dataset=dataset, query=source, output=output, is_replacement=True)


def _actions(clause: DeltaMergeIntoClause) -> Iterator[DeltaMergeAction]:
    return (a for a in clause.actions if isinstance(a, DeltaMergeAction) and a.target)


def _with_new(target: Sequence[Attribute], actions: Sequence[DeltaMergeAction]) -> tuple[Attribute, ...]:
    """Return the columns of the target and those that a MERGE adds to it."""
    known = {a.name.lower() for a in target}
    new = dict.fromkeys(a.target[0] for a in actions if a.target[0].lower() not in known)
    return (*target, *(Attribute(_NEW_COLUMNS + i, name, "", True) for i, name in enumerate(new)))


def _action(clause: DeltaMergeIntoClause, ids: dict[str, int]) -> Expression:
    if not clause.actions:
        return MergeAction(class_name="DeleteAction", condition=clause.condition)
    assignments = tuple(_assignment(ids[a.target[0].lower()], a.value) for a in _actions(clause))
    return AssigningAction(class_name="UpdateAction", condition=clause.condition, assignments=assignments)


def _assignment(column: int, value: Expression) -> Assignment:
    key = AttributeReference(expr_id=column)
    return Assignment(children=(key, value), key=key, value=value)


def _change_table(
    target: LogicalPlan, query: LogicalPlan, own: tuple[Attribute, ...], patterns: Patterns
) -> Write | None:
    """Return the write that changes the table below aliases, projections and views; None if there is no single table."""
    leaf, output = only_leaf(target), query.output if isinstance(query, MergeRows) else ()
    if isinstance(query, MergeRows):
        query = dataclasses.replace(query, own=own)
    return None if leaf is None else change_rows(leaf, query, output, patterns)
