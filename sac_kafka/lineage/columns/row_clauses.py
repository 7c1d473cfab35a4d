"""The clauses of the relational operators that decide rows: join, filter, group by, sort.

Importing it registers them with `columns.rules`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache, reduce

from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.clause_texts import shortened
from sac_kafka.lineage.columns.combining import NOTHING, through
from sac_kafka.lineage.columns.handed_up import NUMBER_OF_THE_SET, Clause, Clauses, Columns
from sac_kafka.lineage.columns.rules import columns_of, row_clauses, superseded
from sac_kafka.lineage.expressions.sql_forms import pivot
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import AttributeReference, Expression, UnknownExpression
from sac_kafka.plan.nodes import LogicalPlan
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
def _(node: Filter, below: Below) -> Clauses:
    return below.clause(Dependency.FILTER, _unpivoted(node))


def _unpivoted(node: Filter) -> Expression:
    """The condition; where UNPIVOT leaves out the rows without values, as one that somebody would write."""
    condition, below = node.condition, node.children[0]
    if not isinstance(below, Expand) or condition.simple_name != "IsNotNull":
        return condition
    values = condition.children[0]
    if values.simple_name != "Coalesce" or not all(isinstance(v, AttributeReference) for v in values.children):
        return condition
    there: list[Expression] = [dataclasses.replace(condition, children=(v,)) for v in values.children]
    return reduce(_either, there)


def _either(one: Expression, other: Expression) -> Expression:
    return UnknownExpression(class_name="Or", children=(one, other))


@row_clauses.register
def _(node: Join, below: Below) -> Clauses:
    return below.clause(Dependency.JOIN, node.condition)


@row_clauses.register
def _(node: AsOfJoin, below: Below) -> Clauses:
    return (
        *below.clause(Dependency.JOIN, node.as_of_condition),
        *below.clause(Dependency.JOIN, node.condition),
        *below.clause(Dependency.JOIN, node.order_expression),
    )


@row_clauses.register
def _(node: NearestByJoin, below: Below) -> Clauses:
    return below.clause(Dependency.JOIN, node.ranking_expression)


@row_clauses.register
def _(node: LateralJoin, below: Below) -> Clauses:
    """The condition, and the columns of the left side that decide the rows of the right side."""
    # The condition looks at both sides; the ids of the right one are unknown below.
    joined = Below(children=(columns_of(node, below),), of_plan=below.of_plan, cte=below.cte, outer=below.outer)
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
def _(node: Aggregate, below: Below) -> Clauses:
    return below.clause(
        Dependency.GROUP_BY, *(e for e in node.grouping_expressions if not _is_number_of_a_set(e, below))
    )


def _is_number_of_a_set(e: Expression, below: Below) -> bool:
    """True for what tells apart the grouping sets of ROLLUP and CUBE: a column of Spark's own."""
    column = below.all.by_id.get(e.expr_id) if isinstance(e, AttributeReference) else None
    return column is not None and column.name == NUMBER_OF_THE_SET


@superseded.register
def _(node: Aggregate) -> Sequence[LogicalPlan]:
    """PIVOT first aggregates by the pivot column too, which decides no row of what comes out."""
    return node.children if any(map(pivot, node.aggregate_expressions)) else ()


@row_clauses.register
def _(node: Deduplicate, below: Below) -> Clauses:
    return below.clause(Dependency.GROUP_BY, *node.keys, word="DISTINCT")


@row_clauses.register
def _(node: Distinct, below: Below) -> Clauses:
    del node
    return _of_columns(Dependency.GROUP_BY, "DISTINCT", below.all, below)


@row_clauses.register
def _(node: Sort, below: Below) -> Clauses:
    return below.clause(Dependency.SORT, *node.order)


@row_clauses.register
def _(node: SetDifference, below: Below) -> Clauses:
    """Rows are compared whole: the columns of both sides decide which ones there are."""
    first, second = below.children
    return (
        *_of_columns(Dependency.FILTER, "", first, below),
        *_of_columns(Dependency.FILTER, node.simple_name.upper(), second, below),
    )


def _of_columns(kind: Dependency, word: str, columns: Columns, below: Below) -> Clauses:
    """A clause over whole columns, as they are called."""
    if not columns.outputs:
        return ()

    def text() -> str:
        told = below.qualified(columns.by_id)
        names = dict.fromkeys(told.get(c.expr_id) or c.shown() for c in columns.outputs if c.name)
        return shortened(f"{word} {', '.join(names)}".strip())

    return (Clause(kind, through(columns.all_sources() or NOTHING, kind), cache(text)),)
