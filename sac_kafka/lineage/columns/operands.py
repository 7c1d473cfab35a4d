"""Define how expressions use their operands: which part of each, with which dependency, for which part of the result.

`RULES` has one rule per expression class or function. An expression without a rule depends on all of its operands. A nested
value has a *shape*: a struct has fields, an array has elements, a map has keys and values. A path identifies a part of a nested
value, so that a struct field keeps its own sources through arrays, aggregates and lambda functions.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from sac_kafka.model import Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    Alias,
    CaseWhen,
    Cast,
    CreateArray,
    CreateMap,
    CreateNamedStruct,
    Expression,
    FieldChange,
    GetArrayStructFields,
    GetStructField,
    If,
    Literal,
    UnknownExpression,
    UpdateFields,
    WindowExpression,
    With,
)
from sac_kafka.plan.functions import (
    ChoosingFunction,
    Collect,
    HigherOrderFunction,
    LambdaFunction,
    ListAgg,
    MaxMinBy,
    NullIfResult,
    PivotFirst,
    ReplacedExpression,
    SqlFunction,
)

Path = tuple[int, ...]
"""Path to a part of a nested value: ordinals of fields, and the steps below."""
ITEM, KEY, EXTENT, IF_SHAPED = -1, -2, -3, -4
"""Steps of a path. ITEM: the elements of an array or the values of a map. KEY: the keys of a map. EXTENT: the size of a
collection, or whether a struct is null. IF_SHAPED: nothing, unless the value is nested as far as the steps before it."""

_SAME, _MADE, _DECIDES = Dependency.IDENTITY, Dependency.TRANSFORMATION, Dependency.CONDITIONAL


class ShapeKind(enum.Enum):
    """Kind of a nested value, with the steps to its parts; for a struct, the ordinals of its fields come before EXTENT."""

    STRUCT = (EXTENT,)
    ARRAY = (ITEM, EXTENT)
    MAP = (KEY, ITEM, EXTENT)

    def steps(self, parts: int) -> Sequence[int]:
        """Return the steps to the parts, in order."""
        return (*range(parts - 1), EXTENT) if self is ShapeKind.STRUCT else self.value

    def at(self, step: int, parts: int) -> int | None:
        """Return the index of the part that a step leads to, or None."""
        if step == EXTENT:
            return parts - 1
        if self is ShapeKind.STRUCT:
            return step if 0 <= step < parts - 1 else None
        return self.value.index(step) if step in self.value else None


class OperandUse(NamedTuple):
    """The use of a part of an operand. With `passes_parts`, each part of the result is the same part of the operand."""

    operand: Expression
    use: Dependency
    path: Path = ()
    passes_parts: bool = False


class Composite(NamedTuple):
    """The provenance of each part of a nested value; the last one is that of its EXTENT."""

    kind: ShapeKind
    parts: Sequence[Provenance]


Provenance = Composite | Sequence[OperandUse]
"""The operands that a value consists of, by part if it is nested."""
OperandRule = Callable[[Any], Provenance]
"""Return the provenance of an expression."""


def all_uses(value: Provenance) -> Iterator[OperandUse]:
    """Yield the operand uses of all parts of a value."""
    stack: list[Provenance] = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, Composite):
            stack.extend(part.parts)
        else:
            yield from part


def rest_of(path: Path) -> Path:
    """Return the rest of a path after its first step."""
    return path[2:] if path[1:2] == (IF_SHAPED,) else path[1:]


def is_nested(type_: str) -> bool:
    """Return True for the type of nested values."""
    return type_.startswith(("struct<", "array<", "map<"))


# ---- Functions that give the value of an operand, or a part of one


def _array_of(items: Provenance, extent: Provenance = ()) -> Composite:
    return Composite(ShapeKind.ARRAY, [items, extent])


def _map_of(keys: Provenance, values: Provenance, extent: Provenance = ()) -> Composite:
    return Composite(ShapeKind.MAP, [keys, values, extent])


def _struct_of(fields: Iterable[Provenance], extent: Provenance = ()) -> Composite:
    return Composite(ShapeKind.STRUCT, [*fields, extent])


def _on(e: Expression, use: Dependency = _MADE, *path: int) -> OperandUse:
    return OperandUse(e, use, path, passes_parts=True)


def _on_each(expressions: Iterable[Expression], use: Dependency = _MADE, *path: int) -> list[OperandUse]:
    return [_on(e, use, *path) for e in expressions]


def _extents(*collections: Expression) -> Sequence[OperandUse]:
    return _on_each(collections, _MADE, EXTENT)


def _uses(expressions: Iterable[Expression], use: Dependency = _MADE, path: Path = ()) -> list[OperandUse]:
    """Return operands whose parts are not those of the result."""
    return [OperandUse(e, use, path) for e in expressions]


def _all(e: Expression) -> Provenance:
    return _on_each(e.children)


def _same(e: Expression) -> Provenance:
    return _on_each(e.children, _SAME)


def _first(e: Expression) -> Provenance:
    return _on_each(e.children[:1], _SAME)


def _first_and(first: Dependency, rest: Dependency) -> OperandRule:
    """Return a rule for functions that return their first operand; the other operands have another use."""
    return lambda e: [*_on_each(e.children[:1], first), *_uses(e.children[1:], rest)]


def _first_decides(e: Expression) -> Provenance:
    return [*_uses(e.children[:1], _DECIDES), *_on_each(e.children[1:])]


def _case(e: Expression) -> Provenance:
    last = len(e.children) - 1
    return [_on(c) if i % 2 == 1 or i == last else OperandUse(c, _DECIDES) for i, c in enumerate(e.children)]


def _aggregate(e: AggregateExpression) -> Provenance:
    """Return the provenance of an aggregate: its function, decided by FILTER; `count(DISTINCT …)` compares whole values."""
    function, *condition = e.children
    operands = function.children if e.is_distinct and function.simple_name == "Count" else (function,)
    return [*_on_each(operands, Dependency.AGGREGATION), *_uses(condition, _DECIDES)]


def _cast(e: Cast) -> Provenance:
    return [OperandUse(e.children[0], _MADE, (), is_nested(e.type))]


def _listagg(e: ListAgg) -> Provenance:
    order = {id(o) for o in e.order}
    return [OperandUse(c, _DECIDES if id(c) in order else _MADE) for c in e.children]


def _max_min_by(e: Expression) -> Provenance:
    uses = [*_on_each(e.children[:1]), *_uses(e.children[1:], _DECIDES)]
    return _array_of(uses) if e.simple_name.endswith("K") else uses


def _fields(e: GetArrayStructFields) -> Provenance:
    array = e.children[0]
    if e.ordinal < 0:
        return [OperandUse(array, _MADE)]
    return _array_of([_on(array, _MADE, ITEM, e.ordinal)], _extents(array))


def _changed_fields(e: UpdateFields) -> Provenance:
    """Return the provenance of a struct changed by `withField` and `dropFields`, matching fields by name."""
    struct, *changes = e.children
    values = {c.field: c.children[0] for c in changes if isinstance(c, FieldChange) and c.children}
    parts = [_field_after(name, struct, e.before, values) for name in e.names]
    return _struct_of(parts, _extents(struct)) if parts and all(parts) else _uses(e.children)


def _field_after(
    name: str, struct: Expression, before: Sequence[str], values: dict[str, Expression]
) -> Sequence[OperandUse]:
    if name in values:
        return [_on(values[name]), OperandUse(struct, _DECIDES, (EXTENT, IF_SHAPED))]  # null if the struct is
    return [_on(struct, _MADE, i) for i, field in enumerate(before) if field == name]


# ---- Arrays and maps


def _zip(e: Expression) -> Provenance:
    return _array_of(_struct_of([_on(c, _MADE, ITEM)] for c in e.children), _extents(*e.children))


def _map_from_arrays(e: Expression) -> Provenance:
    keys, values = e.children
    return _map_of([_on(keys, _MADE, ITEM)], [_on(values, _MADE, ITEM)], _extents(keys, values))


def _map_from_entries(e: Expression) -> Provenance:
    (entries,) = e.children
    return _map_of([_on(entries, _MADE, ITEM, 0)], [_on(entries, _MADE, ITEM, 1)], _extents(entries))


def _part_of_map(step: int) -> OperandRule:
    """Return the rule for the array of a map's keys or values."""
    return lambda e: _array_of([_on(e.children[0], _MADE, step)], _extents(e.children[0]))


