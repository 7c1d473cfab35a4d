"""What an expression takes of its operands: which part of each, how it is used, and what part of the result it becomes.

The one table of rules for functions (`RULES`). What has no rule is a value made of all of its operands. A value may have a
*shape*: a struct has fields, an array has elements, a map has keys and values. A path leads to a part of a value, so that the
field of a struct that went through an array, an aggregate or a lambda function is made of what that field was made of.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sac_kafka.lineage.model import Dependency
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
"""The way to a part of a value: the ordinals of fields, and the steps below."""
ITEM, KEY, EXTENT, IF_SHAPED = -1, -2, -3, -4
"""The elements of an array or the values of a map; the keys of a map; what decides how many of these there are, and of any value
whether there is one. A path that ends in `IF_SHAPED` is one to nothing where the value has no shape."""

_SAME, _MADE, _DECIDES = Dependency.IDENTITY, Dependency.TRANSFORMATION, Dependency.CONDITIONAL


class ShapeKind(enum.Enum):
    """The kinds of values that have parts, with the steps to these; before the last one of a struct are its ordinals."""

    STRUCT = (EXTENT,)
    ARRAY = (ITEM, EXTENT)
    MAP = (KEY, ITEM, EXTENT)

    def steps(self, parts: int) -> Sequence[int]:
        """Return the steps to the parts, in order."""
        return (*range(parts - 1), EXTENT) if self is ShapeKind.STRUCT else self.value

    def at(self, step: int, parts: int) -> int | None:
        """Return which part a step leads to; None where it leads to none."""
        if step == EXTENT:
            return parts - 1
        if self is ShapeKind.STRUCT:
            return step if 0 <= step < parts - 1 else None
        return self.value.index(step) if step in self.value else None


class Taken(NamedTuple):
    """A part of an operand, and how it is used. With `hands_on` a part of the result is the same part of it."""

    of: Expression
    use: Dependency
    path: Path = ()
    hands_on: bool = False


class Composite(NamedTuple):
    """A value with a shape: what each of its parts is made of; the last one is what decides whether or how much there is."""

    kind: ShapeKind
    parts: Sequence[MadeOf]


MadeOf = Composite | Sequence[Taken]
OperandRule = Callable[[Expression], MadeOf]
"""Gives what an expression is made of."""


def whole(made: MadeOf) -> Iterator[Taken]:
    """Yield all that a value is made of."""
    stack: list[MadeOf] = [made]
    while stack:
        part = stack.pop()
        if isinstance(part, Composite):
            stack.extend(part.parts)
        else:
            yield from part


def after(path: Path) -> Path:
    """Return the rest of a path whose first step has led somewhere."""
    rest = path[1:]
    return () if rest == (IF_SHAPED,) else rest


def rule_of(e: Expression) -> OperandRule | None:
    """Return the rule of an expression; None where it is a value made of all its operands."""
    return _of_class(e.class_name) if type(e) is UnknownExpression else RULES.get(type(e))


@cache
def _of_class(name: str) -> OperandRule | None:
    return RULES.get(name.rpartition(".")[2])


def is_nested(type_: str) -> bool:
    """Return True for the type of values that have parts."""
    return type_.startswith(("struct<", "array<", "map<"))


# ---- Functions that give the value of an operand, or a part of one


def _on(e: Expression, use: Dependency = _MADE, *path: int) -> Taken:
    return Taken(e, use, path, hands_on=True)


def _all(e: Expression) -> MadeOf:
    return [_on(c) for c in e.children]


def _same(e: Expression) -> MadeOf:
    return [_on(c, _SAME) for c in e.children]


def _first(e: Expression) -> MadeOf:
    return [_on(c, _SAME) for c in e.children[:1]]


def _first_and(first: Dependency, rest: Dependency) -> OperandRule:
    """Return the rule of what gives the value of its first operand; the others have another use."""
    return lambda e: [Taken(c, rest) if i else _on(c, first) for i, c in enumerate(e.children)]


def _first_decides(e: Expression) -> MadeOf:
    return [_on(c) if i else Taken(c, _DECIDES) for i, c in enumerate(e.children)]


def _case(e: Expression) -> MadeOf:
    last = len(e.children) - 1
    return [_on(c) if i % 2 == 1 or i == last else Taken(c, _DECIDES) for i, c in enumerate(e.children)]


def _ranked(e: Expression) -> MadeOf:
    """Return what a rank is made of: the children are the window's order once more."""
    return [Taken(c, Dependency.WINDOW) for c in e.children]


def _cast(e: Expression) -> MadeOf:
    assert isinstance(e, Cast)
    return [Taken(e.children[0], _MADE, (), is_nested(e.type))]


