"""One user action, one outcome: merges the executions of an action, and says what each means in its turn.

A CTAS, a `saveAsTable`, a directory insert run one or two more executions within themselves. The root speaks for them;
only where the root writes nothing itself do the executions within it. What happened to the catalog comes before the process
of the statement that did it.
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
from sac_kafka.lineage.executions import Ended, Executions, OpenExecution, analyzed, succeeded
from sac_kafka.lineage.flow import Following
from sac_kafka.lineage.ml.models import Models
from sac_kafka.lineage.model import Application, Outcome, Process, TableDataset
from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.lineage.rdds.jobs import RddJobs
from sac_kafka.lineage.rdds.origins import RddOrigins
from sac_kafka.lineage.runs.joined_runs import JoinedRuns, places
from sac_kafka.lineage.streams.definitions import DefinitionsOfBatches
from sac_kafka.lineage.streams.function_threads import FunctionThreads, with_beside
from sac_kafka.lineage.streams.notes import NotesOfBatches
from sac_kafka.lineage.streams.streams import Streams
from sac_kafka.lineage.through_driver.driver_rows import DriverRows
from sac_kafka.lineage.through_driver.read_only import ends_in_driver, is_of_connector
from sac_kafka.lineage.unsaid import TellUnsaid, UnsaidWrites, nobody
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
    """Takes the events of an application in order; yields what each finished action means.

    `failed_too` yields the processes of failed executions as well, with `Run.failure`; `paths_as_tables` makes a path that
    is known to be a table's location that table; `plan_text` gives each run the text of its analyzed plan;
    `budget` bounds what is followed column by column; `stops_at_views` is as of `Following`; `unsaid` is told of writes without a
    process; `follows_rdds` is False where nothing is asked of RDDs; `statement_inputs` is as of `DriverRows`.
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
        unsaid: TellUnsaid = nobody,
        follows_rdds: bool = True,
        statement_inputs: bool = False,
    ) -> None:
        self._failed_too = failed_too
        self._tells_reads = reads
        self.counts: Counter[str] = Counter()
        self._checkpoints = Checkpoints()
        self._driver_rows = DriverRows(self.counts, statement_inputs=statement_inputs)
        self._models = Models(application, patterns, self._origin, self.counts)
        self._rdds = RddOrigins(patterns, self.counts, follows=follows_rdds)
        self._rdd_jobs = RddJobs(application, self._rdds, patterns, self.counts, failed_too=failed_too, unsaid=unsaid)
        following = Following(
            patterns=patterns,
            budget=budget or Budget(),
            origins=(self._checkpoints, self._driver_rows, self._rdds),  # the last one knows something of every RDD
            makers=(self._models,),
            stops_at_views=stops_at_views,
        )
        self._executions = Executions(application, following, has_plan_text=plan_text)
        self._unsaid = UnsaidWrites(self._executions, unsaid)
        self._open = OpenExecutions(self.counts)
        self._catalog = Catalog(paths_as_tables=paths_as_tables, aliases=path_aliases, places=places)
        self._runs = JoinedRuns()
        self._of_batches = DefinitionsOfBatches()
        self._notes = NotesOfBatches(self._take_note, self._with_reads)
        self._threads = FunctionThreads((self._checkpoints, self._driver_rows), self.counts)
        self._streams = Streams(
            self._executions, self._catalog.known, self._remember, self.counts, self._unsaid, self._notes
        )
        self._notices: Mapping[type, Callable[[Any], None]] = {
            SparkListenerSQLExecutionStart: self._open.start,
            SparkListenerThriftServerOperationStart: self._open.served,
            SparkListenerJobStart: self._open.asked,
            RddJobStart: self._rdd_jobs.started,
            DriverNote: self._noted,
        }
        self._takes: Mapping[type, Callable[[Any], Iterable[Outcome]]] = {
            SparkListenerSQLExecutionEnd: self._end,
            SparkListenerJobEnd: self._rdd_ended,
            QueryStartedEvent: self._streams.started,
            QueryProgressEvent: self._streams.progressed,
            QueryTerminatedEvent: self._terminated,
            RepeatedBatches: self._repeated,
            **dict.fromkeys(self._models.takes, self._of_models),
        }

    def add(self, event: Event) -> Iterator[Outcome]:
        """What the action means that this event finishes."""
        if (notices := self._notices.get(type(event))) is not None:
            notices(event)
            return
        takes = self._takes.get(type(event), self._of_catalog)
        yield from self._of_batches.news(self._models.without_parts(takes(event)))

    def _of_models(self, event: ModelEvent) -> Iterator[Outcome]:
        yield from map(self._catalog.known, self._models.takes[type(event)](event))

    def _of_catalog(self, event: CatalogEvent) -> Iterator[Outcome]:
        self.counts["catalog events"] += 1
        self._catalog.add(event, self._open.roots)
        if isinstance(event, CreateTableEvent):
            key = TableDataset(database=event.database, name=event.name).key
            self._open.created(key)
            if self._open.batches:
                self._of_batches.made(key)
        if not self._open:
            yield from self._catalog.ready(frozenset())

    def _rdd_ended(self, event: SparkListenerJobEnd) -> Iterator[Outcome]:
        for process, views in self._rdd_jobs.ended(event):
            yield from map(self._catalog.known, views)
            yield self._runs.joined(self._catalog.known(process), places(process.outputs))

    def _origin(self, plan: LogicalPlan, *more: Origins) -> Origin:
        return self._executions.origin(plan, self.counts, *more)

    def _with_reads(self, process: Process, reads: Sequence[int]) -> Process:
        return self._driver_rows.put_on(process, reads, self._origin)

    def _noted(self, event: DriverNote) -> None:
        if self._open.batches:
            self._notes.add(event)
        self._take_note(event)

    def _take_note(self, event: DriverNote, *more: Origins) -> None:
        if event.kind == RDD_OF_QUERY and event.plan is not None:
            self._rdds.made_of(int(event.text), self._origin(event.plan, *more))
        elif event.kind == CHECKPOINT_MADE and event.plan is not None:
            self._checkpoints.add_lazy(int(event.text), self._origin(event.plan, *more))
        elif event.kind == RDD_CHECKPOINTED and event.rows is not None:
            self._rdds.checkpointed(event.rows)
        elif event.kind == RDD_READ and event.rows is not None:
            self._driver_rows.read_of_rdd(event.text, self._rdds.of_rows(event.rows))
        elif not self._driver_rows.take(event, lambda plan: self._origin(plan, *more), follows_now=bool(more)):
            self.counts[f"note of the driver not understood: {event.kind}"] += 1

    def _end(self, event: SparkListenerSQLExecutionEnd) -> Iterator[Outcome]:
        self.counts["executions"] += 1
        opened, within = self._open.end(event)
        if not opened.is_of_batch:
            self._remember(event)
        if within is None:
            return
        query = event.query_execution
        if isinstance(query, IncrementalExecution):
            beside = self._threads.of_session(query.session)
            yield from self._of_commands(with_beside(within, beside))
            yield from self._streams.batch((event, opened), within, beside)
            yield from self._batches_over((event.execution_id,))
        elif not self._threads.keeps(((event, opened), within), self._open.batches):
            yield from self._action((event, opened), within)

    def _action(self, ended: Ended, within: list[Ended]) -> Iterator[Outcome]:
        """What an execution means that runs within no other one."""
        event, opened = ended
        command = succeeded(event)
        if command is not None:
            self._catalog.made_by(command)
        yield from self._catalog.ready(self._open.roots)
        if event.failure is not None:
            self.counts["executions failed"] += 1
        outcome = tuple(self._outcome(event, opened, within))
        said = (p for p, _ in outcome if self._failed_too or p.run.failure is None)
        processes = tuple(self._with_reads(p, opened.reads) for p in said)
        if command is not None:
            has_written = any(isinstance(analyzed(inner), V2Write) for inner, _ in within)
            changes, processes = self._catalog.after(command, processes, has_written=has_written)
            yield from changes
        if event.failure is None:
            yield from (
                self._catalog.known(view)
                for view in {v.outputs[0].key: v for _, views in outcome for v in views}.values()
            )
        for process in processes:
            yield self._runs.joined(self._catalog.known(process), places(process.outputs))
        if self._tells_reads and not outcome and ends_in_driver(event):
            yield from self._read((event, opened))

    def _read(self, ended: Ended) -> Iterator[Outcome]:
        """A query whose rows end in the driver."""
        found = self._executions.read(ended)
        if is_of_connector(found.processes):
            self.counts["log of a table, read by its connector"] += 1
            return
        yield from map(self._catalog.known, (*found.views, *found.processes))

    def _batches_over(self, executions: Iterable[int]) -> Iterator[Outcome]:
        """Nothing waits any more for the end of these."""
        if not self._open.batches:
            self._notes.clear()
        for action in self._threads.over(executions):
            yield from self._action(*action)

    def rest(self) -> Iterator[Outcome]:
        """What still waits for the end of a batch, as at the end of the application."""
        return self._of_batches.news(o for action in self._threads.rest() for o in self._action(*action))

    def ended(self) -> Iterator[Outcome]:
        """Yield what the end of the driver means for streaming queries."""
        yield from self._streams.ended()

    def _of_commands(self, within: list[Ended]) -> Iterator[Outcome]:
        """What happened to catalogs in a batch: that is said as always, the rest is its query's."""
        commands = [command for event, _ in within if (command := succeeded(event)) is not None]
        for command in commands:
            self._catalog.made_by(command)
        yield from self._catalog.ready(self._open.roots)
        for command in commands:
            changes, _ = self._catalog.after(command, (), has_written=True)
            yield from self._of_batches.made_by(changes)

    def _terminated(self, event: QueryTerminatedEvent) -> Iterator[Outcome]:
        beside = self._threads.of_session(self._streams.session_of(event.run_id), has_ended=True)
        yield from self._of_commands(with_beside((), beside))
        yield from (p for p in self._streams.terminated(event, beside) if self._failed_too or p.run.failure is None)

    def _repeated(self, event: RepeatedBatches) -> Iterator[Outcome]:
        self.counts["executions"] += len(event.executions)
        self._open.forget(event.executions)
        beside = self._threads.of_session(self._streams.session_of(event.run_id))
        yield from self._of_commands(with_beside((), beside))
        yield from self._streams.repeated(event, beside)
        yield from self._batches_over(event.executions)

    def _remember(self, event: SparkListenerSQLExecutionEnd, *more: Origins) -> None:
        """Checkpoints cut the plan, variables are a name in it: what follows is known only by what these have read."""
        query = event.query_execution
        if event.failure is not None or query is None or query.analyzed is None:
            return
        self._executions.set_variables(event, self.counts, *more)
        if event.name not in CHECKPOINTING and event.rdd_id is None:
            return
        made = self._executions.origin(query.analyzed, self.counts, *more, session=query.session)
        if event.name in CHECKPOINTING:
            if made.left_out and event.checkpoint_rdd is None:  # it is known again by its columns only
                self.counts["checkpoint not remembered: its columns are over a budget"] += 1
            self._checkpoints.add(made, event.checkpoint_rdd)
        elif event.rdd_id is not None:
            self._rdds.made_of(event.rdd_id, made)

    def _outcome(
        self, event: SparkListenerSQLExecutionEnd, opened: OpenExecution, within: list[Ended]
    ) -> Iterator[tuple[Process, tuple[Process, ...]]]:
        """The processes of an action, each with the definitions of the views that its execution read."""
        root = analyzed(event)
        files = event.query_execution.files_written if event.query_execution else ()
        if root is not None and opened.created is not None and did_nothing(root, files, opened.created):
            self.counts["nothing written: it is there"] += 1
            return
        found = self._executions.processes((event, opened))
        self.counts.update(found.counts)
        if found.processes and root is not None:
            self.counts["executions within another one"] += len(within)
            self._unsaid.of((event, opened), found.unsaid)
            for process in found.processes:
                yield (
                    self._executions.with_figures(self._executions.as_written(process, root, within), root, within),
                    found.views,
                )
            return
        inner = [self._executions.processes(each) for each in within if each[0].failure is None]
        for deeper in inner:
            self.counts.update(deeper.counts)
            yield from ((process, deeper.views) for process in deeper.processes)
        if not any(deeper.processes for deeper in inner):
            self._unsaid.of((event, opened), found.unsaid or chain.from_iterable(deeper.unsaid for deeper in inner))
        if not within:
            self.counts["executions without output"] += 1
