"""From an expression to the columns it depends on, and how: a value flows, or a condition decides.

Expressions of thousands of terms are walked with a stack, never by recursion. What an expression cannot know yet, a column
of the query around it or of the loop it is in, stands for itself until the node above puts the sources in its place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

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
    HigherOrderFunction,
    If,
    LambdaFunction,
    ListAgg,
    MaxMinBy,
    NamedLambdaVariable,
    NullIfResult,
    OuterReference,
    PivotFirst,
    ReplacedExpression,
    SqlFunction,
    WindowExpression,
    With,
)
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression

Sources = frozenset[ColumnSource]
NOTHING: Sources = frozenset()

OUTER = "?outer"
"""The dataset of a source that stands for a column of the query around a subquery; its column is the exprId."""

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


def substituted(sources: Sources, dataset: str, known: Mapping[str, Sources]) -> Sources:
    """The sources with those of `known` in place of the columns of `dataset` that stand for them."""
    if all(s.dataset != dataset or s.column not in known for s in sources):
        return sources
    kept = frozenset(s for s in sources if s.dataset != dataset or s.column not in known)
    return kept.union(*(through(known[s.column], s.dependency) for s in sources - kept))


def with_outer(sources: Sources, known: Mapping[int, Sources]) -> Sources:
    """The sources of a subquery's value, with the columns of the query around it in their place."""
    outer = {s.column: known[int(s.column)] for s in sources if s.dataset == OUTER and int(s.column) in known}
    return substituted(sources, OUTER, outer) if outer else sources


def resolved(sources: Sources) -> Sources:
    """The sources without those that stand for something that was not found."""
    return frozenset(s for s in sources if not s.dataset.startswith("?"))


def split_outer(sources: Sources) -> tuple[Sources, frozenset[int]]:
    """The sources without those that stand for columns of the query around; and the exprIds of these."""
    outer = frozenset(s for s in sources if s.dataset == OUTER)
    return sources - outer, frozenset(int(s.column) for s in outer)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scope:
    """What an expression sees: sources of columns by exprId, of the fields of structs, and of subqueries.

    `fields` are the sources of each field of the columns that are made as structs. `correlating` gives the
    exprIds of the outer columns that decide the rows of a subquery's plan.
    """

    known: Mapping[int, Sources]
    subquery: Callable[[LogicalPlan], Sources]
    fields: Mapping[int, Sequence[Sources]] = dataclasses.field(default_factory=dict)
    correlating: Callable[[LogicalPlan], Set[int]] = lambda _: frozenset()


Use = tuple[Expression, Dependency]
_Bindings = dict[tuple[str, int], tuple[Expression, ...]]


def sources_of(expression: Expression, scope: Scope, start: Dependency = Dependency.IDENTITY) -> Sources:
    """The columns that an expression depends on, where the whole expression is used as `start`."""
    by_use: dict[Dependency, set[ColumnSource]] = {}
    seen: set[tuple[int, Dependency]] = set()
    bound: _Bindings = {}
    stack: list[Use] = [(expression, start)]
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
            stack.extend(_correlation(e, use, scope.correlating(e.plan)))
        elif isinstance(e, (NamedLambdaVariable, CommonExpressionRef)):
            stack.extend((at, combined(use, _BOUND_USE[type(e)])) for at in bound.get(_key(e), ()))
        else:
            stack.extend(_USES.get(type(e), _transformed)(e, use))
    if len(by_use) == 1 and Dependency.IDENTITY in by_use:
        return frozenset(by_use[Dependency.IDENTITY])
    return NOTHING.union(*(through(frozenset(s), use) for use, s in by_use.items()))


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
    return frozenset({ColumnSource(OUTER, str(e.expr_id), Dependency.IDENTITY)})


def _field(e: Expression, scope: Scope) -> Sources | None:
    """The sources of one field, where the struct is known field by field."""
    assert isinstance(e, GetStructField)
    struct = e.children[0]
    fields = scope.fields.get(struct.expr_id) if isinstance(struct, AttributeReference) else None
    return fields[e.ordinal] if fields is not None and e.ordinal < len(fields) else None


_LEAVES: dict[type, Callable[[Expression, Scope], Sources | None]] = {OuterReference: _outer, GetStructField: _field}
"""Expressions whose sources are known without their children; None where they are not."""

Operands = Iterator[Use]
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


def _first_decides(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.TRANSFORMATION if i else Dependency.CONDITIONAL)


def _rest_decides(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.CONDITIONAL if i else Dependency.TRANSFORMATION)


def _listagg(e: Expression, use: Dependency) -> Operands:
    assert isinstance(e, ListAgg)
    order = {id(o) for o in e.order}
    for child in e.children:
        yield child, combined(use, Dependency.CONDITIONAL if id(child) in order else Dependency.TRANSFORMATION)


def _window(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.WINDOW if i else Dependency.TRANSFORMATION)


def _aggregate(e: Expression, use: Dependency) -> Operands:
    for i, child in enumerate(e.children):
        yield child, combined(use, Dependency.CONDITIONAL if i else Dependency.AGGREGATION)


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
