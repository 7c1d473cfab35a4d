"""From one execution to processes: which datasets flowed into which, and which columns. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping

from sac_kafka.lineage.columns import Below, Columns, OutputColumn, columns_of, row_level
from sac_kafka.lineage.datasets import Patterns, datasets_of
from sac_kafka.lineage.dependencies import NOTHING, Sources
from sac_kafka.lineage.model import (
    Application,
    ColumnLineage,
    ColumnSource,
    Dataset,
    Dependency,
    PathDataset,
    Process,
    Run,
)
from sac_kafka.lineage.writes import Write, writes
from sac_kafka.plan.commands import CommandWithoutWrite
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
from sac_kafka.plan.operators import CTERelationRef


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The processes of an execution, and what was not understood on the way (reason: how often)."""

    processes: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)


MOST_INPUTS = 1000
"""Roots of paths of one process; a list of files that cannot be folded is cut here, and that is counted."""


def extract(root: LogicalPlan, run: Run, application: Application, patterns: Patterns) -> Extraction:
    """The processes of one execution: one for each dataset that its command writes."""
    if isinstance(root, CommandWithoutWrite):
        return Extraction()
    found = tuple(writes(root, patterns))
    if not found:
        unknown = {f"command not understood: {root.simple_name}": 1} if root.is_command else {}
        return Extraction(counts=unknown)
    counts: Counter[str] = Counter()
    processes = tuple(_process(write, run, application, patterns, counts) for write in found)
    return Extraction(processes=processes, counts=counts)


def _process(write: Write, run: Run, application: Application, patterns: Patterns, counts: Counter[str]) -> Process:
    flow = _Flow(patterns, counts)
    if write.columns_cut:
        flow.cut_columns()
    for node in walk(write.query):
        flow.add(node)
    return Process(
        application=application,
        run=run,
        inputs=_sorted(flow.inputs.values()),
        outputs=(write.dataset,),
        columns=() if flow.columns_cut else _column_lineage(write, flow.of(write.query)),
        row_level=() if flow.columns_cut else _ordered(flow.row_level),
    )


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
        if self.columns_cut:
            return
        below = Below(children=[self.of(child) for child in node.children], of_plan=self.of, cte=self._cte)
        self._columns[id(node)] = columns_of(node, below)
        self.row_level |= row_level(node, below)

    def _leaf(self, node: LogicalPlan) -> None:
        datasets = datasets_of(node, self.patterns)
        if datasets is None and not isinstance(node, UnknownPlan):
            relation = getattr(getattr(node, "relation", None), "class_name", node.class_name)
            self.counts[f"relation not understood: {relation}"] += 1
        for dataset in datasets or ():
            if dataset.key in self.inputs:
                self.inputs[dataset.key] = _merged(self.inputs[dataset.key], dataset)
            elif len(self.inputs) < MOST_INPUTS:
                self.inputs[dataset.key] = dataset
            else:
                self.counts["input left out: too many paths"] += 1
        keys = [d.key for d in datasets or () if d.key in self.inputs]
        self._columns[id(node)] = Columns(
            OutputColumn(
                a.expr_id,
                a.name,
                frozenset(ColumnSource(key, a.name, Dependency.IDENTITY) for key in keys),
                type=a.type,
            )
            for a in getattr(node, "output", ())
        )


def _merged(known: Dataset, again: Dataset) -> Dataset:
    """The same dataset read twice, perhaps from other paths and with other columns."""
    names = {c.name for c in known.columns}
    columns = (*known.columns, *(c for c in again.columns if c.name not in names))
    if isinstance(known, PathDataset) and isinstance(again, PathDataset):
        locations = tuple(dict.fromkeys((*known.locations, *again.locations)))
        return dataclasses.replace(known, columns=columns, locations=locations)
    return dataclasses.replace(known, columns=columns)


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
