"""Derive the column lineage of row-level commands (DELETE, UPDATE, MERGE) without the copies of unchanged rows.

A copy-on-write source rewrites files and thereby copies unchanged rows, which is not a data flow. So the rewritten query of an
UPDATE is reduced to the changed rows, and the instructions of a MERGE that keep a row are ignored. Importing this module
registers `MergeRows` with `columns.rules`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.lineage.columns.operators import copy_of
from sac_kafka.lineage.columns.output_columns import Clauses, Columns, Definition, OutputColumn
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of, row_clauses
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, Expression, If, Literal
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import Filter, Join, Project, Union
from sac_kafka.plan.v2_tables import DataSourceV2Relation
from sac_kafka.plan.v2_writes import (
    AssigningAction,
    Assignment,
    Instruction,
    Keep,
    MergeAction,
    MergeIntoTable,
    MergeRows,
    Split,
    UpdateTable,
)

UNASSIGNED = Literal()
"""Placeholder for a column to which an instruction assigns no value."""


# ---- DELETE


def as_deletion(query: LogicalPlan) -> LogicalPlan:
    """Convert the query of a copy-on-write DELETE into one of the deleted rows.

    Spark keeps the rows with `NOT (condition <=> true)`.
    """
    if isinstance(query, Project):  # Spark 4 adds a column with the number of the operation
        return dataclasses.replace(query, children=(as_deletion(query.children[0]),))
    if not isinstance(query, Filter) or query.condition.simple_name != "Not":
        return query
    kept = query.condition.children[0]
    return dataclasses.replace(query, condition=kept.children[0]) if kept.simple_name == "EqualNullSafe" else query


# ---- UPDATE


def without_copies(query: LogicalPlan) -> LogicalPlan:
    """Convert the query of a copy-on-write UPDATE into one of the changed rows.

    Spark writes `if (condition) new else old` for each column, or a union of changed and kept rows if the condition
    contains a subquery.
    """
    changed = query.children[0] if isinstance(query, Union) else query
    if not isinstance(changed, Project):
        return changed
    conditions = [e.children[0].children[0] for e in changed.project_list if _is_choice(e)]
    if not conditions:
        # Spark 4.0 adds the number of the operation in a separate projection.
        is_wrapper = isinstance(changed.children[0], (Project, Union))
        return dataclasses.replace(changed, children=(without_copies(changed.children[0]),)) if is_wrapper else changed
    rows = Filter(children=changed.children, condition=conditions[0])
    values = tuple(_chosen(e) if _is_choice(e) else e for e in changed.project_list)
    return dataclasses.replace(changed, project_list=values, children=(rows,))


def _is_choice(e: Expression) -> bool:
    return isinstance(e, Alias) and isinstance(e.children[0], If)


def _chosen(e: Expression) -> Expression:
    return dataclasses.replace(e, children=(e.children[0].children[1],))


def as_update(node: UpdateTable, target: Sequence[Attribute]) -> MergeRows:
    """Convert an UPDATE executed by the source into a MERGE with one clause; `target` are the table's columns."""
    output = _assigned_columns(target, [node.assignments])
    instruction = _keep(node.assignments, None, output)
    rows: LogicalPlan = node.children[0]
    if node.condition is not None:
        rows = Filter(children=(rows,), subqueries=node.subqueries, condition=node.condition)
    return MergeRows(
        children=(rows,),
        subqueries=node.subqueries,
        matched=(instruction,),
        not_matched=(),
        not_matched_by_source=(),
        output=output,
    )


# ---- MERGE


def as_merge(node: MergeIntoTable, target: Sequence[Attribute]) -> MergeRows:
    """Convert a MERGE executed by the source into the analyzer's form; `target` are the table's columns."""
    clauses = (node.matched, node.not_matched, node.not_matched_by_source)
    output = _assigned_columns(target, [a.assignments for c in clauses for a in c if isinstance(a, AssigningAction)])
    matched, not_matched, by_source = (tuple(_instruction(a, output) for a in clause) for clause in clauses)
    join = Join(
        children=node.children[:2], subqueries=node.subqueries, join_type="FULL OUTER", condition=node.condition
    )
    return MergeRows(
        children=(join,),
        subqueries=node.subqueries,
        matched=matched,
        not_matched=not_matched,
        not_matched_by_source=by_source,
        output=output,
    )


def _instruction(action: Expression, output: Sequence[Attribute]) -> Expression:
    condition = action.condition if isinstance(action, MergeAction) else None
    if isinstance(action, AssigningAction):
        return _keep(action.assignments, condition, output)
    return Instruction(class_name="Discard", condition=condition or UNASSIGNED)


def _keep(assignments: Sequence[Expression], condition: Expression | None, output: Sequence[Attribute]) -> Keep:
    values: dict[int, Expression] = {}
    for a in assignments:
        if isinstance(a, Assignment) and (key := _column(a.key)) is not None:
            known = values.get(key)  # several fields of one column are assigned
            values[key] = a.value if known is None else dataclasses.replace(a, children=(known, a.value))
    return Keep(
        condition=condition or UNASSIGNED, output=tuple(values.get(_new(a.expr_id), UNASSIGNED) for a in output)
    )


