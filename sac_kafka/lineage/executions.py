"""Extract the lineage of one execution with the application's state: its job, options, variables and checkpoints.

The metrics of nested executions (CTAS, saveAsTable, a save through JDBC) are added to the process of their root.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.columns.variables import Variables
from sac_kafka.lineage.extract import (
    Extraction,
    extract,
    extract_copy,
    extract_read,
    metrics_of_only_write,
    origin,
    reads,
    total,
    transaction_metrics,
    with_reads,
    write_metrics,
)
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.lineage.runs.attribution import Attribution, with_session_job
from sac_kafka.lineage.runs.plan_text import plan_text
from sac_kafka.model import Application, DatasetRead, Process, Requester, Run, TableDataset
from sac_kafka.model.bounds import NOT_PROJECTED, Bounded
from sac_kafka.model.processes import NOT_COUNTED, merge_reads, metrics_of_run
from sac_kafka.plan.commands import CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.execution import IncrementalExecution, QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import Union
from sac_kafka.plan.systems.delta import DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand
from sac_kafka.plan.systems.iceberg import ProcedureCall
from sac_kafka.plan.v2_writes import V2CreateTableAsSelect, V2Write


@dataclasses.dataclass(slots=True)
class OpenExecution:
    """An execution that has started.

    Attributes:
        root: Id of its root execution; its own id for a root.
        started_ms: Start time in epoch milliseconds.
        configs: Settings of its session that differ from the driver's; None if unknown.
        requester: User and server that requested it, if a server did.
        created: Keys of tables and views created while it ran; None if unknown.
        is_of_batch: True for a micro-batch of a streaming query and everything nested in it.
        reads: Numbers of the reads by the driver whose values the statement contains.
        properties: Properties of its first job that identify who runs it, before that its job group; None if it had none.
    """

    root: int
    started_ms: int
    configs: Mapping[str, str] | None = None
    requester: Requester | None = None
    created: set[str] | None = None
    is_of_batch: bool = False
    reads: tuple[int, ...] = ()
    properties: Mapping[str, str] | None = None


Ended = tuple[SparkListenerSQLExecutionEnd, OpenExecution]
"""The end event of an execution, and its start."""
Action = tuple[Ended, list[Ended]]
"""A root execution that has ended, with the executions nested in it."""


_MAX_CALLS = 100
_RESULTS = frozenset({"imported_files_count", "added_files_count"})
"""Columns of the results of Iceberg's `snapshot` and `add_files` (`SnapshotTableProcedure`, `AddFilesProcedure`)."""


class ProcedureCalls:
    """The calls of an application that are reported; `running` is the last one.

    Spark 3.5 has one execution per CALL. On Spark 4 each query that the procedure runs has its CALL, and so has each later
    read of the result, because both have its text.
    """

    def __init__(self) -> None:
        self.running: tuple[object, ...] = ()
        self._names: set[str | None] = set()
        self._reported: Bounded[tuple[object, ...], None] = Bounded(_MAX_CALLS)

    def is_reported(self, name: str | None, call: ProcedureCall, session: object, analyzed: LogicalPlan) -> bool:
        """Return whether the call of an execution is reported; if not, it counts as reported from now on.

        `name` is that of the execution's action: a second query of one name belongs to the next CALL of the same procedure.
        """
        called = (session, call.procedure, call.source, call.table)
        if analyzed.is_command:
            is_known = False
        elif _RESULTS & {attribute.name for leaf in walk(analyzed) for attribute in getattr(leaf, "output", ())}:
            is_known = called in self._reported
        else:
            is_known = called == self.running and name not in self._names
            self._names = {*(self._names if is_known else ()), name}
            self.running = called
        self._reported[called] = None
        return is_known


UnreportedWriteHandler = Callable[[Application, str], None]
"""Called once per write without a process, with the application (under the session's job name) and the reason."""


def ignore(_application: Application, _reason: str) -> None:
    """Ignore an unreported write."""


