"""Extract the lineage of one execution with the application's state: its job, options, variables and checkpoints.

The metrics of nested executions (CTAS, saveAsTable, a save through JDBC) are added to the process of their root.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.columns.variables import Variables
from sac_kafka.lineage.extract import Extraction, datasets_at, extract, extract_copy, extract_read, origin, with_reads
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.lineage.procedure_calls import ProcedureCalls
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.lineage.runs.job import with_session_job
from sac_kafka.lineage.runs.metrics import metrics_of_only_write, reads, write_metrics
from sac_kafka.lineage.runs.plan_text import plan_text
from sac_kafka.model import Application, DatasetRead, Process, Requester, Run, TableDataset
from sac_kafka.model.bounds import NOT_PROJECTED
from sac_kafka.model.metrics import NOT_COUNTED, WriteMetrics, merge_reads, metrics_of_run
from sac_kafka.plan.commands import CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.execution import IncrementalExecution, QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union
from sac_kafka.plan.systems.delta import DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand
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


class Executions:
    """Extractor of the lineage of executions, with the state of their application."""

    def __init__(self, attribution: Attribution, options: TraversalOptions, *, has_plan_text: bool) -> None:
        self._attribution = attribution
        self._options = options
        self._has_plan_text = has_plan_text
        self._variables = Variables()
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
        self._calls.end()
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

    def with_nested_metrics(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """Return a process with the counts of its nested executions (`within.with_nested_metrics`)."""
        return with_nested_metrics(process, root, [event for event, _ in within], self._options)

    def as_written(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """Return a process of `saveAsTable` or CTAS with the table as its nested execution wrote it.

        Spark 4's `SaveAsV1TableCommand` holds the user's query; only the nested command has the full table name, and the
        columns in the order and spelling of the table.
        """
        if isinstance(root, V2CreateTableAsSelect):
            return self._as_made(process, within)
        if not isinstance(root, SaveAsV1TableCommand):
            return process
        for inner, at in within:
            if isinstance(analyzed_plan(inner), (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand)):
                for written in self.processes((inner, at)).processes:
                    return dataclasses.replace(written, run=process.run)
        return process

    def _as_made(self, process: Process, within: Sequence[Ended]) -> Process:
        """Return a process of a V2 CTAS with the table's location, which may be chosen by the catalog, from the nested write."""
        for inner, at in within:
            if isinstance(analyzed_plan(inner), V2Write):
                places = {
                    d.key: d.location
                    for written in self.processes((inner, at)).processes
                    for d in written.outputs
                    if isinstance(d, TableDataset)
                }
                outputs = tuple(
                    dataclasses.replace(d, location=d.location or places.get(d.key))
                    if isinstance(d, TableDataset)
                    else d
                    for d in process.outputs
                )
                return dataclasses.replace(process, outputs=outputs)
        return process

    def application(self, opened: OpenExecution, query: QueryExecution) -> Application:
        """Return the application under the job that an execution belongs to."""
        run_id = query.run_id if isinstance(query, IncrementalExecution) else None
        application = self._attribution.application_of(query.session, run_id, properties=opened.properties)
        return with_session_job(application, opened.configs, query.session_names)

    def set_variables(self, event: SparkListenerSQLExecutionEnd, counts: Counter[str], *more: Origins) -> None:
        """Record the SQL variables that a successful execution has set."""
        session = event.query_execution.session if event.query_execution else None
        self._variables.add(event, lambda plan: self.origin(plan, counts, *more, session=session))

    def origin(self, plan: LogicalPlan, counts: Counter[str], *more: Origins, session: str | None = None) -> Origin:
        """Return the origin of the rows of a plan, with the variables of a session."""
        return origin(plan, self._attribution.application_of(session), counts, self._with(more, session))

    def _with(self, more: tuple[Origins, ...], session: str | None) -> TraversalOptions:
        origins = (*more, *self._options.origins)
        return dataclasses.replace(self._options, origins=origins, variables=self._variables.origins_in(session))


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


UnreportedWriteHandler = Callable[[Application, str], None]
"""Called once per unreported write with the application (under the session's job name) and the reason."""


def ignore(_application: Application, _reason: str) -> None:
    """Ignore an unreported write."""


class UnreportedWrites:
    """Reporter of the writes of successful executions for which there is no process."""

    def __init__(self, executions: Executions, handler: UnreportedWriteHandler) -> None:
        self._executions = executions
        self._handler = handler

    def report(self, ended: Ended, reasons: Iterable[str]) -> None:
        """Report the writes of an execution that have no process, one per reason; do nothing if the execution failed."""
        event, opened = ended
        query = event.query_execution
        if event.failure is None and query is not None:
            for reason in reasons:
                self._handler(self._executions.application(opened, query), reason)


MAX_JOBS = 100
"""Jobs listed for one action, as for one execution (`spark/java/Jobs`)."""
CHANGING_ROWS = (DeltaDeleteCommand, DeltaMergeIntoCommand, DeltaUpdateCommand)
"""Commands of Delta Lake whose transactions also count unchanged rows, which they rewrite."""
_METRICS = dataclasses.fields(WriteMetrics)


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
        run = (only if is_known else _count_transactions(within)).apply_to(run)
    process = dataclasses.replace(process, run=run)
    return process if run.read or run.failure else with_reads(process, merge_reads(_read(within, options)))


def _count_transactions(within: Sequence[SparkListenerSQLExecutionEnd]) -> WriteMetrics:
    """Return the total of writers that have no command in the plan: all transactions of an action write one table."""
    found = [
        WriteMetrics(*each.counted) for each in within if each.failure is None and len(each.counted) == len(_METRICS)
    ]
    return functools.reduce(operator.add, found) if found else NOT_COUNTED


def _read(within: Sequence[SparkListenerSQLExecutionEnd], options: TraversalOptions) -> Iterator[DatasetRead]:
    for inner in within:
        query = inner.query_execution
        if inner.failure is None and query is not None and query.analyzed is not None and query.scans:
            flow = QueryFlow(options, Counter())
            flow.skip_columns(NOT_PROJECTED)  # only the datasets are needed
            flow.follow(query.analyzed)
            yield from reads(query.scans, datasets_at(flow))
