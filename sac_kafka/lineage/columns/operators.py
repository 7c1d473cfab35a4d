"""Derive the output columns of relational operators and generators."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence

from sac_kafka.lineage.columns.dependencies import SHAPELESS, Shape, ShapeBudget, may_have_a_shape, part_of
from sac_kafka.lineage.columns.operands import EXTENT, IF_SHAPED, ITEM, KEY, OperandUse, ShapeKind
from sac_kafka.lineage.columns.output_columns import EMPTY, GROUPING_SET_COLUMN, Columns, Definition, OutputColumn
from sac_kafka.lineage.columns.placeholders import is_placeholder, loop_column, with_loop, with_outer
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of
from sac_kafka.lineage.expressions.function_names import ANY, ATOM, CONVERSIONS
from sac_kafka.lineage.expressions.rendering import GROUPING_ID, Text, truncate
from sac_kafka.lineage.expressions.sql_parts import MAX_NESTED, as_written, find_original, keeps_values, quote
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, through
from sac_kafka.plan.expressions import (
    Alias,
    Attribute,
    AttributeReference,
    Cast,
    CreateNamedStruct,
    Expression,
    OuterReference,
)
from sac_kafka.plan.functions import Explode, Inline, PosExplode, Stack
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
    UnionLoop,
    UnionLoopRef,
    View,
    Window,
    WithCTE,
)


def _generate(generator: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    """Return the operand uses of each of the `width` output columns of a generator."""
    match generator:
        case Stack():
            return [[_value(c) for c in generator.children[1 + i :: width]] for i in range(width)]
        case Inline():
            return [[_value(generator.children[0], ITEM, i)] for i in range(width)]
        case Explode():
            return _explode(generator, width)
        case PosExplode():  # the position is not a value of the collection but depends on its length
            position = OperandUse(generator.children[0], Dependency.CONDITIONAL, (EXTENT,))
            return [[position], *_explode(generator, width - 1)]
    return [[OperandUse(generator, Dependency.TRANSFORMATION)]] * width


def _explode(e: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    """Return the keys and values of a map, or the elements of an array."""
    return [[_value(e.children[0], step)] for step in ((KEY, ITEM) if width == 2 else (ITEM,) * width)]


def _value(e: Expression, *path: int) -> OperandUse:
    return OperandUse(e, Dependency.TRANSFORMATION, path, passes_parts=True)


_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def is_wider(type_: str, *, than: str) -> bool:
    """Return True if a type can hold every value of another one, as in Spark's `Cast.canUpCast`; a conversion to text does not.

    >>> is_wider("bigint", than="int"), is_wider("decimal(12,2)", than="int"), is_wider("int", than="double")
    (True, True, False)
    """
    if type_ in _NUMBERS and than in _NUMBERS:
        return _NUMBERS.index(type_) >= _NUMBERS.index(than)
    to, narrow = _DECIMAL.fullmatch(type_), _DECIMAL.fullmatch(than)
    if to is not None:
        precision, scale = map(int, to.groups())
        digits, fraction = map(int, narrow.groups()) if narrow is not None else (_DIGITS.get(than, 100), 0)
        return scale >= fraction and precision - scale >= digits - fraction
    return (type_, than) in {("timestamp", "date"), ("timestamp_ntz", "date")} or than == "void"


_NULLS = ("NULL", "CAST(NULL AS ")
_UNNAMED = "__auto_generated_subquery_name"
"""Prefix of the alias that Spark gives to a subquery without one."""
_OF_PART = -1
"""The exprId of a part of a column."""


@columns_of.register
def _(node: Project, below: ChildColumns) -> Columns:
    return Columns(project(node.project_list, below))


@columns_of.register
def _(node: Aggregate, below: ChildColumns) -> Columns:
    return Columns(project(node.aggregate_expressions, below))


@columns_of.register
def _(node: Window, below: ChildColumns) -> Columns:
    return Columns((*below.all.outputs, *project(node.window_expressions, below)))


def project(expressions: Iterable[Expression], below: ChildColumns) -> Iterable[OutputColumn]:
    """Yield one column per projected expression, so that positions are preserved."""
    for e in expressions:
        if isinstance(e, Alias):
            yield _column(e.children[0], e.expr_id, e.name, below)
        elif isinstance(e, AttributeReference):
            yield below.all.by_id.get(e.expr_id) or OutputColumn(e.expr_id, "", NO_SOURCES)
        elif isinstance(e, OuterReference):
            yield OutputColumn(_outer_id(e), "", below.sources_of(e))
        else:
            yield OutputColumn(-1, "", below.sources_of(e), below.definition_of(e))


def _outer_id(e: Expression) -> int:
    while isinstance(e, OuterReference):
        e = e.reference
    return e.expr_id if isinstance(e, (AttributeReference, Alias)) else -1


def _column(
    child: Expression, expr_id: int, name: str, below: ChildColumns, budget: ShapeBudget | None = None, depth: int = 0
) -> OutputColumn:
    """Return the column that an expression defines under a name, with its parts if the value is nested."""
    copied = copy_of(child, below.all)
    if copied is not None:
        type_ = child.type if isinstance(child, Cast) else copied.type
        return copied.copy_as(expr_id, name, type_)
    type_ = child.type if isinstance(child, Cast) else ""
    converted = as_written(child)
    if isinstance(child, CreateNamedStruct) and depth < MAX_NESTED:
        shape = _written_struct(child, below, budget or ShapeBudget(), depth)
    else:
        shape = below.shape_of([_whole(child)], budget) if may_have_a_shape(child, below.all.by_id) else SHAPELESS
    if isinstance(converted, AttributeReference):
        definition = _before_conversion(child, converted, below)
    else:
        definition = below.definition_of(child)
    kind, parts = shape
    return OutputColumn(expr_id, name, below.sources_of(child), definition, type_, kind, parts)


def _whole(e: Expression) -> OperandUse:
    return OperandUse(e, Dependency.IDENTITY, passes_parts=True)


def _written_struct(e: CreateNamedStruct, below: ChildColumns, budget: ShapeBudget, depth: int) -> Shape:
    """Return the fields of `struct(…)`, each as a column."""
    names = e.names if len(e.names) == len(e.values) else ("",) * len(e.values)
    if not budget.take(len(names)):
        return SHAPELESS
    fields = (_column(v, -1, n, below, budget, depth + 1) for v, n in zip(e.values, names, strict=True))
    return ShapeKind.STRUCT, (*fields, OutputColumn(_OF_PART, "", NO_SOURCES))  # never null


def _before_conversion(e: Expression, converted: AttributeReference, below: ChildColumns) -> Definition | None:
    """Return the definition of a column that a write or a view only casts to another type.

    This is the definition before the cast. A plain copy has none, and is rendered as the cast of its source column.
    """
    known = below.all.by_id.get(converted.expr_id)
    if known is None:
        return below.definition_of(e)
    if known.definition is not None or not known.sources:
        return known.definition
    while e.simple_name in CONVERSIONS and e.children:  # an INSERT checks the cast for overflow
        e = e.children[0]
    if isinstance(e, Cast):
        e = dataclasses.replace(e, is_written=True)  # render the cast: it is not a widening, so it may change values
    return below.definition_of(e)


def copy_of(e: Expression, columns: Columns) -> OutputColumn | None:
    """Return the column that an expression copies; None if it is not a copy.

    A copy is a reference, also within a cast to its own type, or within an implicit cast to a wider type, which the analyzer
    adds if the column of the view or table has another type than that of the query.
    """
    reference = e.children[0] if isinstance(e, Cast) else e
    known = None
    if not isinstance(reference, AttributeReference):
        whole = find_original(e)
        if whole is not None and keeps_values(e, whole):
            e = reference = whole
        known = columns.field(reference)
    if known is None:
        if not isinstance(reference, AttributeReference):
            return None
        known = columns.by_id.get(reference.expr_id) or OutputColumn(reference.expr_id, "", NO_SOURCES)
    if not isinstance(e, Cast) or e.type == known.type:
        return known
    return known if not e.is_written and is_wider(e.type, than=known.type) else None


@columns_of.register
def _(node: Join, below: ChildColumns) -> Columns:
    left, right = below.children
    if node.join_type in ("LEFT SEMI", "LEFT ANTI"):
        return left
    return Columns((*left.outputs, *right.outputs))


@columns_of.register(AsOfJoin)
@columns_of.register(AttachDistributedSequence)
def _(node: AsOfJoin | AttachDistributedSequence, below: ChildColumns) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NO_SOURCES) for a in node.output)


@columns_of.register
def _(node: LateralJoin, below: ChildColumns) -> Columns:
    left = below.all
    right = below.columns_of_plan(node.right.plan).outputs
    return Columns((*left.outputs, *(c.with_sources(lambda s: with_outer(s, part_of(left.by_id))) for c in right)))


@columns_of.register
def _(node: Union, below: ChildColumns) -> Columns:
    """Combine the children's columns by position, under the exprIds of the first child."""
    del node
    first, *others = (child.outputs for child in below.children)
    return Columns(union_of([c, *(o[i] for o in others if i < len(o))]) for i, c in enumerate(first))


