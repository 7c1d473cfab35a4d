"""Operators over groups of rows: aggregates, ROLLUP, PIVOT, windows."""

from __future__ import annotations

from tests.live.generated.answers import NONE, Column, Query, Value, deciding, made, reads_of, through
from tests.live.generated.data import ARRAY, STRUCT
from tests.live.generated.items import From, MakeQuery, clause
from tests.live.generated.maker import Maker, Place
from tests.live.generated.values import key, value

_AGGREGATES = (
    ("sum({})", "int", "bigint"),
    ("count({})", "string", "bigint"),
    ("max({})", "string", "string"),
    ("min({})", "int", "int"),
    ("max({})", "double", "double"),
    ("avg({})", "double", "double"),
    ("count(distinct {})", "string", "bigint"),
    ("sum(distinct {})", "int", "bigint"),
    ("size(collect_list({}))", "int", "int"),
)


def _aggregated(maker: Maker, scope: tuple[Value, ...]) -> Value:
    """Return an aggregate: what it is made of, and by a FILTER clause what decides."""
    c = maker.choices
    if c.once_in(6):
        return Value("count(*)", "bigint")
    template, of, type_ = c.one_of(_AGGREGATES)
    parts = [(value(maker, scope, of, 1), "aggregation")]
    if not c.once_in(5) or template.startswith("size"):
        return made(template, type_, *parts)
    parts.append((value(maker, scope, "boolean", 1), "conditional"))
    return made(f"{template} filter (where {{}})", type_, *parts)


def aggregate(maker: Maker, place: Place, query: MakeQuery) -> Query:
    """GROUP BY, or of all rows; expressions over keys and aggregates; HAVING."""
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    keys = [key(maker, source.scope) for _ in range(c.below(3))]
    return _grouped(maker, source, keys, f" group by {', '.join(k.sql for k in keys)}" if keys else "")


def rollup(maker: Maker, place: Place, query: MakeQuery) -> Query:
    """Several groupings at once. A key is a value, or nothing where it is not grouped by."""
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    keys = list({k.sql: k for k in (key(maker, source.scope) for _ in range(2))}.values())
    listed = ", ".join(k.sql for k in keys)
    sets = f"grouping sets (({listed}), ({keys[0].sql}), ())"
    return _grouped(maker, source, keys, " group by " + c.one_of((f"rollup({listed})", f"cube({listed})", sets)), True)


def _grouped(maker: Maker, source: From, keys: list[Value], group_by: str, is_several: bool = False) -> Query:
    c = maker.choices
    aggregates = [_aggregated(maker, source.scope) for _ in range(1 + c.below(3))]
    results = [*keys[: c.below(len(keys) + 1)], *aggregates]
    if is_several and c.once_in(3):
        results.append(made("{}", "int", (Value(f"cast(grouping({keys[0].sql}) as int)", "int"), "identity")))
    if not is_several and c.once_in(3):
        results.append(value(maker, (*keys, *aggregates), c.one_of(("bigint", "string", "double")), 1))
    listed, columns = maker.selected(results)
    sql = f"select {listed} from {source.sql}{group_by}"
    reads = source.reads | reads_of(*keys, *aggregates, *results) | deciding("group_by", *keys)
    if c.once_in(4):
        having = _having(maker, source.scope)
        sql += f" having {having.sql}"
        reads |= deciding("filter", having)
    return Query(sql, columns, reads)


def _having(maker: Maker, scope: tuple[Value, ...]) -> Value:
    counted = made("count({})", "bigint", (value(maker, scope, "string", 1), "aggregation"))
    return made("{} >= 1", "boolean", (counted, "transformation"))


_WINDOWS = (
    ("sum({})", "int", "bigint", "aggregation"),
    ("max({})", "string", "string", "aggregation"),
    ("count({})", "string", "bigint", "aggregation"),
    ("lag({})", "string", "string", "transformation"),
    ("lead({}, 1)", "int", "int", "transformation"),
    ("first_value({})", "double", "double", "aggregation"),
    ("rank()", None, "int", ""),
    ("row_number()", None, "int", ""),
    ("dense_rank()", None, "int", ""),
    ("ntile(2)", None, "int", ""),
    ("percent_rank()", None, "double", ""),
    ("count(*)", None, "bigint", ""),
)


def windows(maker: Maker, place: Place, query: MakeQuery) -> Query:
    """Columns, window functions and expressions over these."""
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    plain = [v for v in source.scope if v.type not in (ARRAY, STRUCT)] or list(source.scope)
    values = [c.one_of(plain), *(_windowed(maker, source.scope) for _ in range(1 + c.below(3)))]
    if c.once_in(3):
        wanted = values[-1]
        values.append(made("coalesce({}, {})", wanted.type, (wanted, "transformation"), (wanted, "transformation")))
    listed, columns = maker.selected(values)
    return Query(f"select {listed} from {source.sql}", columns, source.reads | reads_of(*values))


def _windowed(maker: Maker, scope: tuple[Value, ...]) -> Value:
    c = maker.choices
    template, of, type_, kind = c.one_of(_WINDOWS)
    function = made(template, type_, *([(value(maker, scope, of, 1), kind)] if of else []))
    partition, order = key(maker, scope), key(maker, scope)
    # Rank-like functions need an order; others may have none.
    by = f"partition by {partition.sql} " if c.below(2) else ""
    over = f"{function.sql} over ({by}order by {order.sql})"
    decides = through(order.sources | (partition.sources if by else NONE), "window")
    return Value(over, type_, function.sources | decides, reads_of(function, order, partition))


def pivot(maker: Maker, place: Place, query: MakeQuery) -> Query:
    """Make one aggregate per value of the pivot column, which is an influence; groups are those of the other columns."""
    c = maker.choices
    source = clause(maker, place.deeper(), query)
    of, type_, function = c.one_of((("int", "bigint", "sum"), ("double", "double", "max"), ("string", "string", "min")))
    parts = [value(maker, source.scope, t, 1) for t in ("int", "string", of)]
    group, chosen, amount = parts
    alias = maker.alias()
    sql = (
        f"select * from (select {group.sql} as g, {chosen.sql} as p, {amount.sql} as q from {source.sql}) {alias} "
        f"pivot ({function}(q) for p in ('a' as pa, 'b' as pb))"
    )
    sources = through(amount.sources, "aggregation") | through(chosen.sources, "conditional")
    columns = (Column("g", "int", group.sources), Column("pa", type_, sources), Column("pb", type_, sources))
    return Query(sql, columns, source.reads | reads_of(*parts) | deciding("group_by", group))