def _listagg(e: Expression) -> MadeOf:
    assert isinstance(e, ListAgg)
    order = {id(o) for o in e.order}
    return [Taken(c, _DECIDES if id(c) in order else _MADE) for c in e.children]


def _pivoted(e: Expression) -> MadeOf:
    """Return what PIVOT takes of the pivot column and of the value: an array of values."""
    pivot, *values = e.children
    return Composite(ShapeKind.ARRAY, [[Taken(pivot, _DECIDES), *map(_on, values)], []])


def _extreme_item(e: Expression) -> MadeOf:
    return [_on(c, _MADE, ITEM) for c in e.children]


def _collected(e: Expression) -> MadeOf:
    return Composite(ShapeKind.ARRAY, [list(map(_on, e.children)), _extents(*e.children)])


def _max_min_by(e: Expression) -> MadeOf:
    value, *order = e.children
    if e.simple_name.endswith("K"):
        return Composite(ShapeKind.ARRAY, [[_on(value), *(Taken(o, _DECIDES) for o in order)], []])
    return [_on(value), *(Taken(o, _DECIDES) for o in order)]


# ---- Structs


def _struct(e: Expression) -> MadeOf:
    return Composite(ShapeKind.STRUCT, [*([_on(v, _SAME)] for v in e.children[1::2]), []])


def _field(e: Expression) -> MadeOf:
    assert isinstance(e, GetStructField)
    return [_on(e.children[0], _SAME, e.ordinal)]


def _fields(e: Expression) -> MadeOf:
    assert isinstance(e, GetArrayStructFields)
    array = e.children[0]
    if e.ordinal < 0:
        return [Taken(array, _MADE)]
    return Composite(ShapeKind.ARRAY, [[_on(array, _MADE, ITEM, e.ordinal)], [_on(array, _MADE, EXTENT)]])


def _changed_fields(e: Expression) -> MadeOf:
    """Return what `withField` and `dropFields` make of a struct, by the names that the fields have before and after."""
    assert isinstance(e, UpdateFields)
    struct, *changes = e.children
    values: dict[str, Expression] = {}
    for change in changes:
        if isinstance(change, FieldChange) and change.children:
            values[change.field] = change.children[0]
    parts = [_field_after(name, struct, e.before, values) for name in e.names]
    if not parts or not all(parts):
        return [Taken(c, _MADE) for c in e.children]
    return Composite(ShapeKind.STRUCT, [*parts, _extents(struct)])


def _field_after(
    name: str, struct: Expression, before: Sequence[str], values: dict[str, Expression]
) -> Sequence[Taken]:
    if name in values:
        return [_on(values[name])]
    return [_on(struct, _MADE, i) for i, each in enumerate(before) if each == name]


# ---- Arrays and maps


def _array(e: Expression) -> MadeOf:
    return Composite(ShapeKind.ARRAY, [[_on(c) for c in e.children], []])


def _map(e: Expression) -> MadeOf:
    return Composite(ShapeKind.MAP, [[_on(c) for c in e.children[::2]], [_on(c) for c in e.children[1::2]], []])


def _extents(*collections: Expression) -> Sequence[Taken]:
    return [_on(c, _MADE, EXTENT) for c in collections]


def _zipped(e: Expression) -> MadeOf:
    items = Composite(ShapeKind.STRUCT, [*([_on(c, _MADE, ITEM)] for c in e.children), []])
    return Composite(ShapeKind.ARRAY, [items, _extents(*e.children)])


def _map_from_arrays(e: Expression) -> MadeOf:
    keys, values = e.children
    return Composite(ShapeKind.MAP, [[_on(keys, _MADE, ITEM)], [_on(values, _MADE, ITEM)], _extents(keys, values)])


def _map_from_entries(e: Expression) -> MadeOf:
    (entries,) = e.children
    return Composite(ShapeKind.MAP, [[_on(entries, _MADE, ITEM, 0)], [_on(entries, _MADE, ITEM, 1)], _extents(entries)])


def _part_of_map(step: int) -> OperandRule:
    """Return the rule of an array of the keys or of the values of a map."""
    return lambda e: Composite(ShapeKind.ARRAY, [[_on(e.children[0], _MADE, step)], _extents(e.children[0])])


def _entries(e: Expression) -> MadeOf:
    (of,) = e.children
    return Composite(
        ShapeKind.ARRAY,
        [Composite(ShapeKind.STRUCT, [[_on(of, _MADE, KEY)], [_on(of, _MADE, ITEM)], []]), _extents(of)],
    )


def _flattened(e: Expression) -> MadeOf:
    (of,) = e.children
    return Composite(ShapeKind.ARRAY, [[_on(of, _MADE, ITEM, ITEM)], [*_extents(of), _on(of, _MADE, ITEM, EXTENT)]])


