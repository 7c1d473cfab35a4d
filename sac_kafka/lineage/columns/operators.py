"""The relational operators: the columns each hands up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from sac_kafka.lineage.columns.clause_texts import shortened
from sac_kafka.lineage.columns.combining import NOTHING, Sources
from sac_kafka.lineage.columns.generators import generated
from sac_kafka.lineage.columns.handed_up import EMPTY, NUMBER_OF_THE_SET, Below, Columns, OutputColumn, columns_of
from sac_kafka.lineage.columns.stand_ins import resolved, with_outer
from sac_kafka.lineage.columns.types import is_wider
from sac_kafka.lineage.expressions.conversions import keeps_values, rebuilt
from sac_kafka.lineage.expressions.function_names import ANY, ATOM
from sac_kafka.lineage.expressions.rendering import GROUPING_ID, Text, render
from sac_kafka.lineage.expressions.sql_parts import quoted, written
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
        type_ = child.type if isinstance(child, Cast) else copied.type
        return OutputColumn(e.expr_id, e.name, copied.sources, copied.definition, type_, copied.fields)
    made_as = child.type if isinstance(child, Cast) else ""
    converted = written(child)
    if isinstance(converted, AttributeReference):
        definition = _before_conversion(child, converted, below)
        return OutputColumn(e.expr_id, e.name, below.of(child), definition, made_as)
    fields = tuple(map(below.of, child.values)) if isinstance(child, CreateNamedStruct) else ()
    return OutputColumn(e.expr_id, e.name, below.of(child), below.defining(child), made_as, fields)


def _before_conversion(e: Expression, converted: AttributeReference, below: Below) -> Callable[[], str] | None:
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
    read_by = {s.column for s in resolved(known.sources)}
    if len(read_by) != 1:
        return below.defining(e)
    name = read_by.pop()
    return cache(lambda: render(e, lambda _: name))


def _copied(e: Expression, columns: Columns) -> OutputColumn | None:
    """The column that an expression copies: a reference, also in a cast to its own type.

    Or in one to a wider type that nobody wrote: a view's column or the table's has another type than the query's.
    """
    reference = e.children[0] if isinstance(e, Cast) else e
    whole = rebuilt(e)
    if whole is not None and keeps_values(e, whole):
        e = reference = whole
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


@columns_of.register
def _(node: AsOfJoin, below: Below) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NOTHING) for a in node.output)


@columns_of.register
def _(node: LateralJoin, below: Below) -> Columns:
    left = below.all
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
        _united_definition([c for c in legs if c.sources] or legs),
        first.type if same_type else "",
        tuple(NOTHING.union(*of) for of in zip(*(c.fields for c in legs), strict=True)) if same_fields else (),
    )


def _united_definition(legs: Sequence[OutputColumn]) -> Callable[[], str] | None:
    """What each leg makes the column of, where it is not just a copy in all of them."""
    if all(c.definition is None for c in legs):
        return None

    def text() -> Text:
        told = dict.fromkeys(quoted(c.name) if c.definition is None else c.definition() for c in legs)
        one = next(iter(told))
        if len(told) == 1:
            return one if isinstance(one, Text) else Text(one)
        return Text.of(shortened(" UNION ALL ".join(told)), ANY)

    return cache(text)


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
        one = copied.pop() if len(copied) == 1 else None
        if a.name == NUMBER_OF_THE_SET:
            made = tuple(quoted(b.name) for b in node.output[:i] if b.expr_id not in known)
            number = cache(lambda: Text.of(GROUPING_ID, ATOM, made[::-1]))
            return OutputColumn(a.expr_id, a.name, below.of_all(used), number, a.type)
        definition, relation = (one.definition, one.relation) if one is not None else (None, None)
        return OutputColumn(a.expr_id, a.name, below.of_all(used), definition, a.type, relation=relation)

    return Columns(made(i, a) for i, a in enumerate(node.output))


@columns_of.register
def _(node: AttachDistributedSequence, below: Below) -> Columns:
    known = below.all.by_id
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, NOTHING) for a in node.output)


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
        OutputColumn(a.expr_id, a.name, c.sources, c.definition, a.type, c.fields)
        for a, c in zip(output, padded, strict=False)
    )
