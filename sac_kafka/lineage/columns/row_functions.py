"""Derive the columns and clauses of opaque functions over rows: each result depends on all columns that the function reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sac_kafka.lineage.columns.output_columns import Clause, Clauses, Columns, Definition, OutputColumn
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of, row_clauses
from sac_kafka.lineage.expressions.function_names import function_name
from sac_kafka.lineage.expressions.rendering import references
from sac_kafka.model import Dependency
from sac_kafka.model.columns import Sources, through
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.row_functions import (
    AppendColumns,
    CoGroup,
    DeserializeToObject,
    GroupStateFunction,
    MapGroups,
    PythonCoGroupFunction,
    PythonGroupFunction,
    PythonRowFunction,
    RowFunction,
    TypedFilter,
)


def _output_columns(
    output: Sequence[Attribute], below: ChildColumns, sources: Sources, text: Callable[[], str]
) -> Columns:
    """Return the output columns: those of the child if known there, else new ones with the given sources."""
    known = below.all.by_id
    definition = Definition(text, is_shared=sum(a.expr_id not in known for a in output) > 1)
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, sources, definition, a.type) for a in output)


def _call(node: LogicalPlan, arguments: Callable[[], str]) -> Callable[[], str]:
    return lambda: f"{function_name(node.simple_name)}({arguments()})"


def _list_columns(expressions: Iterable[Expression], below: ChildColumns) -> Callable[[], str]:
    used = tuple(expressions)
    return lambda: ", ".join(dict.fromkeys(references(used, below.all.texts)))


@columns_of.register
def _(node: RowFunction, below: ChildColumns) -> Columns:
    sources = through(below.all.all_sources(), Dependency.TRANSFORMATION)
    inner = [c.definition for c in below.all.outputs]
    definition: Callable[[], str]
    if len(inner) == 1 and inner[0] is not None:
        # A JVM object: serialization keeps its definition, a function wraps it.
        is_copy = node.simple_name == "SerializeFromObject"
        definition = inner[0] if is_copy else _call(node, inner[0])
    else:
        arguments = below.all.outputs
        definition = _call(node, lambda: ", ".join(c.render().with_label("") for c in arguments))
    return _output_columns(node.output, below, sources, definition)


@columns_of.register(PythonRowFunction)
@columns_of.register(PythonGroupFunction)
@columns_of.register(PythonCoGroupFunction)
def _(node: PythonRowFunction | PythonGroupFunction | PythonCoGroupFunction, below: ChildColumns) -> Columns:
    sources = below.sources_of(node.function, Dependency.TRANSFORMATION)
    # The result has new exprIds even if the function only copies its input.
    definition = below.definition_of(node.function, is_shared=len(node.output) > 1)
    return Columns(OutputColumn(a.expr_id, a.name, sources, definition, a.type) for a in node.output)


@columns_of.register
def _(node: DeserializeToObject, below: ChildColumns) -> Columns:
    sources = below.sources_of(node.deserializer, Dependency.TRANSFORMATION)
    return _output_columns(node.output, below, sources, _list_columns((node.deserializer,), below))


@columns_of.register
def _(node: AppendColumns, below: ChildColumns) -> Columns:
    used = (node.deserializer,)
    return _output_columns(
        node.output, below, below.sources_of(*used, Dependency.TRANSFORMATION), _call(node, _list_columns(used, below))
    )


@columns_of.register(MapGroups)
@columns_of.register(GroupStateFunction)
def _(node: MapGroups | GroupStateFunction, below: ChildColumns) -> Columns:
    used = (node.key_deserializer, node.value_deserializer)
    sources = below.sources_of_all(used, Dependency.TRANSFORMATION)
    return _output_columns(node.output, below, sources, _call(node, _list_columns(used, below)))


@columns_of.register
def _(node: CoGroup, below: ChildColumns) -> Columns:
    used = (node.key_deserializer, node.left_deserializer, node.right_deserializer)
    sources = below.sources_of_all(used, Dependency.TRANSFORMATION)
    return _output_columns(node.output, below, sources, _call(node, _list_columns(used, below)))


@row_clauses.register
def _(node: TypedFilter, below: ChildColumns) -> Clauses:
    used = (node.deserializer,)
    clause = Clause(
        Dependency.FILTER, below.sources_of_all(used, Dependency.FILTER), _call(node, _list_columns(used, below))
    )
    return (clause,)


@row_clauses.register(PythonGroupFunction)
@row_clauses.register(GroupStateFunction)
def _(node: PythonGroupFunction | GroupStateFunction, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.GROUP_BY, *node.grouping)


@row_clauses.register
def _(node: MapGroups, below: ChildColumns) -> Clauses:
    return (*below.clause(Dependency.GROUP_BY, *node.grouping), *below.clause(Dependency.SORT, *node.order))


@row_clauses.register
def _(node: PythonCoGroupFunction, below: ChildColumns) -> Clauses:
    return below.clause(Dependency.JOIN, *node.left_key, *node.right_key)


@row_clauses.register
def _(node: CoGroup, below: ChildColumns) -> Clauses:
    return (
        *below.clause(Dependency.JOIN, *node.left_key, *node.right_key),
        *below.clause(Dependency.SORT, *node.left_order, *node.right_order),
    )
