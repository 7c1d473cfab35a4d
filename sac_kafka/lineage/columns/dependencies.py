"""From an expression to the columns it depends on, and how: a value flows, or a condition decides.

Expressions of thousands of terms are walked with a stack, never by recursion.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Set

from sac_kafka.lineage.columns.combining import NOTHING, Sources, combined, through
from sac_kafka.lineage.columns.stand_ins import outer_column, with_outer
from sac_kafka.lineage.expressions.conversions import keeps_values, rebuilt
from sac_kafka.lineage.model import ColumnSource, Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    AttributeReference,
    CaseWhen,
    CommonExpressionDef,
    CommonExpressionRef,
    CreateNamedStruct,
    Expression,
    GetStructField,
    If,
    OuterReference,
    WindowExpression,
    With,
)
from sac_kafka.plan.functions import (
    HigherOrderFunction,
    LambdaFunction,
    ListAgg,
    MaxMinBy,
    NamedLambdaVariable,
    NullIfResult,
    PivotFirst,
    ReplacedExpression,
    SqlFunction,
)
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scope:
    """What an expression sees: sources of columns by exprId, of the fields of structs, and of subqueries.

    `field` gives the sources of a field of a column that is made as a struct. `correlating` gives the
    exprIds of the outer columns that decide the rows of a subquery's plan, `deciding` the other columns that do.
    """

    known: Mapping[int, Sources]
    subquery: Callable[[LogicalPlan], Sources]
    field: Callable[[Expression], Sources | None] = lambda _: None
    correlating: Callable[[LogicalPlan], Set[int]] = lambda _: frozenset()
    deciding: Callable[[LogicalPlan], Sources] = lambda _: NOTHING


DependsOn = tuple[Expression, Dependency]
_Bindings = dict[tuple[str, int], tuple[Expression, ...]]


def sources_of(expression: Expression, scope: Scope, start: Dependency = Dependency.IDENTITY) -> Sources:
    """The columns that an expression depends on, where the whole expression is used as `start`."""
    by_use: dict[Dependency, set[ColumnSource]] = {}
    seen: set[tuple[int, Dependency]] = set()
    bound: _Bindings = {}
    stack: list[DependsOn] = [(expression, start)]
    while stack:
        e, use = stack.pop()
        if type(e) is AttributeReference:
            by_use.setdefault(use, set()).update(scope.known.get(e.expr_id, NOTHING))
            continue
        if (id(e), use) in seen:
            continue
        seen.add((id(e), use))
        of_leaf = _LEAVES.get(type(e))
        if of_leaf is not None:
            found = of_leaf(e, scope)
            if found is not None:
                by_use.setdefault(use, set()).update(found)
                continue
        of = rebuilt(e)
        if of is not None:
            stack.append((of, use if keeps_values(e, of) else combined(use, Dependency.TRANSFORMATION)))
            continue
        _bind(e, bound)
        if isinstance(e, SubqueryExpression):
            if e.has_value:
                by_use.setdefault(use, set()).update(with_outer(scope.subquery(e.plan), scope.known))
            elif e.has_values:
                chosen = combined(use, Dependency.CONDITIONAL)
                by_use.setdefault(chosen, set()).update(with_outer(scope.subquery(e.plan), scope.known))
            if use not in _OF_ROWS:  # otherwise the clauses of the subquery are among those of the rows
                by_use.setdefault(combined(use, Dependency.CONDITIONAL), set()).update(scope.deciding(e.plan))
            stack.extend(_correlation(e, use, scope.correlating(e.plan)))
        elif isinstance(e, (NamedLambdaVariable, CommonExpressionRef)):
            stack.extend((at, combined(use, _BOUND_USE[type(e)])) for at in bound.get(_key(e), ()))
        else:
            stack.extend(_USES.get(type(e), _transformed)(e, use))
    if len(by_use) == 1 and Dependency.IDENTITY in by_use:
        return frozenset(by_use[Dependency.IDENTITY])
    return NOTHING.union(*(through(frozenset(s), use) for use, s in by_use.items()))


_OF_ROWS = frozenset({Dependency.JOIN, Dependency.FILTER, Dependency.SORT})
"""The uses of clauses whose operators make no values; GROUP BY belongs to an Aggregate, which makes values."""
_BOUND_USE = {NamedLambdaVariable: Dependency.TRANSFORMATION, CommonExpressionRef: Dependency.IDENTITY}


def _key(e: NamedLambdaVariable | CommonExpressionRef) -> tuple[str, int]:
    return ("variable", e.expr_id) if isinstance(e, NamedLambdaVariable) else ("common", e.id)


def _bind(e: Expression, bound: _Bindings) -> None:
    """What the variables of a lambda function and common expressions stand for."""
    if isinstance(e, With):
        bound.update({("common", d.id): d.children for d in e.children if isinstance(d, CommonExpressionDef)})
    elif isinstance(e, HigherOrderFunction):
        arguments = e.arguments
        for function in e.children[len(arguments) :]:
            for i, variable in enumerate(function.children[1:]):
                if isinstance(variable, NamedLambdaVariable):
                    bound[_key(variable)] = _elements(e.name, arguments, i)


def _elements(function: str, arguments: tuple[Expression, ...], variable: int) -> tuple[Expression, ...]:
    """The arguments whose elements the nth variable of a lambda function stands for."""
    if function in ("transform", "filter") and variable == 1:  # the position of the element
        return ()
    if function == "zip_with":
        return arguments[variable : variable + 1]
    if function == "map_zip_with" and variable > 0:
        return arguments[variable - 1 : variable]
    return arguments


def _outer(e: Expression, scope: Scope) -> Sources | None:
    del scope
    while isinstance(e, OuterReference):
        e = e.reference
    if not isinstance(e, AttributeReference):
        return NOTHING
    return outer_column(e.expr_id)


_LEAVES: dict[type, Callable[[Expression, Scope], Sources | None]] = {
    OuterReference: _outer,
    GetStructField: lambda e, scope: scope.field(e),
}
"""Expressions whose sources are known without their children; None where they are not."""

Operands = Iterator[DependsOn]
_RANKING = frozenset({"RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile"})


def _same(e: Expression, use: Dependency) -> Operands:
    return ((c, use) for c in e.children)


def _first(e: Expression, use: Dependency) -> Operands:
    return ((c, use) for c in e.children[:1])


def _transformed(e: Expression, use: Dependency) -> Operands:
    # The children of rank functions are the window's order once more.
    as_what = Dependency.WINDOW if e.simple_name in _RANKING else Dependency.TRANSFORMATION
    return ((c, combined(use, as_what)) for c in e.children)


def _case(e: Expression, use: Dependency) -> Operands:
    last = len(e.children) - 1
    for i, child in enumerate(e.children):
        is_value = i % 2 == 1 or i == last
        yield child, combined(use, Dependency.TRANSFORMATION if is_value else Dependency.CONDITIONAL)


def _first_and_rest(first: Dependency, rest: Dependency) -> Callable[[Expression, Dependency], Operands]:
    """The rule of an expression whose first operand has a part of its own."""

    def rule(e: Expression, use: Dependency) -> Operands:
        return ((child, combined(use, rest if i else first)) for i, child in enumerate(e.children))

    return rule


_first_decides = _first_and_rest(Dependency.CONDITIONAL, Dependency.TRANSFORMATION)
_rest_decides = _first_and_rest(Dependency.TRANSFORMATION, Dependency.CONDITIONAL)
_window = _first_and_rest(Dependency.TRANSFORMATION, Dependency.WINDOW)
_aggregate = _first_and_rest(Dependency.AGGREGATION, Dependency.CONDITIONAL)


def _listagg(e: Expression, use: Dependency) -> Operands:
    assert isinstance(e, ListAgg)
    order = {id(o) for o in e.order}
    for child in e.children:
        yield child, combined(use, Dependency.CONDITIONAL if id(child) in order else Dependency.TRANSFORMATION)


def _higher_order(e: Expression, use: Dependency) -> Operands:
    assert isinstance(e, HigherOrderFunction)
    chooses = e.name in ("filter", "map_filter", "array_sort")
    for child in e.children:
        is_choice = chooses and isinstance(child, LambdaFunction)
        yield child, combined(use, Dependency.CONDITIONAL if is_choice else Dependency.TRANSFORMATION)


def _struct_field(e: Expression, use: Dependency) -> Operands:
    assert isinstance(e, GetStructField)
    struct = e.children[0]
    if isinstance(struct, CreateNamedStruct) and e.ordinal < len(struct.values):
        yield struct.values[e.ordinal], use
    else:
        yield struct, combined(use, Dependency.TRANSFORMATION)


def _correlation(e: SubqueryExpression, use: Dependency, correlating: Set[int]) -> Operands:
    """The children are the columns of the query around it that the subquery looks at: those that decide its rows."""
    for child in e.children:
        if not isinstance(child, AttributeReference) or child.expr_id in correlating:
            yield child, combined(use, Dependency.JOIN)


_USES: dict[type, Callable[[Expression, Dependency], Operands]] = {
    CaseWhen: _case,
    If: _first_decides,
    NullIfResult: _first_decides,
    PivotFirst: _first_decides,
    MaxMinBy: _rest_decides,
    ListAgg: _listagg,
    WindowExpression: _window,
    AggregateExpression: _aggregate,
    ReplacedExpression: _same,
    SqlFunction: _same,
    With: _first,
    HigherOrderFunction: _higher_order,
    LambdaFunction: _first,
    GetStructField: _struct_field,
}
"""The operands of an expression and how each is used."""
