"""Column lineage: what each node of a plan hands up, bottom-up, by exprId.

What a node hands up is a value of its own (`Columns`), not an entry in a map of the whole plan: a union keeps the ids of
its first child, and `df.union(df)` repeats them. One registered function a node family; a node that is not understood
passes its children's columns through.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch

from sac_kafka.lineage.dependencies import NOTHING, Sources, sources_of, through
from sac_kafka.lineage.model import Dependency
from sac_kafka.lineage.rendering import render
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, Cast, Expression
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import (
    Aggregate,
    CTERelationDef,
    CTERelationRef,
    Deduplicate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    LateralJoin,
    Project,
    SetDifference,
    Sort,
    Union,
    View,
    Window,
    WithCTE,
)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """A column that a node hands up; `definition` renders the expression that made it, None for a plain copy.

    `type` is "" where it is not known.
    """

    expr_id: int
    name: str
    sources: Sources
    definition: Callable[[], str] | None = None
    type: str = ""


class Columns:
    """The columns that a node hands up, in order, and by exprId."""

    __slots__ = ("_by_id", "_sources", "outputs")

    def __init__(self, outputs: Iterable[OutputColumn] = ()) -> None:
        self.outputs = tuple(outputs)
        self._by_id: dict[int, OutputColumn] | None = None
        self._sources: dict[int, Sources] | None = None

    @property
    def by_id(self) -> Mapping[int, OutputColumn]:
        """The columns by exprId."""
        if self._by_id is None:
            self._by_id = {c.expr_id: c for c in self.outputs}
        return self._by_id

    @property
    def sources(self) -> Mapping[int, Sources]:
        """The sources of each column by exprId."""
        if self._sources is None:
            self._sources = {c.expr_id: c.sources for c in self.outputs}
        return self._sources

    def all_sources(self) -> Sources:
        """What any of the columns depends on."""
        return NOTHING.union(*(c.sources for c in self.outputs))


EMPTY = Columns()


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Below:
    """What the nodes below a node have handed up."""

    children: Sequence[Columns]
    of_plan: Callable[[LogicalPlan], Columns]
    cte: dict[int, Columns]

    @property
    def all(self) -> Columns:
        """The columns of all children, one after the other."""
        return (
            self.children[0]
            if len(self.children) == 1
            else Columns(c for child in self.children for c in child.outputs)
        )

    def subquery(self, plan: LogicalPlan) -> Sources:
        """The sources of the value of a subquery."""
        return self.of_plan(plan).all_sources()

    def of(self, expression: Expression, columns: Columns, use: Dependency = Dependency.IDENTITY) -> Sources:
        """The sources of an expression over `columns`."""
        return sources_of(expression, columns.sources, self.subquery, use)


@singledispatch
def columns_of(node: LogicalPlan, below: Below) -> Columns:
    """The columns that a node hands up."""
    del node
    return below.all


@columns_of.register
def _(node: UnknownPlan, below: Below) -> Columns:
    """Its own output where the plan shows one; a column that is new may come from every column below."""
    if not node.output:
        return below.all
    known = below.all.by_id
    new = through(below.all.all_sources(), Dependency.TRANSFORMATION)
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, new) for a in node.output)


@columns_of.register
def _(node: Project, below: Below) -> Columns:
    return Columns(_named(node.project_list, below))


@columns_of.register
def _(node: Aggregate, below: Below) -> Columns:
    return Columns(_named(node.aggregate_expressions, below))


@columns_of.register
def _(node: Window, below: Below) -> Columns:
    return Columns((*below.all.outputs, *_named(node.window_expressions, below)))


def _named(expressions: Iterable[Expression], below: Below) -> Iterable[OutputColumn]:
    columns = below.all
    for e in expressions:
        if isinstance(e, AttributeReference):
            known = columns.by_id.get(e.expr_id)
            if known is not None:
                yield known
        elif isinstance(e, Alias):
            yield _alias(e, columns, below)


def _alias(e: Alias, columns: Columns, below: Below) -> OutputColumn:
    child = e.children[0]
    copied = _copied(child, columns)
    if copied is not None:
        return OutputColumn(e.expr_id, e.name, copied.sources, copied.definition, copied.type)

    def definition() -> str:
        return render(child, {c.expr_id: c.name for c in columns.outputs})

    made_as = child.type if isinstance(child, Cast) else ""
    return OutputColumn(e.expr_id, e.name, below.of(child, columns), definition, made_as)


def _copied(e: Expression, columns: Columns) -> OutputColumn | None:
    """The column that an expression copies: a reference, also in a cast to its own type, as views have them."""
    reference = e.children[0] if isinstance(e, Cast) else e
    if not isinstance(reference, AttributeReference):
        return None
    known = columns.by_id.get(reference.expr_id) or OutputColumn(reference.expr_id, "", NOTHING)
    return None if isinstance(e, Cast) and e.type != known.type else known


@columns_of.register
def _(node: Join, below: Below) -> Columns:
    left, right = below.children
    if node.join_type in ("LEFT SEMI", "LEFT ANTI"):
        return left
    return Columns((*left.outputs, *right.outputs))


@columns_of.register
def _(node: LateralJoin, below: Below) -> Columns:
    return Columns((*below.all.outputs, *below.of_plan(node.right.plan).outputs))


@columns_of.register
def _(node: Union, below: Below) -> Columns:
    """By position, under the ids of the first child."""
    del node
    first, *others = (child.outputs for child in below.children)
    return Columns(
        OutputColumn(
            c.expr_id,
            c.name,
            c.sources.union(*(o[i].sources for o in others if i < len(o))),
            c.definition or next((o[i].definition for o in others if i < len(o)), None),
        )
        for i, c in enumerate(first)
    )


@columns_of.register
def _(node: SetDifference, below: Below) -> Columns:
    del node
    return below.children[0]


@columns_of.register
def _(node: Generate, below: Below) -> Columns:
    sources = below.of(node.generator, below.all, Dependency.TRANSFORMATION)
    columns = below.all

    def definition() -> str:
        return render(node.generator, {c.expr_id: c.name for c in columns.outputs})

    made = (OutputColumn(a.expr_id, a.name, sources, definition) for a in node.generator_output)
    return Columns((*columns.outputs, *made))


@columns_of.register
def _(node: Expand, below: Below) -> Columns:
    def made(i: int, a: Attribute) -> OutputColumn:
        used = [p[i] for p in node.projections if i < len(p)]
        return OutputColumn(a.expr_id, a.name, NOTHING.union(*(below.of(e, below.all) for e in used)))

    return Columns(made(i, a) for i, a in enumerate(node.output))


@columns_of.register
def _(node: View, below: Below) -> Columns:
    return _by_position(node.output, below.all)


@columns_of.register
def _(node: WithCTE, below: Below) -> Columns:
    del node
    return below.children[-1]


@columns_of.register
def _(node: CTERelationDef, below: Below) -> Columns:
    below.cte[node.cte_id] = below.all
    return below.all


@columns_of.register
def _(node: CTERelationRef, below: Below) -> Columns:
    return _by_position(node.output, below.cte.get(node.cte_id, EMPTY))


def _by_position(output: Sequence[Attribute], defined: Columns) -> Columns:
    """Other ids and names for the same columns."""
    nothing = OutputColumn(-1, "", NOTHING)
    padded = (*defined.outputs, *([nothing] * max(0, len(output) - len(defined.outputs))))
    return Columns(
        OutputColumn(a.expr_id, a.name, c.sources, c.definition, a.type) for a, c in zip(output, padded, strict=False)
    )


@singledispatch
def row_level(node: LogicalPlan, below: Below) -> Sources:
    """The columns that decide which rows a node hands up, or how they are grouped and sorted."""
    del node, below
    return NOTHING


@row_level.register
def _(node: Filter, below: Below) -> Sources:
    return below.of(node.condition, below.all, Dependency.FILTER)


@row_level.register
def _(node: Join, below: Below) -> Sources:
    return below.of(node.condition, below.all, Dependency.JOIN) if node.condition is not None else NOTHING


@row_level.register
def _(node: LateralJoin, below: Below) -> Sources:
    """The condition, and the columns of the left side that the right side looks at."""
    used = (*node.right.children, *([node.condition] if node.condition is not None else []))
    return NOTHING.union(*(below.of(e, below.all, Dependency.JOIN) for e in used))


@row_level.register
def _(node: Aggregate, below: Below) -> Sources:
    return NOTHING.union(*(below.of(e, below.all, Dependency.GROUP_BY) for e in node.grouping_expressions))


@row_level.register
def _(node: Deduplicate, below: Below) -> Sources:
    return NOTHING.union(*(below.of(e, below.all, Dependency.GROUP_BY) for e in node.keys))


@row_level.register
def _(node: Distinct, below: Below) -> Sources:
    del node
    return through(below.all.all_sources(), Dependency.GROUP_BY)


@row_level.register
def _(node: Sort, below: Below) -> Sources:
    return NOTHING.union(*(below.of(e, below.all, Dependency.SORT) for e in node.order))


@row_level.register
def _(node: SetDifference, below: Below) -> Sources:
    del node
    return through(below.children[1].all_sources(), Dependency.FILTER)
