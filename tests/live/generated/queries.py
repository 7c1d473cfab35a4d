"""Queries: the operators, each rendered and answered from its parts."""

from __future__ import annotations

from dataclasses import replace

from tests.live.generated.answers import Column, Query, Reads, Value, deciding, made, reads_of, through
from tests.live.generated.data import ARRAY, STRUCT
from tests.live.generated.grouping import aggregate, pivot, rollup, windows
from tests.live.generated.items import From, array, clause, condition, item, named
from tests.live.generated.maker import Maker, Place
from tests.live.generated.values import any_value, key, value


def query(maker: Maker, place: Place) -> Query:
    """Return a query of any kind."""
    if place.depth <= 0:
        return project(maker, place)
    return maker.choices.one_of(OPERATORS)(maker, place)


def project(maker: Maker, place: Place) -> Query:
    """SELECT expressions, sometimes with WHERE and with ORDER BY, also by what is not selected."""
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    nested = None if " lateral " in source.sql else lambda type_: _scalar(maker, place, source.scope, type_)
    values = [_deciding_itself(any_value(maker, source.scope, 2, nested)) for _ in range(1 + c.below(4))]
    listed, columns = maker.selected(values)
    sql = f"select {listed} from {source.sql}"
    reads = source.reads | reads_of(*values)
    if c.once_in(2):
        where = _condition(maker, place, source.scope)
        sql += f" where {where.sql}"
        reads |= deciding("filter", where)
    if c.once_in(6):
        order = key(maker, source.scope)
        sql += f" order by {order.sql}{c.one_of(('', ' desc'))}{c.one_of(('', ' limit 2'))}"
        reads |= deciding("sort", order)
    return Query(sql, columns, reads)


def _deciding_itself(value: Value) -> Value:
    """Return a value of a column: what decides the rows of its subqueries decides only on it."""
    rows = frozenset(s for s in value.reads.rows if s[2] in ("join", "filter"))
    return replace(
        value, sources=value.sources | through(rows, "conditional"), reads=replace(value.reads, rows=frozenset())
    )


def _condition(maker: Maker, place: Place, scope: tuple[Value, ...]) -> Value:
    c = maker.choices
    if place.depth > 0 and c.once_in(2):
        return c.one_of((_in, _exists))(maker, place, scope)
    return value(maker, scope, "boolean", 2)


def _scalar(maker: Maker, place: Place, scope: tuple[Value, ...], type_: str) -> Value | None:
    """Return a scalar subquery, sometimes correlated: then the outer column joins it."""
    if type_ == "boolean":
        found = _condition(maker, place, scope) if place.depth > 0 else None
        return found if found is None or "select" in found.sql else None
    if place.depth <= 0 or type_ in (ARRAY, STRUCT):
        return None
    inner = item(maker, place.deeper(), query)
    functions = ("max({})", "min({})", "count({})" if type_ == "bigint" else "max({})")
    result = made(maker.choices.one_of(functions), type_, (value(maker, inner.scope, type_, 1), "aggregation"))
    sql, reads, sources = f"select {result.sql} from {inner.sql}", inner.reads | result.reads, result.sources
    pair = _correlation(maker, scope, inner.scope)
    if pair is not None and maker.choices.once_in(2):
        outer, own = pair
        sql += f" where {own.sql} = {outer.sql}"
        reads |= deciding("filter", own)
        sources |= through(outer.sources, "join")
    return Value(f"({sql})", type_, sources, reads)


def _correlation(maker: Maker, outer: tuple[Value, ...], inner: tuple[Value, ...]) -> tuple[Value, Value] | None:
    # A key of USING has no relation before its name: within the subquery that name means the subquery's own column.
    named = [o for o in outer if "." in o.sql and o.type in ("int", "string")]
    pairs = [(o, i) for o in named for i in inner if o.type == i.type]
    return maker.choices.one_of(pairs) if pairs else None


