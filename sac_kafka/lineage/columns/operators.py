"""The relational operators: the columns each hands up."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.combining import NOTHING, Sources, through
from sac_kafka.lineage.columns.definitions import Definition
from sac_kafka.lineage.columns.dependencies import SHAPELESS, Allowance, Shape, may_have_a_shape
from sac_kafka.lineage.columns.generators import generated
from sac_kafka.lineage.columns.handed_up import EMPTY, NUMBER_OF_THE_SET, Columns, OutputColumn
from sac_kafka.lineage.columns.operands import ShapeKind, Taken
from sac_kafka.lineage.columns.rules import columns_of
from sac_kafka.lineage.columns.stand_ins import with_outer
from sac_kafka.lineage.columns.types import is_wider
from sac_kafka.lineage.expressions.conversions import MAX_NESTED, keeps_values, rebuilt
from sac_kafka.lineage.expressions.function_names import ANY, ATOM
from sac_kafka.lineage.expressions.rendering import GROUPING_ID, Text, cut
from sac_kafka.lineage.expressions.sql_parts import quoted, written
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import (
    Alias,
    Attribute,
    AttributeReference,
    Cast,
    CreateNamedStruct,
    Expression,
    OuterReference,
)
from sac_kafka.plan.operators import (
    Aggregate,
    AsOfJoin,
    AttachDistributedSequence,
    CTERelationRef,
    Expand,
    Generate,
    Join,
    LateralJoin,
    Project,
    SetDifference,
    SubqueryAlias,
    Union,
    View,
    Window,
    WithCTE,
)

_NULLS = ("NULL", "CAST(NULL AS ")
_UNNAMED = "__auto_generated_subquery_name"
"""The alias of a subquery that was given none."""


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
            yield _column(e.children[0], e.expr_id, e.name, below)
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


def _column(
    child: Expression, expr_id: int, name: str, below: Below, allowance: Allowance | None = None, depth: int = 0
) -> OutputColumn:
    """The column that an expression makes under a name, with the parts of values that have some."""
    copied = copy_of(child, below.all)
    if copied is not None:
        type_ = child.type if isinstance(child, Cast) else copied.type
        return OutputColumn(
            expr_id, name, copied.sources, copied.definition, type_, copied.kind, copied.parts, read=copied.read_as
        )
    made_as = child.type if isinstance(child, Cast) else ""
    converted = written(child)
    if isinstance(child, CreateNamedStruct) and depth < MAX_NESTED:
        shape = _written_struct(child, below, allowance or Allowance(), depth)
    else:
        shape = below.shape([_whole(child)], allowance) if may_have_a_shape(child) else SHAPELESS
    if isinstance(converted, AttributeReference):
        definition = _before_conversion(child, converted, below)
    else:
        definition = below.defining(child)
    kind, parts = shape
    return OutputColumn(expr_id, name, below.of(child), definition, made_as, kind, parts)


def _whole(e: Expression) -> Taken:
    return Taken(e, Dependency.IDENTITY, hands_on=True)


def _written_struct(e: CreateNamedStruct, below: Below, allowance: Allowance, depth: int) -> Shape:
    """The fields of `struct(…)`, each a column."""
    names = e.names if len(e.names) == len(e.values) else ("",) * len(e.values)
    if not allowance.take(len(names)):
        return SHAPELESS
    fields = (_column(v, -1, n, below, allowance, depth + 1) for v, n in zip(e.values, names, strict=True))
    return ShapeKind.STRUCT, (*fields, OutputColumn(_OF_PART, "", NOTHING))  # it is there always


def _before_conversion(e: Expression, converted: AttributeReference, below: Below) -> Definition | None:
    """What is told of a column that is only converted to another type, by a cast that a write or a view adds.

    What made it before; of a copy the name that it was read by, in the cast if that is all that is done.
    """
    known = below.all.by_id.get(converted.expr_id)
    if known is None:
        return below.defining(e)
    if known.definition is not None or not known.sources:
        return known.definition
    if isinstance(e, Cast):
        e = dataclasses.replace(e, is_written=True)  # all that is done: to a wider type would have been a copy
    return below.defining(e)


def copy_of(e: Expression, columns: Columns) -> OutputColumn | None:
    """The column that an expression copies: a reference, also in a cast to its own type.

    Or in one to a wider type that nobody wrote: a view's column or the table's has another type than the query's.
    """
    reference = e.children[0] if isinstance(e, Cast) else e
    whole = rebuilt(e)
    if whole is not None and keeps_values(e, whole):
        e = reference = whole
    known = columns.field(reference)
    if known is None:
        if not isinstance(reference, AttributeReference):
            return None
        known = columns.by_id.get(reference.expr_id) or OutputColumn(reference.expr_id, "", NOTHING)
    if not isinstance(e, Cast) or e.type == known.type:
        return known
    return known if not e.is_written and is_wider(e.type, than=known.type) else None


@columns_of.register
def _(node: Join, below: Below) -> Columns:
    left, right = below.children
    if node.join_type in ("LEFT SEMI", "LEFT ANTI"):
        return left
    return Columns((*left.outputs, *right.outputs))


@columns_of.register(AsOfJoin)
@columns_of.register(AttachDistributedSequence)
def _(node: AsOfJoin | AttachDistributedSequence, below: Below) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NOTHING) for a in node.output)


@columns_of.register
def _(node: LateralJoin, below: Below) -> Columns:
    left = below.all
    right = below.of_plan(node.right.plan).outputs
    return Columns((*left.outputs, *(_seeing(left.sources, c) for c in right)))


def _seeing(outer: Mapping[int, Sources], column: OutputColumn) -> OutputColumn:
    """A column of a lateral subquery with the columns of the left side in their place."""
    return column.with_sources(lambda sources: with_outer(sources, outer))


@columns_of.register
def _(node: Union, below: Below) -> Columns:
    """By position, under the ids of the first child."""
    del node
    first, *others = (child.outputs for child in below.children)
    return Columns(united([c, *(o[i] for o in others if i < len(o))]) for i, c in enumerate(first))


def united(legs: Sequence[OutputColumn]) -> OutputColumn:
    """One column of the columns of branches."""
    first = legs[0]
    same_type = all(c.type == first.type for c in legs)
    told = [c for c in legs if not _is_null(c)] or legs
    sources = NOTHING.union(*(c.sources for c in legs))
    kind, parts = _united_parts(legs)
    if not all(c.is_written for c in legs) and first.expr_id == _OF_PART:
        return OutputColumn(_OF_PART, "", sources, kind=kind, parts=parts)
    return OutputColumn(
        first.expr_id,
        first.name,
        sources,
        _united_definition(told),
        first.type if same_type else "",
        kind,
        parts,
        read=_either(told) if all(c.definition is None for c in told) else "",
    )


_OF_PART = -1
"""The id of what is no column but a part of one."""


def _united_parts(legs: Sequence[OutputColumn]) -> Shape:
    """The parts of what branches unite: of a branch whose value has no known shape each part is made of all of it."""
    shapes = {(c.kind, len(c.parts)) for c in legs if c.kind is not None}
    if len(shapes) != 1:
        return SHAPELESS
    ((kind, count),) = shapes
    shaped = [c for c in legs if c.kind is not None or c.sources]
    return kind, tuple(united([_part_of(c, i) for c in shaped]) for i in range(count))


def _part_of(leg: OutputColumn, at: int) -> OutputColumn:
    if leg.kind is not None:
        return leg.parts[at]
    return OutputColumn(_OF_PART, "", through(leg.sources, Dependency.TRANSFORMATION))


def _is_null(leg: OutputColumn) -> bool:
    """True for a branch without the column."""
    return not leg.sources and leg.definition is not None and leg.definition().startswith(_NULLS)


def _united_definition(legs: Sequence[OutputColumn]) -> Definition | None:
    """What each leg makes the column of, where it is not just a copy in all of them."""
    if all(c.definition is None for c in legs):
        return None
    return Definition(lambda: _either(legs), lambda: (c.definition for c in legs if c.definition is not None))


def _either(legs: Sequence[OutputColumn]) -> str:
    """The name that all legs were read by, else what each of them is."""
    if len({c.copied for c in legs}) == 1 and legs[0].copied:
        return legs[0].copied
    told = dict.fromkeys(c.shown() if c.definition is None else c.definition.marked() for c in legs)
    return next(iter(told)) if len(told) == 1 else Text.of(cut(" UNION ALL ".join(told)), ANY)


@columns_of.register
def _(node: SetDifference, below: Below) -> Columns:
    del node
    return below.children[0]


@columns_of.register
def _(node: Generate, below: Below) -> Columns:
    uses = generated(node.generator, len(node.generator_output))
    definition = below.defining(node.generator, is_shared=len(node.generator_output) > 1)
    made = (
        OutputColumn(a.expr_id, a.name, below.of_parts(of), definition, a.type, *below.shape(of))
        for a, of in zip(node.generator_output, uses, strict=True)
    )
    return Columns((*below.all.outputs, *made))


@columns_of.register
def _(node: Expand, below: Below) -> Columns:
    known = below.all.by_id

    def made(i: int, a: Attribute) -> OutputColumn:
        used = [p[i] for p in node.projections if i < len(p)]
        copied = {known[e.expr_id] for e in used if isinstance(e, AttributeReference) and e.expr_id in known}
        one = copied.pop() if len(copied) == 1 else None
        if a.name == NUMBER_OF_THE_SET:
            made = tuple(quoted(b.name) for b in node.output[:i] if b.expr_id not in known)
            number = Definition(lambda: Text.of(GROUPING_ID, ATOM, made[::-1]))
            return OutputColumn(a.expr_id, a.name, below.of_all(used), number, a.type)
        if one is None:
            return OutputColumn(a.expr_id, a.name, below.of_all(used), type=a.type)
        return dataclasses.replace(
            one,
            expr_id=a.expr_id,
            name=a.name,
            sources=below.of_all(used),
            type=a.type,
            read=one.read_as,
        )

    return Columns(made(i, a) for i, a in enumerate(node.output))


@columns_of.register
def _(node: SubqueryAlias, below: Below) -> Columns:
    return below.all.standing_as("" if node.alias.startswith(_UNNAMED) else node.alias)


@columns_of.register
def _(node: View, below: Below) -> Columns:
    return by_position(node.output, below.all)


@columns_of.register
def _(node: WithCTE, below: Below) -> Columns:
    del node
    return below.children[-1]


@columns_of.register
def _(node: CTERelationRef, below: Below) -> Columns:
    return by_position(node.output, below.cte.get(node.cte_id, EMPTY))


def by_position(output: Sequence[Attribute], defined: Columns) -> Columns:
    """Other ids and names for the same columns."""
    nothing = OutputColumn(-1, "", NOTHING)
    padded = (*defined.outputs, *([nothing] * max(0, len(output) - len(defined.outputs))))
    return Columns(
        OutputColumn(a.expr_id, a.name, c.sources, c.definition, a.type, c.kind, c.parts, read=c.read_as)
        for a, c in zip(output, padded, strict=False)
    )
