"""The forms of functions whose arguments are not simply their operands."""

from __future__ import annotations

from collections.abc import Callable

from sac_kafka.lineage.expressions.function_names import ANY, ATOM, PART, function_name
from sac_kafka.lineage.expressions.sql_parts import (
    Form,
    Use,
    arguments_of,
    bracketed,
    call,
    joined,
    name_of,
    quoted,
    written,
)
from sac_kafka.plan.expressions import (
    AttributeReference,
    Collation,
    CreateMap,
    Expression,
    Variable,
)
from sac_kafka.plan.formats import RAISED
from sac_kafka.plan.functions import (
    ApproximateCount,
    ChoosingFunction,
    Collect,
    FromText,
    HigherOrderFunction,
    Invoke,
    LambdaFunction,
    ListAgg,
    NamedLambdaVariable,
    PercentileWithinGroup,
    PythonUDF,
    Random,
    ScalaUDF,
    SqlFunction,
    TimestampArithmetic,
    ToText,
    VariantGet,
)


def _choosing(e: Expression) -> Form:
    assert isinstance(e, ChoosingFunction)
    binding, parts = call(name_of(e), arguments_of(name_of(e), e))
    return binding, [*parts, " IGNORE NULLS"] if e.ignores_nulls else parts


def _collect(e: Expression) -> Form:
    assert isinstance(e, Collect)
    binding, parts = call(name_of(e), e.children)
    return binding, parts if e.ignores_nulls else [*parts, " RESPECT NULLS"]


def _within_group(e: Expression) -> Form:
    assert isinstance(e, PercentileWithinGroup)
    value, fraction = e.children
    order = " DESC" if e.is_descending else ""
    return ATOM, [f"{name_of(e)}(", fraction, ") WITHIN GROUP (ORDER BY ", value, f"{order})"]


def _listagg(e: Expression) -> Form:
    assert isinstance(e, ListAgg)
    width = len(e.children) - len(e.order)
    arguments = ListAgg(class_name=e.class_name, children=e.children[:width], formats=e.formats)
    binding, parts = call("listagg", arguments_of("listagg", arguments))
    return binding, [*parts, " WITHIN GROUP (ORDER BY ", *joined(e.order), ")"] if e.order else parts


def _approximate_count(e: Expression) -> Form:
    assert isinstance(e, ApproximateCount)
    return call("approx_count_distinct", [*e.children, *([e.error] if e.error != "0.05" else [])])


def _random(e: Expression) -> Form:
    assert isinstance(e, Random)
    return call(name_of(e), () if e.hides_seed else e.children)


def _timestamp(e: Expression) -> Form:
    assert isinstance(e, TimestampArithmetic)
    return call(name_of(e), [e.unit or "?", *e.children])


def _from_text(e: Expression) -> Form:
    assert isinstance(e, FromText)
    schema = [f"'{e.schema}'"] if e.schema else []
    return call(name_of(e), [*e.children, *schema, *_OPTIONS[: min(e.options, 1)]])


def _to_text(e: Expression) -> Form:
    assert isinstance(e, ToText)
    return call(name_of(e), [*e.children, *_OPTIONS[: min(e.options, 1)]])


def _variant(e: Expression) -> Form:
    assert isinstance(e, VariantGet)
    return call(name_of(e), [*arguments_of(name_of(e), e), *([f"'{e.type}'"] if e.type not in ("", "variant") else [])])


def _invoked(e: Expression) -> Form:
    assert isinstance(e, Invoke)
    return call(function_name(e.name), e.children)


def _higher_order(e: Expression) -> Form:
    assert isinstance(e, HigherOrderFunction)
    arguments = list(e.children)
    if arguments and isinstance(arguments[-1], LambdaFunction) and _is_added(e.name, arguments[-1]):
        arguments.pop()
    return call(e.name.lower(), arguments)