def union_of(legs: Sequence[OutputColumn]) -> OutputColumn:
    """Combine the columns that the branches of a union have at the same position."""
    first = legs[0]
    same_type = all(c.type == first.type for c in legs)
    with_values = [c for c in legs if not _is_null(c)] or legs
    sources = NO_SOURCES.union(*(c.sources for c in legs))
    kind, parts = _union_parts(legs)
    if not all(c.is_written for c in legs) and first.expr_id == _OF_PART:
        return OutputColumn(_OF_PART, "", sources, kind=kind, parts=parts)
    return OutputColumn(
        first.expr_id,
        first.name,
        sources,
        _union_definition(with_values),
        first.type if same_type else "",
        kind,
        parts,
        read=_union_text(with_values) if all(c.definition is None for c in with_values) else "",
    )


def _union_parts(legs: Sequence[OutputColumn]) -> Shape:
    """Combine the parts of the branches; each part of a branch without known shape depends on the whole value."""
    shapes = {(c.kind, len(c.parts)) for c in legs if c.kind is not None}
    if len(shapes) != 1:
        return SHAPELESS
    ((kind, count),) = shapes
    shaped = [c for c in legs if c.kind is not None or c.sources]
    return kind, tuple(union_of([_part_of(c, i) for c in shaped]) for i in range(count))


