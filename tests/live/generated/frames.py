"""DataFrame calls over a query: those that SQL has no word for, and names that change on the way."""

from __future__ import annotations

from dataclasses import replace

from tests.live.generated.answers import Column, Query, Reads, Value, deciding, made, through
from tests.live.generated.data import ARRAY, STRUCT
from tests.live.generated.maker import Maker
from tests.live.generated.values import value

Step = tuple[str, tuple[Column, ...], Reads]


def steps(maker: Maker, query: Query) -> tuple[tuple[str, ...], tuple[Column, ...], Reads]:
    """Up to two calls after a query, in half of the cases none."""
    called: list[str] = []
    columns, reads = query.columns, query.reads
    for _ in range(max(0, maker.choices.below(4) - 1)):
        call, columns, more = maker.choices.one_of(_CALLS)(maker, columns)
        called.append(call)
        reads |= more
    return tuple(called), columns, reads


def _values(columns: tuple[Column, ...]) -> tuple[Value, ...]:
    return tuple(Value(c.name, c.type, c.sources, name=c.name) for c in columns)


def _plain(columns: tuple[Column, ...]) -> list[Column]:
    return [c for c in columns if c.type not in (ARRAY, STRUCT)] or list(columns)


def with_column(maker: Maker, columns: tuple[Column, ...]) -> Step:
    """Return a new column, or another one under the same name."""
    c = maker.choices
    type_ = c.one_of(("int", "string", "double"))
    new = value(maker, _values(columns), type_, 2)
    name = c.one_of((*(column.name for column in columns), "added"))
    column = Column(name, type_, new.sources)
    if name == "added":
        columns = tuple(c for c in columns if c.name != name)
        kept: tuple[Column, ...] = (*columns, column)
    else:
        kept = tuple(column if c.name == name else c for c in columns)
    return f'df.withColumn("{name}", F.expr("{new.sql}"))', kept, new.reads


def renamed(maker: Maker, columns: tuple[Column, ...]) -> Step:
    old = maker.choices.one_of(columns)
    if any(c.name == "renamed" for c in columns):
        return "df", columns, Reads()
    kept = tuple(replace(c, name="renamed") if c is old else c for c in columns)
    return f'df.withColumnRenamed("{old.name}", "renamed")', kept, Reads()


def dropped(maker: Maker, columns: tuple[Column, ...]) -> Step:
    old = maker.choices.one_of(columns)
    if len(columns) == 1:
        return "df", columns, Reads()
    return f'df.drop("{old.name}")', tuple(c for c in columns if c is not old), Reads()


def filtered(maker: Maker, columns: tuple[Column, ...]) -> Step:
    condition = value(maker, _values(columns), "boolean", 1)
    return f'df.filter("{condition.sql}")', columns, deciding("filter", condition)


def without_duplicates(maker: Maker, columns: tuple[Column, ...]) -> Step:
    by = maker.choices.one_of(_plain(columns))
    return f'df.dropDuplicates(["{by.name}"])', columns, Reads(through(by.sources, "group_by"))


def united_with_itself(maker: Maker, columns: tuple[Column, ...]) -> Step:
    del maker
    return "df.union(df)", columns, Reads()


def united_by_name(maker: Maker, columns: tuple[Column, ...]) -> Step:
    """Return the other side has the columns in another order, and one of them is missing there."""
    missing = maker.choices.one_of(columns)
    others = [c.name for c in reversed(columns) if c is not missing]
    if not others:
        return "df", columns, Reads()
    call = f"df.unionByName(df.select({', '.join(map(repr, others))}), allowMissingColumns=True)"
    return call, columns, Reads()


def united_crosswise(maker: Maker, columns: tuple[Column, ...]) -> Step:
    """By position, under the names of the left side: two columns of one type change places on the right."""
    pairs = [(a, b) for i, a in enumerate(columns) for b in columns[i + 1 :] if a.type == b.type]
    if not pairs:
        return "df", columns, Reads()
    a, b = maker.choices.one_of(pairs)
    other = {a.name: b, b.name: a}
    order = [other.get(c.name, c).name for c in columns]
    both = tuple(replace(c, sources=c.sources | other[c.name].sources) if c.name in other else c for c in columns)
    return f"df.union(df.select({', '.join(map(repr, order))}))", both, Reads()


def grouped(maker: Maker, columns: tuple[Column, ...]) -> Step:
    by, of = maker.choices.one_of(_plain(columns)), maker.choices.one_of(_plain(columns))
    total = Column("total", of.type, through(of.sources, "aggregation"))
    by_column = replace(by, name="by")
    call = f'df.groupBy(F.col("{by.name}").alias("by")).agg(F.max("{of.name}").alias("total"))'
    return call, (by_column, total), Reads(through(by.sources, "group_by"))


def joined_with_itself(maker: Maker, columns: tuple[Column, ...]) -> Step:
    by = maker.choices.one_of(_plain(columns))
    kept = Column(by.name, by.type, by.sources)
    others = tuple(c for c in columns if c is not by)
    call = f'df.join(df.select("{by.name}").distinct(), "{by.name}", "left")'
    reads = Reads(through(by.sources, "join") | through(by.sources, "group_by"))
    return call, (kept, *others), reads


def sorted_and_limited(maker: Maker, columns: tuple[Column, ...]) -> Step:
    by = maker.choices.one_of(_plain(columns))
    return f'df.orderBy("{by.name}").limit(2)', columns, Reads(through(by.sources, "sort"))


def star_and_more(maker: Maker, columns: tuple[Column, ...]) -> Step:
    new = made("concat({}, 'z')", "string", (value(maker, _values(columns), "string", 1), "transformation"))
    if any(c.name == "more" for c in columns):
        return "df", columns, Reads()
    return f'df.selectExpr("*", "{new.sql} as more")', (*columns, Column("more", "string", new.sources)), new.reads


_CALLS = (
    with_column,
    with_column,
    renamed,
    dropped,
    filtered,
    without_duplicates,
    united_with_itself,
    united_by_name,
    united_crosswise,
    grouped,
    joined_with_itself,
    sorted_and_limited,
    star_and_more,
)