def _entries(e: Expression) -> Provenance:
    (operand,) = e.children
    return _array_of(_struct_of(([_on(operand, _MADE, KEY)], [_on(operand, _MADE, ITEM)])), _extents(operand))


def _flatten(e: Expression) -> Provenance:
    (operand,) = e.children
    return _array_of([_on(operand, _MADE, ITEM, ITEM)], [*_extents(operand), _on(operand, _MADE, ITEM, EXTENT)])


def _with_element(e: Expression) -> Provenance:
    """Return the provenance of an array with an added element: the last operand, after an optional position."""
    array, *position, element = e.children
    return _array_of([_on(array, _MADE, ITEM), _on(element)], [*_extents(array), *_uses(position)])


def _item(e: Expression) -> Provenance:
    """Return the provenance of `collection[index]`: any item, decided by the keys and the size of the collection."""
    collection, *index = e.children
    if isinstance(collection, CreateArray) and (at := _position(e, len(collection.children))) is not None:
        return [_on(collection.children[at])]
    decide = [OperandUse(collection, _DECIDES, (step, IF_SHAPED)) for step in (KEY, EXTENT)]
    return [_on(collection, _MADE, ITEM), *_uses(index), *decide]


def _position(e: Expression, size: int) -> int | None:
    """Return the requested index, counted from 0; None if it is not a known constant, or outside of the array."""
    index = e.children[1] if len(e.children) > 1 else None
    if not isinstance(index, Literal) or index.text is None or not index.text.removeprefix("-").isdecimal():
        return None
    at = int(index.text)
    if e.simple_name == "ElementAt":  # counted from 1, or from the end
        at += size if at < 0 else -1
    return at if 0 <= at < size else None


