"""Goes through the nodes of a query, children first: what is read, and what each node hands up."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from sac_kafka.lineage.budget import DEFAULT, NOT_TRAVELLED, Budget
from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.combining import NOTHING, Sources
from sac_kafka.lineage.columns.handed_up import EMPTY, Clause, Clauses, Columns, OutputColumn, also_of
from sac_kafka.lineage.columns.loops import with_loops
from sac_kafka.lineage.columns.needed import needed, needed_children
from sac_kafka.lineage.columns.origins import Makers, Origin, Origins
from sac_kafka.lineage.columns.rules import columns_of, row_clauses, superseded
from sac_kafka.lineage.columns.stand_ins import split_outer
from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.tables import is_hidden
from sac_kafka.lineage.datasets.views import dataset_of, gaps_of, hidden_columns, shown
from sac_kafka.lineage.flow_inputs import FlowInputs
from sac_kafka.lineage.model import ColumnSource, Dataset, Dependency
from sac_kafka.lineage.model.gaps import INPUTS_NOT_KNOWN, LEFT_OUT, of_tables
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
"""Operators whose subqueries make columns: what decides the rows of these is a condition of the column."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """How queries are followed: `patterns` fold paths, `budget` bounds what is followed column by column.

    `origins` know what leaves of rows were made of, asked in their order, `makers` what columns were besides, `variables` what
    has set those of a node. With `stops_at_views` a persisted view is what is read; else the view and, beside it, all below it.
    """

    patterns: Patterns = ()
    budget: Budget = DEFAULT
    origins: tuple[Origins, ...] = ()
    makers: tuple[Makers, ...] = ()
    variables: Callable[[LogicalPlan], Iterable[Origin]] = lambda _: ()
    stops_at_views: bool = True


class QueryFlow:
    """What flows through one query: its `inputs`, and what each of its nodes hands up.

    `left_out` says why its columns are not followed, None where they are; `views` are the persisted views that it stopped at.
    """

    def __init__(self, following: Following, counts: Counter[str], own_reads: Sequence[LogicalPlan] = ()) -> None:
        self._following = following
        self._nodes = self._edges = 0
        self.views: list[LogicalPlan] = []
        self._own_reads = frozenset(map(id, own_reads))
        self.counts = counts
        self.inputs = FlowInputs(counts)
        self.left_out: str | None = None
        self._columns: dict[int, Columns] = {}
        self._clauses: dict[int, Clauses] = {}
        self._cte: dict[int, Columns] = {}
        self._loops: dict[int, Columns] = {}
        self._outer: dict[int, frozenset[int]] = {}  # node -> exprIds of outer columns that decide its rows
        self._outer_columns: dict[int, OutputColumn] = {}
        self._definitions: dict[int, CTERelationDef] = {}
        self._has_values = False  # subqueries that are values of a column
        self._of_rows: set[int] | None = None  # the nodes that decide rows, where these are not all

    def follow(self, root: LogicalPlan) -> None:
        """Go through a query."""
        for node in needed(root, stops_at_views=self._following.stops_at_views):
            self._add(node)
            for source in self._following.variables(node):
                self.inputs.add_origin(source)
        if self._has_values:
            found = walk(root, lambda plan: self._parts(plan, values=False))
            self._of_rows = (self._of_rows or set()) | {id(node) for node in found}

    def _parts(self, plan: LogicalPlan, *, values: bool = True) -> Iterator[LogicalPlan]:
        """What a plan is made of, the definition behind the name of a CTE too; without `values` not what makes a column."""
        yield from needed_children(plan)
        if values or not isinstance(plan, _MAKING_VALUES):
            yield from plan.subqueries
        if isinstance(plan, CTERelationRef) and plan.cte_id in self._definitions:
            yield self._definitions[plan.cte_id]

    def of(self, node: LogicalPlan) -> Columns:
        """What a node hands up; nothing where columns are not followed."""
        return EMPTY if self.left_out else self._columns[id(node)]

    @property
    def clauses(self) -> Clauses:
        """What decided the rows of all nodes, from the leaves up; not those of subqueries that are values of a column."""
        return tuple(
            dataclasses.replace(clause, sources=with_loops(clause.sources, self._loops))
            for node, of_node in self._clauses.items()
            if self._of_rows is None or node in self._of_rows
            for clause in of_node
        )

    def all_inputs(self, used: Set[tuple[str, str]]) -> Iterable[Dataset]:
        """What is read; of a row-level command's own target only where one of its columns is used."""
        return self.inputs.with_own(None if self.left_out else {key for key, _ in used})

    def leave_out_columns(self, reason: str) -> None:
        """From now on follow datasets only."""
        if self.left_out is None:
            self.left_out = reason
            self.counts[f"{LEFT_OUT}{reason}"] += 1

    def _add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan) and needed_children(node) and not (node.inputs or node.written):
            self.inputs.note(f"node not understood: {node.simple_name}")
        if node.columns_cut:
            self.leave_out_columns(NOT_TRAVELLED)
        self._nodes += 1
        if exceeded := self._following.budget.exceeded(nodes=self._nodes):
            self.leave_out_columns(exceeded)
        if is_persisted_view(node) and self._following.stops_at_views:
            self._view(node)
        elif needed_children(node) or isinstance(node, (CTERelationRef, UnionLoopRef)):
            self._inner(node)
        else:
            self._leaf(node)

    def _view(self, node: LogicalPlan) -> None:
        """A view that is read as it is: its columns are its own."""
        view = dataset_of(node)
        self.views.append(node)
        keys = [view.key] if self.inputs.add(view) else []
        for gap in gaps_of(node):
            self.inputs.note(gap)
        own = [
            OutputColumn(a.expr_id, a.name, _sources(c.name, Reading(), keys), type=a.type)
            for a, c in zip(shown(node), view.columns, strict=False)
        ]
        others = [OutputColumn(a.expr_id, a.name, NOTHING) for a in hidden_columns(node)]
        self._columns[id(node)] = Columns((*own, *others)).standing_as()

    def _inner(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):  # what it says to read beside what is below it
            own = reading(node, self._following.patterns)
            for dataset in own.datasets if own is not None else ():
                self.inputs.add(dataset)
        for origin in (o for makers in self._following.makers for o in makers.of(node)):
            self.inputs.add_origin(dataclasses.replace(origin, gaps=of_tables(origin.gaps)))
        view = dataset_of(node) if is_persisted_view(node) else None
        is_input = view is not None and self.inputs.add(view)
        if self.left_out:
            return
        children = needed_children(node)
        below = Below(
            children=[self.of(child) for child in children],
            nodes=children,
            of_plan=self.of,
            cte=self._cte,
            correlating=self._correlating,
            deciding=self._deciding,
            outer=self._outer_columns,
        )
        if node.subqueries:
            self._outer_columns.update(below.all.by_id)
        if isinstance(node, CTERelationDef):
            self._definitions[node.cte_id] = node
        handed_up = columns_of(node, below)
        if isinstance(node, CTERelationDef):
            self._cte[node.cte_id] = handed_up
        elif isinstance(node, UnionLoop):
            self._loops[node.loop_id] = handed_up
        # A persisted view is an input beside its tables: its columns are the query's by position, so both are exact.
        hidden = {a.expr_id for a in hidden_columns(node)}
        self._columns[id(node)] = also_of(view.key, handed_up, hidden) if view is not None and is_input else handed_up
        # What an alias hands up is counted below it.
        if not isinstance(node, SubqueryAlias) and not any(handed_up is child for child in below.children):
            self._edges += sum(len(c.sources) for c in handed_up.outputs)
            if exceeded := self._following.budget.exceeded(columns=len(handed_up.outputs), edges=self._edges):
                self.leave_out_columns(exceeded)
                return
        self._has_values |= isinstance(node, _MAKING_VALUES) and bool(node.subqueries)
        self._decide(node, row_clauses(node, below))
        for part in superseded(node):
            self._clauses.pop(id(part), None)

    def _decide(self, node: LogicalPlan, clauses: Clauses) -> None:
        """Keep what decides the rows of a node; of the query around it only which columns do."""
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
        """The columns that decide which rows a subquery has."""
        clauses = (clause for node in walk(subquery, self._parts) for clause in self._clauses.get(id(node), ()))
        return NOTHING.union(*(c.sources for c in clauses if c.kind in (Dependency.JOIN, Dependency.FILTER)))

    def _leaf(self, node: LogicalPlan) -> None:
        if isinstance(node, RowsWithoutDataset):
            known = next((o for each in self._following.origins if (o := each.of(node)) is not None), None)
            if known is not None:
                self._read_again(node, known)
                return
            if node.words:
                self.inputs.add_other_source(node.words)
            if node.hidden_source:
                self.inputs.note(f"{INPUTS_NOT_KNOWN}{node.hidden_source}")
        found = reading(node, self._following.patterns)
        if found is None and not getattr(node, "written", ()):
            self.inputs.note(f"relation not understood: {_class_of(node)}")
        found = found or Reading()
        keys = self.inputs.add_reading(id(node), found, is_own=id(node) in self._own_reads)
        self._columns[id(node)] = Columns(
            OutputColumn(a.expr_id, a.name, NOTHING if is_hidden(a) else _sources(a.name, found, keys), type=a.type)
            for a in getattr(node, "output", ())
        ).standing_as()
        self._clauses[id(node)] = tuple(
            Clause(c.kind, frozenset(s for s in c.sources if s.dataset in keys), functools.partial(str, c.text))
            for c in found.clauses
        )

    def _read_again(self, node: LogicalPlan, again: Origin) -> None:
        self.inputs.add_origin(again)
        if again.left_out:
            self.leave_out_columns(again.left_out)
        self._columns[id(node)] = again.columns.standing_as()
        self._clauses[id(node)] = again.clauses


def _class_of(leaf: LogicalPlan) -> str:
    """The class of what a leaf reads: that of its relation, where it has one."""
    relation = getattr(leaf, "relation", None)
    return getattr(relation, "class_name", None) or declared_name(type(relation)) or leaf.class_name


def _sources(name: str, found: Reading, keys: Sequence[str]) -> Sources:
    """The sources of a column of a leaf."""
    if name in found.hidden:
        return NOTHING
    if found.made_of is not None:
        return frozenset(s for s in found.made_of.get(name.lower(), ()) if s.dataset in keys)
    if found.columns is None:
        return frozenset(ColumnSource(key, name, Dependency.IDENTITY) for key in keys)
    if found.base is None or found.base not in keys:
        return NOTHING
    return frozenset(ColumnSource(found.base, column, use) for column, use in found.columns.get(name.lower(), ()))
