"""The rows of UPDATE and MERGE: what becomes of a column, without the copies that a source's way of writing adds.

A source that writes files anew copies the rows that stay as they are; that is no flow of data. So what the analyzer made
of an UPDATE is read as the values of the rows that change, and of a MERGE the instructions that keep a row are left out.
Importing it registers `MergeRows` with `columns.rules`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.combining import NOTHING
from sac_kafka.lineage.columns.definitions import Definition
from sac_kafka.lineage.columns.handed_up import Clauses, Columns, OutputColumn
from sac_kafka.lineage.columns.operators import copy_of
from sac_kafka.lineage.columns.rules import columns_of, row_clauses
from sac_kafka.lineage.model import Dependency
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

UNASSIGNED = Literal(class_name="Literal", children=())
"""Stands where an instruction gives a column no value."""


# ---- DELETE


def as_deletion(query: LogicalPlan) -> LogicalPlan:
    """The query of a DELETE that writes all other rows anew, as one of the rows that go.

    Spark keeps the rows of `NOT (condition <=> true)`.
    """
    if isinstance(query, Project):  # Spark 4 writes the number of the operation beside the values
        return dataclasses.replace(query, children=(as_deletion(query.children[0]),))
    if not isinstance(query, Filter) or query.condition.simple_name != "Not":
        return query
    kept = query.condition.children[0]
    return dataclasses.replace(query, condition=kept.children[0]) if kept.simple_name == "EqualNullSafe" else query


# ---- UPDATE


def without_copies(query: LogicalPlan) -> LogicalPlan:
    """The query of an UPDATE that writes all rows anew, as one of the rows that change.

    Spark writes `if (condition) new else old` for each column, or a union of changed and kept rows where the condition
    holds a subquery.
    """
    changed = query.children[0] if isinstance(query, Union) else query
    if not isinstance(changed, Project):
        return changed
    conditions = [e.children[0].children[0] for e in changed.project_list if _is_choice(e)]
    if not conditions:
        # Spark 4.0 writes the number of the operation beside the values, in a projection of its own.
        is_around = isinstance(changed.children[0], (Project, Union))
        return dataclasses.replace(changed, children=(without_copies(changed.children[0]),)) if is_around else changed
    rows = Filter(class_name="Filter", children=changed.children, subqueries=(), condition=conditions[0])
    values = tuple(_chosen(e) if _is_choice(e) else e for e in changed.project_list)
    return dataclasses.replace(changed, project_list=values, children=(rows,))


def _is_choice(e: Expression) -> bool:
    return isinstance(e, Alias) and isinstance(e.children[0], If)


def _chosen(e: Expression) -> Expression:
    return dataclasses.replace(e, children=(e.children[0].children[1],))


def as_update(node: UpdateTable, target: Sequence[Attribute]) -> MergeRows:
    """An UPDATE that the source runs itself, as a MERGE of one clause without a source; `target` are the table's columns."""
    output = _assigned(target, [node.assignments])
    instruction = _keep(node.assignments, None, output)
    rows: LogicalPlan = node.children[0]
    if node.condition is not None:
        rows = Filter(class_name="Filter", children=(rows,), subqueries=node.subqueries, condition=node.condition)
    return MergeRows(
        class_name="MergeRows",
        children=(rows,),
        subqueries=node.subqueries,
        matched=(instruction,),
        not_matched=(),
        not_matched_by_source=(),
        output=output,
    )


# ---- MERGE