def _assigned_columns(target: Sequence[Attribute], clauses: Sequence[Sequence[Expression]]) -> tuple[Attribute, ...]:
    """Return the target's columns that any clause assigns, under new ids: the old ones are the rows that are read."""
    keys = {_column(a.key) for clause in clauses for a in clause if isinstance(a, Assignment)}
    return tuple(dataclasses.replace(a, expr_id=_new(a.expr_id)) for a in target if a.expr_id in keys)


def _new(expr_id: int) -> int:
    """Convert the id of a column before the command to that after it, and back; Spark's exprIds are never negative."""
    return -expr_id - 1


def _column(key: Expression) -> int | None:
    """Return the id of the assigned column, also for an assignment to a field of it; None for any other target."""
    e = key
    while not isinstance(e, AttributeReference):
        if not e.children:
            return None
        e = e.children[0]
    return e.expr_id


@columns_of.register
def _(node: MergeRows, below: ChildColumns) -> Columns:
    target = _TargetRows.of_merge(node)
    written = _instructions_with_values(node, target)
    return Columns(_merge(i, a, written, target, below) for i, a in enumerate(node.output))


def has_values(query: LogicalPlan) -> bool:
    """Return False for a MERGE whose clauses only delete rows, so that no column gets a new value."""
    return not isinstance(query, MergeRows) or bool(_instructions_with_values(query, _TargetRows.of_merge(query)))


def _instructions_with_values(node: MergeRows, target: _TargetRows) -> list[Keep | Split]:
    """Return the instructions that write values."""
    return [i for i in _instructions(node) if isinstance(i, (Keep, Split)) and not target.writes_no_value(i)]


def _merge(
    at: int, a: Attribute, written: Sequence[Keep | Split], target: _TargetRows, below: ChildColumns
) -> OutputColumn:
    """Return a column with its values in all clauses; the condition of a clause decides the values that it changes."""
    sources = NO_SOURCES
    values = []
    for instruction in written:
        value = instruction.output[at]
        copied = copy_of(value, below.all)  # also with an implicit cast to the target's wider type
        sources |= below.sources_of(value) if copied is None else copied.sources
        if target.is_unchanged(value, a.name):
            continue
        if value is not UNASSIGNED:
            sources |= below.sources_of(instruction.condition, Dependency.CONDITIONAL)
        if copied is None and value is not UNASSIGNED:
            values.append(value)
    return OutputColumn(a.expr_id, a.name, sources, _definition(values, below) if values else None, a.type)


def _definition(values: Sequence[Expression], below: ChildColumns) -> Definition:
    rendered = [below.definition_of(value) for value in values]
    return Definition(lambda: "; ".join(dict.fromkeys(definition() for definition in rendered)))


@row_clauses.register
def _(node: MergeRows, below: ChildColumns) -> Clauses:
    """Return the conditions of the clauses that delete rows."""
    target = _TargetRows.of_merge(node)
    deletions = (i for i in _instructions(node) if not isinstance(i, (Keep, Split)) or target.is_deletion(i))
    return tuple(clause for i in deletions for clause in below.clause(Dependency.FILTER, i.condition))


def _instructions(node: MergeRows) -> Iterator[Instruction]:
    for e in (*node.matched, *node.not_matched, *node.not_matched_by_source):
        if isinstance(e, Instruction):
            yield e


@dataclasses.dataclass(frozen=True, slots=True)
class _TargetRows:
    """The rows of a MERGE's target: `target` are the names of its columns by id, `names` those of the written rows."""

    target: Mapping[int, str]
    names: tuple[str, ...]
    marks_deletions: bool

    @classmethod
    def of_merge(cls, node: MergeRows) -> _TargetRows:
        """Collect the columns of the target from the node and from the leaves that read it."""
        leaves = (leaf for leaf in walk(node) if isinstance(leaf, DataSourceV2Relation) and leaf.is_own_target)
        target = {a.expr_id: a.name for a in (*node.own, *(a for leaf in leaves for a in leaf.output))}
        return cls(target, tuple(a.name for a in node.output), node.marks_deletions)

    def is_unchanged(self, value: Expression, name: str) -> bool:
        """Return True if a value is the current one of the target's column."""
        return isinstance(value, AttributeReference) and self.target.get(value.expr_id) == name

    def writes_no_value(self, instruction: Keep | Split) -> bool:
        """Return True if an instruction only keeps or deletes the row."""
        return self._is_copy(instruction) or self.is_deletion(instruction)

    def _is_copy(self, instruction: Keep | Split) -> bool:
        rows = self._rows(instruction)
        return bool(rows) and all(self.is_unchanged(value, name) for value, name in rows)

    def is_deletion(self, instruction: Instruction) -> bool:
        """Return True if an instruction writes only the id of a row and nulls, which marks the row as deleted."""
        if not self.marks_deletions or not isinstance(instruction, Keep):
            return False
        others = [value for value, name in self._rows(instruction) if not self.is_unchanged(value, name)]
        return bool(others) and all(isinstance(value, Literal) and value.is_null for value in others)

    def _rows(self, instruction: Keep | Split) -> list[tuple[Expression, str]]:
        known = frozenset(self.target.values())
        return [(v, n) for v, n in zip(instruction.output, self.names, strict=False) if n in known]
