"""SQL forms of nested values: structs, their fields and changes of fields, elements of arrays and maps."""

from __future__ import annotations

from collections.abc import Sequence

from sac_kafka.lineage.expressions.conversions import same
from sac_kafka.lineage.expressions.function_names import PART
from sac_kafka.lineage.expressions.sql_forms import form, of_class
from sac_kafka.lineage.expressions.sql_parts import (
    Field,
    Form,
    Operand,
    Part,
    call,
    quote,
    written,
)
from sac_kafka.plan.expressions import (
    CaseWhen,
    CreateNamedStruct,
    Expression,
    FieldChange,
    GetArrayStructFields,
    GetStructField,
)

_CHANGED_FIELDS = "UpdateFields"
_TIME_CONVERSION = "PreciseTimestampConversion"
_MAX_WINDOW_NODES = 50
"""Maximum number of nodes searched for the time column of a window."""


def _time_window(e: CreateNamedStruct) -> Form | None:
    """Return the form of `window(time, …)`, which Spark expands to a struct of start and end; None if it is not one."""
    if e.names != ("start", "end") or any(written(v).simple_name != _TIME_CONVERSION for v in e.values):
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


@form.register
def _field(e: GetStructField) -> Form:
    return PART, [Operand(e.children[0], PART), f".{quote(e.name or str(e.ordinal))}"]


@form.register
def _fields(e: GetArrayStructFields) -> Form:
    return PART, [Operand(e.children[0], PART), f".{quote(e.name)}" if e.name else ""]


@of_class(_CHANGED_FIELDS)
def _changed_fields(e: Expression) -> Form:
    """Return the form of changed fields in DataFrame syntax, as SQL has none: `s.withField('a', 1).dropFields('b', 'c')`."""
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
        calls += _drop_fields(dropped)
        dropped = []
        name, value = _of_field(step, struct)
        calls += [f".withField('{name}', ", value, ")"]
    return PART, [Operand(struct, PART), *calls, *_drop_fields(dropped)]


def _drop_fields(names: Sequence[str]) -> list[Part]:
    return [f".dropFields({', '.join(names)})"] if names else []


def _of_field(step: FieldChange, struct: Expression) -> tuple[str, Expression]:
    """Return the path of a changed field and its value; Spark changes a nested field by changing the enclosing ones."""
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


@of_class("GetArrayItem", "GetMapValue")
def _item(e: Expression) -> Form:
    return PART, [Operand(e.children[0], PART), "[", e.children[1], "]"]
