"""Find the sources of expressions in parsed queries, by the same rules as for Spark's expressions (docs/lineage.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from sac_kafka.lineage.datasets.queries.parsing import Item, OutputItem, UnknownColumns
from sac_kafka.lineage.datasets.queries.scopes import QueryScope, union
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources, combine, through

NODE: type[exp.Expr] = getattr(exp, "Expr", None) or exp.Expression
"""Base class of all nodes; it was renamed in sqlglot 30."""

UsedPart = tuple[object, Dependency]
Inner = Callable[["exp.Expr", QueryScope], tuple[Sources | None, Sources]]
"""Return the sources of a subquery's value, and those of its conditions; columns of the enclosing query count as JOIN."""

IDENTITY, TRANSFORMATION = Dependency.IDENTITY, Dependency.TRANSFORMATION
AGGREGATION, CONDITIONAL, WINDOW = Dependency.AGGREGATION, Dependency.CONDITIONAL, Dependency.WINDOW

_TRANSPARENT = (exp.Paren, exp.Alias, exp.Distinct, exp.IgnoreNulls, exp.RespectNulls, exp.Ordered, exp.Where)
_OFFSET_FUNCTIONS = (exp.Lag, exp.Lead)
_RANKING_FUNCTIONS = (
    exp.RowNumber,
    *(getattr(exp, n) for n in ("Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile") if hasattr(exp, n)),
)
_RANKING_NAMES = frozenset({"RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE"})
_PSEUDO_COLUMNS = frozenset({"rownum", "sysdate"})
_CONNECT_BY_COLUMNS = frozenset({"level", "connect_by_isleaf", "connect_by_iscycle"})
"""Pseudo-columns of CONNECT BY."""
_SEQUENCE_VALUES = frozenset({"nextval", "currval"})
_DIFFERENCES = (exp.DateDiff, exp.TimestampDiff)
_FUNCTIONS_WITH_UNIT = frozenset({"dateadd", "datediff", "timestampadd", "timestampdiff"})
_UNITS = frozenset(
    (
        *(
            "year",
            "yyyy",
            "yy",
            "quarter",
            "month",
            "mm",
            "week",
            "day",
            "dd",
            "dayofyear",
            "hour",
            "hh",
            "minute",
            "mi",
        ),
        *("second", "ss", "millisecond", "ms", "microsecond", "nanosecond"),
    )
)
_DECODE = getattr(exp, "DecodeCase", None) or exp.Decode
_PERCENTILES = (exp.PercentileCont, exp.PercentileDisc)
_IF = (("this", CONDITIONAL), ("true", TRANSFORMATION), ("false", TRANSFORMATION))
_PARTS: Mapping[type[exp.Expr], tuple[tuple[str, Dependency], ...]] = {
    exp.If: _IF,
    exp.Nvl2: _IF,
    exp.Case: (("this", CONDITIONAL), ("default", TRANSFORMATION), ("ifs", IDENTITY)),
    exp.Nullif: (("this", TRANSFORMATION), ("this", CONDITIONAL), ("expression", CONDITIONAL)),
    exp.Filter: (("this", IDENTITY), ("expression", CONDITIONAL)),
    exp.ArgMax: (("this", AGGREGATION), ("expression", CONDITIONAL)),
    exp.ArgMin: (("this", AGGREGATION), ("expression", CONDITIONAL)),
}
"""Arguments of functions with fixed dependencies."""


def sources_of(root: exp.Expr, scope: QueryScope, inner: Inner, use: Dependency = IDENTITY) -> Sources | None:
    """Return the sources of an expression that is used as `use`; None if any of them is unknown."""
    total: Sources = NO_SOURCES
    waiting: list[UsedPart] = [(root, use)]
    while waiting:
        node, how = waiting.pop()
        if isinstance(node, list):
            waiting += [(item, how) for item in node]
            continue
        if not isinstance(node, NODE):
            continue
        sources: Sources | None
        if isinstance(node, exp.Column):
            sources = _column(node, scope)
        elif isinstance(node, _DIFFERENCES) and _is_unit(node.this) and isinstance(node.args.get("unit"), exp.Var):
            # (unit, from, to) of a dialect unknown to sqlglot: it parsed `to` as the unit and dropped it.
            sources = None
        elif isinstance(node, (exp.Subquery, exp.Query)):
            value, deciding = inner(node, scope)
            sources = None if value is None else value | deciding
        elif isinstance(node, exp.Exists):
            sources = inner(node.this, scope)[1]
        else:
            waiting += [(part, combine(how, own)) for part, own in _parts(node)]
            continue
        if sources is None:
            return None
        total |= through(sources, how)
    return total


