"""From one execution to processes: which datasets flowed into which, and which columns. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from sac_kafka.lineage import creations, hive_writes, operators, row_functions, saves, v2_writes  # noqa: F401 their import registers the rules
from sac_kafka.lineage.checkpoints import Checkpoint, Checkpoints
from sac_kafka.lineage.columns import Below, Columns, OutputColumn, columns_of, row_level, superseded
from sac_kafka.lineage.datasets import Patterns, Reading, is_hidden, reading, table
from sac_kafka.lineage.dependencies import NOTHING, Sources, resolved, split_outer
from sac_kafka.lineage.loops import with_loops
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
from sac_kafka.lineage.needed import needed, needed_children
from sac_kafka.lineage.writes import Write, writes
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import CTERelationRef, UnionLoopRef, View
from sac_kafka.plan.relations import LogicalRDD


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The processes of an execution, and what was not understood on the way (reason: how often)."""

    processes: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)


MOST_INPUTS = 1000
"""Roots of paths of one process; a list of files that cannot be folded is cut here, and that is counted."""


def extract(
    root: LogicalPlan,
    run: Run,
    application: Application,
    patterns: Patterns,
    rows_written: Sequence[int] = (),
    checkpoints: Checkpoints | None = None,
) -> Extraction:
    """The processes of one execution: one for each dataset that its command writes.

    `rows_written` are the rows that each writing command under `root` counted, in order; `checkpoints` those that it may
    read.
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
        _process(
            write,
            dataclasses.replace(run, rows_written=write.rows(rows_written)),
            application,
            patterns,
            counts,
            checkpoints,
        )
        for write in found
    )
    return Extraction(processes=processes, counts=counts)


def checkpoint(
    root: LogicalPlan, patterns: Patterns, counts: Counter[str], checkpoints: Checkpoints | None = None
) -> Checkpoint:
    """What an execution read, and the columns of its rows, for those who read its result again."""
    flow = _Flow(patterns, counts, checkpoints=checkpoints)
    for node in needed(root):
        flow.add(node)
    return Checkpoint(
        inputs=tuple(flow.inputs.values()),
        columns=Columns() if flow.columns_cut else flow.of(root),
        row_level=flow.row_level,
        columns_cut=flow.columns_cut,
    )


def _process(
    write: Write,
    run: Run,
    application: Application,
    patterns: Patterns,
    counts: Counter[str],
    checkpoints: Checkpoints | None,
) -> Process:
    flow = _Flow(patterns, counts, write.own_reads, checkpoints)
    if write.columns_cut:
        flow.cut_columns()
    for node in needed(write.query):
        flow.add(node)
    lineage = () if flow.columns_cut else _column_lineage(write, flow.of(write.query))
    row_level = () if flow.columns_cut else _ordered(resolved(flow.row_level))
    used = {(s.dataset, s.column) for s in (*(s for c in lineage for s in c.sources), *row_level)}
    return Process(
        application=application,
        run=run,
        inputs=_sorted(d if flow.columns_cut else _used(d, used) for d in flow.all_inputs(used)),
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

    def __init__(
        self,
        patterns: Patterns,
        counts: Counter[str],
        own_reads: Sequence[LogicalPlan] = (),
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.patterns = patterns
        self._checkpoints = checkpoints
        self._own_reads = frozenset(map(id, own_reads))
        self._own_inputs: dict[str, Dataset] = {}
        self.counts = counts
        self.inputs: dict[str, Dataset] = {}
        self.columns_cut = False
        self._columns: dict[int, Columns] = {}
        self._row_level: dict[int, Sources] = {}
        self._cte: dict[int, Columns] = {}
        self._loops: dict[int, Columns] = {}
        self._correlating: set[int] = set()
        self._outer_names: dict[int, str] = {}

    def of(self, node: LogicalPlan) -> Columns:
        return self._columns[id(node)]

    @property
    def row_level(self) -> Sources:
        """What decided the rows of all nodes."""
        return with_loops(NOTHING.union(*self._row_level.values()), self._loops)

    def all_inputs(self, used: Set[tuple[str, str]]) -> Iterable[Dataset]:
        """What is read; of a row-level command's own target only where one of its columns is used."""
        names = {key for key, _ in used}
        own = {key: d for key, d in self._own_inputs.items() if self.columns_cut or key in names}
        return {**own, **self.inputs}.values()

    def add(self, node: LogicalPlan) -> None:
        if isinstance(node, UnknownPlan):
            self.counts[f"node not understood: {node.simple_name}"] += 1
        if node.columns_cut:
            self.cut_columns()
        if node.children or isinstance(node, (CTERelationRef, UnionLoopRef)):
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
        self._row_level[id(node)], outer = split_outer(row_level(node, below))
        self._correlating |= outer
        for part in superseded(node):
            self._row_level.pop(id(part), None)

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
        if again.columns_cut:
            self.cut_columns()
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
    constants = (ColumnLineage(dataset=write.dataset.key, column=name, sources=()) for name in write.constants)
    return (*lineage, *constants)


def _lineage(write: Write, name: str, made: OutputColumn) -> ColumnLineage:
    return ColumnLineage(
        dataset=write.dataset.key,
        column=name,
        sources=_ordered(resolved(made.sources)),
        expression=made.definition() if made.definition else None,
    )


def _ordered(sources: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(sources, key=lambda s: (s.dataset, s.column, s.dependency.value)))


def _sorted(datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
    return tuple(sorted(datasets, key=lambda d: d.key))
