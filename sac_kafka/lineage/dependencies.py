"""From an expression to the columns it depends on, and how: a value flows, or a condition decides.

Expressions of thousands of terms are walked with a stack, never by recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sac_kafka.lineage.model import ColumnSource, Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    AttributeReference,
    CaseWhen,
    Expression,
    If,
    OuterReference,
    WindowExpression,
)
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression

Sources = frozenset[ColumnSource]
NOTHING: Sources = frozenset()

_STRENGTH = {Dependency.IDENTITY: 0, Dependency.TRANSFORMATION: 1, Dependency.AGGREGATION: 2}


def combined(upper: Dependency, lower: Dependency) -> Dependency:
    """The dependency along a path: what is INDIRECT stays it, else the strongest counts."""
    if not upper.is_direct:
        return upper
    if not lower.is_direct:
        return lower
    return upper if _STRENGTH[upper] >= _STRENGTH[lower] else lower


def through(sources: Sources, upper: Dependency) -> Sources:
    """The sources of a value, seen from an expression that uses it as `upper`."""
    if upper is Dependency.IDENTITY:
        return sources
    return frozenset(ColumnSource(s.dataset, s.column, combined(upper, s.dependency)) for s in sources)


def sources_of(
    expression: Expression,
    known: Mapping[int, Sources],
    subquery: Callable[[LogicalPlan], Sources],
    start: Dependency = Dependency.IDENTITY,
) -> Sources:
    """The columns that an expression depends on.

    Args:
        expression: The expression.
        known: The sources of the columns below, by exprId.
        subquery: The sources of the value of a subquery's plan.
        start: The dependency with which the whole expression is used.
    """
    by_use: dict[Dependency, set[ColumnSource]] = {}
    seen: set[tuple[int, Dependency]] = set()
    stack: list[tuple[Expression, Dependency]] = [(expression, start)]
    while stack:
        e, use = stack.pop()
        if type(e) is AttributeReference:
            by_use.setdefault(use, set()).update(known.get(e.expr_id, NOTHING))
            continue
        if (id(e), use) in seen:
            continue
        seen.add((id(e), use))
        if isinstance(e, SubqueryExpression):
            value = use if e.has_value else combined(use, Dependency.CONDITIONAL)
            by_use.setdefault(value, set()).update(subquery(e.plan))
        stack.extend(_operands(e, use))
    if len(by_use) == 1 and Dependency.IDENTITY in by_use:
        return frozenset(by_use[Dependency.IDENTITY])
    return NOTHING.union(*(through(frozenset(s), use) for use, s in by_use.items()))


Operands = Iterator[tuple[Expression, Dependency]]
_RANKING = frozenset({"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile"})


def _operands(e: Expression, use: Dependency) -> Operands:
    """The children and how each is used."""
    return _USES.get(type(e), _transformed)(e, use)


def _alias(e: Expression, use: Dependency) -> Operands:
    return ((c, use) for c in e.children)


def _transformed(e: Expression, use: Dependency) -> Operands:
    # The children of rank functions are the window's order once more.
    as_what = Dependency.WINDOW if e.simple_name in _RANKING else Dependency.TRANSFORMATION
    return ((c, combined(use, as_what)) for c in e.children)


def _case(e: Expression, use: Dependency) -> Operands:
    last = len(e.children) - 1
    for i, child in enumerate(e.children):
        is_value = i % 2 == 1 or i == last
        yield child, combined(use, Dependency.TRANSFORMATION if is_value else Dependency.CONDITIONAL)


def _if(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.TRANSFORMATION if i else Dependency.CONDITIONAL)


def _window(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.WINDOW if i else Dependency.TRANSFORMATION)


def _aggregate(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.CONDITIONAL if i else Dependency.AGGREGATION)


def _subquery(e: Expression, use: Dependency) -> Operands:
    # The children are the columns of the query around it that correlate the subquery.
    return ((c, combined(use, Dependency.JOIN)) for c in e.children)


def _outer(e: Expression, use: Dependency) -> Operands:
    assert isinstance(e, OuterReference)
    yield e.reference, use


_USES: dict[type, Callable[[Expression, Dependency], Iterator[tuple[Expression, Dependency]]]] = {
    CaseWhen: _case,
    If: _if,
    WindowExpression: _window,
    AggregateExpression: _aggregate,
    SubqueryExpression: _subquery,
    OuterReference: _outer,
}
