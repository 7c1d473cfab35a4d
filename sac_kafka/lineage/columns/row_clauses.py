"""Extract the clauses by which relational operators decide rows: join, filter, group by, sort.

Importing this module registers the rules with `columns.rules`.
"""

from __future__ import annotations

import dataclasses
from functools import cache, reduce

from sac_kafka.lineage.columns.clause_texts import shorten
from sac_kafka.lineage.columns.output_columns import GROUPING_SET_COLUMN, Clause, Clauses, Columns
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of, row_clauses
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, through
from sac_kafka.plan.expressions import AttributeReference, Expression, UnknownExpression
from sac_kafka.plan.operators import (
    Aggregate,
    AsOfJoin,
    Deduplicate,
    Distinct,
    Expand,
    Filter,
    Join,
    LateralJoin,
    NearestByJoin,
    SetDifference,
    Sort,
)


@row_clauses.register
def _(node: Filter, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.FILTER, _unpivot_condition(node))


def _unpivot_condition(node: Filter) -> Expression:
    """Return the condition; that of UNPIVOT (`coalesce(a, b) IS NOT NULL`) as `a IS NOT NULL OR b IS NOT NULL`."""
    condition, below = node.condition, node.children[0]
    if not isinstance(below, Expand) or condition.simple_name != "IsNotNull":
        return condition
    values = condition.children[0]
    if values.simple_name != "Coalesce" or not all(isinstance(v, AttributeReference) for v in values.children):
        return condition
    conditions: list[Expression] = [dataclasses.replace(condition, children=(v,)) for v in values.children]
    return reduce(lambda one, other: UnknownExpression(class_name="Or", children=(one, other)), conditions)


@row_clauses.register
def _(node: Join, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.JOIN, node.condition)


@row_clauses.register
def _(node: AsOfJoin, below: ChildColumns) -> Clauses:
    return (
        *below.clause(Dependency.JOIN, node.as_of_condition),
        *below.clause(Dependency.JOIN, node.condition),
        *below.clause(Dependency.JOIN, node.order_expression),
    )


@row_clauses.register
def _(node: NearestByJoin, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.JOIN, node.ranking_expression)


@row_clauses.register
def _(node: LateralJoin, below: ChildColumns) -> Clauses:
    """Return the condition, and the columns of the left side that decide the rows of the right side."""
    # The condition uses columns of both sides, but `below` has only those of the left side.
    joined = ChildColumns(
        children=(columns_of(node, below),), columns_of_plan=below.columns_of_plan, cte=below.cte, outer=below.outer
    )
    known, deciding = below.all.by_id, below.correlating(node.right.plan)
    correlating = [
        known[c.expr_id]
        for c in node.right.children
        if isinstance(c, AttributeReference) and c.expr_id in deciding and c.expr_id in known
    ]
    return (
        *joined.clause(Dependency.JOIN, node.condition),
        *_of_columns(Dependency.JOIN, "", Columns(correlating), below),
    )


@row_clauses.register
def _(node: Aggregate, below: ChildColumns) -> Clauses:
    return below.clause(
        Dependency.GROUP_BY, *(e for e in node.grouping_expressions if not _is_number_of_a_set(e, below))
    )


def _is_number_of_a_set(e: Expression, below: ChildColumns) -> bool:
    """Return True for Spark's internal column that identifies the grouping set of ROLLUP and CUBE."""
    column = below.all.by_id.get(e.expr_id) if isinstance(e, AttributeReference) else None
    return column is not None and column.name == GROUPING_SET_COLUMN


@row_clauses.register
def _(node: Deduplicate, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.GROUP_BY, *node.keys, word="DISTINCT")


@row_clauses.register
def _(node: Distinct, below: ChildColumns) -> Clauses:
    del node
    return _of_columns(Dependency.GROUP_BY, "DISTINCT", below.all, below)


@row_clauses.register
def _(node: Sort, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.SORT, *node.order)


@row_clauses.register
def _(node: SetDifference, below: ChildColumns) -> Clauses:
    """Return all columns of both sides, as whole rows are compared."""
    first, second = below.children
    return (
        *_of_columns(Dependency.FILTER, "", first, below),
        *_of_columns(Dependency.FILTER, node.simple_name.upper(), second, below),
    )


def _of_columns(kind: Dependency, word: str, columns: Columns, below: ChildColumns) -> Clauses:
    """Return a clause over plain columns, () if there are none."""
    if not columns.outputs:
        return ()

    def text() -> str:
        qualified = below.qualify(columns.by_id)
        names = dict.fromkeys(qualified.get(c.expr_id) or c.render() for c in columns.outputs if c.name)
        return shorten(f"{word} {', '.join(names)}".strip())

    return (Clause(kind, through(columns.all_sources() or NO_SOURCES, kind), cache(text)),)
