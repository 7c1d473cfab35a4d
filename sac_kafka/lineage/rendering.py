"""An expression as text for people: literals are `?`, and no more than a bounded length of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sac_kafka.plan.expressions import (
    AggregateExpression,
    Alias,
    AttributeReference,
    CaseWhen,
    Cast,
    Expression,
    If,
    Literal,
    OuterReference,
    PythonUDF,
    ScalaUDF,
)
from sac_kafka.plan.nodes import SubqueryExpression

LONGEST = 1000
"""Characters; what is longer ends with an ellipsis."""

_OPERATORS = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "Remainder": "%",
    "IntegralDivide": "div",
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "And": "AND",
    "Or": "OR",
    "BitwiseAnd": "&",
    "BitwiseOr": "|",
    "BitwiseXor": "^",
}


def render(expression: Expression, names: Mapping[int, str]) -> str:
    """The text of an expression; `names` are the names of the columns below, by exprId.

    Walks with a stack of parts, so that its depth does not matter, and stops at the longest text.
    """
    text: list[str] = []
    length = 0
    stack: list[str | Expression] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            text.append(part)
            length += len(part)
            if length > LONGEST:
                return "".join(text)[: LONGEST - 1] + "…"
        elif isinstance(part, AttributeReference):
            stack.append(names.get(part.expr_id, "?"))
        else:
            stack.extend(reversed(_FORMS.get(type(part), _call)(part)))
    return "".join(text)


def _call(e: Expression) -> list[str | Expression]:
    """An operator between two operands, else a function's name and its arguments."""
    operator = _OPERATORS.get(e.simple_name)
    if operator and len(e.children) == 2:
        return ["(", e.children[0], f" {operator} ", e.children[1], ")"]
    return [function_name(e.simple_name), "(", *_joined(e.children), ")"]


def _joined(children: tuple[Expression, ...]) -> list[str | Expression]:
    parts: list[str | Expression] = []
    for child in children:
        parts += [", ", child] if parts else [child]
    return parts


def function_name(simple_name: str) -> str:
    """`DateAdd` → `date_add`, the usual relation of Spark's classes and function names."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", simple_name).lower()


def _case(e: Expression) -> list[str | Expression]:
    parts: list[str | Expression] = ["CASE"]
    for i in range(0, len(e.children) - 1, 2):
        parts += [" WHEN ", e.children[i], " THEN ", e.children[i + 1]]
    if len(e.children) % 2:
        parts += [" ELSE ", e.children[-1]]
    return [*parts, " END"]


def _udf(e: Expression) -> list[str | Expression]:
    assert isinstance(e, (PythonUDF, ScalaUDF))
    return [e.name or "udf", "(", *_joined(e.children), ")"]


def _cast(e: Expression) -> list[str | Expression]:
    assert isinstance(e, Cast)
    return ["CAST(", e.children[0], f" AS {e.type})"]


def _aggregate(e: Expression) -> list[str | Expression]:
    function, *condition = e.children
    return [function, " FILTER (WHERE ", condition[0], ")"] if condition else [function]


def _outer(e: Expression) -> list[str | Expression]:
    assert isinstance(e, OuterReference)
    return [e.reference]


_FORMS: dict[type, Callable[[Expression], list[str | Expression]]] = {
    Literal: lambda _: ["?"],
    Alias: lambda e: [e.children[0]],
    CaseWhen: _case,
    If: lambda e: ["if(", *_joined(e.children), ")"],
    Cast: _cast,
    AggregateExpression: _aggregate,
    OuterReference: _outer,
    PythonUDF: _udf,
    ScalaUDF: _udf,
    SubqueryExpression: lambda _: ["(subquery)"],
}
