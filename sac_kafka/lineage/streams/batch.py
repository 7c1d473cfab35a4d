"""What one micro-batch read and wrote: by its own plan, else by what ran within it (`foreachBatch`)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.executions import Ended, Executions, analyzed
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch_rows import BatchRows
from sac_kafka.lineage.streams.function_threads import Action
from sac_kafka.lineage.streams.notes import NotesOfBatches
from sac_kafka.lineage.streams.parts import Extracted, whole
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd


class Remember(Protocol):
    """Keeps what an execution has made; `more` know the rows of some leaves."""

    def __call__(self, event: SparkListenerSQLExecutionEnd, /, *more: Origins) -> None:
        """Keep it, where others may read it again: a checkpoint, an RDD."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchFlows:
    """The writes of a batch that have succeeded, the definitions of the views that it read, and what was not understood.

    `unsaid` are as of `Extraction`. `are_within` is True where they are executions of their own within the batch; `made` is then
    what the rows of the batch were made of.
    """

    processes: tuple[Process, ...] = ()
    are_within: bool = False
    made: Origin | None = None
    views: tuple[Process, ...] = ()
    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    unsaid: tuple[str, ...] = ()


class Batches:
    """Reads the micro-batches of an application; `remember` keeps what an execution made that others read again."""

    def __init__(self, executions: Executions, remember: Remember, notes: NotesOfBatches) -> None:
        self._executions = executions
        self._remember = remember
        self._notes = notes

    def flows(self, root: Ended, within: Sequence[Ended], beside: Sequence[Action] = ()) -> BatchFlows:
        """What flows in a batch, with all that ran `within` it, in the order in which that ended, and `beside` it.

        A batch whose own plan says what it writes speaks for all within it, and one that failed then has written nothing.
        """
        found = self._executions.processes(root)
        counts = Counter(found.counts)
        if found.processes:
            has_written = root[0].failure is None
            processes = found.processes if has_written else ()
            return BatchFlows(processes=processes, views=found.views, counts=counts, unsaid=found.unsaid)
        plan = analyzed(root[0])
        # Where nothing ran in the batch, a thread of the function may still be at work: what it reads is counted then.
        made = None if plan is None else self._executions.origin(plan, counts if within or beside else Counter())
        inside = BatchFlows() if made is None else self.of_function(made, within, beside)
        unsaid = () if inside.processes else (*found.unsaid, *inside.unsaid)
        return dataclasses.replace(inside, made=made, counts=counts + inside.counts, unsaid=unsaid, are_within=True)

    def of_function(self, made: Origin, within: Sequence[Ended], beside: Sequence[Action]) -> BatchFlows:
        """What a function writes of rows that were made so: within a batch, and in threads of its own, each of some batch."""
        counts: Counter[str] = Counter()
        parts = (within, *([*inner, ended] for ended, inner in beside))
        ran = [tuple(self._inner(made, part, counts)) for part in parts]
        inner = tuple(each for part in ran for _, each in part)
        return BatchFlows(
            processes=tuple(process for part in ran for process in whole(part)),
            views=tuple(v for each in inner for v in each.views),
            counts=counts,
            unsaid=tuple(reason for each in inner for reason in each.unsaid),
            are_within=True,
        )

    def _inner(self, made: Origin, within: Sequence[Ended], counts: Counter[str]) -> Iterator[Extracted]:
        plans = [p for event, _ in within if (p := analyzed(event)) is not None]
        if not plans:
            return
        rows = BatchRows(made, plans, self._notes.plans)
        self._notes.again(rows)
        for ended in within:
            event = ended[0]
            inner = analyzed(event)
            # A sink of V2 reads the batch's own plan in an execution within it.
            if event.failure is not None or inner is None or isinstance(event.query_execution, IncrementalExecution):
                continue
            self._remember(event, rows)
            found = self._executions.processes(ended, rows)
            counts.update(found.counts)
            processes = tuple(self._notes.with_reads(process, ended[1].reads) for process in found.processes)
            yield ended, dataclasses.replace(found, processes=processes)
