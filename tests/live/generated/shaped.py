"""Random expressions over structs, arrays and maps, with lambda functions, and random parts taken out of what they make.

The table `shaped` has each of its rows several times: once unchanged, and once for each column and step with the values of this
column moved on. So one query shows what each column of its result depends on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.live.generated.choices import Choices

TABLE = "shaped"
STEPS = (1, 2, 3)
ROWS = 24
_VALUES: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "a": ("int", (1, 12, 3, 140, 5, 27, 60, 9)),
    "b": ("int", (8, 2, 130, 15, 4, 33, 7, 55)),
    "s": ("string", ("k", "mm", "n", "ppp", "q", "rr", "5555", "z")),
    "t": ("string", ("uu", "k", "vvv", "mm", "w", "xx", "0", "yyyy")),
    "l": ("array<int>", ([1, 20], [3], [120, 7, 4], [14, 1], [5], [70, 3, 6], [32], [11, 2])),
    "p": (
        "struct<f:int,g:string>",
        ((10, "k"), (2, "bb"), (31, "c"), (5, "xxx"), (7, "m"), (115, "ba"), (42, "eeee"), (6, "0")),
    ),
}
COLUMNS = tuple(_VALUES)
SCHEMA = ", ".join(("version string", "n int", *(f"{name} {type_}" for name, (type_, _) in _VALUES.items())))


def rows() -> list[tuple[Any, ...]]:
    """Return the rows of the table in all versions: `version` is "" or the changed column and the step."""
    drawn = random.Random(0)
    at = [[drawn.randrange(len(of)) for _, of in _VALUES.values()] for _ in range(ROWS)]
    versions = [("", 0), *((column, by) for column in COLUMNS for by in STEPS)]
    return [_row(n, at[n], column, by) for column, by in versions for n in range(ROWS)]


def _row(n: int, at: Sequence[int], changed: str, by: int) -> tuple[Any, ...]:
    values = [
        of[(i + (by if name == changed else 0)) % len(of)]
        for i, (name, (_, of)) in zip(at, _VALUES.items(), strict=True)
    ]
    return (f"{changed} {by}" if changed else "", n, *values)


# ---- Types and values


@dataclass(frozen=True)
class Type:
    """`kind` is int, string, struct, array or map; `of` are the types of the parts: fields f0, f1 …, elements, key and value."""

    kind: str
    of: tuple[Type, ...] = ()

    @property
    def is_sortable(self) -> bool:
        return self.kind != "map" and all(each.is_sortable for each in self.of)

    @property
    def sql(self) -> str:
        match self.kind:
            case "struct":
                return f"struct<{','.join(f'f{i}:{each.sql}' for i, each in enumerate(self.of))}>"
            case "array" | "map":
                return f"{self.kind}<{','.join(each.sql for each in self.of)}>"
        return self.kind


INT, STRING = Type("int"), Type("string")


@dataclass(frozen=True)
class Typed:
    """An expression."""

    sql: str
    type: Type


Scope = tuple[Typed, ...]
PLAIN: Scope = (
    Typed("a", INT),
    Typed("b", INT),
    Typed("s", STRING),
    Typed("t", STRING),
    Typed("p.f", INT),
    Typed("p.g", STRING),
)
_ARRAY_OF_INT = Type("array", (INT,))


class Making:
    """Make expressions from decisions; every variable has its own name."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._names = 0

    def name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def type(self, depth: int) -> Type:
        c = self.choices
        kind = c.one_of(("int", "string", "struct", "struct", "array", "map") if depth else ("int", "string"))
        match kind:
            case "struct":
                return Type(kind, tuple(self.type(depth - 1) for _ in range(2 + c.below(2))))
            case "array":
                return Type(kind, (self.type(depth - 1),))
            case "map":
                return Type(kind, (STRING, self.type(depth - 1)))
        return Type(kind)

    def value(self, type_: Type, scope: Scope, depth: int) -> str:
        """Return an expression of a type."""
        c = self.choices
        known = [v.sql for v in scope if v.type == type_]
        if known and (not depth or c.below(3) == 0):
            return c.one_of(known)
        if depth and c.once_in(4):
            return c.one_of((self._chosen, self._item, self._of_map))(type_, scope, depth - 1)
        return self._FORMS[type_.kind](self, type_, scope, max(depth - 1, 0))

    def condition(self, scope: Scope) -> str:
        one, other = (self.choices.one_of([v.sql for v in scope if v.type == INT]) for _ in range(2))
        return f"{one} > {other if other != one else 3}"

    def scalar(self, of: Typed) -> str:
        """Return a random part of a value, made plain: the same field of all elements of an array, in order."""
        e, c = of, self.choices
        while e.type.kind == "struct":
            i = c.below(len(e.type.of))
            e = Typed(f"{e.sql}.f{i}", e.type.of[i])
        if e.type.kind in ("int", "string"):
            return e.sql
        inner, x = e.type.of[-1], self.name()
        array = e.sql
        if e.type.kind == "map":
            array = c.one_of((f"map_values({e.sql})", f"map_entries({e.sql}).value"))
        elif inner.kind == "struct" and c.below(2):
            i = c.below(len(inner.of))
            array, inner = f"{e.sql}.f{i}", inner.of[i]
        return f"array_join(transform({array}, {x} -> cast({self.scalar(Typed(x, inner))} as string)), ',', '-')"

    def _part(self, e: Typed) -> Typed:
        c = self.choices
        if e.type.kind == "struct":
            i = c.below(len(e.type.of))
            return Typed(f"{e.sql}.f{i}", e.type.of[i])
        inner = e.type.of[-1]
        if e.type.kind == "map":
            return Typed(c.one_of((f"map_values({e.sql})[0]", f"map_entries({e.sql})[0].value")), inner)
        return Typed(c.one_of((f"get({e.sql}, 0)", f"try_element_at({e.sql}, 1)")), inner)

    # ---- of any type

    def _chosen(self, type_: Type, scope: Scope, depth: int) -> str:
        one, other = (self.value(type_, scope, depth) for _ in range(2))
        choice = self.condition(scope)
        return self.choices.one_of((f"if({choice}, {one}, {other})", f"coalesce(if({choice}, {one}, null), {other})"))

    def _item(self, type_: Type, scope: Scope, depth: int) -> str:
        array = self._single(type_, scope, depth)
        forms = [f"get({array}, 0)", f"try_element_at({array}, 1)", f"get(reverse({array}), 0)"]
        if type_.is_sortable:
            array = self.value(Type("array", (type_,)), scope, depth)
            forms += [f"array_max({array})", f"get(sort_array({array}), 0)"]
        return self.choices.one_of(forms)

    def _single(self, type_: Type, scope: Scope, depth: int) -> str:
        """Return an array of one element: of several an index would take one."""
        value, x = self.value(type_, scope, depth), self.name()
        of = self.type(min(depth, 1))
        one = self.value(of, scope, 0)
        forms = [f"array({value})", f"slice(array({value}), 1, 1)", f"map_values(map('k', {value}))"]
        if depth:
            inner = self._opened((*scope, Typed(x, of)))
            forms.append(f"transform(array({one}), {x} -> {self.value(type_, inner, depth - 1)})")
        return self.choices.one_of(forms)

    def _of_map(self, type_: Type, scope: Scope, depth: int) -> str:
        value = self.value(type_, scope, depth)
        key = self.value(STRING, scope, 0)
        return self.choices.one_of((f"map('k', {value})['k']", f"map_values(map(coalesce({key}, 'k'), {value}))[0]"))

    # ---- of one type

    def _int(self, type_: Type, scope: Scope, depth: int) -> str:
        del type_
        c = self.choices
        form = c.below(6)
        if form < 2 or not depth:
            return c.one_of(("1", "2", *[v.sql for v in scope if v.type == INT] * 3))
        if form == 2:
            return f"({self.value(INT, scope, depth)} + {self.value(INT, scope, depth)})"
        if form == 3:
            return f"length({self.value(STRING, scope, depth)})"
        of = self.type(depth)
        x, y = self.name(), self.name()
        inner = (*scope, Typed(x, of))
        if form == 4:
            array = self.value(Type("array", (of,)), scope, depth)
            return f"size(filter({array}, {x} -> {self.condition(self._opened(inner))}))"
        array, added = self._single(of, scope, depth), self.value(INT, self._opened(inner), 0)
        return f"aggregate({array}, 0, ({y}, {x}) -> {y} + {added})"

    def _string(self, type_: Type, scope: Scope, depth: int) -> str:
        del type_
        c = self.choices
        form = c.below(4)
        if form < 2 or not depth:
            return c.one_of(("'k'", *[v.sql for v in scope if v.type == STRING] * 3))
        if form == 2:
            return f"concat({self.value(STRING, scope, depth)}, {self.value(STRING, scope, depth)})"
        return f"cast({self.value(INT, scope, depth)} as string)"

    def _struct(self, type_: Type, scope: Scope, depth: int) -> str:
        c = self.choices
        form = c.below(4)
        if form == 0:
            return f"cast({self._named(type_, scope, depth, 'g')} as {type_.sql})"
        if form == 1 and depth:
            x, y, of = self.name(), self.name(), self.type(1)
            zero, array = self.value(type_, scope, depth - 1), self._single(of, scope, depth - 1)
            again = self._again(type_, x, self._opened((*scope, Typed(y, of))))
            return f"aggregate({array}, cast({zero} as {type_.sql}), ({x}, {y}) -> cast({again} as {type_.sql}))"
        return self._named(type_, scope, depth)

    def _again(self, type_: Type, before: str, scope: Scope) -> str:
        """Return what comes of what was there before."""
        forms = {"int": "{} + {}", "string": "concat({}, {})"}
        fields = (
            f"'f{i}', {forms.get(each.kind, '{}').format(f'{before}.f{i}', self.value(each, scope, 0))}"
            for i, each in enumerate(type_.of)
        )
        return f"named_struct({', '.join(fields)})"

    def _named(self, type_: Type, scope: Scope, depth: int, prefix: str = "f") -> str:
        fields = (f"'{prefix}{i}', {self.value(each, scope, depth)}" for i, each in enumerate(type_.of))
        return f"named_struct({', '.join(fields)})"

    def _array(self, type_: Type, scope: Scope, depth: int) -> str:
        c = self.choices
        element = type_.of[0]
        if not depth or c.below(4) == 0:
            # Mostly one element: an index takes one of several.
            return f"array({', '.join(self.value(element, scope, depth) for _ in range(1 + c.once_in(4)))})"
        forms: list[Callable[[Type, Scope, int], str]] = [
            self._transformed, self._transformed, self._filtered, self._zipped, self._rearranged, self._of_values,
        ]  # fmt: skip
        if element.is_sortable:
            forms.append(self._as_set)
        return c.one_of(forms)(element, scope, depth - 1)

    def _transformed(self, element: Type, scope: Scope, depth: int) -> str:
        of, x = self.type(depth), self.name()
        array = self.value(Type("array", (of,)), scope, depth)
        return f"transform({array}, {x} -> {self.value(element, self._opened((*scope, Typed(x, of))), depth)})"

    def _filtered(self, element: Type, scope: Scope, depth: int) -> str:
        array, x = self.value(Type("array", (element,)), scope, depth), self.name()
        return f"filter({array}, {x} -> {self.condition(self._opened((*scope, Typed(x, element))))})"

    def _zipped(self, element: Type, scope: Scope, depth: int) -> str:
        of, x, y = [self.type(min(depth, 1)) for _ in range(2)], self.name(), self.name()
        arrays = ", ".join(self._single(each, scope, depth) for each in of)  # else the longer one decides of the other
        inner = self._opened((*scope, Typed(x, of[0]), Typed(y, of[1])))
        return f"zip_with({arrays}, ({x}, {y}) -> {self.value(element, inner, depth)})"

    def _rearranged(self, element: Type, scope: Scope, depth: int) -> str:
        one, other = (self.value(Type("array", (element,)), scope, depth) for _ in range(2))
        forms = (f"concat({one}, {other})", f"reverse({one})", f"slice({one}, 1, 9)", f"flatten(array({one}, {other}))")
        return self.choices.one_of((*forms, f"array_append({one}, {self.value(element, scope, depth)})"))

    def _of_values(self, element: Type, scope: Scope, depth: int) -> str:
        return f"map_values({self.value(Type('map', (STRING, element)), scope, depth)})"

    def _as_set(self, element: Type, scope: Scope, depth: int) -> str:
        one, other = (self.value(Type("array", (element,)), scope, depth) for _ in range(2))
        return self.choices.one_of((f"array_distinct({one})", f"array_union({one}, {other})", f"sort_array({one})"))

    def _map(self, type_: Type, scope: Scope, depth: int) -> str:
        c = self.choices
        inner = type_.of[1]
        key = f"coalesce({self.value(STRING, scope, min(depth, 1))}, 'k')"
        form = c.below(6) if depth else 0
        if form < 3:
            value = self.value(inner, scope, depth)
            forms = (
                f"map({key}, {value})",
                f"map_from_arrays(array({key}), array({value}))",
                f"map_from_entries(array(named_struct('key', {key}, 'value', {value})))",
            )
            return forms[form]
        x, y = self.name(), self.name()
        of = self.type(depth - 1) if form == 3 else inner
        source = self.value(Type("map", (STRING, of)), scope, depth - 1)
        opened = self._opened((*scope, Typed(x, STRING), Typed(y, of)))
        if form == 3:
            return f"transform_values({source}, ({x}, {y}) -> {self.value(inner, opened, depth - 1)})"
        if form == 4:
            return f"map_filter({source}, ({x}, {y}) -> {self.condition(opened)})"
        return f"map_concat({source}, map(concat({key}, '{x}'), {self.value(inner, scope, depth - 1)}))"  # no key twice

    def _opened(self, scope: Scope) -> Scope:
        """Return the scope with plain parts of the last two values, so that these are used."""
        found: list[Typed] = []
        for each in scope[-2:]:
            while each.type.kind not in ("int", "string"):
                each = self._part(each)
            found += [each, each, each]
        return (*scope, *found)

    _FORMS: Mapping[str, Callable[[Making, Type, Scope, int], str]] = {
        "int": _int, "string": _string, "struct": _struct, "array": _array, "map": _map,
    }  # fmt: skip


