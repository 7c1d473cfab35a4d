"""Filter outcomes by rules: nothing that is kept refers to a dataset that is excluded.

A process without outputs is dropped; one without some of its inputs states how many. Filtering comes after the catalog is
tracked in full, so that definitions of kept tables do not depend on rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sac_kafka.model import (
    READ_BEFORE,
    Application,
    Change,
    ColumnRenamed,
    DatabaseDefined,
    DatabaseDropped,
    Dataset,
    DatasetDescribed,
    Outcome,
    Process,
    RowsRemoved,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.gaps import CONDITIONS_EXCLUDED, INPUTS_MAY_BE_MISSING, worst_first
from sac_kafka.model.substitution import without_sources
from sac_kafka.stages.filters.rulings import Ruling, Selection


@dataclass(frozen=True, slots=True)
class FilterCounts:
    """Numbers of excluded items, by `Ruling.reason`.

    Attributes:
        datasets: Inputs and outputs of kept processes, and datasets that decided these (`Process.decided_by`).
        processes: Processes.
        changes: Catalog changes.
        column_sources: Sources of columns excluded with these datasets, once per column and kind of dependency.
    """

    datasets: Counter[str] = field(default_factory=Counter)
    processes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    column_sources: Counter[str] = field(default_factory=Counter)


class Rules:
    """The rules for exclusion, with the counts of what they exclude.

    Attributes:
        counts: The numbers of excluded items.
        of_others: By key, the outputs of processes of this event whose job or user is excluded, with the ruling.
    """

    def __init__(self, selection: Selection, counts: FilterCounts) -> None:
        self._selection = selection
        self.counts = counts
        self.of_others: dict[str, Ruling] = {}

    def select(self, process: Process) -> Process | None:
        """Return what remains of a process, and count what is excluded; None if nothing remains.

        On a server, its user is that of the session.
        """
        selection, counts, requester = self._selection, self.counts, process.run.requester
        user = (requester.user if requester is not None else "") or process.application.user
        who = selection.author(process.application.job, user)
        if not who.is_kept:
            self.of_others.update({output.key: who for output in process.outputs})
            counts.processes[who.reason] += 1
            return None
        outputs = _divide(process.outputs, selection)
        if outputs.reasons and not outputs.kept:
            counts.processes[next(iter(outputs.reasons.values()))] += 1
            return None
        inputs = _divide(process.inputs, selection)
        decided_by = _divide(process.decided_by, selection)
        in_question = _divide(process.in_question, selection) if process.through_driver else None
        if in_question is not None and in_question.reasons:
            process = _without_question(process, in_question)
        if not inputs.reasons and not outputs.reasons and not decided_by.reasons:
            return process
        if not process.outputs and not inputs.kept:
            counts.processes[next(iter(inputs.reasons.values()))] += 1
            return None
        counts.datasets.update([*outputs.reasons.values(), *inputs.reasons.values(), *decided_by.reasons.values()])
        left = _without(process, inputs, outputs, counts)
        has_conditions = not decided_by.reasons and left.row_level == process.row_level
        if not has_conditions or left.clauses != process.clauses:
            left = replace(left, gaps=worst_first((*left.gaps, CONDITIONS_EXCLUDED)))
        return replace(left, decided_by=decided_by.kept)

    def select_changes(self, outcomes: Iterable[Outcome], application: Application) -> Iterator[Outcome]:
        """Yield the outcomes of one event, whose processes are selected, without excluded changes, and count these.

        Changes are those of `application`, except for tables that a process of another job writes.
        """
        selection, counts = self._selection, self.counts
        of_driver = selection.author(application.job, application.user)
        for outcome in outcomes:
            if isinstance(outcome, Process):
                yield outcome
            elif not of_driver.is_kept:
                counts.changes[of_driver.reason] += 1
            elif isinstance(outcome, TableDefined) and outcome.table.key in self.of_others:
                counts.changes[self.of_others[outcome.table.key].reason] += 1
            else:
                yield from _change(outcome, selection, counts)

    def keeps(self, application: Application) -> bool:
        """Return whether the job and the user of an application are kept."""
        return self._selection.author(application.job, application.user).is_kept


# ---- processes


@dataclass(frozen=True, slots=True)
class _Divided:
    """The datasets of one side: those that are kept, and by key the reason for each that is not."""

    kept: tuple[Dataset, ...]
    reasons: dict[str, str]


def _divide(datasets: Sequence[Dataset], selection: Selection) -> _Divided:
    rulings = [(dataset, selection.dataset(dataset)) for dataset in datasets]
    return _Divided(
        tuple(each for each, ruling in rulings if ruling.is_kept),
        {each.key: ruling.reason for each, ruling in rulings if not ruling.is_kept},
    )


def _without_question(process: Process, in_question: _Divided) -> Process:
    """Return a process that does not name some datasets that may be inputs, but says that there may be one."""
    left = tuple(r for r in process.through_driver if r.how != READ_BEFORE or r.dataset.key not in in_question.reasons)
    return replace(process, through_driver=left, gaps=worst_first((*process.gaps, INPUTS_MAY_BE_MISSING)))


def _without(process: Process, inputs: _Divided, outputs: _Divided, counts: FilterCounts) -> Process:
    """Return a process without some datasets and the texts that may name them or their columns.

    These texts are expressions, conditions, and Spark's descriptions of what a stream reads.
    """
    gone = inputs.reasons.keys() | outputs.reasons.keys()
    before = [source for column in process.columns for source in column.sources]
    reasons = {**outputs.reasons, **inputs.reasons}
    counts.column_sources.update(reasons[each.dataset] for each in before if each.dataset in gone)
    left = without_sources(process, gone)
    columns = zip(left.columns, process.columns, strict=True)
    clauses = zip(left.clauses, process.clauses, strict=True)
    stream = process.stream
    return replace(
        left,
        inputs=inputs.kept,
        outputs=outputs.kept,
        inputs_excluded=len(inputs.reasons),
        columns=tuple(  # one that has lost all sources is dropped, as it would seem to be a constant
            column if column.sources == whole.sources else replace(column, expression=None)
            for column, whole in columns
            if column.dataset not in gone and (column.sources or not whole.sources)
        ),
        clauses=tuple(clause for clause, whole in clauses if clause.sources == whole.sources),
        stream=replace(stream, rows_read=()) if stream is not None and inputs.reasons else stream,
        versions_read=tuple((key, version) for key, version in process.versions_read if key not in gone),
        through_driver=tuple(read for read in process.through_driver if read.dataset.key not in gone),
    )


# ---- changes


def _change(change: Change, selection: Selection, counts: FilterCounts) -> Iterator[Change]:
    match change:
        case TableRenamed(old=old, new=new):
            from_, to = selection.dataset(old), selection.dataset(new)
            if from_.is_kept and not to.is_kept:
                yield TableDropped(table=old)  # the server knows it by its old name only
                return
            if to.is_kept and not from_.is_kept:
                yield TableDefined(table=new)
                return
            ruling = to
        case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
            ruling = selection.dataset(table)
        case RowsRemoved(dataset=dataset) | DatasetDescribed(dataset=dataset):
            ruling = selection.dataset(dataset)
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            ruling = selection.database(database)
    if ruling.is_kept:
        yield change
    else:
        counts.changes[ruling.reason] += 1
