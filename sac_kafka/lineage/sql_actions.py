"""Turn a root execution that has ended, with those nested in it, into outcomes.

A CTAS, a `saveAsTable` or a directory insert runs one or two nested executions. They are merged into their root execution;
their own processes are used only if the root writes nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.catalog.catalog import Statement
from sac_kafka.lineage.datasets.ignored import did_nothing
from sac_kafka.lineage.datasets.removals import removals
from sac_kafka.lineage.driver_values.driver_rows import ends_in_driver, is_of_connector
from sac_kafka.lineage.driver_values.temporary_views import TemporaryViews
from sac_kafka.lineage.executions import Ended, analyzed_plan, successful_plan
from sac_kafka.lineage.streams.function_threads import Action
from sac_kafka.model import Outcome, Process, RowsRemoved, TableDefined
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_writes import V2Write


class SqlActions:
    """The user actions that run SQL: one process each, catalog changes before it."""

    def __init__(self, context: ActionContext) -> None:
        self._context = context
        self._temporary_views = TemporaryViews()

    def note_end(self, ended: Ended) -> None:
        """Record the end of any execution, root or nested."""
        event, opened = ended
        self._context.counts["executions"] += 1
        self._temporary_views.add(successful_plan(event), event, opened.started_ms, opened.reads)
        if not opened.is_of_batch:
            self._context.origins.remember(event)

    def outcomes(self, action: Action) -> Iterator[Outcome]:
        """Yield the outcomes of an action: its catalog changes, the views that it read, its processes."""
        (event, opened), within = action
        context = self._context
        if event.failure is not None:
            context.counts["executions failed"] += 1
        found = tuple(self._processes(action))
        emitted = (p for p, _ in found if context.options.failed_too or p.run.failure is None)
        of_views = self._temporary_views.reads_of((event, *(inner for inner, _ in within)))
        reads = sorted({*opened.reads, *of_views})
        command = successful_plan(event)
        views = {v.outputs[0].key: v for _, views in found for v in views} if event.failure is None else {}
        statement = Statement(
            command=command,
            processes=tuple(context.origins.with_reads(p, reads) for p in emitted),
            views=tuple(views.values()),
            has_written=any(isinstance(analyzed_plan(inner), V2Write) for inner, _ in within),
            removals=lambda changes: self._removals(command, (event, opened), changes) if command is not None else (),
        )
        yield from context.catalog.outcomes(statement, context.open.roots)
        if context.options.reads and not found and ends_in_driver(event):
            yield from self._read((event, opened))

    def _removals(self, command: LogicalPlan, ended: Ended, changes: Iterable[Outcome]) -> Iterator[RowsRemoved]:
        """Yield what a command without a flow has left empty."""
        (event, opened), context = ended, self._context
        if event.query_execution is None:
            return
        made = {change.table.key for change in changes if isinstance(change, TableDefined)}
        created = None if opened.created is None else opened.created | made
        for removal in removals(command, context.options.patterns, created):
            job = context.origins.executions.application(opened, event.query_execution).job
            yield RowsRemoved(dataset=removal.dataset, part=removal.part, job=job)

    def _read(self, ended: Ended) -> Iterator[Outcome]:
        """Yield the process of a query that returns its rows to the driver."""
        found = self._context.origins.executions.read(ended)
        if is_of_connector(found.processes):
            self._context.counts["transaction log of a table, read by its connector"] += 1
            return
        yield from found.views
        yield from found.processes

    def _processes(self, action: Action) -> Iterator[tuple[Process, tuple[Process, ...]]]:
        """Yield the processes of an action, each with the definitions of the views that its execution read."""
        (event, opened), within = action
        counts, executions, unreported = (
            self._context.counts,
            self._context.origins.executions,
            self._context.unreported,
        )
        root = analyzed_plan(event)
        files = event.query_execution.files_written if event.query_execution else ()
        if root is not None and opened.created is not None and did_nothing(root, files, opened.created):
            counts["nothing written: the target already existed"] += 1
            return
        found = executions.processes((event, opened))
        counts.update(found.counts)
        if found.processes and root is not None:
            counts["nested executions"] += len(within)
            unreported.report((event, opened), found.unreported)
            for process in found.processes:
                written = executions.as_written(process, root, within)
                yield executions.with_nested_metrics(written, root, within), found.views
            return
        inner = [executions.processes(each) for each in within if each[0].failure is None]
        for nested in inner:
            counts.update(nested.counts)
            yield from ((process, nested.views) for process in nested.processes)
        if not any(nested.processes for nested in inner):
            reasons = found.unreported or chain.from_iterable(nested.unreported for nested in inner)
            unreported.report((event, opened), reasons)
        if not within:
            counts["executions without output"] += 1
