"""Goes through the nodes of a query, children first: what is read, and what each node hands up."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence, Set

from sac_kafka.lineage.budget import NOT_TRAVELLED, Budget
from sac_kafka.lineage.checkpoints import Checkpoint, Checkpoints
from sac_kafka.lineage.columns import EMPTY, Below, Columns, OutputColumn, columns_of, row_level, superseded
from sac_kafka.lineage.datasets import Patterns, Reading, is_hidden, reading, table
from sac_kafka.lineage.dependencies import NOTHING, Sources, split_outer
from sac_kafka.lineage.loops import with_loops
from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import ColumnSource, Dataset, Dependency
from sac_kafka.lineage.needed import needed, needed_children
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import CTERelationRef, UnionLoopRef, View
from sac_kafka.plan.relations import LogicalRDD

MOST_INPUTS = 1000
"""Roots of paths of one process; a list of files that cannot be folded is cut here, and that is counted."""


class Flow:
    """What flows through one query; `left_out` says why its columns are not followed, None where they are."""

    def __init__(
        self,
        patterns: Patterns,
        counts: Counter[str],
        own_reads: Sequence[LogicalPlan] = (),
        checkpoints: Checkpoints | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.patterns = patterns
        self._budget = budget or Budget()
        self._nodes = self._edges = 0
        self._checkpoints = checkpoints
        self._own_reads = frozenset(map(id, own_reads))
        self._own_inputs: dict[str, Dataset] = {}
        self.counts = counts
        self.inputs: dict[str, Dataset] = {}
        self.left_out: str | None = None
        self._columns: dict[int, Columns] = {}
        self._row_level: dict[int, Sources] = {}
        self._cte: dict[int, Columns] = {}
        self._loops: dict[int, Columns] = {}
        self._outer: dict[int, frozenset[int]] = {}  # node -> exprIds of outer columns that decide its rows
        self._outer_names: dict[int, str] = {}

    def follow(self, root: LogicalPlan) -> None:
        """Go through a query."""
        for node in needed(root):
            self._add(node)

    def of(self, node: LogicalPlan) -> Columns:
        """What a node hands up; nothing where columns are not followed."""
        return EMPTY if self.left_out else self._columns[id(node)]

    @property
    def row_level(self) -> Sources:
        """What decided the rows of all nodes."""
        return with_loops(NOTHING.union(*self._row_level.values()), self._loops)

    def all_inputs(self, used: Set[tuple[str, str]]) -> Iterable[Dataset]:
        """What is read; of a row-level command's own target only where one of its columns is used."""
        names = {key for key, _ in used}
        own = {key: d for key, d in self._own_inputs.items() if self.left_out or key in names}
        return {**own, **self.inputs}.values()

    def leave_out_columns(self, reason: str) -> None:
        """From now on follow datasets only."""
        if self.left_out is None:
            self.left_out = reason
            self.counts[f"column lineage left out: {reason}"] += 1

    def _add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):
            self.counts[f"node not understood: {node.simple_name}"] += 1
        if node.columns_cut:
            self.leave_out_columns(NOT_TRAVELLED)
        self._nodes += 1
        if exceeded := self._budget.exceeded(nodes=self._nodes):
            self.leave_out_columns(exceeded)
        if node.children or isinstance(node, (CTERelationRef, UnionLoopRef)):
            self._inner(node)
        else:
            self._leaf(node)

    def _inner(self, node: LogicalPlan) -> None:
        view = table(node.table) if isinstance(node, View) and node.table and not node.is_temp_view else None
        is_input = view is not None and self._input(view)
        if self.left_out:
            return
        below = Below(
            children=[self.of(child) for child in needed_children(node)],
            of_plan=self.of,
            cte=self._cte,
            loops=self._loops,
            correlating=self._correlating,
            outer_names=self._outer_names,
        )
        handed_up = columns_of(node, below)
        # A persisted view is an input beside its tables: its columns are the query's by position, so both are exact.
        self._columns[id(node)] = _also_of(view.key, handed_up) if view is not None and is_input else handed_up
        if not any(handed_up is child for child in below.children):
            self._edges += sum(len(c.sources) for c in handed_up.outputs)
            if exceeded := self._budget.exceeded(columns=len(handed_up.outputs), edges=self._edges):
                self.leave_out_columns(exceeded)
                return
        self._row_level[id(node)], outer = split_outer(row_level(node, below))
        if outer:
            self._outer[id(node)] = outer
        for part in superseded(node):
            self._row_level.pop(id(part), None)

    def _correlating(self, subquery: LogicalPlan) -> frozenset[int]:
        if not self._outer:
            return frozenset()
        return frozenset().union(*(self._outer.get(id(node), ()) for node in walk(subquery)))

    def _leaf(self, node: LogicalPlan) -> None:
        again = self._checkpoints.of(node) if self._checkpoints and isinstance(node, LogicalRDD) else None
        if again is not None:
            self._read_again(node, again)
            return
        found = reading(node, self.patterns)
        if found is None and not isinstance(node, UnknownPlan):
            relation = getattr(getattr(node, "relation", None), "class_name", None) or node.class_name
            self.counts[f"relation not understood: {relation}"] += 1
        found = found or Reading()
        self.counts.update(found.counts)
        if id(node) in self._own_reads:
            self._own_inputs.update((d.key, d) for d in found.datasets)
            keys = [d.key for d in found.datasets]
        else:
            keys = [d.key for d in found.datasets if self._input(d)]
        self._columns[id(node)] = Columns(
            OutputColumn(a.expr_id, a.name, NOTHING if is_hidden(a) else _sources(a.name, found, keys), type=a.type)
            for a in getattr(node, "output", ())
        )

    def _read_again(self, node: LogicalPlan, again: Checkpoint) -> None:
        for dataset in again.inputs:
            self._input(dataset)
        if again.left_out:
            self.leave_out_columns(again.left_out)
        self._columns[id(node)] = again.columns
        self._row_level[id(node)] = again.row_level

    def _input(self, dataset: Dataset) -> bool:
        """Keep an input; False if there are too many."""
        if dataset.key in self.inputs:
            self.inputs[dataset.key] = merged(self.inputs[dataset.key], dataset)
        elif len(self.inputs) < MOST_INPUTS:
            self.inputs[dataset.key] = dataset
        else:
            self.counts["input left out: too many paths"] += 1
            return False
        return True


def _sources(name: str, found: Reading, keys: Sequence[str]) -> Sources:
    """The sources of a column of a leaf."""
    if found.columns is None:
        return frozenset(ColumnSource(key, name, Dependency.IDENTITY) for key in keys)
    if found.base is None or found.base not in keys:
        return NOTHING
    return frozenset(ColumnSource(found.base, column, use) for column, use in found.columns.get(name.lower(), ()))


def _also_of(view: str, columns: Columns) -> Columns:
    """The columns of a view: what they are made of, and the view's own."""
    return Columns(
        dataclasses.replace(c, sources=c.sources | own, fields=tuple(f | own for f in c.fields))
        for c in columns.outputs
        for own in (frozenset({ColumnSource(view, c.name, Dependency.IDENTITY)}),)
    )
