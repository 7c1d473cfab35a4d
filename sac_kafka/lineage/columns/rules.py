"""Dispatch the rules of column lineage by node class; `operators`, `row_functions` and others register theirs.

An unknown node passes its children's columns through.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from sac_kafka.lineage.columns.child_columns import ChildColumns
from sac_kafka.lineage.columns.output_columns import Clauses, Columns, OutputColumn
from sac_kafka.model import Dependency
from sac_kafka.model.columns import through
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan


@singledispatch
def columns_of(node: LogicalPlan, below: ChildColumns) -> Columns:
    """Return the output columns of a node."""
    del node
    return below.all


@columns_of.register
def _(node: UnknownPlan, below: ChildColumns) -> Columns:
    """Use the node's output if the plan contains it; a new column may depend on every column below."""
    if not node.output:
        return below.all
    known = below.all.by_id
    new = through(below.all.all_sources(), Dependency.TRANSFORMATION)
    return Columns(known.get(a.expr_id) or OutputColumn(a.expr_id, a.name, new) for a in node.output)


@singledispatch
def row_clauses(node: LogicalPlan, below: ChildColumns) -> Clauses:
    """Return the clauses by which a node selects, groups or sorts its rows."""
    del node, below
    return ()


@singledispatch
def preparing_plans(node: LogicalPlan) -> Sequence[LogicalPlan]:
    """Return the child nodes that only prepare this one; their clauses are not clauses of the query."""
    del node
    return ()