# ---- Queries

DEPTH = 4
GROUPS = 6


def query(seed: int) -> str:
    """Return a query with the columns version, n, and some that are made of parts of values."""
    c = Choices(seed)
    making = Making(c)
    types = [Type("struct", (making.type(2), making.type(2))), Type("array", (making.type(2),)), making.type(3)]
    plain = (*PLAIN, Typed("l", _ARRAY_OF_INT))
    inner = _values(making, types, plain)
    over = c.below(3)
    if c.once_in(3) and over < 2:  # of two branches a function that chooses a row would show one
        inner = f"{inner} union all {_values(making, types, plain)}"
    scope: Scope = tuple(Typed(f"x{i}", each) for i, each in enumerate(types))
    if over == 1:
        inner = f"select version, n, x0, x1, x2, y from ({inner}) lateral view outer explode(x1) as y"
        scope = (*scope, Typed("y", types[1].of[0]))
    elif over == 2:
        listed = ", ".join(_aggregate(c, each) for each in scope)
        inner = f"select version, n % {GROUPS} n, {listed} from ({inner}) group by version, n % {GROUPS}"
        scope = (*scope[:2], Typed("x2", Type("array", (types[2],))))
    columns = [making.scalar(c.one_of(scope[-3:])) for _ in range(4)]
    listed = ", ".join(f"{column} as c{i}" for i, column in enumerate(columns))
    return f"select version, n, {listed} from ({inner})"


def _values(making: Making, types: Sequence[Type], scope: Scope) -> str:
    made = (f"cast({making.value(each, scope, DEPTH)} as {each.sql}) x{i}" for i, each in enumerate(types))
    return f"select version, n, {', '.join(made)} from {TABLE}"


def _aggregate(c: Choices, of: Typed) -> str:
    if of.sql == "x2":
        return "collect_list(x2) x2"
    forms = [f"max_by({of.sql}, n)", f"min_by({of.sql}, n)", f"first({of.sql})", f"last({of.sql})"]
    if of.type.is_sortable:
        forms += [f"max({of.sql})", f"min({of.sql})"]
    return f"{c.one_of(forms)} {of.sql}"