# ---- Lambda functions


_Expressions = Sequence[Expression]


def _transformed_items(arrays: _Expressions, functions: _Expressions) -> Provenance:
    return _array_of(_on_each(functions), _extents(*arrays))


def _chosen_items(arrays: _Expressions, functions: _Expressions) -> Provenance:
    return [*_on_each(arrays), *_uses(functions, _DECIDES)]


def _test(arrays: _Expressions, functions: _Expressions) -> Provenance:
    return [*_extents(*arrays), *_uses(functions)]


def _fold(arrays: _Expressions, functions: _Expressions) -> Provenance:
    """Return the provenance of `aggregate`: its last function computes the result from the accumulated value."""
    return [*_extents(*arrays[:1]), *_on_each(functions[-1:])]


def _zipped_maps(maps: _Expressions, functions: _Expressions) -> Provenance:
    """Return the provenance of `map_zip_with`: the keys decide which values meet, and how many entries there are."""
    keys = _uses(maps, _DECIDES, (KEY, IF_SHAPED))
    return _map_of(_on_each(maps, _MADE, KEY), [*_on_each(functions), *keys], [*_extents(*maps), *keys])


_HIGHER_ORDER: dict[str, Callable[[_Expressions, _Expressions], Provenance]] = {
    **dict.fromkeys(("transform", "zip_with"), _transformed_items),
    **dict.fromkeys(("filter", "map_filter", "array_sort"), _chosen_items),
    **dict.fromkeys(("exists", "forall", "any_match"), _test),
    **dict.fromkeys(("aggregate", "reduce"), _fold),
    "transform_keys": lambda maps, keys: _map_of(_on_each(keys), _on_each(maps, _MADE, ITEM), _extents(*maps)),
    "transform_values": lambda maps, values: _map_of(_on_each(maps, _MADE, KEY), _on_each(values), _extents(*maps)),
    "map_zip_with": _zipped_maps,
}


def _higher_order(e: HigherOrderFunction) -> Provenance:
    rule = _HIGHER_ORDER.get(e.name)
    functions = [c for c in e.children if isinstance(c, LambdaFunction)]
    return rule(e.arguments, functions) if rule is not None else _uses(e.children)


def bound_variables(e: HigherOrderFunction) -> Iterator[tuple[Expression, Sequence[tuple[Expression, Path]]]]:
    """Yield the variables of lambda functions with the parts of expressions that each is bound to."""
    arguments = e.arguments
    functions = e.children[len(arguments) :]
    for function in functions:
        for i, variable in enumerate(function.children[1:]):
            yield variable, _bound_to(e.name, i, arguments, functions)