def _part_of(leg: OutputColumn, at: int) -> OutputColumn:
    if leg.kind is not None:
        return leg.parts[at]
    return OutputColumn(_OF_PART, "", through(leg.sources, Dependency.TRANSFORMATION))


def _is_null(leg: OutputColumn) -> bool:
    """Return True for a branch that lacks the column and fills it with NULL."""
    return not leg.sources and leg.definition is not None and leg.definition().startswith(_NULLS)


def _union_definition(legs: Sequence[OutputColumn]) -> Definition | None:
    """Return the definition of the combined column; None if it is a plain copy in all branches."""
    if all(c.definition is None for c in legs):
        return None
    return Definition(lambda: _union_text(legs), lambda: (c.definition for c in legs if c.definition is not None))


def _union_text(legs: Sequence[OutputColumn]) -> str:
    """Return the source column's name if all branches copy a column of that name, else the texts of all branches."""
    if len({c.copied_name for c in legs}) == 1 and legs[0].copied_name:
        return legs[0].copied_name
    texts = dict.fromkeys(c.render() if c.definition is None else c.definition.mark_columns() for c in legs)
    return next(iter(texts)) if len(texts) == 1 else Text.create(truncate(" UNION ALL ".join(texts)), ANY)


@columns_of.register
def _(node: SetDifference, below: ChildColumns) -> Columns:
    del node
    return below.children[0]


@columns_of.register
def _(node: Generate, below: ChildColumns) -> Columns:
    uses = _generate(node.generator, len(node.generator_output))
    definition = below.definition_of(node.generator, is_shared=len(node.generator_output) > 1)
    generated = (
        OutputColumn(a.expr_id, a.name, below.sources_of_operands(use), definition, a.type, *below.shape_of(use))
        for a, use in zip(node.generator_output, uses, strict=True)
    )
    if node.outer and isinstance(node.generator, (Explode, PosExplode, Inline)):
        extent = OperandUse(node.generator.children[0], Dependency.CONDITIONAL, (EXTENT, IF_SHAPED))
        decide = below.sources_of_operands([extent])
        generated = (c.with_sources(decide.union) for c in generated)
    return Columns((*below.all.outputs, *generated))


