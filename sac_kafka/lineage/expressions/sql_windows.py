"""SQL forms of window functions: PARTITION BY, ORDER BY, frames."""

from __future__ import annotations

from sac_kafka.lineage.expressions.function_names import ANY, ATOM, SUM
from sac_kafka.lineage.expressions.sql_forms import form
from sac_kafka.lineage.expressions.sql_parts import Form, Operand, Part, join, name_of, written
from sac_kafka.plan.expressions import (
    AggregateExpression,
    Expression,
    Literal,
    SortOrder,
    SpecifiedWindowFrame,
    WindowExpression,
    WindowSpecDefinition,
)
from sac_kafka.plan.functions import PythonUDF

_RANKS = frozenset({"Rank", "DenseRank", "PercentRank"})
_BOUNDS = {
    "UnboundedPreceding": "UNBOUNDED PRECEDING",
    "UnboundedFollowing": "UNBOUNDED FOLLOWING",
    "CurrentRow": "CURRENT ROW",
}


@form.register
def _over(e: WindowExpression) -> Form:
    function, window = e.children
    text: list[Part] = [function]
    if written(function).simple_name in _RANKS:  # Spark repeats the order as their arguments
        text = [name_of(written(function)), "()"]
    return ATOM, [*text, " OVER (", *_window(window, written(function)), ")"]


def _window(e: Expression, function: Expression) -> list[Part]:
    """Return the content of OVER: partition, order, and the frame if it is not the default one."""
    order = [c for c in e.children if isinstance(c, SortOrder)]
    frame = [c for c in e.children if isinstance(c, SpecifiedWindowFrame)]
    partition = [c for c in e.children if not isinstance(c, SortOrder) and "Frame" not in c.simple_name]
    clauses: list[list[Part]] = []
    if partition:
        clauses.append(["PARTITION BY ", *join(partition)])
    if order:
        clauses.append(["ORDER BY ", *join(order)])
    if isinstance(function, (AggregateExpression, PythonUDF)) or function.simple_name == "NthValue":
        clauses += [list(_frame(f)[1]) for f in frame if not _is_default(f, bool(order))]
    return [part for i, clause in enumerate(clauses) for part in ([" "] if i else []) + clause]


@form.register
def _definition(e: WindowSpecDefinition) -> Form:
    return ANY, _window(e, e)


def _is_default(frame: SpecifiedWindowFrame, is_ordered: bool) -> bool:
    bounds = tuple(c.simple_name.rstrip("$") for c in frame.children)
    if not frame.unit:
        return True
    if is_ordered:
        return frame.unit == "RANGE" and bounds == ("UnboundedPreceding", "CurrentRow")
    return bounds == ("UnboundedPreceding", "UnboundedFollowing")


@form.register
def _frame(e: SpecifiedWindowFrame) -> Form:
    lower, upper = e.children
    return ANY, [f"{e.unit} BETWEEN ", *_bound(lower), " AND ", *_bound(upper)]


def _bound(e: Expression) -> list[Part]:
    named = _BOUNDS.get(e.simple_name.rstrip("$"))
    if named is not None:
        return [named]
    e = written(e)
    text = e.text if isinstance(e, Literal) else None
    if text is not None and text.startswith("-"):
        return [f"{text[1:]} PRECEDING"]
    if text is not None and text.startswith("INTERVAL '-"):
        return [f"INTERVAL '{text[11:]} PRECEDING"]
    if e.simple_name == "UnaryMinus":
        return [Operand(e.children[0], SUM), " PRECEDING"]
    return [Operand(e, SUM), " FOLLOWING"]


@form.register
def _sort_order(e: SortOrder) -> Form:
    direction = " DESC" if e.direction == "DESC" else ""
    default = "NULLS LAST" if direction else "NULLS FIRST"
    return ANY, [e.children[0], direction, f" {e.nulls}" if e.nulls not in ("", default) else ""]
