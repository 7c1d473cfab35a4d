"""An expression as text for people: literals are `?`, and no more than a bounded length of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sac_kafka.lineage.function_names import CONVERSIONS, OPERATORS, PREFIXES, SUFFIXES, function_name
from sac_kafka.plan.expressions import (
    AggregateExpression,
    Alias,
    AttributeReference,
    CaseWhen,
    Cast,
    CommonExpressionDef,
    CommonExpressionRef,
    CreateNamedStruct,
    Expression,
    GetStructField,
    HigherOrderFunction,
    If,
    Invoke,
    LambdaFunction,
    Literal,
    MaxMinBy,
    NamedLambdaVariable,
    NullIfResult,
    OuterReference,
    PythonUDF,
    ReplacedExpression,
    ScalaUDF,
    WindowExpression,
    With,
)
from sac_kafka.plan.nodes import SubqueryExpression

LONGEST = 1000
"""Characters; what is longer ends with an ellipsis."""

Part = str | Expression


def render(expression: Expression, name: Callable[[int], str | None]) -> str:
    """The text of an expression; `name` gives the names of the columns below, by exprId.

    Walks with a stack of parts, so that its depth does not matter, and stops at the longest text.
    """
    text: list[str] = []
    length = 0
    common: dict[int, Expression] = {}
    stack: list[Part] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            text.append(part)
            length += len(part)
            if length > LONGEST:
                return "".join(text)[: LONGEST - 1] + "…"
        elif isinstance(part, AttributeReference):
            stack.append(name(part.expr_id) or "?")
        elif isinstance(part, CommonExpressionRef):
            stack.append(common.get(part.id, "?"))
        else:
            if isinstance(part, With):
                common.update({d.id: d.children[0] for d in part.children if isinstance(d, CommonExpressionDef)})
            stack.extend(reversed(_FORMS.get(type(part), _call)(part)))
    return "".join(text)


def references(expressions: Iterable[Expression], names: Mapping[int, str]) -> Iterator[str]:
    """The names of the columns that expressions use, in order."""
    seen: set[int] = set()
    stack = list(expressions)[::-1]
    while stack:
        e = stack.pop()
        if isinstance(e, AttributeReference):
            if e.expr_id in names:
                yield names[e.expr_id]
        elif id(e) not in seen:
            seen.add(id(e))
            stack.extend(reversed(e.children))


def _call(e: Expression) -> list[Part]:
    """An operator between or beside operands, else a function's name and its arguments."""
    kind, width = e.simple_name, len(e.children)
    if kind in OPERATORS and width == 2:
        return ["(", e.children[0], f" {OPERATORS[kind]} ", e.children[1], ")"]
    if kind in SUFFIXES and width == 1:
        return ["(", e.children[0], SUFFIXES[kind], ")"]
    if kind in PREFIXES and width == 1:
        return ["(", PREFIXES[kind], e.children[0], ")"]
    if kind in CONVERSIONS and width:
        return [e.children[0]]
    special = _BY_CLASS.get(kind)
    return special(e) if special is not None and width else _named(function_name(kind), e.children)


def _named(name: str, arguments: Iterable[Expression]) -> list[Part]:
    return [name, "(", *_joined(arguments), ")"]


def _joined(children: Iterable[Expression], separator: str = ", ") -> list[Part]:
    parts: list[Part] = []
    for child in children:
        parts += [separator, child] if parts else [child]
    return parts


def _case(e: Expression) -> list[Part]:
    parts: list[Part] = ["CASE"]
    for i in range(0, len(e.children) - 1, 2):
        parts += [" WHEN ", e.children[i], " THEN ", e.children[i + 1]]
    if len(e.children) % 2:
        parts += [" ELSE ", e.children[-1]]
    return [*parts, " END"]


def _udf(e: Expression) -> list[Part]:
    assert isinstance(e, (PythonUDF, ScalaUDF))
    return _named(e.name or "udf", e.children)


def _cast(e: Expression) -> list[Part]:
    assert isinstance(e, Cast)
    if isinstance(e.children[0], Literal):
        return [e.children[0]]
    return ["CAST(", e.children[0], f" AS {e.type})"]


def _aggregate(e: Expression) -> list[Part]:
    function, *condition = e.children
    return [function, " FILTER (WHERE ", condition[0], ")"] if condition else [function]


def _outer(e: Expression) -> list[Part]:
    assert isinstance(e, OuterReference)
    return [e.reference]