@columns_of.register
def _(node: Expand, below: ChildColumns) -> Columns:
    known = below.all.by_id

    def expand(i: int, a: Attribute) -> OutputColumn:
        used = [p[i] for p in node.projections if i < len(p)]
        copied = {known[e.expr_id] for e in used if isinstance(e, AttributeReference) and e.expr_id in known}
        one = copied.pop() if len(copied) == 1 else None
        if a.name == GROUPING_SET_COLUMN:
            keys = tuple(quote(b.name) for b in node.output[:i] if b.expr_id not in known)
            grouping_id = Definition(lambda: Text.create(GROUPING_ID, ATOM, keys[::-1]))
            return OutputColumn(a.expr_id, a.name, below.sources_of_all(used), grouping_id, a.type)
        if one is None:
            kind, parts = below.shape_of([_whole(e) for e in used])
            return OutputColumn(a.expr_id, a.name, below.sources_of_all(used), type=a.type, kind=kind, parts=parts)
        return dataclasses.replace(
            one.copy_as(a.expr_id, a.name, a.type), sources=below.sources_of_all(used), relation=one.relation
        )

    return Columns(expand(i, a) for i, a in enumerate(node.output))


@columns_of.register
def _(node: SubqueryAlias, below: ChildColumns) -> Columns:
    return below.all.with_relation("" if node.alias.startswith(_UNNAMED) else node.alias)


@columns_of.register
def _(node: View, below: ChildColumns) -> Columns:
    return by_position(node.output, below.all)


@columns_of.register
def _(node: WithCTE, below: ChildColumns) -> Columns:
    del node
    return below.children[-1]


@columns_of.register
def _(node: CTERelationRef, below: ChildColumns) -> Columns:
    return by_position(node.output, below.cte.get(node.cte_id, EMPTY))


def by_position(output: Sequence[Attribute], defined: Columns) -> Columns:
    """Return columns under other exprIds and names, assigned by position."""
    nothing = OutputColumn(-1, "", NO_SOURCES)
    padded = (*defined.outputs, *([nothing] * max(0, len(output) - len(defined.outputs))))
    return Columns(c.copy_as(a.expr_id, a.name, a.type) for a, c in zip(output, padded, strict=False))


# ---- Recursive CTEs


@columns_of.register
def _(node: UnionLoopRef, below: ChildColumns) -> Columns:
    """Return placeholders, which the loop replaces: the recursion's reference to the loop is visited before the loop itself."""
    del below
    return Columns(
        OutputColumn(a.expr_id, a.name, loop_column(node.loop_id, i), type=a.type) for i, a in enumerate(node.output)
    )


@columns_of.register
def _(node: UnionLoop, below: ChildColumns) -> Columns:
    """Combine the columns of anchor and recursion by position, as a fixed point: the recursion reads what the loop produces."""
    anchor, recursion = (child.outputs for child in below.children[:2])
    known = {i: c.sources for i, c in enumerate(anchor)}
    while True:
        more = {
            i: c.sources | with_loop(recursion[i].sources if i < len(recursion) else NO_SOURCES, node.loop_id, known)
            for i, c in enumerate(anchor)
        }
        if more == known:
            break
        known = more
    return Columns(
        dataclasses.replace(
            _with_recursion(c, recursion[i] if i < len(recursion) else c),
            expr_id=a.expr_id,
            name=a.name,
            sources=known[i],
            type=a.type,
            kind=None,
            parts=(),
        )
        for i, (a, c) in enumerate(zip(node.output, anchor, strict=False))
    )


def _with_recursion(anchor: OutputColumn, recursion: OutputColumn) -> OutputColumn:
    """Return the anchor's column combined with the recursion's, unless the recursion only copies the loop's column."""
    is_copy = recursion.definition is None and any(is_placeholder(s.dataset) for s in recursion.sources)
    return anchor if is_copy else union_of([anchor, recursion])