def _column(node: exp.Column, scope: QueryScope) -> Sources | None:
    if isinstance(node.this, exp.Star):
        return NO_SOURCES
    qualifier = tuple(p.name.lower() for p in node.parts[:-1])
    name = node.name
    if not qualifier and name.lower() in _PSEUDO_COLUMNS:
        return NO_SOURCES
    if qualifier and name.lower() in _SEQUENCE_VALUES:
        return NO_SOURCES
    if not qualifier and name.lower() in _CONNECT_BY_COLUMNS and _connect(node.find_ancestor(exp.Select)) is not None:
        return NO_SOURCES
    alias = scope.aliases.get(name.lower()) if not qualifier else None
    return alias.sources_of(name) if alias is not None else scope.column(qualifier, name)


def _is_unit(node: object) -> bool:
    """Return True for a unit of time, as in DATEADD(month, 1, due), which sqlglot parses as a column (Derby, H2, HSQLDB)."""
    if not isinstance(node, exp.Column) or len(node.parts) > 1 or node.this.args.get("quoted"):
        return False
    return node.name.lower().removeprefix("sql_tsi_") in _UNITS


def _parts(node: exp.Expr) -> Iterator[UsedPart]:
    """Yield the parts of an expression with their dependencies."""
    args = node.args
    if isinstance(node, _TRANSPARENT):
        yield from ((v, IDENTITY) for v in args.values())
    elif type(node) in _PARTS:
        yield from ((args.get(name), use) for name, use in _PARTS[type(node)])
    elif isinstance(node, _DECODE):
        cases = args.get("expressions") or []
        yield cases[:1], CONDITIONAL
        yield cases[1:-1:2], CONDITIONAL
        yield cases[2::2] + (cases[-1:] if len(cases) % 2 == 0 else []), TRANSFORMATION
    elif isinstance(node, exp.Window):
        is_rank = isinstance(node.this, _RANKING_FUNCTIONS) or node.this.name.upper() in _RANKING_NAMES
        yield None if is_rank else node.this, IDENTITY
        for window in _windows(node):
            yield window.args.get("partition_by"), WINDOW
            yield window.args.get("order"), WINDOW
    elif isinstance(node, exp.WithinGroup):
        yield args.get("this"), AGGREGATION
        yield args.get("expression"), AGGREGATION if isinstance(node.this, _PERCENTILES) else CONDITIONAL
    elif isinstance(node, exp.Order):
        yield args.get("this"), IDENTITY
        yield args.get("expressions"), IDENTITY if args.get("this") is None else CONDITIONAL
    elif isinstance(node, _DIFFERENCES) and args.get("unit") is not None and _is_unit(node.this):
        yield from ((args.get(k), TRANSFORMATION) for k in ("expression", "unit"))
    elif isinstance(node, exp.Anonymous) and node.name.lower() in _FUNCTIONS_WITH_UNIT:
        given = node.expressions
        yield given[1:] if len(given) > 2 and _is_unit(given[0]) else given, TRANSFORMATION
    elif isinstance(node, exp.Lambda):
        own = {p.name.lower() for p in args.get("expressions") or ()}
        free = (c for c in node.this.find_all(exp.Column) if c.parts[0].name.lower() not in own)
        yield from ((c, TRANSFORMATION) for c in free)
    elif isinstance(node, exp.In):
        yield from ((v, TRANSFORMATION) for k, v in args.items() if k != "query")
        yield args.get("query"), CONDITIONAL
    else:
        use = (
            AGGREGATION if isinstance(node, exp.AggFunc) and not isinstance(node, _OFFSET_FUNCTIONS) else TRANSFORMATION
        )
        yield from ((v, use) for v in args.values())


def conditions(select: exp.Expr) -> Iterator[tuple[Dependency, exp.Expr | None]]:
    """Yield the conditions of a SELECT that apply before grouping, including START WITH and CONNECT BY."""
    yield Dependency.FILTER, select.args.get("where")
    yield Dependency.FILTER, select.args.get("prewhere")
    connect = _connect(select)
    if connect is not None:
        yield Dependency.FILTER, connect.args.get("start")
        yield Dependency.JOIN, connect.args.get("connect")


def columns_of_values(values: exp.Expr, value: Callable[[exp.Expr], Sources | None]) -> tuple[Item, ...]:
    """Return the columns of VALUES, by position."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    if values.find(exp.Column) is None:
        return (UnknownColumns(NO_SOURCES),)
    if len({len(row) for row in rows}) != 1:
        return (UnknownColumns(None),)
    return tuple(
        OutputItem(f"column{i}", union(map(value, column))) for i, column in enumerate(zip(*rows, strict=True), 1)
    )


def _connect(select: exp.Expr | None) -> exp.Expr | None:
    clause: exp.Expr | None = None if select is None else select.args.get("connect")
    return clause


def _windows(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a window and the windows of the WINDOW clause that it is based on."""
    select = node.find_ancestor(exp.Select)
    named = {w.name.lower(): w for w in (select.args.get("windows") if select is not None else None) or ()}
    window: exp.Expr | None = node
    while window is not None:
        yield window
        window = named.pop(window.alias.lower(), None)
