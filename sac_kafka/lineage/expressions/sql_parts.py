"""Parts of which the SQL form of an expression consists: text, and operands with their minimum precedence.

A write takes a nested value apart and rebuilds it with the table's type; this conversion is not part of what was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sac_kafka.lineage.expressions.function_names import ANY, ATOM, CONVERSIONS, DEFAULTS, METHODS, function_name
from sac_kafka.plan.expressions import (
    Alias,
    AttributeReference,
    Cast,
    CreateNamedStruct,
    Expression,
    GetStructField,
    If,
    Literal,
    OuterReference,
)
from sac_kafka.plan.functions import (
    HigherOrderFunction,
    Invoke,
    LambdaFunction,
    NamedLambdaVariable,
    ReplacedExpression,
)

MAX_NESTED = 20
"""Maximum number of nested levels; deeper conversions are rendered as written by Spark."""

_VALUE_PRESERVING = ("tinyint", "smallint", "int", "bigint", "double", "decimal", "timestamp")
"""Target types of casts that preserve values in a nested column: Spark wraps a narrowing cast in an overflow check."""


def find_original(e: Expression, depth: int = 0) -> Expression | None:
    """Return the value that an expression takes apart and rebuilds; None if it does something else.

    The patterns are those of Spark's `TableOutputResolver`: a struct of all fields of another one, or NULL if that is NULL; an
    array or a map of all elements of another one.
    """
    if depth > MAX_NESTED:
        return None
    if isinstance(e, If):
        return _struct(e, depth)
    if isinstance(e, HigherOrderFunction):
        return e.children[0] if _is_copy(e, depth) else None
    return _map(e, depth) if e.simple_name == "MapFromArrays" else None


def keeps_values(e: Expression, operand: Expression) -> bool:
    """Return True if `e` rebuilds `operand` with the same values, possibly of wider types."""
    stack, seen = [e], {id(operand)}
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if part.simple_name == "CheckOverflowInTableInsert":
            return False
        if isinstance(part, Cast) and not part.type.startswith(_VALUE_PRESERVING):
            return False
        stack.extend(part.children)
    return True


def _bare(e: Expression, depth: int) -> Expression:
    """Return the value without the implicit conversions around it."""
    while True:
        is_added = isinstance(e, Alias) or (isinstance(e, Cast) and not e.is_written) or e.simple_name in CONVERSIONS
        inner = e.children[0] if is_added and e.children else find_original(e, depth + 1)
        if inner is None:
            return e
        e = inner


def _struct(e: If, depth: int) -> Expression | None:
    predicate, null, rebuilt_struct = e.children
    if predicate.simple_name != "IsNull" or not (isinstance(null, Literal) and null.is_null):
        return None
    if not isinstance(rebuilt_struct, CreateNamedStruct) or not rebuilt_struct.values:
        return None
    struct = predicate.children[0]
    for i, value in enumerate(rebuilt_struct.values):
        field = _bare(value, depth)
        if not isinstance(field, GetStructField) or (
            field.ordinal != i and field.name not in rebuilt_struct.names[i : i + 1]
        ):
            return None
        if not same(field.children[0], struct):
            return None
    return struct


def _is_copy(e: Expression, depth: int) -> bool:
    """Return True for `transform(…, element -> element)`."""
    if not isinstance(e, HigherOrderFunction) or e.name != "transform" or len(e.children) != 2:
        return False
    function = e.children[1]
    if not isinstance(function, LambdaFunction) or len(function.children) != 2:
        return False
    return same(_bare(function.body, depth), function.children[1])


def _map(e: Expression, depth: int) -> Expression | None:
    entries: list[Expression] = []
    for part, wanted in zip(e.children, ("MapKeys", "MapValues"), strict=False):
        inner = _bare(part, depth)
        if inner.simple_name != wanted:
            return None
        entries.append(inner.children[0])
    return entries[0] if len(entries) == 2 and same(*entries) else None


def same(one: Expression, other: Expression) -> bool:
    """Return True if both expressions are the same column, the same lambda variable, or the same field of one."""
    while isinstance(one, GetStructField) and isinstance(other, GetStructField) and one.ordinal == other.ordinal:
        one, other = one.children[0], other.children[0]
    if isinstance(one, AttributeReference) and isinstance(other, AttributeReference):
        return one.expr_id == other.expr_id
    if isinstance(one, NamedLambdaVariable) and isinstance(other, NamedLambdaVariable):
        return one.expr_id == other.expr_id
    return one is other


PIVOT_VALUE = "\x00"
"""Placeholder for the value of a PIVOT until an enclosing expression selects one."""

MARK = "\x01"
"""Mark before the name of a source column, to be replaced by the name of its relation if the column is ambiguous."""


class Operand(NamedTuple):
    """An operand, and the minimum precedence (`need`) that it must have to be written without parentheses."""

    expression: Expression
    need: int = ANY


class Field(NamedTuple):
    """The value of a struct field. Its name ("" if it has none) is written if it differs from that of the value."""

    expression: Expression
    name: str


Part = str | Expression | Operand | Field
Form = tuple[int, Sequence[Part]]
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def as_written(e: Expression) -> Expression:
    """Return the expression as written, without what the analyzer has added around it."""
    while True:
        if isinstance(e, OuterReference):
            e = e.reference
        elif e.children and _is_added_around(e):
            e = e.children[0]
        elif (original := find_original(e)) is not None:
            e = original
        else:
            return e


def _is_added_around(e: Expression) -> bool:
    match e:
        case Alias():
            return True
        case Cast():
            return not e.is_written
        case Invoke():
            return e.name in METHODS
        case ReplacedExpression():
            return not e.parameters and not e.name
    return e.simple_name in CONVERSIONS


def bracket(parts: Iterable[Part]) -> list[Part]:
    """Return the parts in parentheses."""
    return ["(", *parts, ")"]


def quote(name: str) -> str:
    """Quote the name of a column or a field with backquotes unless it is a plain identifier."""
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"


def join(operands: Iterable[Part], separator: str = ", ") -> list[Part]:
    """Return operands with a separator between them."""
    parts: list[Part] = []
    for operand in operands:
        parts += [separator, operand] if parts else [operand]
    return parts


def call(name: str, arguments: Iterable[Part]) -> Form:
    """Return the form of a function call."""
    return ATOM, [name, "(", *join(arguments), ")"]


def name_of(e: Expression) -> str:
    """Return the SQL name of a function: Spark's name, else one derived from its class."""
    name = getattr(e, "name", "") or function_name(e.simple_name)
    return str(name).lower()


def arguments_of(name: str, e: Expression) -> list[Part]:
    """Return the arguments as written: without default arguments, and with literal formats."""
    operands = e.parameters if isinstance(e, ReplacedExpression) and e.parameters else e.children
    formats: tuple[str | None, ...] = getattr(e, "formats", ())
    arguments: list[Part] = [
        formats[i] or operand if i < len(formats) else operand for i, operand in enumerate(operands)
    ]
    defaults = DEFAULTS.get(name, {})
    while len(arguments) - 1 in defaults and defaults[len(arguments) - 1] == _constant(arguments[-1]):
        arguments.pop()
    return arguments


def _constant(part: Part) -> str | None:
    if isinstance(part, str):
        return part
    e = as_written(part if isinstance(part, Expression) else part.expression)
    return ("NULL" if e.is_null else e.text) if isinstance(e, Literal) else ""
