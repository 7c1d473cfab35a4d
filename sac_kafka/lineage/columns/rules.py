"""The rules of column lineage: one registered function a node family (`operators`, `row_functions`, `loops`).

A node that is not understood passes its children's columns through.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.combining import through
from sac_kafka.lineage.columns.handed_up import Clauses, Columns, OutputColumn
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan


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


@singledispatch
def row_clauses(node: LogicalPlan, below: Below) -> Clauses:
    """What decides which rows a node hands up, or how they are grouped and sorted."""
    del node, below
    return ()


@singledispatch
def superseded(node: LogicalPlan) -> Sequence[LogicalPlan]:
    """The nodes below that only prepare what this one does: what decided their rows is none of the query's."""
    del node
    return ()