class Executions:
    """Extractor of the lineage of executions, with the state of their application; `variables` are its SQL variables."""

    def __init__(
        self,
        attribution: Attribution,
        options: TraversalOptions,
        unreported: UnreportedWriteHandler,
        *,
        has_plan_text: bool,
    ) -> None:
        self._attribution = attribution
        self._options = options
        self._unreported = unreported
        self._has_plan_text = has_plan_text
        self.variables = Variables()
        self._calls = ProcedureCalls()

    def processes(self, ended: Ended, *more: Origins) -> Extraction:
        """Return the processes of an execution; `more` are additional origins, queried before the application's own."""
        event, opened = ended
        query = event.query_execution
        if query is None or query.analyzed is None:
            return Extraction(counts={"execution without a plan": 1})
        if is_result(query.analyzed, query.mode):
            return Extraction(counts={"result of a command read again": 1})
        run, application = self._run(event, opened, query), self.application(opened, query)
        options = self._with(more, query.session)
        if query.call is not None:
            if self._calls.is_reported(event.name, query.call, query.session, query.analyzed):
                return Extraction(counts={"result of a command read again": 1})
            return extract_copy(query.call, run, application, options)
        self._calls.running = ()  # the same call after another statement is a new one
        return extract(query.analyzed, run, application, options, write_metrics(query), query.scans)

    def read(self, ended: Ended) -> Extraction:
        """Return the process of a query that returns its rows to the driver."""
        event, opened = ended
        query = event.query_execution
        if query is None or query.analyzed is None:
            return Extraction()
        run, application = self._run(event, opened, query), self.application(opened, query)
        return extract_read(query.analyzed, run, application, self._with((), query.session), query.scans)

    def _run(self, event: SparkListenerSQLExecutionEnd, opened: OpenExecution, query: QueryExecution) -> Run:
        return Run(
            execution_id=event.execution_id,
            started_ms=opened.started_ms,
            ended_ms=event.time,
            query_text=query.sql_text,
            failure=None if event.failure is None else failure_text(event.failure),
            plan_text=plan_text(query.analyzed) if self._has_plan_text and query.analyzed is not None else None,
            requester=opened.requester,
            jobs=event.jobs,
        )

    def complete(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """Return a process of an action with what its nested executions show: the table as written, and counts."""
        if isinstance(root, (SaveAsV1TableCommand, V2CreateTableAsSelect)):
            process = self._as_written(process, root, within)
        return with_nested_metrics(process, root, [event for event, _ in within], self._options)

    def _as_written(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """Return a process of `saveAsTable` or CTAS with the table as its nested execution wrote it.

        Spark 4's `SaveAsV1TableCommand` holds the user's query; only the nested command has the full table name, and the
        columns in the order and spelling of the table. The catalog may choose the location of a V2 table.
        """
        writing = WRITING_SAVED if isinstance(root, SaveAsV1TableCommand) else V2Write
        nested = (ended for ended in within if isinstance(analyzed_plan(ended[0]), writing))
        written = next((nested_process for ended in nested for nested_process in self.processes(ended).processes), None)
        if written is None:
            return process
        if isinstance(root, SaveAsV1TableCommand):
            return dataclasses.replace(written, run=process.run)
        places = {d.key: d.location for d in written.outputs if isinstance(d, TableDataset)}
        outputs = (
            dataclasses.replace(d, location=d.location or places.get(d.key)) if isinstance(d, TableDataset) else d
            for d in process.outputs
        )
        return dataclasses.replace(process, outputs=tuple(outputs))

    def report(self, ended: Ended, unreported: Iterable[str]) -> None:
        """Report the writes of an execution that have no process, one per reason; do nothing if the execution failed."""
        event, opened = ended
        if event.failure is None and event.query_execution is not None:
            for reason in unreported:
                self._unreported(self.application(opened, event.query_execution), reason)

    def application(self, opened: OpenExecution, query: QueryExecution) -> Application:
        """Return the application under the job that an execution belongs to."""
        run_id = query.run_id if isinstance(query, IncrementalExecution) else None
        application = self._attribution.application_of(query.session, run_id, properties=opened.properties)
        if not opened.configs and not query.session_names:
            return application
        return with_session_job(application, opened.configs, query.session_names)

    def origin(self, plan: LogicalPlan, counts: Counter[str], *more: Origins, session: str | None = None) -> Origin:
        """Return the origin of the rows of a plan, with the variables of a session."""
        return origin(plan, self._attribution.application_of(session), counts, self._with(more, session))

    def _with(self, more: tuple[Origins, ...], session: str | None) -> TraversalOptions:
        origins = (*more, *self._options.origins)
        options = dataclasses.replace(
            self._options,
            origins=origins,
            column_origins=tuple(known for known in self._options.column_origins if known.columns),
        )
        if not self.variables.sources:
            return options
        return dataclasses.replace(options, variables=self.variables.origins_in(session))


def is_result(plan: LogicalPlan, mode: str) -> bool:
    """Return whether a plan reads the result of a command that ran in an earlier execution (`CommandExecutionMode.ALL`)."""
    is_command = plan.is_command or (isinstance(plan, Union) and all(c.is_command for c in plan.children))
    return is_command and mode == "ALL"


def analyzed_plan(event: SparkListenerSQLExecutionEnd) -> LogicalPlan | None:
    """Return the analyzed plan of an execution; None if it has none."""
    return event.query_execution.analyzed if event.query_execution else None


def successful_plan(event: SparkListenerSQLExecutionEnd) -> LogicalPlan | None:
    """Return the plan that an execution ran successfully; None if it failed or only reads a command's result again."""
    query, plan = event.query_execution, analyzed_plan(event)
    if event.failure is not None or query is None or plan is None or is_result(plan, query.mode):
        return None
    return plan


MAX_JOBS = 100
"""Jobs listed for one action, as for one execution (`spark/java/Jobs`)."""
WRITING_SAVED = (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand)
"""The commands that write the table of `SaveAsV1TableCommand`."""
CHANGING_ROWS = (DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand)
"""Commands of Delta Lake whose transactions also count unchanged rows, which they rewrite."""


def with_nested_metrics(
    process: Process, root: LogicalPlan, within: Sequence[SparkListenerSQLExecutionEnd], options: TraversalOptions
) -> Process:
    """Return the process of an action with the jobs of all its executions, and the metrics of the nested ones.

    The metrics of a DELETE, UPDATE or MERGE as `root` are ignored: such a command also rewrites unchanged rows.
    """
    jobs = sorted({*process.run.jobs, *(job for inner in within for job in inner.jobs)})[:MAX_JOBS]
    run = dataclasses.replace(process.run, jobs=tuple(jobs))
    if metrics_of_run(run) == NOT_COUNTED and not run.failure:
        only = metrics_of_only_write(inner.query_execution for inner in within)
        is_known = only != NOT_COUNTED or isinstance(root, CHANGING_ROWS)
        if not is_known:  # writers without a command in the plan; all transactions of an action write one table
            only = total(m for inner in within if inner.failure is None for m in transaction_metrics(inner))
        run = only.apply_to(run)
    process = dataclasses.replace(process, run=run)
    return (
        process if run.read or run.failure or not within else with_reads(process, merge_reads(_read(within, options)))
    )


def _read(within: Sequence[SparkListenerSQLExecutionEnd], options: TraversalOptions) -> Iterator[DatasetRead]:
    for inner in within:
        query = inner.query_execution
        if inner.failure is None and query is not None and query.analyzed is not None and query.scans:
            flow = QueryFlow(options, Counter())
            flow.skip_columns(NOT_PROJECTED)  # only the datasets are needed
            flow.follow(query.analyzed)
            yield from reads(query.scans, flow.datasets_at())