def _with_element(e: Expression) -> MadeOf:
    """Return what an array with one more element is: the last operand is the element, one between says where."""
    array, *where, element = e.children
    return Composite(
        ShapeKind.ARRAY,
        [
            [_on(array, _MADE, ITEM), _on(element)],
            [*_extents(array), *(Taken(w, _MADE) for w in where)],
        ],
    )


def _prepended(e: Expression) -> MadeOf:
    array, element = e.children
    return Composite(ShapeKind.ARRAY, [[_on(array, _MADE, ITEM), _on(element)], _extents(array)])


def _repeated(e: Expression) -> MadeOf:
    element, times = e.children
    return Composite(ShapeKind.ARRAY, [[_on(element)], [Taken(times, _MADE)]])


def _item(e: Expression) -> MadeOf:
    """Return what `collection[index]` is: one of its items, whatever decides which there are."""
    collection, *index = e.children
    at = _position(e)
    if at is not None and isinstance(collection, CreateArray) and 0 <= at < len(collection.children):
        return [_on(collection.children[at])]
    decide = [Taken(collection, _DECIDES, (step, IF_SHAPED)) for step in (KEY, EXTENT)]
    return [_on(collection, _MADE, ITEM), *(Taken(i, _MADE) for i in index), *decide]


def _position(e: Expression) -> int | None:
    """Return which element is asked for, counted from 0; None where that is no constant that is known."""
    index = e.children[1] if len(e.children) > 1 else None
    if not isinstance(index, Literal) or index.text is None or not index.text.isdecimal():
        return None
    return int(index.text) - (e.simple_name == "ElementAt")


def _first_extent(e: Expression) -> MadeOf:
    return _extents(*e.children[:1])


# ---- Lambda functions


def _higher_order(e: Expression) -> MadeOf:
    assert isinstance(e, HigherOrderFunction)
    of = _HIGHER_ORDER.get(e.name)
    functions = [c for c in e.children if isinstance(c, LambdaFunction)]
    return of(e.arguments, functions) if of is not None else [Taken(c, _MADE) for c in e.children]


_Expressions = Sequence[Expression]


def _transformed_items(of: _Expressions, functions: _Expressions) -> MadeOf:
    return Composite(ShapeKind.ARRAY, [list(map(_on, functions)), _extents(*of)])


def _chosen_items(of: _Expressions, functions: _Expressions) -> MadeOf:
    return [*map(_on, of), *(Taken(f, _DECIDES) for f in functions)]


def _tested(of: _Expressions, functions: _Expressions) -> MadeOf:
    return [*_extents(*of), *(Taken(f, _MADE) for f in functions)]


def _folded(of: _Expressions, functions: _Expressions) -> MadeOf:
    """Return what `aggregate` gives: the last function gives the result of what the first has accumulated."""
    return [*_extents(*of[:1]), *map(_on, functions[-1:])]


def _transformed_keys(of: _Expressions, functions: _Expressions) -> MadeOf:
    return Composite(ShapeKind.MAP, [list(map(_on, functions)), [_on(m, _MADE, ITEM) for m in of], _extents(*of)])


def _transformed_values(of: _Expressions, functions: _Expressions) -> MadeOf:
    return Composite(ShapeKind.MAP, [[_on(m, _MADE, KEY) for m in of], list(map(_on, functions)), _extents(*of)])


_HIGHER_ORDER: dict[str, Callable[[_Expressions, _Expressions], MadeOf]] = {
    "transform": _transformed_items,
    "zip_with": _transformed_items,
    "filter": _chosen_items,
    "map_filter": _chosen_items,
    "array_sort": _chosen_items,
    "exists": _tested,
    "forall": _tested,
    "any_match": _tested,
    "aggregate": _folded,
    "reduce": _folded,
    "transform_keys": _transformed_keys,
    "transform_values": _transformed_values,
    "map_zip_with": _transformed_values,
}


def variables(e: HigherOrderFunction) -> Iterator[tuple[Expression, Sequence[tuple[Expression, Path]]]]:
    """Yield the variables of lambda functions with the parts of expressions that each stands for."""
    arguments = e.arguments
    functions = e.children[len(arguments) :]
    for function in functions:
        for i, variable in enumerate(function.children[1:]):
            yield variable, _stands_for(e.name, i, arguments, functions)


