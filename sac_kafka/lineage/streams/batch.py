"""What one micro-batch read and wrote: by its own plan, else by what ran within it (`foreachBatch`)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from sac_kafka.lineage.columns.origins import Origins
from sac_kafka.lineage.executions import Ended, Executions, analyzed
from sac_kafka.lineage.model import Process
from sac_kafka.lineage.streams.batch_rows import BatchRows
from sac_kafka.lineage.streams.parts import Found, whole
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd


class Remember(Protocol):
    """Keeps what an execution has made; `more` know the rows of some leaves."""

    def __call__(self, event: SparkListenerSQLExecutionEnd, /, *more: Origins) -> None:
        """Keep it, where others may read it again: a checkpoint, an RDD."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchFlows:
    """The writes of a batch that have succeeded, the definitions of the views that it read, and what was not understood.

    `unsaid` are as of `Extraction`. `are_within` is True where they are executions of their own within the batch.
    """

    processes: tuple[Process, ...] = ()
    are_within: bool = False
    views: tuple[Process, ...] = ()
    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    unsaid: tuple[str, ...] = ()


class Batches:
    """Reads the micro-batches of an application; `remember` keeps what an execution made that others read again."""

    def __init__(self, executions: Executions, remember: Remember) -> None:
        self._executions = executions
        self._remember = remember

    def flows(self, root: Ended, within: Sequence[Ended]) -> BatchFlows:
        """What flows in a batch, with all that ran `within` it, in the order in which that ended.

        A batch whose own plan says what it writes speaks for all within it, and one that failed then has written nothing.
        """
        found = self._executions.processes(root)
        counts = Counter(found.counts)
        if found.processes:
            has_written = root[0].failure is None
            processes = found.processes if has_written else ()
            return BatchFlows(processes=processes, views=found.views, counts=counts, unsaid=found.unsaid)
        ran = tuple(self._inner(root, within, counts))
        inner = tuple(each for _, each in ran)
        processes = tuple(whole(ran))
        return BatchFlows(
            processes=processes,
            views=tuple(v for each in inner for v in each.views),
            counts=counts,
            unsaid=() if processes else tuple(reason for each in (found, *inner) for reason in each.unsaid),
            are_within=True,
        )

    def _inner(self, root: Ended, within: Sequence[Ended], counts: Counter[str]) -> Iterator[Found]:
        plan = analyzed(root[0])
        plans = [p for event, _ in within if (p := analyzed(event)) is not None]
        if plan is None or not plans:
            return
        rows: Origins = BatchRows(self._executions.origin(plan, counts), plans)
        for ended in within:
            event = ended[0]
            inner = analyzed(event)
            # A sink of V2 reads the batch's own plan in an execution within it.
            if event.failure is not None or inner is None or isinstance(event.query_execution, IncrementalExecution):
                continue
            self._remember(event, rows)
            found = self._executions.processes(ended, rows)
            counts.update(found.counts)
            yield ended, found