def _bound_to(
    function: str, variable: int, arguments: _Expressions, functions: _Expressions
) -> Sequence[tuple[Expression, Path]]:
    if function in ("transform", "filter", "exists", "forall", "array_sort"):
        is_position = variable == 1 and function in ("transform", "filter")
        return () if is_position else [(a, (ITEM,)) for a in arguments]
    if function == "zip_with":
        return [(a, (ITEM,)) for a in arguments[variable : variable + 1]]
    if function in ("aggregate", "reduce"):
        if variable == 1:
            return [(a, (ITEM,)) for a in arguments[:1]]
        return [(accumulated, ()) for accumulated in (*arguments[1:2], *(f.children[0] for f in functions[:1]))]
    if function in ("map_filter", "transform_keys", "transform_values"):
        return [(a, (ITEM if variable else KEY,)) for a in arguments]
    if function == "map_zip_with":
        operands = arguments[variable - 1 : variable] if variable else arguments
        return [(a, (ITEM if variable else KEY,)) for a in operands]
    return [(a, ()) for a in arguments]


# ---- The table

RULES: dict[type | str, OperandRule] = {
    # control flow, and functions that return a value unchanged
    CaseWhen: _case,
    If: _first_decides,
    NullIfResult: _first_decides,
    # A type is a constant. TypedNullLiteral is NULL with the type of the operand, in `nullif` of Spark 3.5
    **dict.fromkeys(("TypeOf", "TypedNullLiteral"), lambda _: []),
    Alias: _all,
    Cast: _cast,
    ReplacedExpression: _same,
    SqlFunction: _same,
    With: _first,
    LambdaFunction: _first,
    **dict.fromkeys(
        ("Coalesce", "Greatest", "Least", "KnownNotContainsNull", "KnownNotNull", "KnownNullable", "AssertNotNull"),
        _all,
    ),
    # aggregates and windows
    AggregateExpression: _aggregate,
    "Count": lambda e: _extents(*e.children),
    WindowExpression: _first_and(_MADE, Dependency.WINDOW),
    ChoosingFunction: _all,
    **dict.fromkeys(("Lag", "Lead", "Max", "Min"), _all),
    # ranking functions repeat the window's order
    **dict.fromkeys(
        ("RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile"),
        lambda e: _uses(e.children, Dependency.WINDOW),
    ),
    MaxMinBy: _max_min_by,
    ListAgg: _listagg,
    # an array of values selected by the pivot column
    PivotFirst: lambda e: _array_of([*_uses(e.children[:1], _DECIDES), *_on_each(e.children[1:])]),
    Collect: lambda e: _array_of(_on_each(e.children), _extents(*e.children)),
    # structs
    CreateNamedStruct: lambda e: _struct_of([_on(v, _SAME)] for v in e.children[1::2]),
    GetStructField: lambda e: [_on(e.children[0], _SAME, e.ordinal)],
    GetArrayStructFields: _fields,
    UpdateFields: _changed_fields,
    # arrays and maps
    CreateArray: lambda e: _array_of(_on_each(e.children)),
    CreateMap: lambda e: _map_of(_on_each(e.children[::2]), _on_each(e.children[1::2])),
    "ArraysZip": _zip,
    "MapFromArrays": _map_from_arrays,
    "MapFromEntries": _map_from_entries,
    "MapKeys": _part_of_map(KEY),
    "MapValues": _part_of_map(ITEM),
    "MapEntries": _entries,
    "Flatten": _flatten,
    **dict.fromkeys(("ArrayAppend", "ArrayInsert", "ArrayPrepend"), _with_element),
    "ArrayRepeat": lambda e: _array_of(_on_each(e.children[:1]), _uses(e.children[1:])),
    **dict.fromkeys(("GetArrayItem", "Get", "GetMapValue", "ElementAt"), _item),
    **dict.fromkeys(("Size", "ArraySize", "IsNull", "IsNotNull"), lambda e: _extents(*e.children[:1])),
    **dict.fromkeys(("Concat", "MapConcat", "Reverse", "Shuffle", "ArrayDistinct", "ArrayUnion", "ArrayCompact"), _all),
    **dict.fromkeys(("Slice", "SortArray", "ArrayIntersect"), _first_and(_MADE, _MADE)),
    **dict.fromkeys(("ArrayRemove", "ArrayExcept"), _first_and(_MADE, _DECIDES)),
    "MapContainsKey": lambda e: [*_uses(e.children[:1], _MADE, (KEY,)), *_uses(e.children[1:])],
    **dict.fromkeys(("ArrayMax", "ArrayMin"), lambda e: _on_each(e.children, _MADE, ITEM)),
    HigherOrderFunction: _higher_order,
}
"""The rules by declared class, else by the simple name of the Catalyst class."""

