"""Select the plans that contribute to a query's result, and the row clauses that decide its rows.

An unreferenced common table expression is not executed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from sac_kafka.lineage.columns.output_columns import Clauses, Columns
from sac_kafka.lineage.columns.placeholders import split_outer, with_loop
from sac_kafka.lineage.expressions.sql_forms import pivot
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import (
    Aggregate,
    CTERelationDef,
    CTERelationRef,
    Generate,
    Project,
    Window,
    WithCTE,
    is_persisted_view,
)
from sac_kafka.plan.relations import RowsWithoutDataset


def needed_plans(root: LogicalPlan, *, stops_at_views: bool = False) -> tuple[LogicalPlan, ...]:
    """Return the plans in `root` that its result needs, children and subqueries first.

    The analyzer keeps the definitions of a WITH even if they are not referenced. With `stops_at_views`, the plan below a
    persisted view is omitted, as it belongs to the view's definition.
    """

    def children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
        is_end = isinstance(plan, RowsWithoutDataset) or (stops_at_views and is_persisted_view(plan))
        return () if is_end else plan.children

    plans = tuple(walk(root, lambda plan: (*children(plan), *plan.subqueries)))
    # A DataFrame joined or united with itself has each definition twice, under one id.
    definitions: dict[int, list[LogicalPlan]] = {}
    for plan in plans:
        if isinstance(plan, CTERelationDef):
            definitions.setdefault(plan.cte_id, []).append(plan)
    if not definitions:
        return plans
    reached: set[int] = set()
    stack = [root]
    while stack:
        plan = stack.pop()
        if id(plan) in reached:
            continue
        reached.add(id(plan))
        stack += [*plan.subqueries, *(children(plan)[-1:] if isinstance(plan, WithCTE) else children(plan))]
        if isinstance(plan, CTERelationRef):
            stack += definitions.get(plan.cte_id, [])
    return tuple(plan for plan in plans if id(plan) in reached)


def needed_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """Return the children that a plan takes its columns from: for a WITH only the main query."""
    if isinstance(plan, RowsWithoutDataset):
        return ()
    return plan.children[-1:] if isinstance(plan, WithCTE) else plan.children


_MAKING_VALUES = (Project, Aggregate, Window, Generate)
"""Operators whose subqueries compute columns: the row clauses of such a subquery are conditions of that column."""


class QueryClauses:
    """Row clauses of a query.

    Attributes:
        at: The clauses by node.
        definitions: Those of common table expressions, added before the nodes that refer to them.
        loops: The columns of loops, which replace their placeholders; inner loops first.
    """

    def __init__(self) -> None:
        self.at: dict[int, Clauses] = {}
        self._outer: dict[int, frozenset[int]] = {}  # node -> exprIds of the outer columns in its row clauses
        self.definitions: dict[int, CTERelationDef] = {}
        self.loops: dict[int, Columns] = {}
        self._has_values = False  # whether a subquery computes a column
        self._of_rows: set[int] | None = None  # nodes whose clauses decide the query's rows; None: all nodes

    def add(self, node: LogicalPlan, clauses: Clauses) -> None:
        """Add the clauses of an inner node, with the columns of an outer query split off."""
        self._has_values |= isinstance(node, _MAKING_VALUES) and bool(node.subqueries)
        outer: set[int] = set()
        kept = []
        for clause in clauses:
            sources, of_outer = split_outer(clause.sources)
            outer |= of_outer
            kept.append(dataclasses.replace(clause, sources=sources))
        self.at[id(node)] = tuple(kept)
        if outer:
            self._outer[id(node)] = frozenset(outer)
        if isinstance(node, Aggregate) and any(map(pivot, node.aggregate_expressions)):
            # The first aggregation of a PIVOT also groups by the pivot column, which decides no output row.
            for child in node.children:
                self.at.pop(id(child), None)

    def end(self, root: LogicalPlan) -> None:
        """End the traversal of a query: the clauses of subqueries that compute columns do not decide its rows."""
        if self._has_values:
            nodes = walk(root, lambda plan: self._parts(plan, values=False))
            self._of_rows = (self._of_rows or set()) | {id(node) for node in nodes}

    def of_rows(self) -> Clauses:
        """Return the clauses that decide the query's rows, from the leaves up."""
        return tuple(
            dataclasses.replace(clause, sources=self._replace_loops(clause.sources))
            for node, of_node in self.at.items()
            if self._of_rows is None or node in self._of_rows
            for clause in of_node
        )

    def _replace_loops(self, sources: Sources) -> Sources:
        """Replace the placeholders of the columns of loops, inner loops first."""
        for loop, columns in self.loops.items():
            sources = with_loop(sources, loop, {i: c.sources for i, c in enumerate(columns.outputs)})
        return sources

    def correlating(self, subquery: LogicalPlan) -> frozenset[int]:
        """Return the exprIds of the outer columns that decide the rows of a subquery."""
        if not self._outer:
            return frozenset()
        return frozenset().union(*(self._outer.get(id(node), ()) for node in walk(subquery)))

    def deciding(self, subquery: LogicalPlan) -> Sources:
        """Return the source columns of the joins and filters of a subquery."""
        clauses = (clause for node in walk(subquery, self._parts) for clause in self.at.get(id(node), ()))
        return NO_SOURCES.union(*(c.sources for c in clauses if c.kind in (Dependency.JOIN, Dependency.FILTER)))

    def _parts(self, plan: LogicalPlan, *, values: bool = True) -> Iterator[LogicalPlan]:
        """Yield the parts of a plan, with the definition of a CTE; without `values`, skip subqueries that compute columns."""
        yield from needed_children(plan)
        if values or not isinstance(plan, _MAKING_VALUES):
            yield from plan.subqueries
        if isinstance(plan, CTERelationRef) and plan.cte_id in self.definitions:
            yield self.definitions[plan.cte_id]
