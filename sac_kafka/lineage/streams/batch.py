"""Extract what one micro-batch reads and writes: from its own plan, else from what ran within it (`foreachBatch`).

An execution that is a part of another one is dropped: the files that a CTAS or `saveAsTable` writes are its table. Spark states
for each only that it runs within the batch. Files are matched to a table by its location, or by its directory name if the
function has dropped the table again.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.executions import Ended, Executions, analyzed
from sac_kafka.lineage.extract import Extraction
from sac_kafka.lineage.model import Dataset, PathDataset, Process, TableDataset
from sac_kafka.lineage.streams.function_threads import Action
from sac_kafka.lineage.streams.notes import BatchNotes, BatchRows
from sac_kafka.plan.commands import CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand
from sac_kafka.plan.execution import IncrementalExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand

_MADE_BY = (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand)
MAKING = (CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand)
"""Commands that create a table whose files another execution writes."""

Extracted = tuple[Ended, Extraction]
"""An execution that has ended, and its processes."""


def independent_processes(found: Sequence[Extracted]) -> Iterator[Process]:
    """Yield the processes of the executions within a batch, in the order of their ends, without parts of others."""
    for position, ((event, _), extraction) in enumerate(found):
        if _is_reported_within(event, found[:position]):
            continue
        # A nested execution starts after the outer one and ends before it.
        around = [
            table
            for (outer, _), of in found[position + 1 :]
            if outer.execution_id < event.execution_id and isinstance(analyzed(outer), MAKING)
            for process in of.processes
            for table in process.outputs
        ]
        yield from (p for p in extraction.processes if not (p.outputs and all(_is_in(o, around) for o in p.outputs)))


def _is_reported_within(event: SparkListenerSQLExecutionEnd, ended: Sequence[Extracted]) -> bool:
    """Return whether a command that `saveAsTable` ran reports its table: only that one has the current database."""
    plan = analyzed(event)
    if not isinstance(plan, SaveAsV1TableCommand):
        return False
    name = plan.table.identifier.table.lower()
    made = (analyzed(inner) for (inner, _), of in ended if inner.execution_id > event.execution_id and of.processes)
    return any(isinstance(each, _MADE_BY) and each.table.identifier.table.lower() == name for each in made)


def _is_in(output: Dataset, tables: Sequence[Dataset]) -> bool:
    return isinstance(output, PathDataset) and any(
        isinstance(table, TableDataset) and _lies_at(table, output.path) for table in tables
    )


def _lies_at(table: TableDataset, path: str) -> bool:
    """Return whether a path is a table's location; for a table without a known location, compare the directory's name.

    >>> _lies_at(TableDataset(database="sales", name="Stage"), "file:/warehouse/sales.db/stage")
    True
    >>> _lies_at(TableDataset(database="sales", name="stage"), "file:/out/orders")
    False
    """
    if table.location is not None:
        return table.location.rstrip("/") == path.rstrip("/")
    return path.rstrip("/").rpartition("/")[2].lower() == table.name.lower()


class Remember(Protocol):
    """Callable that remembers the result of an execution; `more` are additional origins of its leaves."""

    def __call__(self, event: SparkListenerSQLExecutionEnd, /, *more: Origins) -> None:
        """Remember a result that later plans may read (a checkpoint, an RDD)."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchFlows(Extraction):
    """The lineage of one batch, whose processes are its successful writes.

    Attributes:
        is_of_function: True if these are executions within the batch (`foreachBatch`).
        origin: The origin of the rows of the batch, if `is_of_function`.
    """

    is_of_function: bool = False
    origin: Origin | None = None


class Batches:
    """Extractor of the lineage of micro-batches; calls `remember` for each execution within a batch."""

    def __init__(self, executions: Executions, remember: Remember, notes: BatchNotes) -> None:
        self._executions = executions
        self._remember = remember
        self._notes = notes

    def flows(self, root: Ended, within: Sequence[Ended], thread_actions: Sequence[Action] = ()) -> BatchFlows:
        """Return the lineage of a batch with the executions within it, in the order of their ends, and the actions of threads.

        If the plan of the batch shows what it writes, nested executions are ignored, and a failed batch has written nothing.
        """
        found = self._executions.processes(root)
        counts = Counter(found.counts)
        if found.processes:
            has_written = root[0].failure is None
            processes = found.processes if has_written else ()
            return BatchFlows(processes=processes, views=found.views, counts=counts, unreported=found.unreported)
        plan = analyzed(root[0])
        # If nothing has run yet, a thread of the function may still be working: its inputs are counted when it is done.
        origin = (
            None if plan is None else self._executions.origin(plan, counts if within or thread_actions else Counter())
        )
        inside = BatchFlows() if origin is None else self.function_flows(origin, within, thread_actions)
        unreported = () if inside.processes else (*found.unreported, *inside.unreported)
        return dataclasses.replace(
            inside, origin=origin, counts=counts + Counter(inside.counts), unreported=unreported, is_of_function=True
        )

    def function_flows(self, origin: Origin, within: Sequence[Ended], thread_actions: Sequence[Action]) -> BatchFlows:
        """Return the writes of a `foreachBatch` function, within a batch and in its threads; `origin` is that of the rows."""
        counts: Counter[str] = Counter()
        parts = (within, *([*inner, ended] for ended, inner in thread_actions))
        ran = [tuple(self._inner(origin, part, counts)) for part in parts]
        inner = tuple(each for part in ran for _, each in part)
        return BatchFlows(
            processes=tuple(process for part in ran for process in independent_processes(part)),
            views=tuple(v for each in inner for v in each.views),
            counts=counts,
            unreported=tuple(reason for each in inner for reason in each.unreported),
            is_of_function=True,
        )

    def _inner(self, origin: Origin, within: Sequence[Ended], counts: Counter[str]) -> Iterator[Extracted]:
        plans = [p for event, _ in within if (p := analyzed(event)) is not None]
        if not plans:
            return
        rows = BatchRows(origin, plans, self._notes.plans)
        self._notes.replay(rows)
        for ended in within:
            event = ended[0]
            inner = analyzed(event)
            # A V2 sink runs the plan of the batch itself in a nested execution.
            if event.failure is not None or inner is None or isinstance(event.query_execution, IncrementalExecution):
                continue
            self._remember(event, rows)
            found = self._executions.processes(ended, rows)
            counts.update(found.counts)
            processes = tuple(self._notes.with_reads(process, ended[1].reads) for process in found.processes)
            yield ended, dataclasses.replace(found, processes=processes)
