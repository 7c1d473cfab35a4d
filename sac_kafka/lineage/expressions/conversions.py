"""Detect the conversions that a write adds to nested columns: it takes a value apart and rebuilds it with the table's type."""

from __future__ import annotations

from sac_kafka.lineage.expressions.function_names import CONVERSIONS
from sac_kafka.plan.expressions import (
    Alias,
    AttributeReference,
    Cast,
    CreateNamedStruct,
    Expression,
    GetStructField,
    If,
    Literal,
)
from sac_kafka.plan.functions import HigherOrderFunction, LambdaFunction, NamedLambdaVariable

MAX_NESTED = 20
"""Maximum number of nested levels; deeper conversions are rendered as written by Spark."""

_VALUE_PRESERVING = ("tinyint", "smallint", "int", "bigint", "double", "decimal", "timestamp")
"""Target types of casts that preserve values in a nested column: Spark wraps a narrowing cast in an overflow check."""


def rebuilt(e: Expression, depth: int = 0) -> Expression | None:
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
        inner = e.children[0] if is_added and e.children else rebuilt(e, depth + 1)
        if inner is None:
            return e
        e = inner


def _struct(e: If, depth: int) -> Expression | None:
    predicate, null, made = e.children
    if predicate.simple_name != "IsNull" or not (isinstance(null, Literal) and null.is_null):
        return None
    if not isinstance(made, CreateNamedStruct) or not made.values:
        return None
    struct = predicate.children[0]
    for i, value in enumerate(made.values):
        field = _bare(value, depth)
        if not isinstance(field, GetStructField) or (field.ordinal != i and field.name not in made.names[i : i + 1]):
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
