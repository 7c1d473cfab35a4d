"""From one execution to processes: which datasets flowed into which, and which columns. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from sac_kafka.lineage import creations, hive_writes, operators, row_functions, saves, v2_writes  # noqa: F401 their import registers the rules
from sac_kafka.lineage.budget import NOT_TRAVELLED, Budget
from sac_kafka.lineage.checkpoints import Checkpoint, Checkpoints
from sac_kafka.lineage.columns import Columns, OutputColumn
from sac_kafka.lineage.datasets import Patterns
from sac_kafka.lineage.dependencies import resolved
from sac_kafka.lineage.flow import Flow
from sac_kafka.lineage.model import (
    Application,
    ColumnLineage,
    ColumnSource,
    Dataset,
    Process,
    Run,
    TopicDataset,
)
from sac_kafka.lineage.writes import Write, writes
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The processes of an execution, and what was not understood on the way (reason: how often)."""

    processes: tuple[Process, ...] = ()
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)


def extract(
    root: LogicalPlan,
    run: Run,
    application: Application,
    patterns: Patterns,
    rows_written: Sequence[int] = (),
    checkpoints: Checkpoints | None = None,
    budget: Budget | None = None,
) -> Extraction:
    """The processes of one execution: one for each dataset that its command writes.

    `rows_written` are the rows that each writing command under `root` counted, in order; `checkpoints` those that it may
    read; `budget` bounds what is followed column by column.
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
            Flow(patterns, counts, write.own_reads, checkpoints, budget),
        )
        for write in found
    )
    return Extraction(processes=processes, counts=counts)


def checkpoint(
    root: LogicalPlan,
    patterns: Patterns,
    counts: Counter[str],
    checkpoints: Checkpoints | None = None,
    budget: Budget | None = None,
) -> Checkpoint:
    """What an execution read, and the columns of its rows, for those who read its result again."""
    flow = Flow(patterns, counts, checkpoints=checkpoints, budget=budget)
    flow.follow(root)
    if flow.left_out:  # it is known again by its columns only
        counts["checkpoint not remembered: its columns are over a budget"] += 1
    return Checkpoint(
        inputs=tuple(flow.inputs.values()),
        columns=flow.of(root),
        row_level=flow.row_level,
        left_out=flow.left_out,
    )


def _process(write: Write, run: Run, application: Application, flow: Flow) -> Process:
    if write.columns_cut:
        flow.leave_out_columns(NOT_TRAVELLED)
    flow.follow(write.query)
    lineage = () if flow.left_out else _column_lineage(write, flow.of(write.query), flow.counts)
    row_level = () if flow.left_out else _ordered(resolved(flow.row_level))
    used = {(s.dataset, s.column) for s in (*(s for c in lineage for s in c.sources), *row_level)}
    return Process(
        application=application,
        run=run,
        inputs=_sorted(d if flow.left_out else _used(d, used) for d in flow.all_inputs(used)),
        outputs=(write.dataset,),
        columns=lineage,
        row_level=row_level,
        columns_left_out=flow.left_out,
        replaces_output=write.is_replacement,
    )


def _used(dataset: Dataset, used: Set[tuple[str, str]]) -> Dataset:
    """Of a topic the columns that are used: what Spark's Kafka source shows besides is the same for every topic."""
    if not isinstance(dataset, TopicDataset):
        return dataset
    return dataclasses.replace(dataset, columns=tuple(c for c in dataset.columns if (dataset.key, c.name) in used))


def _column_lineage(write: Write, handed_up: Columns, counts: Counter[str]) -> tuple[ColumnLineage, ...]:
    """By exprId, and by position where an id is not found or not unique."""
    uses = Counter(c.expr_id for c in handed_up.outputs)
    lineage = []
    for i, attribute in enumerate(write.output):
        made = handed_up.by_id.get(attribute.expr_id) if uses[attribute.expr_id] == 1 else None
        if made is None and i < len(handed_up.outputs) == len(write.output):
            made = handed_up.outputs[i]
        if made is None:
            counts["column not found in its query"] += 1
        else:
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
