"""The relational operators: the columns each hands up, and what decides its rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from sac_kafka.lineage.columns import EMPTY, Below, Columns, OutputColumn, columns_of, row_level, superseded
from sac_kafka.lineage.dependencies import NOTHING, Sources, through, with_outer
from sac_kafka.lineage.generators import generated
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    Alias,
    Attribute,
    AttributeReference,
    Cast,
    CreateNamedStruct,
    Expression,
    OuterReference,
    PivotFirst,
)
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import (
    Aggregate,
    AsOfJoin,
    AttachDistributedSequence,
    CTERelationDef,
    CTERelationRef,
    Deduplicate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Join,
    LateralJoin,
    NearestByJoin,
    Project,
    SetDifference,
    Sort,
    Union,
    View,
    Window,
    WithCTE,
)


@columns_of.register
def _(node: Project, below: Below) -> Columns:
    return Columns(named(node.project_list, below))


@columns_of.register
def _(node: Aggregate, below: Below) -> Columns:
    return Columns(named(node.aggregate_expressions, below))


@columns_of.register
def _(node: Window, below: Below) -> Columns:
    return Columns((*below.all.outputs, *named(node.window_expressions, below)))


def named(expressions: Iterable[Expression], below: Below) -> Iterable[OutputColumn]:
    """The columns that named expressions make: each one column, so that positions stay."""
    for e in expressions:
        if isinstance(e, Alias):
            yield _alias(e, below)
        elif isinstance(e, AttributeReference):
            yield below.all.by_id.get(e.expr_id) or OutputColumn(e.expr_id, "", NOTHING)
        elif isinstance(e, OuterReference):
            yield OutputColumn(_outer_id(e), "", below.of(e))
        else:
            yield OutputColumn(-1, "", below.of(e), below.defining(e))


def _outer_id(e: Expression) -> int:
    while isinstance(e, OuterReference):
        e = e.reference
    return e.expr_id if isinstance(e, (AttributeReference, Alias)) else -1


def _alias(e: Alias, below: Below) -> OutputColumn:
    child = e.children[0]
    copied = _copied(child, below.all)
    if copied is not None:
        return OutputColumn(e.expr_id, e.name, copied.sources, copied.definition, copied.type, copied.fields)
    made_as = child.type if isinstance(child, Cast) else ""
    fields = tuple(map(below.of, child.values)) if isinstance(child, CreateNamedStruct) else ()
    return OutputColumn(e.expr_id, e.name, below.of(child), below.defining(child), made_as, fields)


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
def _(node: AsOfJoin, below: Below) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NOTHING) for a in node.output)


@columns_of.register
def _(node: LateralJoin, below: Below) -> Columns:
    left = below.all
    used = (c.expr_id for c in node.right.children if isinstance(c, AttributeReference))
    below.outer_names.update({i: left.by_id[i].name for i in used if i in left.by_id})
    right = below.of_plan(node.right.plan).outputs
    return Columns((*left.outputs, *(_seeing(left.sources, c) for c in right)))


def _seeing(outer: Mapping[int, Sources], column: OutputColumn) -> OutputColumn:
    """A column of a lateral subquery with the columns of the left side in their place."""
    fields = tuple(with_outer(f, outer) for f in column.fields)
    return dataclasses.replace(column, sources=with_outer(column.sources, outer), fields=fields)


@columns_of.register
def _(node: Union, below: Below) -> Columns:
    """By position, under the ids of the first child."""
    del node
    first, *others = (child.outputs for child in below.children)
    return Columns(_united([c, *(o[i] for o in others if i < len(o))]) for i, c in enumerate(first))


def _united(legs: Sequence[OutputColumn]) -> OutputColumn:
    first = legs[0]
    same_type = all(c.type == first.type for c in legs)
    same_fields = first.fields and all(len(c.fields) == len(first.fields) for c in legs)
    return OutputColumn(
        first.expr_id,
        first.name,
        NOTHING.union(*(c.sources for c in legs)),
        next((c.definition for c in legs if c.definition and (c.sources or not any(o.sources for o in legs))), None),
        first.type if same_type else "",
        tuple(NOTHING.union(*of) for of in zip(*(c.fields for c in legs), strict=True)) if same_fields else (),
    )


@columns_of.register
def _(node: SetDifference, below: Below) -> Columns:
    del node
    return below.children[0]


@columns_of.register
def _(node: Generate, below: Below) -> Columns:
    uses = generated(node.generator, len(node.generator_output))
    definition = below.defining(node.generator)
    made = (
        OutputColumn(a.expr_id, a.name, NOTHING.union(*(below.of(e, use) for e, use in of)), definition, a.type)
        for a, of in zip(node.generator_output, uses, strict=True)
    )
    return Columns((*below.all.outputs, *made))


@columns_of.register
def _(node: Expand, below: Below) -> Columns:
    known = below.all.by_id

    def made(i: int, a: Attribute) -> OutputColumn:
        used = [p[i] for p in node.projections if i < len(p)]
        copied = {known[e.expr_id] for e in used if isinstance(e, AttributeReference) and e.expr_id in known}
        definition = copied.pop().definition if len(copied) == 1 else None
        return OutputColumn(a.expr_id, a.name, below.of_all(used), definition, a.type)

    return Columns(made(i, a) for i, a in enumerate(node.output))


@columns_of.register
def _(node: AttachDistributedSequence, below: Below) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NOTHING) for a in node.output)


@columns_of.register
def _(node: View, below: Below) -> Columns:
    return by_position(node.output, below.all)


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
    return by_position(node.output, below.cte.get(node.cte_id, EMPTY))


def by_position(output: Sequence[Attribute], defined: Columns) -> Columns:
    """Other ids and names for the same columns."""
    nothing = OutputColumn(-1, "", NOTHING)
    padded = (*defined.outputs, *([nothing] * max(0, len(output) - len(defined.outputs))))
    return Columns(
        OutputColumn(a.expr_id, a.name, c.sources, c.definition, a.type, c.fields)
        for a, c in zip(output, padded, strict=False)
    )


@row_level.register
def _(node: Filter, below: Below) -> Sources:
    return below.of(node.condition, Dependency.FILTER)


@row_level.register
def _(node: Join, below: Below) -> Sources:
    return below.of_all((node.condition,), Dependency.JOIN)


@row_level.register
def _(node: AsOfJoin, below: Below) -> Sources:
    return below.of_all((node.as_of_condition, node.condition, node.order_expression), Dependency.JOIN)


@row_level.register
def _(node: NearestByJoin, below: Below) -> Sources:
    return below.of(node.ranking_expression, Dependency.JOIN)


@row_level.register
def _(node: LateralJoin, below: Below) -> Sources:
    """The condition, and the columns of the left side that decide the rows of the right side."""
    # The condition looks at both sides; the ids of the right one are unknown below.
    joined = Below(children=(columns_of(node, below),), of_plan=below.of_plan, cte=below.cte)
    known, deciding = below.all.sources, below.correlating(node.right.plan)
    correlating = (
        through(known[c.expr_id], Dependency.JOIN) if c.expr_id in deciding else NOTHING
        for c in node.right.children
        if isinstance(c, AttributeReference) and c.expr_id in known
    )
    return joined.of_all((node.condition,), Dependency.JOIN).union(*correlating)


@row_level.register
def _(node: Aggregate, below: Below) -> Sources:
    return below.of_all(node.grouping_expressions, Dependency.GROUP_BY)


@superseded.register
def _(node: Aggregate) -> Sequence[LogicalPlan]:
    """PIVOT first aggregates by the pivot column too, which decides no row of what comes out."""
    return node.children if any(map(_is_pivoting, node.aggregate_expressions)) else ()


def _is_pivoting(e: Expression) -> bool:
    while isinstance(e, (Alias, AggregateExpression)):
        e = e.children[0]
    return isinstance(e, PivotFirst)


@row_level.register
def _(node: Deduplicate, below: Below) -> Sources:
    return below.of_all(node.keys, Dependency.GROUP_BY)


@row_level.register
def _(node: Distinct, below: Below) -> Sources:
    del node
    return through(below.all.all_sources(), Dependency.GROUP_BY)


@row_level.register
def _(node: Sort, below: Below) -> Sources:
    return below.of_all(node.order, Dependency.SORT)


@row_level.register
def _(node: SetDifference, below: Below) -> Sources:
    """Rows are compared whole: the columns of both sides decide which ones there are."""
    del node
    return NOTHING.union(*(through(side.all_sources(), Dependency.FILTER) for side in below.children))
