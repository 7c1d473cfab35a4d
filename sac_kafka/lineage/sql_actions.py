"""Turn a root execution that has ended, with those nested in it, into outcomes.

A CTAS, a `saveAsTable` or a directory insert runs one or two nested executions. They are merged into their root execution;
their own processes are used only if the root writes nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sac_kafka.lineage.action_context import ActionContext
from sac_kafka.lineage.columns.variables import SETTING_VARIABLES
from sac_kafka.lineage.datasets.removals import did_nothing, removal_of
from sac_kafka.lineage.driver_values import TemporaryViews, ends_in_driver, is_of_connector
from sac_kafka.lineage.executions import Action, Ended, analyzed_plan, successful_plan
from sac_kafka.lineage.row_origins import MAKING_ROWS
from sac_kafka.model import Change, Outcome, Process, RowsRemoved, TableDefined
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
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
        command = successful_plan(event)
        if isinstance(command, (CreateViewCommand, CreateTempViewUsing)):
            self._temporary_views.add(command, event, opened.started_ms, opened.reads)
        if not opened.is_of_batch:
            plan = analyzed_plan(event)
            if event.rdd_id is not None or event.name in MAKING_ROWS or isinstance(plan, SETTING_VARIABLES):
                self._context.origins.remember(event)

    def outcomes(self, action: Action) -> Iterator[Outcome]:
        """Yield what an action has changed in catalogs, the definitions of the views that it read, and its processes."""
        (event, _), within = action
        context, command = self._context, successful_plan(event)
        if event.failure is not None:
            context.counts["executions failed"] += 1
        extracted, views = self._extract(action)
        is_reported = context.options.failed_too
        processes = tuple(self._with_values_read(p, action) for p in extracted if is_reported or p.run.failure is None)
        has_written = any(isinstance(analyzed_plan(inner), V2Write) for inner, _ in within)
        yield from context.catalog.pending(() if command is None else (command,), context.open.roots)
        if command is not None:
            changes, processes = context.catalog.apply(command, processes, has_written=has_written)
            yield from changes
            yield from self._removals(action, command, changes)
        if event.failure is None:
            yield from {view.outputs[0].key: view for view in views}.values()
        yield from processes
        if context.options.reads and not extracted and ends_in_driver(event):
            yield from self._read_by_driver(action)

    def _extract(self, action: Action) -> tuple[Sequence[Process], Sequence[Process]]:
        """Return the processes of an action, and the definitions of the views that the executions of these have read."""
        ended, within = action
        event, opened = ended
        counts, executions = self._context.counts, self._context.origins.executions
        query = event.query_execution
        root, files = (query.analyzed, query.files_written) if query else (None, ())
        if root is not None and opened.created is not None and did_nothing(root, files, opened.created):
            counts["nothing written: the target already existed"] += 1
            return (), ()
        own = executions.processes(ended)
        counts.update(own.counts)
        if own.processes and root is not None:
            counts["nested executions"] += len(within)
            if own.unreported:
                executions.report(ended, own.unreported)
            return [executions.complete(process, root, within) for process in own.processes], own.views
        nested = [executions.processes(inner) for inner in within if inner[0].failure is None]
        for extraction in nested:
            counts.update(extraction.counts)
        writing = [extraction for extraction in nested if extraction.processes]
        if not writing:
            executions.report(ended, own.unreported or [reason for inner in nested for reason in inner.unreported])
        if not within:
            counts["executions without output"] += 1
        return [p for inner in writing for p in inner.processes], [v for inner in writing for v in inner.views]

    def _with_values_read(self, process: Process, action: Action) -> Process:
        """Return a process with the driver's reads whose values are in its statement, or in the temporary views that it uses."""
        (event, opened), within = action
        views = self._temporary_views
        in_views = views.reads_of((event, *(inner for inner, _ in within))) if views.defined else ()
        reads, origins = sorted({*opened.reads, *in_views}), self._context.origins
        return origins.driver_values.with_statement_values(process, reads, origins.of_plan) if reads else process

    def _removals(self, action: Action, command: LogicalPlan, changes: Iterable[Change]) -> Iterator[RowsRemoved]:
        """Yield what a command without a flow has left empty."""
        (event, opened), context = action[0], self._context
        removal = removal_of(command, context.options.patterns)
        if event.query_execution is None or removal is None:
            return
        created = opened.created
        if removal.if_created and created is not None:
            created = created | {change.table.key for change in changes if isinstance(change, TableDefined)}
            if removal.dataset.key not in created:
                return
        job = context.origins.executions.application(opened, event.query_execution).job
        yield RowsRemoved(dataset=removal.dataset, part=removal.part, job=job)

    def _read_by_driver(self, action: Action) -> Iterator[Outcome]:
        """Yield the process of a query that returns its rows to the driver."""
        extraction = self._context.origins.executions.read(action[0])
        if is_of_connector(extraction.processes):
            self._context.counts["transaction log of a table, read by its connector"] += 1
            return
        yield from extraction.views
        yield from extraction.processes
