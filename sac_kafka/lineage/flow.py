"""Walk a logical plan bottom-up and collect its inputs, row clauses, and the sources of each node's output columns."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.bounds import DEFAULT, NOT_PROJECTED, Budget
from sac_kafka.lineage.columns.child_columns import ChildColumns
from sac_kafka.lineage.columns.loops import with_loops
from sac_kafka.lineage.columns.needed import needed, needed_children
from sac_kafka.lineage.columns.origins import ColumnOrigins, Origin, Origins
from sac_kafka.lineage.columns.output_columns import EMPTY, Clause, Clauses, Columns, OutputColumn, with_view_columns
from sac_kafka.lineage.columns.placeholders import split_outer
from sac_kafka.lineage.columns.rules import columns_of, row_clauses, superseded
from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.tables import is_hidden
from sac_kafka.lineage.datasets.views import dataset_of, gaps_of, hidden_columns, output_of
from sac_kafka.lineage.flow_inputs import FlowInputs
from sac_kafka.lineage.model import ColumnSource, Dataset, Dependency
from sac_kafka.lineage.model.columns import NO_SOURCES, Sources
from sac_kafka.lineage.model.gaps import COLUMNS_OMITTED, INPUTS_UNKNOWN, gaps_beyond_columns
from sac_kafka.plan.declaration import declared_name
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import (
    Aggregate,
    CTERelationDef,
    CTERelationRef,
    Generate,
    Project,
    SubqueryAlias,
    UnionLoop,
    UnionLoopRef,
    Window,
    is_persisted_view,
)
from sac_kafka.plan.relations import RowsWithoutDataset

_MAKING_VALUES = (Project, Aggregate, Window, Generate)
"""Operators whose subqueries compute columns: the row clauses of such a subquery are conditions of that column."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TraversalOptions:
    """Options of the traversal of a plan.

    Attributes:
        patterns: Patterns that fold segments of paths.
        budget: Limits of column lineage.
        origins: Origins of leaves without a dataset; the first that knows a leaf is used.
        column_origins: Further inputs of the columns of a node (models).
        variables: Returns the origins of the SQL variables that a node uses.
        stops_at_views: Report a persisted view as the input; if False, report the view and the tables below it.
    """

    patterns: Patterns = ()
    budget: Budget = DEFAULT
    origins: tuple[Origins, ...] = ()
    column_origins: tuple[ColumnOrigins, ...] = ()
    variables: Callable[[LogicalPlan], Iterable[Origin]] = lambda _: ()
    stops_at_views: bool = True


