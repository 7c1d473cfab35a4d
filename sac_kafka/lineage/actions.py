"""Turn the events of an application into outcomes: one process per user action, catalog changes before it.

A CTAS, a `saveAsTable` or a directory insert runs one or two nested executions. They are merged into their root execution;
their own processes are used only if the root writes nothing itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from sac_kafka.lineage.budget import Budget
from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.lineage.catalog.places import TablePlaces
from sac_kafka.lineage.columns.checkpoints import ACTIONS as CHECKPOINTING
from sac_kafka.lineage.columns.checkpoints import Checkpoints
from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.ignored import did_nothing
from sac_kafka.lineage.driver_values.driver_rows import DriverValues
from sac_kafka.lineage.driver_values.read_only import ends_in_driver, is_of_connector
from sac_kafka.lineage.driver_values.temporary_views import TemporaryViews
from sac_kafka.lineage.executions import Ended, Executions, OpenExecution, analyzed, successful_plan
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.lineage.ml.models import Models
from sac_kafka.lineage.model import Application, Outcome, Process, TableDataset
from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.lineage.rdds.jobs import RddJobs
from sac_kafka.lineage.rdds.origins import RddOrigins
from sac_kafka.lineage.runs.joined_runs import JoinedRuns, places
from sac_kafka.lineage.streams.definitions import BatchDefinitions
from sac_kafka.lineage.streams.function_threads import FunctionThreads, with_threads
from sac_kafka.lineage.streams.notes import BatchNotes
from sac_kafka.lineage.streams.streams import Streams
from sac_kafka.lineage.unreported import UnreportedWriteHandler, UnreportedWrites, ignore
from sac_kafka.plan.catalog_events import CatalogEvent, CreateTableEvent
from sac_kafka.plan.driver_notes import CHECKPOINT_MADE, RDD_CHECKPOINTED, RDD_OF_QUERY, RDD_READ, DriverNote
from sac_kafka.plan.execution import (
    Event,
    IncrementalExecution,
    SparkListenerSQLExecutionEnd,
    SparkListenerSQLExecutionStart,
)
from sac_kafka.plan.ml_events import ModelEvent
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdd_jobs import RddJobStart, SparkListenerJobEnd
from sac_kafka.plan.servers import (
    SparkListenerJobStart,
    SparkListenerThriftServerOperationStart,
)
from sac_kafka.plan.streaming_events import QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent, RepeatedBatches
from sac_kafka.plan.v2_writes import V2Write


class Actions:
    """State of an application: turns its events, in order, into the outcomes of finished actions.

    Args:
        application: The application, under the driver's job name.
        patterns: Patterns that fold segments of paths.
        failed_too: Also yield the processes of failed executions, with `Run.failure`.
        paths_as_tables: Replace a path that is a table's location by that table.
        path_aliases: Pairs of path prefixes, as for `Aliases`.
        places: Table locations known from earlier runs.
        plan_text: Attach the text of the analyzed plan to each run.
        budget: Limits of column lineage.
        stops_at_views: As in `TraversalOptions`.
        reads: Also yield queries that only return rows to the driver.
        unreported: Called for each write without a process.
        follows_rdds: False if the listener does not project RDDs.
        statement_inputs: As in `DriverValues`.
    """

    def __init__(
        self,
        application: Application,
        patterns: Patterns,
        *,
        failed_too: bool = False,
        paths_as_tables: bool = True,
        path_aliases: Sequence[tuple[str, str]] = (),
        places: TablePlaces | None = None,
        plan_text: bool = False,
        budget: Budget | None = None,
        stops_at_views: bool = True,
        reads: bool = False,
        unreported: UnreportedWriteHandler = ignore,
        follows_rdds: bool = True,
        statement_inputs: bool = False,
    ) -> None:
        self._failed_too = failed_too
        self._reports_reads = reads
        self.counts: Counter[str] = Counter()
        self._checkpoints = Checkpoints()
        self._driver_values = DriverValues(self.counts, statement_inputs=statement_inputs)
        self._temporary_views = TemporaryViews()
        self._models = Models(application, patterns, self._origin, self.counts)
        self._rdds = RddOrigins(patterns, self.counts, follows=follows_rdds)
        self._rdd_jobs = RddJobs(
            application, self._rdds, patterns, self.counts, failed_too=failed_too, unreported=unreported
        )
        options = TraversalOptions(
            patterns=patterns,
            budget=budget or Budget(),
            origins=(self._checkpoints, self._driver_values, self._rdds),  # RddOrigins goes last: it matches any RDD
            column_origins=(self._models,),
            stops_at_views=stops_at_views,
        )
        self._executions = Executions(application, options, has_plan_text=plan_text)
        self._unreported = UnreportedWrites(self._executions, unreported)
        self._open = OpenExecutions(self.counts)
        self._catalog = Catalog(paths_as_tables=paths_as_tables, aliases=path_aliases, places=places)
        self._runs = JoinedRuns()
        self._batch_definitions = BatchDefinitions()
        self._notes = BatchNotes(self._apply_note, self._with_reads)
        self._threads = FunctionThreads((self._checkpoints, self._driver_values), self.counts)
        self._streams = Streams(
            self._executions, self._catalog.current, self._remember, self.counts, self._unreported, self._notes
        )
        self._observers: Mapping[type, Callable[[Any], None]] = {
            SparkListenerSQLExecutionStart: self._open.start,
            SparkListenerThriftServerOperationStart: self._open.add_operation,
            SparkListenerJobStart: self._open.add_requester,
            RddJobStart: self._rdd_jobs.started,
            DriverNote: self._on_note,
        }
        self._handlers: Mapping[type, Callable[[Any], Iterable[Outcome]]] = {
            SparkListenerSQLExecutionEnd: self._on_execution_end,
            SparkListenerJobEnd: self._on_rdd_job_end,
            QueryStartedEvent: self._streams.started,
            QueryProgressEvent: self._streams.progressed,
            QueryTerminatedEvent: self._on_terminated,
            RepeatedBatches: self._on_repeated,
            **dict.fromkeys(self._models.handlers, self._on_model_event),
        }

    def add(self, event: Event) -> Iterator[Outcome]:
        """Process one event and yield the outcomes of the action that it finishes, if any."""
        if (observe := self._observers.get(type(event))) is not None:
            observe(event)
            return
        handle = self._handlers.get(type(event), self._on_catalog_event)
        yield from self._batch_definitions.without_repeats(self._models.without_parts(handle(event)))

    def _on_model_event(self, event: ModelEvent) -> Iterator[Outcome]:
        yield from map(self._catalog.current, self._models.handlers[type(event)](event))

    def _on_catalog_event(self, event: CatalogEvent) -> Iterator[Outcome]:
        self.counts["catalog events"] += 1
        self._catalog.add(event, self._open.roots)
        if isinstance(event, CreateTableEvent):
            key = TableDataset(database=event.database, name=event.name).key
            self._open.created(key)
            if self._open.batches:
                self._batch_definitions.mark_created(key)
        if not self._open:
            yield from self._catalog.ready(frozenset())

    def _on_rdd_job_end(self, event: SparkListenerJobEnd) -> Iterator[Outcome]:
        for process, views in self._rdd_jobs.ended(event):
            yield from map(self._catalog.current, views)
            yield self._runs.joined(self._catalog.current(process), places(process.outputs))

    def _origin(self, plan: LogicalPlan, *more: Origins) -> Origin:
        return self._executions.origin(plan, self.counts, *more)

    def _with_reads(self, process: Process, reads: Sequence[int]) -> Process:
        return self._driver_values.with_statement_values(process, reads, self._origin)

    def _on_note(self, event: DriverNote) -> None:
        if self._open.batches:
            self._notes.add(event)
        self._apply_note(event)

    def _apply_note(self, event: DriverNote, *more: Origins) -> None:
        if event.kind == RDD_OF_QUERY and event.plan is not None:
            self._rdds.add_query(int(event.text), self._origin(event.plan, *more))
        elif event.kind == CHECKPOINT_MADE and event.plan is not None:
            self._checkpoints.add_lazy(int(event.text), self._origin(event.plan, *more))
        elif event.kind == RDD_CHECKPOINTED and event.rows is not None:
            self._rdds.add_checkpointed(event.rows)
        elif event.kind == RDD_READ and event.rows is not None:
            self._driver_values.add_rdd_read(event.text, self._rdds.origin_of_rdd(event.rows))
        elif not self._driver_values.add_note(event, lambda plan: self._origin(plan, *more), at_once=bool(more)):
            self.counts[f"note of the driver not understood: {event.kind}"] += 1

    def _on_execution_end(self, event: SparkListenerSQLExecutionEnd) -> Iterator[Outcome]:
        self.counts["executions"] += 1
        opened, within = self._open.end(event)
        self._temporary_views.add(successful_plan(event), event, opened.started_ms, opened.reads)
        if not opened.is_of_batch:
            self._remember(event)
        if within is None:
            return
        query = event.query_execution
        if isinstance(query, IncrementalExecution):
            thread_actions = self._threads.release_session(query.session)
            yield from self._catalog_changes(with_threads(within, thread_actions))
            yield from self._streams.batch((event, opened), within, thread_actions)
            yield from self._batches_ended((event.execution_id,))
        elif not self._threads.hold(((event, opened), within), self._open.batches):
            yield from self._action((event, opened), within)

    def _action(self, ended: Ended, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the outcomes of a root execution: its catalog changes, the views that it read, its processes."""
        event, opened = ended
        command = successful_plan(event)
        if command is not None:
            self._catalog.complete_from(command)
        yield from self._catalog.ready(self._open.roots)
        if event.failure is not None:
            self.counts["executions failed"] += 1
        found = tuple(self._processes_of_action(event, opened, within))
        emitted = (p for p, _ in found if self._failed_too or p.run.failure is None)
        of_views = self._temporary_views.reads_of((event, *(inner for inner, _ in within)))
        reads = sorted({*opened.reads, *of_views})
        processes = tuple(self._with_reads(p, reads) for p in emitted)
        if command is not None:
            has_written = any(isinstance(analyzed(inner), V2Write) for inner, _ in within)
            changes, processes = self._catalog.apply(command, processes, has_written=has_written)
            yield from changes
        if event.failure is None:
            yield from (
                self._catalog.current(view)
                for view in {v.outputs[0].key: v for _, views in found for v in views}.values()
            )
        for process in processes:
            yield self._runs.joined(self._catalog.current(process), places(process.outputs))
        if self._reports_reads and not found and ends_in_driver(event):
            yield from self._read((event, opened))

    def _read(self, ended: Ended) -> Iterator[Outcome]:
        """Yield the process of a query that returns its rows to the driver."""
        found = self._executions.read(ended)
        if is_of_connector(found.processes):
            self.counts["transaction log of a table, read by its connector"] += 1
            return
        yield from map(self._catalog.current, (*found.views, *found.processes))

    def _batches_ended(self, executions: Iterable[int]) -> Iterator[Outcome]:
        """Yield the outcomes of held executions that turned out not to belong to a batch, now that these have ended."""
        if not self._open.batches:
            self._notes.clear()
        for action in self._threads.release_ended(executions):
            yield from self._action(*action)

    def flush(self) -> Iterator[Outcome]:
        """Yield the outcomes of all executions that are held until a batch ends (at the end of the application)."""
        return self._batch_definitions.without_repeats(
            o for action in self._threads.release_all() for o in self._action(*action)
        )

    def ended(self) -> Iterator[Outcome]:
        """Yield what the end of the driver means for streaming queries."""
        yield from self._streams.ended()

    def _catalog_changes(self, within: list[Ended]) -> Iterator[Outcome]:
        """Yield the catalog changes of commands that ran within a batch; their processes belong to the streaming query."""
        commands = [command for event, _ in within if (command := successful_plan(event)) is not None]
        for command in commands:
            self._catalog.complete_from(command)
        yield from self._catalog.ready(self._open.roots)
        for command in commands:
            changes, _ = self._catalog.apply(command, (), has_written=True)
            yield from self._batch_definitions.tracked(changes)

    def _on_terminated(self, event: QueryTerminatedEvent) -> Iterator[Outcome]:
        thread_actions = self._threads.release_session(self._streams.session_of(event.run_id), has_ended=True)
        yield from self._catalog_changes(with_threads((), thread_actions))
        yield from (
            p for p in self._streams.terminated(event, thread_actions) if self._failed_too or p.run.failure is None
        )

    def _on_repeated(self, event: RepeatedBatches) -> Iterator[Outcome]:
        self.counts["executions"] += len(event.executions)
        self._open.forget(event.executions)
        thread_actions = self._threads.release_session(self._streams.session_of(event.run_id))
        yield from self._catalog_changes(with_threads((), thread_actions))
        yield from self._streams.repeated(event, thread_actions)
        yield from self._batches_ended(event.executions)

    def _remember(self, event: SparkListenerSQLExecutionEnd, *more: Origins) -> None:
        """Remember the origin of checkpoints, variables and RDDs: plans that use them later no longer show their inputs."""
        query = event.query_execution
        if event.failure is not None or query is None or query.analyzed is None:
            return
        self._executions.set_variables(event, self.counts, *more)
        if event.name not in CHECKPOINTING and event.rdd_id is None:
            return
        made = self._executions.origin(query.analyzed, self.counts, *more, session=query.session)
        if event.name in CHECKPOINTING:
            if made.skip_reason and event.checkpoint_rdd is None:  # without an RDD id only its columns identify it
                self.counts["checkpoint not remembered: its columns are over a budget"] += 1
            self._checkpoints.add(made, event.checkpoint_rdd)
        elif event.rdd_id is not None:
            self._rdds.add_query(event.rdd_id, made)

    def _processes_of_action(
        self, event: SparkListenerSQLExecutionEnd, opened: OpenExecution, within: list[Ended]
    ) -> Iterator[tuple[Process, tuple[Process, ...]]]:
        """Yield the processes of an action, each with the definitions of the views that its execution read."""
        root = analyzed(event)
        files = event.query_execution.files_written if event.query_execution else ()
        if root is not None and opened.created is not None and did_nothing(root, files, opened.created):
            self.counts["nothing written: the target already existed"] += 1
            return
        found = self._executions.processes((event, opened))
        self.counts.update(found.counts)
        if found.processes and root is not None:
            self.counts["nested executions"] += len(within)
            self._unreported.report((event, opened), found.unreported)
            for process in found.processes:
                yield (
                    self._executions.with_nested_metrics(
                        self._executions.as_written(process, root, within), root, within
                    ),
                    found.views,
                )
            return
        inner = [self._executions.processes(each) for each in within if each[0].failure is None]
        for nested in inner:
            self.counts.update(nested.counts)
            yield from ((process, nested.views) for process in nested.processes)
        if not any(nested.processes for nested in inner):
            self._unreported.report(
                (event, opened), found.unreported or chain.from_iterable(nested.unreported for nested in inner)
            )
        if not within:
            self.counts["executions without output"] += 1
