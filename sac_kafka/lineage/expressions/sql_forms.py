"""Render a single expression as SQL: the text around its operands, and its precedence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any, TypeVar

from sac_kafka.lineage.expressions.function_names import (
    ANY,
    ATOM,
    COMMUTATIVE,
    COMPARISON,
    LISTS,
    NOT,
    OPERATORS,
    PREDICATE,
    PREDICATES,
    SHIFT,
    SHIFTS,
    SIGN,
    SIGNS,
    SUFFIXES,
    SUM,
)
from sac_kafka.lineage.expressions.sql_parts import (
    PIVOT_VALUE,
    Form,
    Operand,
    Part,
    arguments_of,
    as_written,
    bracket,
    call,
    join,
    name_of,
)
from sac_kafka.plan.expressions import AggregateExpression, Alias, CaseWhen, Cast, Expression, Like, Literal
from sac_kafka.plan.functions import Invoke, NamedLambdaVariable, PivotFirst, ReplacedExpression
from sac_kafka.plan.nodes import SubqueryExpression

MAX_VALUES = 10
"""Maximum number of rendered values of an IN list."""

_DATE_OPERATORS = {"DateAdd": "+", "DateSub": "-"}
_OPERATORS_BY_NAME = {"datetimesub": ("-", SUM)}
"""Functions to which Spark rewrites an operator."""

_BY_CLASS: dict[str, Callable[[Expression], Form]] = {}
F = TypeVar("F", bound=Callable[..., Form])


def of_class(*names: str) -> Callable[[F], F]:
    """Register the form of classes without a declaration in `plan`, by their simple names."""

    def register(function: F) -> F:
        _BY_CLASS.update(dict.fromkeys(names, function))
        return function

    return register


@singledispatch
def form(e: Expression) -> Form:
    """Return the form of an expression: that of an operator if it is one, else a function call."""
    kind, operands = e.simple_name.rstrip("$"), e.children
    special = _BY_CLASS.get(kind)
    if special is not None and operands:
        return special(e)
    if kind in OPERATORS and len(operands) == 2:
        return _operator(*OPERATORS[kind], *operands)
    if len(operands) == 2 and name_of(e) in SHIFTS:
        return _operator(name_of(e), SHIFT, *operands)
    if kind in SIGNS and len(operands) == 1:
        return SIGN, [SIGNS[kind], Operand(operands[0], SIGN + 1)]
    if kind in SUFFIXES and len(operands) == 1:
        return PREDICATE, [Operand(operands[0], COMPARISON + 1), SUFFIXES[kind]]
    if kind in PREDICATES and len(operands) == 2:
        return _predicate(e, "")
    if kind in LISTS:
        return PREDICATE, [Operand(operands[0], COMPARISON + 1), f" {LISTS[kind]} (…)"]
    if kind in _DATE_OPERATORS and operands[1].simple_name == "ExtractANSIIntervalDays":  # `date + interval` in Spark 3
        return _operator(_DATE_OPERATORS[kind], SUM, operands[0], operands[1].children[0])
    return call(name_of(e), arguments_of(name_of(e), e))


def pivot(e: Expression) -> PivotFirst | None:
    """Return the aggregate function of a PIVOT within an expression; None if there is no PIVOT."""
    while isinstance(e, (Alias, AggregateExpression)):
        e = e.children[0]
    return e if isinstance(e, PivotFirst) else None


def _operator(sign: str, binding: int, left: Expression, right: Expression) -> Form:
    between = _between(left, right, "") if sign == "AND" else None
    if between is not None:
        return between
    if sign == "+" and as_written(right).simple_name == "UnaryMinus":  # `time - interval` in Spark 3
        sign, right = "-", as_written(right).children[0]
    if binding == COMPARISON:
        return binding, [Operand(left, binding + 1), f" {sign} ", Operand(right, binding + 1)]
    return binding, [Operand(left, binding), f" {sign} ", Operand(right, binding + (sign not in COMMUTATIVE))]


def _between(left: Expression, right: Expression, negation: str) -> Form | None:
    """Return the form of `x BETWEEN a AND b`, in Spark 3 two comparisons of the same x; None if it is not one."""
    if left.simple_name != "GreaterThanOrEqual" or right.simple_name != "LessThanOrEqual":
        return None
    value, low = left.children
    if as_written(value) is not as_written(right.children[0]):
        return None
    return _range(value, low, right.children[1], negation)


def _range(value: Part, low: Part, high: Part, negation: str) -> Form:
    operands = [Operand(o, COMPARISON + 1) if isinstance(o, Expression) else o for o in (value, low, high)]
    return PREDICATE, [operands[0], f" {negation}BETWEEN ", operands[1], " AND ", operands[2]]


def _predicate(e: Expression, negation: str) -> Form:
    left, right = e.children
    word = PREDICATES[e.simple_name]
    return PREDICATE, [Operand(left, COMPARISON + 1), f" {negation}{word} ", Operand(right, COMPARISON + 1), _escape(e)]


def _escape(e: Expression) -> str:
    if not isinstance(e, Like) or e.escape == "\\":
        return ""
    quote = '"' if e.escape == "'" else "'"
    return f" ESCAPE {quote}{e.escape}{quote}"


@of_class("In")
def _in(e: Expression, negation: str = "") -> Form:
    value, *values = e.children
    items: list[Part] = [*values[:MAX_VALUES], *(["…"] if len(values) > MAX_VALUES else [])]
    return PREDICATE, [Operand(value, COMPARISON + 1), f" {negation}IN (", *join(items), ")"]


@of_class("InSubquery")
def _in_subquery(e: Expression, negation: str = "") -> Form:
    values = [Operand(c, COMPARISON + 1) for c in e.children[:-1]]
    left = values if len(values) == 1 else bracket(join(values))
    return PREDICATE, [*left, f" {negation}IN ", e.children[-1]]


_NEGATED: dict[str, Callable[[Expression, str], Form]] = {"In": _in, "InSubquery": _in_subquery}


@of_class("Not")
def _not(e: Expression) -> Form:
    negated = as_written(e.children[0])
    kind = negated.simple_name
    if kind == "EqualTo":
        return _operator("<>", COMPARISON, *negated.children)
    between = _between(negated.children[0], negated.children[1], "NOT ") if kind == "And" else None
    if between is not None:
        return between
    if kind in PREDICATES and len(negated.children) == 2:
        return _predicate(negated, "NOT ")
    if kind in _NEGATED:
        return _NEGATED[kind](negated, "NOT ")
    if isinstance(negated, ReplacedExpression) and negated.name == "between" and len(negated.parameters) == 3:
        return _range(*negated.parameters, "NOT ")
    return NOT, ["NOT ", Operand(negated, COMPARISON + 1)]


@form.register
def _literal(e: Literal) -> Form:
    text = "NULL" if e.is_null else e.text or "?"
    return (SIGN if text.startswith("-") else ATOM), [text]


@form.register
def _case(e: CaseWhen) -> Form:
    parts: list[Part] = ["CASE"]
    for i in range(0, len(e.children) - 1, 2):
        parts += [" WHEN ", e.children[i], " THEN ", e.children[i + 1]]
    if len(e.children) % 2:
        parts += [" ELSE ", e.children[-1]]
    return ATOM, [*parts, " END"]


@form.register
def _aggregate(e: AggregateExpression) -> Form:
    function, *condition = e.children
    binding, parts = (None if e.is_distinct else _count_all(function)) or form(as_written(function))
    if e.is_distinct and len(parts) > 1 and parts[1] == "(":
        parts = [parts[0], "(DISTINCT ", *parts[2:]]
    return binding, [*parts, " FILTER (WHERE ", condition[0], ")"] if condition else parts


def _count_all(e: Expression) -> Form | None:
    """Return the form of `count(*)`, which Spark rewrites to the count of a constant; None if it is not one."""
    if e.simple_name != "Count" or len(e.children) != 1:
        return None
    counted = e.children[0]
    return (ATOM, ["count", "(", "*)"]) if isinstance(counted, Literal) and not counted.is_null else None


@form.register
def _original_call(e: ReplacedExpression) -> Form:
    """Return the original call of a function that Spark replaces by other functions."""
    name, parameters = name_of(e), e.parameters
    if not parameters:
        child = as_written(e.children[0])
        return call(name, child.children) if isinstance(child, Invoke) and e.name else (ANY, [child])
    if name == "between" and len(parameters) == 3:
        return _range(*parameters, "")
    if name == "extract" and len(parameters) == 2:
        unit = (e.formats[0] or "?" if e.formats else "?").strip("'").upper()
        return ATOM, [f"extract({unit} FROM ", parameters[1], ")"]
    if name in _OPERATORS_BY_NAME and len(parameters) == 2:
        return _operator(*_OPERATORS_BY_NAME[name], *parameters)
    return call(name, arguments_of(name, e))


def _select_pivot(e: PivotFirst) -> Form:
    column, value = e.children
    return ATOM, [Operand(value, ATOM), " FILTER (WHERE ", Operand(column, COMPARISON + 1), f" = {PIVOT_VALUE})"]


_FORMS: Mapping[type, Callable[[Any], Form]] = {
    Cast: lambda e: (ATOM, [f"{e.name.upper()}(", e.children[0], f" AS {e.type})"]),
    NamedLambdaVariable: lambda e: (ATOM, [name_of(e)]),
    PivotFirst: _select_pivot,
    SubqueryExpression: lambda e: (ATOM, ["EXISTS (subquery)" if e.is_existence else "(subquery)"]),
}
for _class, _form in _FORMS.items():
    form.register(_class, _form)