def as_merge(node: MergeIntoTable, target: Sequence[Attribute]) -> MergeRows:
    """A MERGE that the source runs itself, in the form that the analyzer gives the others; `target` as above."""
    clauses = (node.matched, node.not_matched, node.not_matched_by_source)
    output = _assigned(target, [a.assignments for c in clauses for a in c if isinstance(a, AssigningAction)])
    matched, not_matched, by_source = (tuple(_instruction(a, output) for a in clause) for clause in clauses)
    join = Join(
        class_name="Join",
        children=node.children[:2],
        subqueries=node.subqueries,
        join_type="FULL OUTER",
        condition=node.condition,
    )
    return MergeRows(
        class_name="MergeRows",
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
    return Instruction(class_name="Discard", children=(), condition=condition or UNASSIGNED)


def _keep(assignments: Sequence[Expression], condition: Expression | None, output: Sequence[Attribute]) -> Keep:
    values: dict[int, Expression] = {}
    for a in assignments:
        if isinstance(a, Assignment) and (key := _column(a.key)) is not None:
            known = values.get(key)  # fields of one column
            values[key] = a.value if known is None else dataclasses.replace(a, children=(known, a.value))
    return Keep(
        class_name="Keep",
        children=(),
        condition=condition or UNASSIGNED,
        output=tuple(values.get(_new(a.expr_id), UNASSIGNED) for a in output),
    )


def _assigned(target: Sequence[Attribute], clauses: Sequence[Sequence[Expression]]) -> tuple[Attribute, ...]:
    """The columns of the target that some clause gives a value, under ids of their own: below, theirs are the rows read."""
    keys = {_column(a.key) for clause in clauses for a in clause if isinstance(a, Assignment)}
    return tuple(dataclasses.replace(a, expr_id=_new(a.expr_id)) for a in target if a.expr_id in keys)


def _new(expr_id: int) -> int:
    """The id of a column after the command, of its id before it, and back: no exprId of Spark's is negative."""
    return -expr_id - 1


def _column(key: Expression) -> int | None:
    """The id of the column that an assignment is to, also where it is to a field within."""
    e = key
    while not isinstance(e, AttributeReference):
        if not e.children:
            return None
        e = e.children[0]
    return e.expr_id


@columns_of.register
def _(node: MergeRows, below: Below) -> Columns:
    kept = _Kept.of(node)
    written = _written(node, kept)
    return Columns(_merged(i, a, written, kept, below) for i, a in enumerate(node.output))


def has_values(query: LogicalPlan) -> bool:
    """False for a MERGE all of whose clauses delete: no column has a new value."""
    return not isinstance(query, MergeRows) or bool(_written(query, _Kept.of(query)))


def _written(node: MergeRows, kept: _Kept) -> list[Keep | Split]:
    """The instructions that give values."""
    return [i for i in _instructions(node) if isinstance(i, (Keep, Split)) and not kept.is_of(i)]


def _merged(at: int, a: Attribute, written: Sequence[Keep | Split], kept: _Kept, below: Below) -> OutputColumn:
    """A column: its values in all clauses; the condition of a clause decides on what the clause changes."""
    sources = NOTHING
    values = []
    for instruction in written:
        value = instruction.output[at]
        copied = copy_of(value, below.all)  # also to the wider type of the target
        sources |= below.of(value) if copied is None else copied.sources
        if kept.is_same(value, a.name):
            continue
        if value is not UNASSIGNED:
            sources |= below.of(instruction.condition, Dependency.CONDITIONAL)
        if copied is None and value is not UNASSIGNED:
            values.append(value)
    return OutputColumn(a.expr_id, a.name, sources, _definition(values, below) if values else None, a.type)


def _definition(values: Sequence[Expression], below: Below) -> Definition:
    rendered = [below.defining(value) for value in values]
    return Definition(lambda: "; ".join(dict.fromkeys(each() for each in rendered)))


@row_clauses.register
def _(node: MergeRows, below: Below) -> Clauses:
    """The conditions of clauses that delete."""
    kept = _Kept.of(node)
    gone = (i for i in _instructions(node) if not isinstance(i, (Keep, Split)) or kept.is_deletion(i))
    return tuple(clause for i in gone for clause in below.clause(Dependency.FILTER, i.condition))


def _instructions(node: MergeRows) -> Iterator[Instruction]:
    for e in (*node.matched, *node.not_matched, *node.not_matched_by_source):
        if isinstance(e, Instruction):
            yield e


@dataclasses.dataclass(frozen=True, slots=True)
class _Kept:
    """Knows the target's own values: its columns' names by id, and which columns of the rows are the table's."""

    target: Mapping[int, str]
    names: tuple[str, ...]
    marks_deletions: bool

    @classmethod
    def of(cls, node: MergeRows) -> _Kept:
        leaves = (leaf for leaf in walk(node) if isinstance(leaf, DataSourceV2Relation) and leaf.is_own_target)
        target = {a.expr_id: a.name for a in (*node.own, *(a for leaf in leaves for a in leaf.output))}
        return cls(target, tuple(a.name for a in node.output), node.marks_deletions)

    def is_same(self, value: Expression, name: str) -> bool:
        """True for the value that a column of the target has already."""
        return isinstance(value, AttributeReference) and self.target.get(value.expr_id) == name

    def is_of(self, instruction: Keep | Split) -> bool:
        """True where no value is written: the row stays as it is, or goes."""
        return self._is_copy(instruction) or self.is_deletion(instruction)

    def _is_copy(self, instruction: Keep | Split) -> bool:
        rows = self._rows(instruction)
        return bool(rows) and all(self.is_same(value, name) for value, name in rows)

    def is_deletion(self, instruction: Instruction) -> bool:
        """True where a row is written only to say which one goes: its id, and nulls."""
        if not self.marks_deletions or not isinstance(instruction, Keep):
            return False
        others = [value for value, name in self._rows(instruction) if not self.is_same(value, name)]
        return bool(others) and all(isinstance(value, Literal) and value.is_null for value in others)

    def _rows(self, instruction: Keep | Split) -> list[tuple[Expression, str]]:
        known = frozenset(self.target.values())
        return [(v, n) for v, n in zip(instruction.output, self.names, strict=False) if n in known]