def _is_added(name: str, function: LambdaFunction) -> bool:
    """True for the function that Spark adds where none is written: the natural order, the result as it is."""
    variables = tuple(v.name for v in function.children[1:] if isinstance(v, NamedLambdaVariable))
    body = function.body
    if name in ("aggregate", "reduce"):
        return variables == ("id",) and isinstance(body, NamedLambdaVariable)
    return name == "array_sort" and variables == ("left", "right") and _shape(body) == _NATURAL_ORDER


def _shape(e: Expression) -> str:
    names: list[str] = []
    stack = [e]
    while stack and len(names) < 40:
        part = stack.pop()
        names.append(part.name if isinstance(part, NamedLambdaVariable) else part.simple_name)
        stack.extend(reversed(part.children))
    return " ".join(names)


_NATURAL_ORDER = (
    "If And IsNull left IsNull right Literal If IsNull left Literal If IsNull right Literal "
    "If LessThan left right Literal If GreaterThan left right Literal Literal"
)


def _lambda(e: Expression) -> Form:
    body, *variables = e.children
    left = joined(variables) if len(variables) == 1 else bracketed(joined(variables))
    return ANY, [*left, " -> ", body]


def _trim(side: str) -> Callable[[Expression], Form]:
    def made(e: Expression) -> Form:
        if len(e.children) == 2:
            return ATOM, [f"trim({side} ", e.children[1], " FROM ", e.children[0], ")"]
        return call(name_of(e), e.children)

    return made


def _collated(e: Expression) -> Form:
    child, collation = e.children
    if not isinstance(collation, Collation):
        return call("collate", e.children)
    return PART, [Use(child, PART), f" COLLATE {collation.name.rpartition('.')[2]}"]


def _typed_aggregate(e: Expression) -> Form:
    """A typed aggregator: among its operands are the codecs of its buffer too; only the columns say anything."""
    used: dict[int, Expression] = {}
    stack = [e]
    while stack:
        part = stack.pop()
        if isinstance(part, AttributeReference):
            used.setdefault(part.expr_id, part)
        stack.extend(reversed(part.children))
    return call("typed_aggregate", used.values())


_OPTIONS = ("map(…)",)
"""What is shown of options."""


def _udf(e: Expression) -> Form:
    assert isinstance(e, (PythonUDF, ScalaUDF))
    return call(e.name or "udf", e.children)


def _raised(e: Expression) -> Form:
    """`raise_error(message)` is an error class and a map of one parameter in Spark 4."""
    arguments = arguments_of("raise_error", e)
    if len(e.children) == 2 and arguments[0] == RAISED:
        made = written(e.children[1])
        if isinstance(made, CreateMap) and len(made.children) == 2:
            return call("raise_error", made.children[1:])
    return call("raise_error", arguments)


def _sql_function(e: Expression) -> Form:
    assert isinstance(e, SqlFunction)
    return call(quoted(e.name) if e.name else "function", e.parameters)


def _variable(e: Expression) -> Form:
    assert isinstance(e, Variable)
    return ATOM, [".".join(map(quoted, e.parts)) or "?"]


FUNCTIONS: dict[type, Callable[[Expression], Form]] = {
    ApproximateCount: _approximate_count,
    ChoosingFunction: _choosing,
    Collect: _collect,
    FromText: _from_text,
    ListAgg: _listagg,
    PercentileWithinGroup: _within_group,
    Random: _random,
    TimestampArithmetic: _timestamp,
    SqlFunction: _sql_function,
    ToText: _to_text,
    Variable: _variable,
    VariantGet: _variant,
    PythonUDF: _udf,
    ScalaUDF: _udf,
    Invoke: _invoked,
    HigherOrderFunction: _higher_order,
    LambdaFunction: _lambda,
}

BY_CLASS: dict[str, Callable[[Expression], Form]] = {
    "Collate": _collated,
    "ComplexTypedAggregateExpression": _typed_aggregate,
    "SimpleTypedAggregateExpression": _typed_aggregate,
    "RaiseError": _raised,
    "StringTrim": _trim("BOTH"),
    "StringTrimLeft": _trim("LEADING"),
    "StringTrimRight": _trim("TRAILING"),
}
"""By the names of classes that are not declared."""