def _stands_for(
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
        of = arguments[variable - 1 : variable] if variable else arguments
        return [(a, (ITEM if variable else KEY,)) for a in of]
    return [(a, ()) for a in arguments]


# ---- The table

RULES: dict[type | str, OperandRule] = {
    # of control and of values as they are
    CaseWhen: _case,
    If: _first_decides,
    NullIfResult: _first_decides,
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
    # of aggregates and windows
    AggregateExpression: _first_and(Dependency.AGGREGATION, _DECIDES),
    WindowExpression: _first_and(_MADE, Dependency.WINDOW),
    ChoosingFunction: _all,
    **dict.fromkeys(("Lag", "Lead", "Max", "Min"), _all),
    **dict.fromkeys(("RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile"), _ranked),
    MaxMinBy: _max_min_by,
    ListAgg: _listagg,
    PivotFirst: _pivoted,
    Collect: _collected,
    # of structs
    CreateNamedStruct: _struct,
    GetStructField: _field,
    GetArrayStructFields: _fields,
    UpdateFields: _changed_fields,
    # of arrays and maps
    CreateArray: _array,
    CreateMap: _map,
    "ArraysZip": _zipped,
    "MapFromArrays": _map_from_arrays,
    "MapFromEntries": _map_from_entries,
    "MapKeys": _part_of_map(KEY),
    "MapValues": _part_of_map(ITEM),
    "MapEntries": _entries,
    "Flatten": _flattened,
    **dict.fromkeys(("ArrayAppend", "ArrayInsert"), _with_element),
    "ArrayPrepend": _prepended,
    "ArrayRepeat": _repeated,
    **dict.fromkeys(("GetArrayItem", "Get", "GetMapValue", "ElementAt"), _item),
    **dict.fromkeys(("Size", "ArraySize", "IsNull", "IsNotNull"), _first_extent),
    **dict.fromkeys(("Concat", "MapConcat", "Reverse", "Shuffle", "ArrayDistinct", "ArrayUnion", "ArrayCompact"), _all),
    **dict.fromkeys(("Slice", "SortArray", "ArrayRemove", "ArrayExcept", "ArrayIntersect"), _first_and(_MADE, _MADE)),
    **dict.fromkeys(("ArrayMax", "ArrayMin"), _extreme_item),
    HigherOrderFunction: _higher_order,
}
"""The rules by class, or by the name without package of a class that is not declared."""


# ---- What compares values


def compared(e: Expression, path: Path) -> Sequence[Taken]:
    """Return the parts of operands that decide which value is the result, where a part of the result is asked for.

    Of the whole result nothing is returned: what decides it flows into it.
    """
    of = _COMPARING.get(e.simple_name) if path and path[-1] != IF_SHAPED else None
    return of(e, path) if of is not None else ()


def _before(e: Expression, path: Path, *at: int) -> Sequence[Taken]:
    """Return what is compared before the part that a path leads to: the fields before it, and of an array all elements."""
    found: list[Path] = []
    for step in path:
        found += [(*at, i) for i in range(step)]
        if step < 0:
            found.append((*at, ITEM))
            break
        at = (*at, step)
    return [Taken(c, _DECIDES, (*to, IF_SHAPED)) for c in e.children for to in found]


def _before_in_item(e: Expression, path: Path) -> Sequence[Taken]:
    return _before(e, path, ITEM)


def _before_in_sorted(e: Expression, path: Path) -> Sequence[Taken]:
    """Return what the elements of an array are sorted by; the second operand only says in which direction."""
    found = _before(e, path[1:], ITEM) if len(path) > 1 else ()
    return [t for t in found if t.of is e.children[0]]


def _items(e: Expression, path: Path) -> Sequence[Taken]:
    """Return the whole elements of arrays: they decide which of them stay, and how many."""
    is_asked = len(path) > 1 or path[0] == EXTENT
    return [Taken(c, _DECIDES, (ITEM, IF_SHAPED)) for c in e.children] if is_asked else ()


def _items_there(e: Expression, path: Path) -> Sequence[Taken]:
    return [Taken(c, _DECIDES, (ITEM, EXTENT, IF_SHAPED)) for c in e.children] if path[0] in (ITEM, EXTENT) else ()


def _collected_values(e: Expression, path: Path) -> Sequence[Taken]:
    return [Taken(c, _DECIDES) for c in e.children] if len(path) > 1 else ()


_COMPARING: dict[str, Callable[[Expression, Path], Sequence[Taken]]] = {
    **dict.fromkeys(("Max", "Min", "Greatest", "Least"), _before),
    **dict.fromkeys(("ArrayMax", "ArrayMin"), _before_in_item),
    "SortArray": _before_in_sorted,
    **dict.fromkeys(("ArrayDistinct", "ArrayUnion", "ArrayExcept", "ArrayIntersect", "ArrayRemove"), _items),
    "ArrayCompact": _items_there,
    "CollectSet": _collected_values,
}
