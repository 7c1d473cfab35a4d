"""Items of FROM: tables, subqueries, common table expressions, views, VALUES, joins, lateral views and subqueries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.live.generated import data
from tests.live.generated.answers import (
    NOTHING,
    Column,
    Query,
    Reads,
    Value,
    deciding,
    extent_of,
    made,
    reads_of,
    through,
)
from tests.live.generated.data import ARRAY, DATABASE, TABLES
from tests.live.generated.maker import Maker, Place
from tests.live.generated.values import value

MakeQuery = Callable[[Maker, Place], Query]


@dataclass(frozen=True)
class From:
    """A FROM clause, the columns that can be named behind it, and what it brings along."""

    sql: str
    scope: tuple[Value, ...]
    reads: Reads = NOTHING


def named(alias: str, columns: tuple[Column, ...]) -> tuple[Value, ...]:
    return tuple(Value(f"{alias}.{c.name}", c.type, c.sources, name=c.name) for c in columns)


def item(maker: Maker, place: Place, query: MakeQuery) -> From:
    """Return one relation under an alias."""
    c = maker.choices
    if place.depth <= 0:
        return c.one_of((_table, _table, _table, _cte, _values))(maker, place, query)
    return c.one_of((_table, _table, _cte, _cte, _subquery, _subquery, _subquery, _view, _values))(maker, place, query)


def _table(maker: Maker, place: Place, query: MakeQuery) -> From:
    del query
    name, alias = maker.choices.one_of(tuple(TABLES)), maker.alias()
    # The name of a table may be that of a common table expression here.
    written = name if name not in place.ctes and maker.choices.below(2) else f"{DATABASE}.{name}"
    return From(f"{written} {alias}", named(alias, data.columns(name)), Reads(datasets=frozenset({name})))


def _cte(maker: Maker, place: Place, query: MakeQuery) -> From:
    if not place.ctes:
        return _table(maker, place, query)
    name, alias = maker.choices.one_of(tuple(place.ctes)), maker.alias()
    defined = place.ctes[name]
    return From(f"{name} {alias}", named(alias, defined.columns), defined.reads)


def _subquery(maker: Maker, place: Place, query: MakeQuery) -> From:
    inner, alias = query(maker, place.deeper()), maker.alias()
    if not maker.choices.once_in(4):
        return From(f"({inner.sql}) {alias}", named(alias, inner.columns), inner.reads)
    # Other names for the columns, among them each other's.
    names = [c.name for c in inner.columns]
    names = [*names[1:], names[0]]
    columns = tuple(replace(c, name=n) for c, n in zip(inner.columns, names, strict=True))
    return From(f"({inner.sql}) {alias}({', '.join(names)})", named(alias, columns), inner.reads)


def _view(maker: Maker, place: Place, query: MakeQuery) -> From:
    """Return a view: a temporary one is its query; a persisted one is a separate dataset with its own definition."""
    is_temporary = place.temporary and maker.choices.below(2) == 0
    inner = query(maker, replace(place.deeper(), ctes={}, temporary=is_temporary))
    name, alias = maker.view(), maker.alias()
    if is_temporary:
        made_by = f"create or replace temporary view {name} as {inner.sql}"
        return From(f"{name} {alias}", named(alias, inner.columns), inner.reads | Reads(before=(made_by,)))
    names = [c.name for c in inner.columns]
    listed = ""
    if maker.choices.once_in(2):
        names = [f"w{i}" for i in range(len(names))]
        listed = f" ({', '.join(names)})"
    columns = tuple(
        Column(n, c.type, frozenset({(name, n, "identity")})) for c, n in zip(inner.columns, names, strict=True)
    )
    made_by = f"create or replace view {DATABASE}.{name}{listed} as {inner.sql}"
    reads = Reads(datasets=frozenset({name}), before=(*inner.reads.before, made_by))
    return From(f"{DATABASE}.{name} {alias}", named(alias, columns), reads)


def _values(maker: Maker, place: Place, query: MakeQuery) -> From:
    del place, query
    alias = maker.alias()
    columns = (Column("id", "int"), Column("name", "string"), Column("amount", "double"))
    rows = "(1, 'a', 1.5D), (2, 'ab', 2.5D), (3, 'x', 4.0D)"
    return From(f"(values {rows}) {alias}(id, name, amount)", named(alias, columns))


# ---- several relations


def clause(maker: Maker, place: Place, query: MakeQuery) -> From:
    """Return a FROM clause: most often one relation, else a join or a lateral view."""
    c = maker.choices
    first = item(maker, place, query)
    match c.below(9):
        case 4 | 5:
            return _join(maker, first, item(maker, place, query))
        case 6:
            return _using(maker, first, item(maker, place, query))
        case 7:
            return _lateral_view(maker, first)
        case 8:
            return _lateral_subquery(maker, first, item(maker, place, query))
        case _:
            return first


def condition(maker: Maker, left: From, right: From) -> Value | None:
    """Columns of either side that are equal, and sometimes more; None where they have no type in common."""
    c = maker.choices
    pairs = [(a, b) for a in left.scope for b in right.scope if a.type == b.type and a.type in ("int", "string")]
    if not pairs:
        return None
    a, b = c.one_of(pairs)
    equal = made("{} = {}", "boolean", (a, "transformation"), (b, "transformation"))
    if not c.once_in(4):
        return equal
    other = value(maker, (*left.scope, *right.scope), "boolean", 1)
    return made("{} and {}", "boolean", (equal, "transformation"), (other, "transformation"))


def _join(maker: Maker, left: From, right: From) -> From:
    c = maker.choices
    on = condition(maker, left, right)
    reads = left.reads | right.reads
    both = (*left.scope, *right.scope)
    if on is None or c.once_in(8):
        return From(f"{left.sql} cross join {right.sql}", both, reads)
    kind = c.one_of(("join", "left join", "right join", "full join", "left semi join", "left anti join"))
    seen = left.scope if kind in ("left semi join", "left anti join") else both
    return From(f"{left.sql} {kind} {right.sql} on {on.sql}", seen, reads | deciding("join", on))


def _using(maker: Maker, left: From, right: From) -> From:
    """Of a key there is one column: that of the side whose rows are all kept, or of both."""
    c = maker.choices
    theirs = {v.name: v for v in right.scope}
    common = [
        v.name
        for v in left.scope
        if v.name in theirs and v.type == theirs[v.name].type and v.type in ("int", "string", "bigint")
    ]
    same = [v.name for v in left.scope if v.name in theirs]
    if not common:
        return _join(maker, left, right)
    is_natural = sorted(same) == sorted(common) and c.once_in(2)
    keys = common if is_natural else common[: 1 + c.below(len(common))]
    kinds = ("join", "left join", "right join", "full join", "left semi join")
    kind = c.one_of(kinds[:4] if is_natural else kinds)  # Spark has no natural semi join
    ours = {v.name: v for v in left.scope}
    reads = left.reads | right.reads | deciding("join", *(side[k] for k in keys for side in (ours, theirs)))
    joined = f"natural {kind}" if is_natural else kind
    sql = f"{left.sql} {joined} {right.sql}" + ("" if is_natural else f" using ({', '.join(keys)})")
    kept = [v for v in (*left.scope, *([] if "semi" in kind else right.scope)) if v.name not in keys]
    return From(sql, (*(_key(k, kind, ours[k], theirs[k]) for k in keys), *kept), reads)


def _key(name: str, kind: str, left: Value, right: Value) -> Value:
    if kind == "full join":
        sources = through(left.sources | right.sources, "transformation")
    else:
        sources = right.sources if kind == "right join" else left.sources
    return Value(name, left.type, sources, name=name)


def _lateral_view(maker: Maker, first: From) -> From:
    c = maker.choices
    alias = maker.alias()
    outer = c.one_of(("", "outer "))
    function, columns = c.one_of((_explode, _posexplode, _stack, _inline))(maker, first.scope)
    names = ", ".join(v.name for v in columns)
    reads = reads_of(*columns)
    sql = f"{first.sql} lateral view {outer}{function} {alias} as {names}"
    made_columns = tuple(Value(f"{alias}.{v.name}", v.type, v.sources, name=v.name) for v in columns)
    return From(sql, (*first.scope, *made_columns), first.reads | reads)


Generated = tuple[str, tuple[Value, ...]]


def array(maker: Maker, scope: tuple[Value, ...]) -> Value:
    """Return an array to explode: a column, or one made of two values."""
    columns = [v for v in scope if v.type == ARRAY]
    if columns and maker.choices.below(4):
        return maker.choices.one_of(columns)
    return made("array({}, {})", ARRAY, *((value(maker, scope, "int", 1), "transformation") for _ in range(2)))


def _explode(maker: Maker, scope: tuple[Value, ...]) -> Generated:
    a = array(maker, scope)
    return f"explode({a.sql})", (Value("", "int", through(a.sources, "transformation"), name="tag"),)


def _posexplode(maker: Maker, scope: tuple[Value, ...]) -> Generated:
    """No value of the array is in the position: the array only decides how many there are."""
    a = array(maker, scope)
    pos = Value("", "int", through(extent_of(a), "conditional"), name="pos")
    tag = Value("", "int", through(a.sources, "transformation"), name="tag")
    return f"posexplode({a.sql})", (pos, tag)


def _stack(maker: Maker, scope: tuple[Value, ...]) -> Generated:
    """Two rows out of four values: a column is made of every second."""
    cells = [value(maker, scope, type_, 1) for type_ in ("string", "int") * 2]
    of = [through(cells[i].sources | cells[i + 2].sources, "transformation") for i in range(2)]
    return (
        f"stack(2, {', '.join(v.sql for v in cells)})",
        (Value("", "string", of[0], name="label"), Value("", "int", of[1], name="x")),
    )


def _inline(maker: Maker, scope: tuple[Value, ...]) -> Generated:
    """Two structs: a column is made of the field of both."""
    cells = [value(maker, scope, type_, 1) for type_ in ("string", "int") * 2]
    of = [through(cells[i].sources | cells[i + 2].sources, "transformation") for i in range(2)]
    structs = ", ".join(
        f"named_struct('a', {first.sql}, 'b', {second.sql})" for first, second in (cells[:2], cells[2:])
    )
    return f"inline(array({structs}))", (Value("", "string", of[0], name="a"), Value("", "int", of[1], name="b"))


def _lateral_subquery(maker: Maker, left: From, right: From) -> From:
    """Return the subquery looks at one column of the left side: that one decides which rows there are."""
    on = condition(maker, left, right)
    if on is None or " and " in on.sql:
        return _join(maker, left, right)
    alias = maker.alias()
    chosen = [maker.choices.one_of(right.scope) for _ in range(1 + maker.choices.below(2))]
    listed, columns = maker.selected(chosen)
    sql = f"{left.sql}, lateral (select {listed} from {right.sql} where {on.sql}) {alias}"
    outer = {v.sql: v for v in left.scope}[on.sql.split(" = ")[0]]
    inner = {v.sql: v for v in right.scope}[on.sql.split(" = ")[1]]
    reads = left.reads | right.reads | deciding("join", outer) | deciding("filter", inner)
    return From(sql, (*left.scope, *named(alias, columns)), reads)