def _in(maker: Maker, place: Place, scope: tuple[Value, ...]) -> Value:
    inner = project_of(maker, place.deeper(), ["int"])
    tested = value(maker, scope, "int", 1)
    word = maker.choices.one_of(("in", "not in"))
    column = Value(inner.sql, "int", inner.columns[0].sources, inner.reads)
    return made(f"({{}} {word} ({{}}))", "boolean", (tested, "transformation"), (column, "conditional"))


def _exists(maker: Maker, place: Place, scope: tuple[Value, ...]) -> Value:
    """Ignore its own columns: only whether there is a row counts."""
    inner = item(maker, place.deeper(), query)
    pair = _correlation(maker, scope, inner.scope)
    shown = maker.choices.one_of(("1", inner.scope[0].sql))
    word = maker.choices.one_of(("", "not "))
    if pair is None:
        return Value(f"({word}exists (select {shown} from {inner.sql}))", "boolean", frozenset(), inner.reads)
    outer, own = pair
    sql = f"({word}exists (select {shown} from {inner.sql} where {own.sql} = {outer.sql}))"
    reads = inner.reads | deciding("filter", own)
    return Value(sql, "boolean", through(outer.sources, "join"), reads)


def project_of(maker: Maker, place: Place, types: list[str]) -> Query:
    """Return a query whose columns have these types."""
    source = clause(maker, place, query)
    values = [value(maker, source.scope, type_, 1) for type_ in types]
    listed, columns = maker.selected(values)
    return Query(f"select {listed} from {source.sql}", columns, source.reads | reads_of(*values))


# ---- operators over queries


def distinct(maker: Maker, place: Place) -> Query:
    inner, alias = query(maker, place.deeper()), maker.alias()
    reads = inner.reads | _all("group_by", inner)
    return Query(f"select distinct * from ({inner.sql}) {alias}", inner.columns, reads)


def _all(kind: str, *queries: Query) -> Reads:
    return Reads(frozenset().union(*(through(c.sources, kind) for q in queries for c in q.columns)))


def sort(maker: Maker, place: Place) -> Query:
    inner, alias = query(maker, place.deeper()), maker.alias()
    order = key(maker, tuple(Value(f"{alias}.{c.name}", c.type, c.sources) for c in inner.columns))
    sql = f"select * from ({inner.sql}) {alias} order by {order.sql} limit {1 + maker.choices.below(3)}"
    return Query(sql, inner.columns, inner.reads | deciding("sort", order))


def set_operation(maker: Maker, place: Place) -> Query:
    """By position, under the names of the left side; a narrower type is made the wider one."""
    c = maker.choices
    left = query(maker, place.deeper())
    types = [column.type for column in left.columns]
    wider = [i for i, t in enumerate(types) if t == "int"]
    widened = c.one_of(wider) if wider and c.once_in(3) else None
    if widened is not None:
        types[widened] = "bigint"
    right = project_of(maker, place.deeper(), types)
    word = c.one_of(("union all", "union all", "union", "intersect", "except", "intersect all", "except all"))
    ours = tuple(Column(a.name, t, a.sources) for a, t in zip(left.columns, types, strict=True))
    reads = left.reads | right.reads
    sql = f"({left.sql}) {word} ({right.sql})"
    left = replace(left, columns=ours)
    if not word.startswith("union"):
        return Query(sql, ours, reads | _all("filter", left) | _all("filter", right))
    both = tuple(replace(a, sources=a.sources | b.sources) for a, b in zip(ours, right.columns, strict=True))
    result = Query(sql, both, reads)
    return replace(result, reads=reads | _all("group_by", result)) if word == "union" else result


