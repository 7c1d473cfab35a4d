"""The forms of functions whose arguments are not simply their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sac_kafka.lineage.expressions.conversions import same
from sac_kafka.lineage.expressions.function_names import ANY, ATOM, PART, function_name
from sac_kafka.lineage.expressions.sql_parts import (
    Field,
    Form,
    Part,
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
    ApproximateCount,
    AttributeReference,
    CaseWhen,
    ChoosingFunction,
    Collation,
    Collect,
    CreateMap,
    CreateNamedStruct,
    Expression,
    FieldChange,
    FromText,
    GetArrayStructFields,
    GetStructField,
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
    Variable,
    VariantGet,
)
from sac_kafka.plan.formats import RAISED


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


def _time_window(e: CreateNamedStruct) -> Form | None:
    """`window(time, …)`: Spark makes a struct of what computes its start and its end from the time."""
    if e.names != ("start", "end") or any(written(v).simple_name != _OF_TIME for v in e.values):
        return None
    stack, time, is_tumbling = [e.values[0]], e.values[0], False
    for _ in range(_LONGEST_WINDOW):
        if not stack:
            break
        part = stack.pop()
        time = part.children[0] if part.simple_name == _OF_TIME else time
        is_tumbling |= isinstance(part, CaseWhen)
        stack.extend(() if isinstance(part, CaseWhen) else part.children)
    return call("window" if is_tumbling else "session_window", [time, "…"])


_OF_TIME = "PreciseTimestampConversion"
_LONGEST_WINDOW = 50


def _struct(e: Expression) -> Form:
    """The names of the fields are part of the type; those that follow from the values are not written."""
    assert isinstance(e, CreateNamedStruct)
    window = _time_window(e)
    if window is not None:
        return window
    names = e.names if len(e.names) == len(e.values) else ("",) * len(e.values)
    if e.name == "named_struct":
        return call("named_struct", [p for n, v in zip(names, e.values, strict=True) for p in (f"'{n}'", v)])
    return call(
        "struct",
        (Field(v, "" if n == f"col{i}" else n) for i, (n, v) in enumerate(zip(names, e.values, strict=True), 1)),
    )


def _field(e: Expression) -> Form:
    assert isinstance(e, GetStructField)
    return PART, [Use(e.children[0], PART), f".{quoted(e.name or str(e.ordinal))}"]


def _fields(e: Expression) -> Form:
    assert isinstance(e, GetArrayStructFields)
    return PART, [Use(e.children[0], PART), f".{quoted(e.name)}" if e.name else ""]


def _changed_fields(e: Expression) -> Form:
    """`s.withField('a', 1).dropFields('b', 'c')`: only the DataFrame API has it."""
    struct, steps = e, list[FieldChange]()
    while struct.simple_name == _CHANGED_FIELDS:
        steps = [c for c in struct.children[1:] if isinstance(c, FieldChange)] + steps
        struct = written(struct.children[0])
    calls: list[Part] = []
    dropped: list[str] = []
    for step in steps:
        if not step.children:
            dropped.append(f"'{step.field}'")
            continue
        calls += _dropped(dropped)
        dropped = []
        name, value = _of_field(step, struct)
        calls += [f".withField('{name}', ", value, ")"]
    return PART, [Use(struct, PART), *calls, *_dropped(dropped)]


def _dropped(names: Sequence[str]) -> list[Part]:
    return [f".dropFields({', '.join(names)})"] if names else []


def _of_field(step: FieldChange, struct: Expression) -> tuple[str, Expression]:
    """The field and its value; of a field within a field, which Spark changes by changing the outer one, its path."""
    path, value = [step.field], written(step.children[0])
    while value.simple_name == _CHANGED_FIELDS and len(value.children) == 2:
        inner, change = written(value.children[0]), value.children[1]
        if not isinstance(inner, GetStructField) or not isinstance(change, FieldChange) or not change.children:
            break
        if inner.name != path[-1] or not same(written(inner.children[0]), struct):
            break
        path.append(change.field)
        struct, value = inner, written(change.children[0])
    return ".".join(path), value


_CHANGED_FIELDS = "UpdateFields"


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


def _item(e: Expression) -> Form:
    return PART, [Use(e.children[0], PART), "[", e.children[1], "]"]


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
    GetStructField: _field,
    GetArrayStructFields: _fields,
    CreateNamedStruct: _struct,
    HigherOrderFunction: _higher_order,
    LambdaFunction: _lambda,
}

BY_CLASS: dict[str, Callable[[Expression], Form]] = {
    "Collate": _collated,
    "ComplexTypedAggregateExpression": _typed_aggregate,
    "SimpleTypedAggregateExpression": _typed_aggregate,
    "GetArrayItem": _item,
    "GetMapValue": _item,
    "RaiseError": _raised,
    "StringTrim": _trim("BOTH"),
    "StringTrimLeft": _trim("LEADING"),
    "StringTrimRight": _trim("TRAILING"),
    _CHANGED_FIELDS: _changed_fields,
}
"""By the names of classes that are not declared."""
