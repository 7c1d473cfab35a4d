"""From one execution to processes: which datasets flowed into which, and which columns. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from sac_kafka.lineage.columns import Below, Columns, OutputColumn, columns_of, row_level
from sac_kafka.lineage.datasets import Patterns, Reading, reading, table
from sac_kafka.lineage.dependencies import NOTHING, Sources
from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import (
    Application,
    ColumnLineage,
    ColumnSource,
    Dataset,
    Dependency,
    Process,
    Run,
    TopicDataset,
)
from sac_kafka.lineage.writes import Write, writes
from sac_kafka.plan.commands import CommandWithoutWrite
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import CTERelationRef, View


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The processes of an execution, and what was not understood on the way (reason: how often)."""

    processes: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)


MOST_INPUTS = 1000
"""Roots of paths of one process; a list of files that cannot be folded is cut here, and that is counted."""


def extract(
    root: LogicalPlan, run: Run, application: Application, patterns: Patterns, rows_written: Sequence[int] = ()
) -> Extraction:
    """The processes of one execution: one for each dataset that its command writes.

    `rows_written` are the rows that each writing command under `root` counted, in order.
    """
    if isinstance(root, CommandWithoutWrite):
        return Extraction()
    counts: Counter[str] = Counter()
    found = tuple(writes(root, patterns, counts))
    if not found:
        if root.is_command and isinstance(root, UnknownPlan):
            counts[f"command not understood: {root.simple_name}"] += 1
        return Extraction(counts=counts)
    processes = tuple(
        _process(write, dataclasses.replace(run, rows_written=write.rows(rows_written)), application, patterns, counts)
        for write in found
    )
    return Extraction(processes=processes, counts=counts)


def _process(write: Write, run: Run, application: Application, patterns: Patterns, counts: Counter[str]) -> Process:
    flow = _Flow(patterns, counts)
    if write.columns_cut:
        flow.cut_columns()
    for node in walk(write.query):
        flow.add(node)
    lineage = () if flow.columns_cut else _column_lineage(write, flow.of(write.query))
    row_level = () if flow.columns_cut else _ordered(flow.row_level)
    used = {(s.dataset, s.column) for s in (*(s for c in lineage for s in c.sources), *row_level)}
    return Process(
        application=application,
        run=run,
        inputs=_sorted(d if flow.columns_cut else _used(d, used) for d in flow.inputs.values()),
        outputs=(write.dataset,),
        columns=lineage,
        row_level=row_level,
        replaces_output=write.is_replacement,
    )


def _used(dataset: Dataset, used: Set[tuple[str, str]]) -> Dataset:
    """Of a topic the columns that are used: what Spark's Kafka source shows besides is the same for every topic."""
    if not isinstance(dataset, TopicDataset):
        return dataset
    return dataclasses.replace(dataset, columns=tuple(c for c in dataset.columns if (dataset.key, c.name) in used))


class _Flow:
    """Goes through the nodes of a query, children first: what is read, and what each node hands up."""

    def __init__(self, patterns: Patterns, counts: Counter[str]) -> None:
        self.patterns = patterns
        self.counts = counts
        self.inputs: dict[str, Dataset] = {}
        self.row_level: Sources = NOTHING
        self.columns_cut = False
        self._columns: dict[int, Columns] = {}
        self._cte: dict[int, Columns] = {}

    def of(self, node: LogicalPlan) -> Columns:
        return self._columns[id(node)]

    def add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):
            self.counts[f"node not understood: {node.simple_name}"] += 1
        if node.columns_cut:
            self.cut_columns()
        if node.children or isinstance(node, CTERelationRef):
            self._inner(node)
        else:
            self._leaf(node)

    def cut_columns(self) -> None:
        if not self.columns_cut:
            self.columns_cut = True
            self.counts["column lineage left out: the plan is over the budget of an event"] += 1

    def _inner(self, node: LogicalPlan) -> None:
        view = table(node.table) if isinstance(node, View) and node.table and not node.is_temp_view else None
        is_input = view is not None and self._input(view)
        if self.columns_cut:
            return
        below = Below(children=[self.of(child) for child in node.children], of_plan=self.of, cte=self._cte)
        handed_up = columns_of(node, below)
        # A persisted view is an input beside its tables: its columns are the query's by position, so both are exact.
        self._columns[id(node)] = _also_of(view.key, handed_up) if view is not None and is_input else handed_up
        self.row_level |= row_level(node, below)

    def _leaf(self, node: LogicalPlan) -> None:
        found = reading(node, self.patterns)
        if found is None and not isinstance(node, UnknownPlan):
            relation = getattr(getattr(node, "relation", None), "class_name", None) or node.class_name
            self.counts[f"relation not understood: {relation}"] += 1
        found = found or Reading()
        self.counts.update(found.counts)
        keys = [d.key for d in found.datasets if self._input(d)]
        self._columns[id(node)] = Columns(
            OutputColumn(a.expr_id, a.name, _sources(a.name, found, keys), type=a.type)
            for a in getattr(node, "output", ())
        )

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
        dataclasses.replace(c, sources=c.sources | {ColumnSource(view, c.name, Dependency.IDENTITY)})
        for c in columns.outputs
    )


def _column_lineage(write: Write, handed_up: Columns) -> tuple[ColumnLineage, ...]:
    """By exprId, and by position where an id is not found or not unique."""
    ids = [c.expr_id for c in handed_up.outputs]
    unique = len(set(ids)) == len(ids)
    lineage = []
    for i, attribute in enumerate(write.output):
        made = handed_up.by_id.get(attribute.expr_id) if unique else None
        if made is None and i < len(handed_up.outputs) == len(write.output):
            made = handed_up.outputs[i]
        if made is not None:
            lineage.append(_lineage(write, attribute.name, made))
    return tuple(lineage)


def _lineage(write: Write, name: str, made: OutputColumn) -> ColumnLineage:
    return ColumnLineage(
        dataset=write.dataset.key,
        column=name,
        sources=_ordered(made.sources),
        expression=made.definition() if made.definition else None,
    )


def _ordered(sources: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(sources, key=lambda s: (s.dataset, s.column, s.dependency.value)))


def _sorted(datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
    return tuple(sorted(datasets, key=lambda d: d.key))
