"""SQL forms of functions whose arguments differ from their operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sac_kafka.lineage.expressions.function_names import ANY, ATOM, PART, function_name
from sac_kafka.lineage.expressions.sql_forms import form, of_class
from sac_kafka.lineage.expressions.sql_parts import (
    Form,
    Operand,
    Part,
    arguments_of,
    bracket,
    call,
    join,
    name_of,
    quote,
    written,
)
from sac_kafka.plan.expressions import (
    AttributeReference,
    Collation,
    CreateMap,
    Expression,
    walk_expressions,
)
from sac_kafka.plan.formats import RAISED
from sac_kafka.plan.functions import (
    ApproximateCount,
    AtLeastNNonNulls,
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
from sac_kafka.plan.variables import Variable

_NATURAL_ORDER = (
    "If And IsNull left IsNull right Literal If IsNull left Literal If IsNull right Literal "
    "If LessThan left right Literal If GreaterThan left right Literal Literal"
)
"""Shape of the comparator that Spark adds to `array_sort`, in pre-order."""
_SIDES = {"StringTrim": "BOTH", "StringTrimLeft": "LEADING", "StringTrimRight": "TRAILING"}


_CALLS: Mapping[type[Expression], Callable[[Any], tuple[str, Iterable[Part]]]] = {
    ApproximateCount: lambda e: ("approx_count_distinct", [*e.children, *([e.error] if e.error != "0.05" else [])]),
    # The condition of `dropna` is shown as Spark's own function: IS NOT NULL would keep NaN, which it drops.
    AtLeastNNonNulls: lambda e: ("at_least_n_non_nulls", [*([] if e.n is None else [str(e.n)]), *e.children]),
    FromText: lambda e: (name_of(e), [*e.children, *([f"'{e.schema}'"] if e.schema else []), *_options(e)]),
    Invoke: lambda e: (function_name(e.name), e.children),
    PythonUDF: lambda e: (e.name or "udf", e.children),
    Random: lambda e: (name_of(e), () if e.hides_seed else e.children),
    ScalaUDF: lambda e: (e.name or "udf", e.children),
    SqlFunction: lambda e: (quote(e.name) if e.name else "function", e.parameters),
    TimestampArithmetic: lambda e: (name_of(e), [e.unit or "?", *e.children]),
    ToText: lambda e: (name_of(e), [*e.children, *_options(e)]),
    VariantGet: lambda e: (
        name_of(e),
        [*arguments_of(name_of(e), e), *([f"'{e.type}'"] if e.type not in ("", "variant") else [])],
    ),
}
"""Functions that are calls: the name and the arguments, by class."""


def _options(e: FromText | ToText) -> Sequence[Part]:
    return ["map(…)"] if e.options else ()  # masked


def _call(e: Expression) -> Form:
    return call(*_CALLS[type(e)](e))


for _class in _CALLS:
    form.register(_class, _call)


@form.register
def _choosing(e: ChoosingFunction) -> Form:
    binding, parts = call(name_of(e), arguments_of(name_of(e), e))
    return binding, [*parts, " IGNORE NULLS"] if e.ignores_nulls else parts


@form.register
def _collect(e: Collect) -> Form:
    binding, parts = call(name_of(e), e.children)
    return binding, parts if e.ignores_nulls else [*parts, " RESPECT NULLS"]


@form.register
def _within_group(e: PercentileWithinGroup) -> Form:
    value, fraction = e.children
    order = " DESC" if e.is_descending else ""
    return ATOM, [f"{name_of(e)}(", fraction, ") WITHIN GROUP (ORDER BY ", value, f"{order})"]


@form.register
def _listagg(e: ListAgg) -> Form:
    width = len(e.children) - len(e.order)
    arguments = ListAgg(class_name=e.class_name, children=e.children[:width], formats=e.formats)
    binding, parts = call("listagg", arguments_of("listagg", arguments))
    return binding, [*parts, " WITHIN GROUP (ORDER BY ", *join(e.order), ")"] if e.order else parts


@form.register
def _higher_order(e: HigherOrderFunction) -> Form:
    arguments = list(e.children)
    if arguments and isinstance(arguments[-1], LambdaFunction) and _is_added(e.name, arguments[-1]):
        arguments.pop()
    return call(e.name.lower(), arguments)


def _is_added(name: str, function: LambdaFunction) -> bool:
    """Return True for a lambda function that Spark adds by default: natural order, or the unchanged result."""
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


@form.register
def _lambda(e: LambdaFunction) -> Form:
    body, *variables = e.children
    left = join(variables) if len(variables) == 1 else bracket(join(variables))
    return ANY, [*left, " -> ", body]


@of_class(*_SIDES)
def _trim(e: Expression) -> Form:
    if len(e.children) == 2:
        return ATOM, [f"trim({_SIDES[e.simple_name]} ", e.children[1], " FROM ", e.children[0], ")"]
    return call(name_of(e), e.children)


@of_class("Collate")
def _collate(e: Expression) -> Form:
    child, collation = e.children
    if not isinstance(collation, Collation):
        return call("collate", e.children)
    return PART, [Operand(child, PART), f" COLLATE {collation.name.rpartition('.')[2]}"]


@of_class("ComplexTypedAggregateExpression", "SimpleTypedAggregateExpression")
def _typed_aggregate(e: Expression) -> Form:
    """Return the form of a typed aggregator with only the columns it uses, without the encoders of its buffer."""
    used = {part.expr_id: part for part in walk_expressions((e,)) if isinstance(part, AttributeReference)}
    return call("typed_aggregate", used.values())


@of_class("RaiseError")
def _raise_error(e: Expression) -> Form:
    """Return the form of `raise_error(message)`, which Spark 4 expands to an error class and a map of one parameter."""
    arguments = arguments_of("raise_error", e)
    if len(e.children) == 2 and arguments[0] == RAISED:
        made = written(e.children[1])
        if isinstance(made, CreateMap) and len(made.children) == 2:
            return call("raise_error", made.children[1:])
    return call("raise_error", arguments)


@form.register
def _variable(e: Variable) -> Form:
    return ATOM, [".".join(map(quote, e.parts)) or "?"]
