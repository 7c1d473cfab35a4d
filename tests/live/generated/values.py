"""Expressions over the columns that are in reach, and which of these they use how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tests.live.generated.answers import Value, made
from tests.live.generated.data import ARRAY, STRUCT
from tests.live.generated.maker import Maker

LITERALS: Mapping[str, Sequence[str]] = {
    "int": ("1", "2", "cast(null as int)"),
    "bigint": ("1L",),
    "double": ("1.5D",),
    "string": ("'a'", "'xy'"),
    "boolean": ("true",),
    ARRAY: ("array(1, 2)",),
    STRUCT: ("named_struct('f', 1, 'g', 'a')",),
}

Form = tuple[str, tuple[tuple[str, str], ...]]
"""A template, and the type and the kind of each of its parts."""
_T, _C, _I = "transformation", "conditional", "identity"


def _for_all(type_: str) -> tuple[Form, ...]:
    return (
        ("coalesce({}, {})", ((type_, _T), (type_, _T))),
        ("case when {} then {} else {} end", (("boolean", _C), (type_, _T), (type_, _T))),
        ("case {} when {} then {} end", (("int", _C), ("int", _C), (type_, _T))),
        ("if({}, {}, {})", (("boolean", _C), (type_, _T), (type_, _T))),
        ("nvl2({}, {}, {})", (("string", _C), (type_, _T), (type_, _T))),
        (f"cast({{}} as {type_})", ((type_, _I),)),
    )


FORMS: Mapping[str, tuple[Form, ...]] = {
    "int": (
        ("({} + {})", (("int", _T), ("int", _T))),
        ("length({})", (("string", _T),)),
        ("size({})", ((ARRAY, "extent"),)),
        ("({}).f", ((STRUCT, _T),)),
        ("abs({})", (("int", _T),)),
        *_for_all("int"),
    ),
    "bigint": (
        ("cast({} as bigint)", (("int", _T),)),
        ("({} + {})", (("bigint", _T), ("int", _T))),
        *_for_all("bigint"),
    ),
    "double": (
        ("({} * 2.0D)", (("double", _T),)),
        ("({} - {})", (("double", _T), ("double", _T))),
        ("cast({} as double)", (("int", _T),)),
        ("round({}, 1)", (("double", _T),)),
        *_for_all("double"),
    ),
    "string": (
        ("upper({})", (("string", _T),)),
        ("concat({}, {})", (("string", _T), ("string", _T))),
        ("substring({}, 1, 2)", (("string", _T),)),
        ("cast({} as string)", (("int", _T),)),
        ("({}).g", ((STRUCT, _T),)),
        *_for_all("string"),
    ),
    "boolean": (
        ("({} > {})", (("int", _T), ("int", _T))),
        ("({} = {})", (("string", _T), ("string", _T))),
        ("({} <= {})", (("double", _T), ("double", _T))),
        ("({} is not null)", (("string", _T),)),
        ("({} like '%a%')", (("string", _T),)),
        ("({} and {})", (("boolean", _T), ("boolean", _T))),
        ("({} or {})", (("boolean", _T), ("boolean", _T))),
        ("(not {})", (("boolean", _T),)),
        ("({} in (1, 2, 5))", (("int", _T),)),
        ("({} between 1 and {})", (("int", _T), ("int", _T))),
    ),
    ARRAY: (("array({}, {})", (("int", _T), ("int", _T))),),
    STRUCT: (),
}

Nested = Callable[[str], "Value | None"]
"""Makes a value of a type out of a subquery, or None where that type has none."""


def value(maker: Maker, scope: Sequence[Value], type_: str, depth: int = 2, nested: Nested | None = None) -> Value:
    """Return a value of a type."""
    c = maker.choices
    columns = [v for v in scope if v.type == type_]
    if nested is not None and depth and c.once_in(5):
        found = nested(type_)
        if found is not None:
            return found
    # A column first: a value without columns tests nothing.
    if not FORMS[type_] or not depth or (columns and type_ != "boolean" and c.below(2) == 0):
        return c.one_of(columns) if columns and not c.once_in(8) else Value(c.one_of(LITERALS[type_]), type_)
    template, parts = c.one_of(FORMS[type_])
    return made(template, type_, *((value(maker, scope, each, depth - 1, nested), kind) for each, kind in parts))


def any_value(maker: Maker, scope: Sequence[Value], depth: int = 2, nested: Nested | None = None) -> Value:
    """Return a value of any type, most often one that the columns have."""
    c = maker.choices
    if scope and c.below(3) < 2:
        return c.one_of(scope)
    return value(maker, scope, c.one_of(("int", "string", "double", "bigint")), depth, nested)


def key(maker: Maker, scope: Sequence[Value]) -> Value:
    """Return a value to group or to sort by: never a bare literal, which would mean a position."""
    c = maker.choices
    plain = [v for v in scope if v.type not in (ARRAY, STRUCT)]
    if plain and not c.once_in(4):
        return c.one_of(plain)
    return made("coalesce({}, 'a')", "string", (value(maker, scope, "string", 1), _T))