class QueryFlow:
    """The lineage of one query, collected by `follow`.

    Attributes:
        views: The persisted views at which the traversal stopped.
        counts: What was not understood: reason to number of times.
        inputs: The datasets that are read.
        skip_reason: Why column lineage is skipped; None if it is not.
    """

    def __init__(self, options: TraversalOptions, counts: Counter[str], own_reads: Sequence[LogicalPlan] = ()) -> None:
        self._options = options
        self._nodes = self._edges = 0
        self.views: list[LogicalPlan] = []
        self._own_reads = frozenset(map(id, own_reads))
        self.counts = counts
        self.inputs = FlowInputs(counts)
        self.skip_reason: str | None = None
        self._columns: dict[int, Columns] = {}
        self._clauses: dict[int, Clauses] = {}
        self._cte: dict[int, Columns] = {}
        self._loops: dict[int, Columns] = {}
        self._outer: dict[int, frozenset[int]] = {}  # node -> exprIds of the outer columns in its row clauses
        self._outer_columns: dict[int, OutputColumn] = {}
        self._definitions: dict[int, CTERelationDef] = {}
        self._has_values = False  # whether a subquery computes a column
        self._of_rows: set[int] | None = None  # nodes whose clauses decide the query's rows; None: all nodes

    def follow(self, root: LogicalPlan) -> None:
        """Traverse a query."""
        for node in needed(root, stops_at_views=self._options.stops_at_views):
            self._add(node)
            for source in self._options.variables(node):
                self.inputs.add_origin(source)
        if self._has_values:
            found = walk(root, lambda plan: self._parts(plan, values=False))
            self._of_rows = (self._of_rows or set()) | {id(node) for node in found}

    def _parts(self, plan: LogicalPlan, *, values: bool = True) -> Iterator[LogicalPlan]:
        """Yield the parts of a plan, with the definition of a CTE; without `values`, skip subqueries that compute columns."""
        yield from needed_children(plan)
        if values or not isinstance(plan, _MAKING_VALUES):
            yield from plan.subqueries
        if isinstance(plan, CTERelationRef) and plan.cte_id in self._definitions:
            yield self._definitions[plan.cte_id]

    def output_of(self, node: LogicalPlan) -> Columns:
        """Return the output columns of a node with their sources; empty if column lineage is skipped."""
        return EMPTY if self.skip_reason else self._columns[id(node)]

    @property
    def clauses(self) -> Clauses:
        """The row clauses of all nodes, from the leaves up, without those of subqueries that compute columns."""
        return tuple(
            dataclasses.replace(clause, sources=with_loops(clause.sources, self._loops))
            for node, of_node in self._clauses.items()
            if self._of_rows is None or node in self._of_rows
            for clause in of_node
        )

    def all_inputs(self, used: Set[tuple[str, str]]) -> Iterable[Dataset]:
        """Return the inputs; the target of a row-level command is one only if a column of it is used."""
        return self.inputs.with_own(None if self.skip_reason else {key for key, _ in used})

    def skip_columns(self, reason: str) -> None:
        """Skip column lineage from now on, for a reason that is counted once."""
        if self.skip_reason is None:
            self.skip_reason = reason
            self.counts[f"{COLUMNS_OMITTED}{reason}"] += 1

    def _add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan) and needed_children(node) and not (node.inputs or node.written):
            self.inputs.note(f"node not understood: {node.simple_name}")
        if node.columns_cut:
            self.skip_columns(NOT_PROJECTED)
        self._nodes += 1
        if exceeded := self._options.budget.exceeded(nodes=self._nodes):
            self.skip_columns(exceeded)
        if is_persisted_view(node) and self._options.stops_at_views:
            self._view(node)
        elif needed_children(node) or isinstance(node, (CTERelationRef, UnionLoopRef)):
            self._inner(node)
        else:
            self._leaf(node)

    def _view(self, node: LogicalPlan) -> None:
        """Add a persisted view as an input; its columns are the sources."""
        view = dataset_of(node)
        self.views.append(node)
        keys = [view.key] if self.inputs.add(view) else []
        for gap in gaps_of(node):
            self.inputs.note(gap)
        own = [
            OutputColumn(a.expr_id, a.name, _sources(c.name, Reading(), keys), type=a.type)
            for a, c in zip(output_of(node), view.columns, strict=False)
        ]
        others = [OutputColumn(a.expr_id, a.name, NO_SOURCES) for a in hidden_columns(node)]
        self._columns[id(node)] = Columns((*own, *others)).with_relation()

    def _inner(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):  # inputs that it reports itself, in addition to those of its children
            own = reading(node, self._options.patterns)
            for dataset in own.datasets if own is not None else ():
                self.inputs.add(dataset)
        for origin in (o for each in self._options.column_origins for o in each.origins_of(node)):
            self.inputs.add_origin(dataclasses.replace(origin, gaps=gaps_beyond_columns(origin.gaps)))
        view = dataset_of(node) if is_persisted_view(node) else None
        is_input = view is not None and self.inputs.add(view)
        if self.skip_reason:
            return
        children = needed_children(node)
        below = ChildColumns(
            children=[self.output_of(child) for child in children],
            nodes=children,
            columns_of_plan=self.output_of,
            cte=self._cte,
            correlating=self._correlating,
            deciding=self._deciding,
            outer=self._outer_columns,
        )
        if node.subqueries:
            self._outer_columns.update(below.all.by_id)
        if isinstance(node, CTERelationDef):
            self._definitions[node.cte_id] = node
        output = columns_of(node, below)
        if isinstance(node, CTERelationDef):
            self._cte[node.cte_id] = output
        elif isinstance(node, UnionLoop):
            self._loops[node.loop_id] = output
        # The columns of a persisted view are those of its query by position, so both are exact sources.
        hidden = {a.expr_id for a in hidden_columns(node)}
        self._columns[id(node)] = (
            with_view_columns(view.key, output, hidden) if view is not None and is_input else output
        )
        # The columns of an alias were counted at its child.
        if not isinstance(node, SubqueryAlias) and not any(output is child for child in below.children):
            self._edges += sum(len(c.sources) for c in output.outputs)
            if exceeded := self._options.budget.exceeded(columns=len(output.outputs), edges=self._edges):
                self.skip_columns(exceeded)
                return
        self._has_values |= isinstance(node, _MAKING_VALUES) and bool(node.subqueries)
        self._decide(node, row_clauses(node, below))
        for part in superseded(node):
            self._clauses.pop(id(part), None)

    def _decide(self, node: LogicalPlan, clauses: Clauses) -> None:
        """Keep the row clauses of a node, with the columns of an outer query split off."""
        outer: set[int] = set()
        kept = []
        for clause in clauses:
            sources, of_outer = split_outer(clause.sources)
            outer |= of_outer
            kept.append(dataclasses.replace(clause, sources=sources))
        self._clauses[id(node)] = tuple(kept)
        if outer:
            self._outer[id(node)] = frozenset(outer)

    def _correlating(self, subquery: LogicalPlan) -> frozenset[int]:
        if not self._outer:
            return frozenset()
        return frozenset().union(*(self._outer.get(id(node), ()) for node in walk(subquery)))

    def _deciding(self, subquery: LogicalPlan) -> Sources:
        """Return the source columns of the joins and filters of a subquery."""
        clauses = (clause for node in walk(subquery, self._parts) for clause in self._clauses.get(id(node), ()))
        return NO_SOURCES.union(*(c.sources for c in clauses if c.kind in (Dependency.JOIN, Dependency.FILTER)))

    def _leaf(self, node: LogicalPlan) -> None:
        if isinstance(node, RowsWithoutDataset):
            known = next((o for each in self._options.origins if (o := each.origin_of(node)) is not None), None)
            if known is not None:
                self._read_again(node, known)
                return
            if node.source_text:
                self.inputs.add_other_source(node.source_text)
            if node.hidden_source:
                self.inputs.note(f"{INPUTS_UNKNOWN}{node.hidden_source}")
        found = reading(node, self._options.patterns)
        if found is None and not getattr(node, "written", ()):
            self.inputs.note(f"relation not understood: {_class_of(node)}")
        found = found or Reading()
        keys = self.inputs.add_reading(id(node), found, is_own=id(node) in self._own_reads)
        self._columns[id(node)] = Columns(
            OutputColumn(a.expr_id, a.name, NO_SOURCES if is_hidden(a) else _sources(a.name, found, keys), type=a.type)
            for a in getattr(node, "output", ())
        ).with_relation()
        self._clauses[id(node)] = tuple(
            Clause(c.kind, frozenset(s for s in c.sources if s.dataset in keys), functools.partial(str, c.text))
            for c in found.clauses
        )

    def _read_again(self, node: LogicalPlan, again: Origin) -> None:
        self.inputs.add_origin(again)
        if again.skip_reason:
            self.skip_columns(again.skip_reason)
        self._columns[id(node)] = again.columns.with_relation()
        self._clauses[id(node)] = again.clauses


def _class_of(leaf: LogicalPlan) -> str:
    """Return the class name of a leaf's relation, or of the leaf if it has none."""
    relation = getattr(leaf, "relation", None)
    return getattr(relation, "class_name", None) or declared_name(type(relation)) or leaf.class_name


def _sources(name: str, found: Reading, keys: Sequence[str]) -> Sources:
    """Return the sources of a column of a leaf."""
    if name in found.hidden:
        return NO_SOURCES
    if found.made_of is not None:
        return frozenset(s for s in found.made_of.get(name.lower(), ()) if s.dataset in keys)
    if found.columns is None:
        return frozenset(ColumnSource(key, name, Dependency.IDENTITY) for key in keys)
    if found.base is None or found.base not in keys:
        return NO_SOURCES
    return frozenset(ColumnSource(found.base, column, use) for column, use in found.columns.get(name.lower(), ()))