def _first(e: Expression) -> list[Part]:
    return [e.children[0]]


def _replaced(e: Expression) -> list[Part]:
    """A function that is a method of the JVM keeps its name and the method's arguments."""
    assert isinstance(e, ReplacedExpression)
    child = e.children[0]
    return _named(e.name, child.children) if isinstance(child, Invoke) and e.name else [child]


def _invoked(e: Expression) -> list[Part]:
    assert isinstance(e, Invoke)
    return _named(function_name(e.name), e.children)


def _field(e: Expression) -> list[Part]:
    assert isinstance(e, GetStructField)
    return [e.children[0], f".{e.name or e.ordinal}"]


def _struct(e: Expression) -> list[Part]:
    assert isinstance(e, CreateNamedStruct)
    return _named("struct", e.values)


def _higher_order(e: Expression) -> list[Part]:
    assert isinstance(e, HigherOrderFunction)
    return _named(e.name, e.children)


def _lambda(e: Expression) -> list[Part]:
    return ["(", *_joined(e.children[1:]), ") -> ", e.children[0]]


def _variable(e: Expression) -> list[Part]:
    assert isinstance(e, NamedLambdaVariable)
    return [e.name]


def _max_min_by(e: Expression) -> list[Part]:
    assert isinstance(e, MaxMinBy)
    return _named(e.name, e.children)


def _over(e: Expression) -> list[Part]:
    return [e.children[0], " OVER (", *e.children[1:], ")"]


def _window_spec(e: Expression) -> list[Part]:
    """Children: the partition, the order, the frame; which child is which shows by its class."""
    order = [c for c in e.children if c.simple_name == "SortOrder"]
    frame = {"SpecifiedWindowFrame", "UnspecifiedFrame"}
    partition = [c for c in e.children if c.simple_name != "SortOrder" and c.simple_name not in frame]
    by: list[Part] = ["PARTITION BY ", *_joined(partition)] if partition else []
    gap: list[Part] = [" "] if partition and order else []
    return [*by, *gap, *(["ORDER BY ", *_joined(order)] if order else [])]


def _nullif(e: Expression) -> list[Part]:
    return ["CASE WHEN ", e.children[0], " THEN NULL ELSE ", e.children[1], " END"]


def _typed_aggregate(e: Expression) -> list[Part]:
    """A typed aggregator: among its operands are the codecs of its buffer too; only the columns say anything."""
    used: dict[int, Expression] = {}
    stack = [e]
    while stack:
        part = stack.pop()
        if isinstance(part, AttributeReference):
            used.setdefault(part.expr_id, part)
        stack.extend(reversed(part.children))
    return _named("typed_aggregate", used.values())


_BY_CLASS: dict[str, Callable[[Expression], list[Part]]] = {
    "In": lambda e: ["(", e.children[0], " IN (", *_joined(e.children[1:]), "))"],
    "InSubquery": lambda e: ["(", *_joined(e.children[:-1]), " IN ", e.children[-1], ")"],
    "Like": lambda e: ["(", e.children[0], " LIKE ", e.children[1], ")"],
    "ILike": lambda e: ["(", e.children[0], " ILIKE ", e.children[1], ")"],
    "SortOrder": _first,
    "ComplexTypedAggregateExpression": _typed_aggregate,
    "SimpleTypedAggregateExpression": _typed_aggregate,
    "WindowSpecDefinition": _window_spec,
    "GetArrayItem": lambda e: [e.children[0], "[", e.children[1], "]"],
    "GetMapValue": lambda e: [e.children[0], "[", e.children[1], "]"],
    "GetArrayStructFields": _first,
}

_FORMS: dict[type, Callable[[Expression], list[Part]]] = {
    Literal: lambda _: ["?"],
    Alias: _first,
    CaseWhen: _case,
    If: lambda e: _named("if", e.children),
    NullIfResult: _nullif,
    Cast: _cast,
    AggregateExpression: _aggregate,
    WindowExpression: _over,
    OuterReference: _outer,
    PythonUDF: _udf,
    ScalaUDF: _udf,
    ReplacedExpression: _replaced,
    Invoke: _invoked,
    With: _first,
    GetStructField: _field,
    CreateNamedStruct: _struct,
    HigherOrderFunction: _higher_order,
    LambdaFunction: _lambda,
    NamedLambdaVariable: _variable,
    MaxMinBy: _max_min_by,
    SubqueryExpression: lambda _: ["(subquery)"],
}