def with_ctes(maker: Maker, place: Place) -> Query:
    """Make one or two common table expressions: used twice, by each other, under names of outer ones and of tables."""
    c = maker.choices
    names = c.one_of((("t", "u"), ("u", "t"), ("orders", "t"), ("people", "u")))[: 1 + c.below(2)]
    parts, inside = [], place.deeper()
    for name in names:
        defined = query(maker, inside)
        parts.append(f"{name} as ({defined.sql})")
        inside = replace(inside, ctes={**inside.ctes, name: defined})
    main = query(maker, inside)
    # What a definition brings along counts where it is used; the statements before it are needed to analyze it.
    before = Reads(before=tuple(s for name in names for s in inside.ctes[name].reads.before))
    body = f"select * from ({main.sql})" if main.sql.startswith("with ") else main.sql
    return Query(f"with {', '.join(parts)} {body}", main.columns, main.reads | before)


def cte_used_twice(maker: Maker, place: Place) -> Query:
    defined = query(maker, place.deeper())
    inside = replace(place, depth=0, ctes={**place.ctes, "t": defined})
    left, right = (_reference("t", maker, inside) for _ in range(2))
    on = condition(maker, left, right)
    join = f"join {right.sql} on {on.sql}" if on is not None else f"cross join {right.sql}"
    values = [maker.choices.one_of((*left.scope, *right.scope)) for _ in range(1 + maker.choices.below(3))]
    listed, columns = maker.selected(values)
    reads = defined.reads | (deciding("join", on) if on is not None else Reads())
    return Query(f"with t as ({defined.sql}) select {listed} from {left.sql} {join}", columns, reads)


def _reference(name: str, maker: Maker, place: Place) -> From:
    alias, defined = maker.alias(), place.ctes[name]
    return From(f"{name} {alias}", named(alias, defined.columns), defined.reads)


def generator_in_select(maker: Maker, place: Place) -> Query:
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    a = array(maker, source.scope)
    others = [c.one_of(source.scope)] if c.below(2) else []
    listed, columns = maker.selected(others)
    name = "tag"
    made_of = Column(name, "int", through(a.sources, "transformation"))
    sql = f"select {listed}{', ' if others else ''}explode({a.sql}) as {name} from {source.sql}"
    return Query(sql, (*columns, made_of), source.reads | a.reads)


def unpivot(maker: Maker, place: Place) -> Query:
    """Values of several columns as rows; rows without one are omitted."""
    c = maker.choices
    type_ = c.one_of(("int", "string"))
    inner, alias = project_of(maker, place.deeper(), ["double", type_, type_]), maker.alias()
    kept, first, second = inner.columns
    is_filtered = c.below(2) == 0
    value_column = Column("value", type_, first.sources | second.sources)
    sql = (
        f"select * from (select * from ({inner.sql}) {alias}) unpivot {'' if is_filtered else 'include nulls '}"
        f"(value for which in ({first.name} as `one`, {second.name} as `two`))"
    )
    reads = inner.reads | (_all("filter", Query("", (first, second))) if is_filtered else Reads())
    return Query(sql, (kept, Column("which", "string"), value_column), reads)


def lateral_alias(maker: Maker, place: Place) -> Query:
    """Return an expression that uses another one of the same SELECT by its name."""
    source = item(maker, place.deeper(), query)
    # A name that no column below has: that would be meant.
    first, name = value(maker, source.scope, "int", 1), f"alias_{maker.alias()}"
    second = made("({} + 1)", "int", (replace(first, sql=name), "transformation"))
    sql = f"select {first.sql} as {name}, {second.sql} as another from {source.sql}"
    columns = (Column(name, "int", first.sources), Column("another", "int", second.sources))
    return Query(sql, columns, source.reads | first.reads)


OPERATORS = (
    project,
    project,
    project,
    lambda maker, place: aggregate(maker, place, query),
    lambda maker, place: aggregate(maker, place, query),
    lambda maker, place: windows(maker, place, query),
    lambda maker, place: windows(maker, place, query),
    set_operation,
    set_operation,
    with_ctes,
    with_ctes,
    cte_used_twice,
    distinct,
    sort,
    lambda maker, place: rollup(maker, place, query),
    generator_in_select,
    lambda maker, place: pivot(maker, place, query),
    unpivot,
    lateral_alias,
)
"""The simplest first."""
