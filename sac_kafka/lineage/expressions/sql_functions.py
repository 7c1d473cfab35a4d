"""SQL forms of functions whose arguments differ from their operands, of window functions, and of nested values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sac_kafka.lineage.expressions.function_names import ANY, ATOM, PART, SUM, function_name
from sac_kafka.lineage.expressions.sql_forms import form, of_class
from sac_kafka.lineage.expressions.sql_parts import (
    Field,
    Form,
    Operand,
    Part,
    arguments_of,
    as_written,
    bracket,
    call,
    join,
    name_of,
    quote,
    same,
)
from sac_kafka.plan.expressions import (
    AggregateExpression,
    AttributeReference,
    CaseWhen,
    Collation,
    CreateMap,
    CreateNamedStruct,
    Expression,
    FieldChange,
    GetArrayStructFields,
    GetStructField,
    Literal,
    SortOrder,
    SpecifiedWindowFrame,
    WindowExpression,
    WindowSpecDefinition,
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


@of_class("GetArrayItem", "GetMapValue")
def _item(e: Expression) -> Form:
    return PART, [Operand(e.children[0], PART), "[", e.children[1], "]"]


_FORMS: Mapping[type[Expression], Callable[[Any], Form]] = {
    **dict.fromkeys(_CALLS, _call),
    GetArrayStructFields: lambda e: (PART, [Operand(e.children[0], PART), f".{quote(e.name)}" if e.name else ""]),
    GetStructField: lambda e: (PART, [Operand(e.children[0], PART), f".{quote(e.name or str(e.ordinal))}"]),
    Variable: lambda e: (ATOM, [".".join(map(quote, e.parts)) or "?"]),
    WindowSpecDefinition: lambda e: (ANY, _window(e, e)),
}
"""Further forms, by class."""

for _class, _form in _FORMS.items():
    form.register(_class, _form)


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
        parameters = as_written(e.children[1])
        if isinstance(parameters, CreateMap) and len(parameters.children) == 2:
            return call("raise_error", parameters.children[1:])
    return call("raise_error", arguments)


_CHANGED_FIELDS = "UpdateFields"
_TIME_CONVERSION = "PreciseTimestampConversion"
_MAX_WINDOW_NODES = 50
"""Maximum number of nodes searched for the time column of a window."""


def _time_window(e: CreateNamedStruct) -> Form | None:
    """Return the form of `window(time, …)`, which Spark expands to a struct of start and end; None if it is not one."""
    if e.names != ("start", "end") or any(as_written(v).simple_name != _TIME_CONVERSION for v in e.values):
        return None
    stack, time, is_tumbling = [e.values[0]], e.values[0], False
    for _ in range(_MAX_WINDOW_NODES):
        if not stack:
            break
        part = stack.pop()
        time = part.children[0] if part.simple_name == _TIME_CONVERSION else time
        is_tumbling |= isinstance(part, CaseWhen)
        stack.extend(() if isinstance(part, CaseWhen) else part.children)
    return call("window" if is_tumbling else "session_window", [time, "…"])


@form.register
def _struct(e: CreateNamedStruct) -> Form:
    """Return the form of a struct, without the field names that follow from the values."""
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


@of_class(_CHANGED_FIELDS)
def _changed_fields(e: Expression) -> Form:
    """Return the form of changed fields in DataFrame syntax, as SQL has none: `s.withField('a', 1).dropFields('b', 'c')`."""
    struct, steps = e, list[FieldChange]()
    while struct.simple_name == _CHANGED_FIELDS:
        steps = [c for c in struct.children[1:] if isinstance(c, FieldChange)] + steps
        struct = as_written(struct.children[0])
    calls: list[Part] = []
    dropped: list[str] = []
    for step in steps:
        if not step.children:
            dropped.append(f"'{step.field}'")
            continue
        calls += _drop_fields(dropped)
        dropped = []
        name, value = _of_field(step, struct)
        calls += [f".withField('{name}', ", value, ")"]
    return PART, [Operand(struct, PART), *calls, *_drop_fields(dropped)]


def _drop_fields(names: Sequence[str]) -> list[Part]:
    return [f".dropFields({', '.join(names)})"] if names else []


def _of_field(step: FieldChange, struct: Expression) -> tuple[str, Expression]:
    """Return the path of a changed field and its value; Spark changes a nested field by changing the enclosing ones."""
    path, value = [step.field], as_written(step.children[0])
    while value.simple_name == _CHANGED_FIELDS and len(value.children) == 2:
        inner, change = as_written(value.children[0]), value.children[1]
        if not isinstance(inner, GetStructField) or not isinstance(change, FieldChange) or not change.children:
            break
        if inner.name != path[-1] or not same(as_written(inner.children[0]), struct):
            break
        path.append(change.field)
        struct, value = inner, as_written(change.children[0])
    return ".".join(path), value


_RANKS = frozenset({"Rank", "DenseRank", "PercentRank"})
_BOUNDS = {
    "UnboundedPreceding": "UNBOUNDED PRECEDING",
    "UnboundedFollowing": "UNBOUNDED FOLLOWING",
    "CurrentRow": "CURRENT ROW",
}


@form.register
def _over(e: WindowExpression) -> Form:
    function, window = e.children
    text: list[Part] = [function]
    if as_written(function).simple_name in _RANKS:  # Spark repeats the order as their arguments
        text = [name_of(as_written(function)), "()"]
    return ATOM, [*text, " OVER (", *_window(window, as_written(function)), ")"]


def _window(e: Expression, function: Expression) -> list[Part]:
    """Return the content of OVER: partition, order, and the frame if it is not the default one."""
    order = [c for c in e.children if isinstance(c, SortOrder)]
    frame = [c for c in e.children if isinstance(c, SpecifiedWindowFrame)]
    partition = [c for c in e.children if not isinstance(c, SortOrder) and "Frame" not in c.simple_name]
    clauses: list[list[Part]] = []
    if partition:
        clauses.append(["PARTITION BY ", *join(partition)])
    if order:
        clauses.append(["ORDER BY ", *join(order)])
    if isinstance(function, (AggregateExpression, PythonUDF)) or function.simple_name == "NthValue":
        clauses += [list(_frame(f)[1]) for f in frame if not _is_default(f, bool(order))]
    return [part for i, clause in enumerate(clauses) for part in ([" "] if i else []) + clause]


def _is_default(frame: SpecifiedWindowFrame, is_ordered: bool) -> bool:
    bounds = tuple(c.simple_name.rstrip("$") for c in frame.children)
    if not frame.unit:
        return True
    if is_ordered:
        return frame.unit == "RANGE" and bounds == ("UnboundedPreceding", "CurrentRow")
    return bounds == ("UnboundedPreceding", "UnboundedFollowing")


@form.register
def _frame(e: SpecifiedWindowFrame) -> Form:
    lower, upper = e.children
    return ANY, [f"{e.unit} BETWEEN ", *_bound(lower), " AND ", *_bound(upper)]


def _bound(e: Expression) -> list[Part]:
    named = _BOUNDS.get(e.simple_name.rstrip("$"))
    if named is not None:
        return [named]
    e = as_written(e)
    text = e.text if isinstance(e, Literal) else None
    if text is not None and text.startswith("-"):
        return [f"{text[1:]} PRECEDING"]
    if text is not None and text.startswith("INTERVAL '-"):
        return [f"INTERVAL '{text[11:]} PRECEDING"]
    if e.simple_name == "UnaryMinus":
        return [Operand(e.children[0], SUM), " PRECEDING"]
    return [Operand(e, SUM), " FOLLOWING"]


@form.register
def _sort_order(e: SortOrder) -> Form:
    direction = " DESC" if e.direction == "DESC" else ""
    default = "NULLS LAST" if direction else "NULLS FIRST"
    return ANY, [e.children[0], direction, f" {e.nulls}" if e.nulls not in ("", default) else ""]