CHOOSING = frozenset(
    {_all, _same, _first, _first_decides, _case, _cast, RULES[AggregateExpression], RULES[WindowExpression]}
)
"""Rules whose result has no parts if no operand has any."""


def rule_of(e: Expression) -> OperandRule | None:
    """Return the rule of an expression; None if it depends on all of its operands."""
    return _of_class(e.class_name) if type(e) is UnknownExpression else RULES.get(type(e))


@cache
def _of_class(name: str) -> OperandRule | None:
    return RULES.get(name.rpartition(".")[2])


# ---- Functions that compare values


def _before(e: Expression, path: Path, *at: int) -> Sequence[OperandUse]:
    """Return the parts compared before the part at a path: the preceding fields of a struct, all elements of an array."""
    compared: list[Path] = []
    for step in path:
        compared += [(*at, i) for i in range(step)]
        if step < 0:
            compared.append((*at, ITEM))
            break
        at = (*at, step)
    return [OperandUse(c, _DECIDES, (*to, IF_SHAPED)) for c in e.children for to in compared]


def _sort_keys(e: Expression, path: Path) -> Sequence[OperandUse]:
    """Return the parts by which the elements of an array are sorted; the second operand is only the direction."""
    compared = _before(e, path[1:], ITEM) if len(path) > 1 else ()
    return [t for t in compared if t.operand is e.children[0]]


def _items(e: Expression, path: Path) -> Sequence[OperandUse]:
    """Return the whole elements of arrays: they decide which elements remain, and how many."""
    is_decided = len(path) > 1 or path[0] == EXTENT
    return _uses(e.children, _DECIDES, (ITEM, IF_SHAPED)) if is_decided else ()


def _items_not_null(e: Expression, path: Path) -> Sequence[OperandUse]:
    """Return what decides whether elements are NULL: an element itself, unless it is nested."""
    at = (ITEM, IF_SHAPED, EXTENT) if path == (EXTENT,) else (ITEM, EXTENT, IF_SHAPED)
    return _uses(e.children, _DECIDES, at) if path[0] in (ITEM, EXTENT) else ()


def _collected_values(e: Expression, path: Path) -> Sequence[OperandUse]:
    """Return the whole values of a set: they decide how many remain."""
    return _uses(e.children, _DECIDES) if len(path) > 1 or path[0] == EXTENT else ()


def _distinct_values(e: Expression, path: Path) -> Sequence[OperandUse]:
    is_set = isinstance(e, AggregateExpression) and e.is_distinct and isinstance(e.children[0], Collect)
    return _collected_values(e.children[0], path) if is_set else ()


_COMPARING: dict[str, Callable[[Expression, Path], Sequence[OperandUse]]] = {
    **dict.fromkeys(("Max", "Min", "Greatest", "Least"), _before),
    **dict.fromkeys(("ArrayMax", "ArrayMin"), lambda e, path: _before(e, path, ITEM)),
    "SortArray": _sort_keys,
    **dict.fromkeys(("ArrayDistinct", "ArrayUnion", "ArrayExcept", "ArrayIntersect", "ArrayRemove"), _items),
    "ArrayCompact": _items_not_null,
    "CollectSet": _collected_values,
    "AggregateExpression": _distinct_values,
}


def comparison_parts(e: Expression, path: Path) -> Sequence[OperandUse]:
    """Return the parts of operands that are compared to select the result, if only a part of the result is requested.

    Return nothing for the whole result, as the compared values are part of it.
    """
    operands = _COMPARING.get(e.simple_name) if path and IF_SHAPED not in path else None
    return operands(e, path) if operands is not None else ()
