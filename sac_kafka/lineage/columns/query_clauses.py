"""Collect the row clauses of a query's nodes during its traversal, and select those that decide the query's rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from sac_kafka.lineage.columns.loops import with_loops
from sac_kafka.lineage.columns.needed import needed_children
from sac_kafka.lineage.columns.output_columns import Clauses, Columns
from sac_kafka.lineage.columns.placeholders import split_outer
from sac_kafka.lineage.columns.rules import preparing_plans
from sac_kafka.model import Dependency
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import Aggregate, CTERelationDef, CTERelationRef, Generate, Project, Window

_MAKING_VALUES = (Project, Aggregate, Window, Generate)
"""Operators whose subqueries compute columns: the row clauses of such a subquery are conditions of that column."""


class QueryClauses:
    """Row clauses by node. `define` and `add_loop` are called before the clauses of the nodes that refer to the plan."""

    def __init__(self) -> None:
        self._clauses: dict[int, Clauses] = {}
        self._outer: dict[int, frozenset[int]] = {}  # node -> exprIds of the outer columns in its row clauses
        self._definitions: dict[int, CTERelationDef] = {}
        self._loops: dict[int, Columns] = {}
        self._has_values = False  # whether a subquery computes a column
        self._of_rows: set[int] | None = None  # nodes whose clauses decide the query's rows; None: all nodes

    def define(self, definition: CTERelationDef) -> None:
        """Add the definition of a common table expression."""
        self._definitions[definition.cte_id] = definition

    def add_loop(self, loop_id: int, columns: Columns) -> None:
        """Add the columns of a loop, which replace their placeholders."""
        self._loops[loop_id] = columns

    def set_leaf(self, leaf: LogicalPlan, clauses: Clauses) -> None:
        """Set the clauses of a leaf."""
        self._clauses[id(leaf)] = clauses

    def add(self, node: LogicalPlan, clauses: Clauses) -> None:
        """Add the clauses of an inner node, with the columns of an outer query split off."""
        self._has_values |= isinstance(node, _MAKING_VALUES) and bool(node.subqueries)
        outer: set[int] = set()
        kept = []
        for clause in clauses:
            sources, of_outer = split_outer(clause.sources)
            outer |= of_outer
            kept.append(dataclasses.replace(clause, sources=sources))
        self._clauses[id(node)] = tuple(kept)
        if outer:
            self._outer[id(node)] = frozenset(outer)
        for part in preparing_plans(node):
            self._clauses.pop(id(part), None)

    def end(self, root: LogicalPlan) -> None:
        """End the traversal of a query: the clauses of subqueries that compute columns do not decide its rows."""
        if self._has_values:
            found = walk(root, lambda plan: self._parts(plan, values=False))
            self._of_rows = (self._of_rows or set()) | {id(node) for node in found}

    def of_rows(self) -> Clauses:
        """Return the clauses that decide the query's rows, from the leaves up."""
        return tuple(
            dataclasses.replace(clause, sources=with_loops(clause.sources, self._loops))
            for node, of_node in self._clauses.items()
            if self._of_rows is None or node in self._of_rows
            for clause in of_node
        )

    def correlating(self, subquery: LogicalPlan) -> frozenset[int]:
        """Return the exprIds of the outer columns that decide the rows of a subquery."""
        if not self._outer:
            return frozenset()
        return frozenset().union(*(self._outer.get(id(node), ()) for node in walk(subquery)))

    def deciding(self, subquery: LogicalPlan) -> Sources:
        """Return the source columns of the joins and filters of a subquery."""
        clauses = (clause for node in walk(subquery, self._parts) for clause in self._clauses.get(id(node), ()))
        return NO_SOURCES.union(*(c.sources for c in clauses if c.kind in (Dependency.JOIN, Dependency.FILTER)))

    def _parts(self, plan: LogicalPlan, *, values: bool = True) -> Iterator[LogicalPlan]:
        """Yield the parts of a plan, with the definition of a CTE; without `values`, skip subqueries that compute columns."""
        yield from needed_children(plan)
        if values or not isinstance(plan, _MAKING_VALUES):
            yield from plan.subqueries
        if isinstance(plan, CTERelationRef) and plan.cte_id in self._definitions:
            yield self._definitions[plan.cte_id]
