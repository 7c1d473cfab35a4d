"""What one execution means, with what the application knows: its job, what its settings follow, what was checkpointed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from sac_kafka.lineage.columns.origins import Origin, Origins
from sac_kafka.lineage.columns.variables import Variables
from sac_kafka.lineage.extract import Extraction, extract, origin, reading
from sac_kafka.lineage.flow import Following
from sac_kafka.lineage.model import Application, Process, Requester, Run, TableDataset
from sac_kafka.lineage.runs.failures import failure_text
from sac_kafka.lineage.runs.figures import figures
from sac_kafka.lineage.runs.job import of_session
from sac_kafka.lineage.runs.plan_text import plan_text
from sac_kafka.lineage.within import with_figures
from sac_kafka.plan.commands import CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union
from sac_kafka.plan.v2_writes import V2CreateTableAsSelect, V2Write


@dataclasses.dataclass(slots=True)
class OpenExecution:
    """An execution that has begun, and the one that it runs within: itself for a root.

    `configs` is what the session has otherwise than the driver, `created` the keys of tables and views that were made
    meanwhile; None where that is not known. `is_of_batch` is True for a micro-batch of a streaming query and what runs in it.
    `reads` are those of the driver whose values the statement holds.
    """

    root: int
    started_ms: int
    configs: Mapping[str, str] | None = None
    requester: Requester | None = None
    created: set[str] | None = None
    is_of_batch: bool = False
    reads: tuple[int, ...] = ()


Ended = tuple[SparkListenerSQLExecutionEnd, OpenExecution]
"""An execution that is over, and how it began."""


class Executions:
    """Extracts the executions of one application."""

    def __init__(self, application: Application, following: Following, *, has_plan_text: bool) -> None:
        self._application = application
        self._following = following
        self._has_plan_text = has_plan_text
        self._variables = Variables()

    def processes(self, ended: Ended, *more: Origins) -> Extraction:
        """The processes of an execution; `more` know the rows of some leaves, and are asked first."""
        event, opened = ended
        query = event.query_execution
        if query is None or query.analyzed is None:
            return Extraction(counts={"execution without a plan": 1})
        if is_result(query.analyzed, query.mode):
            return Extraction(counts={"result of a command read again": 1})
        run, application = self._run(event, opened, query), self.application(opened, query)
        following = self._with(more, query.session)
        return extract(query.analyzed, run, application, following, figures(query), query.scans)

    def read(self, ended: Ended) -> Extraction:
        """The process of a query whose rows end in the driver."""
        event, opened = ended
        query = event.query_execution
        if query is None or query.analyzed is None:
            return Extraction()
        run, application = self._run(event, opened, query), self.application(opened, query)
        return reading(query.analyzed, run, application, self._with((), query.session), query.scans)

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

    def with_figures(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """The process with what was counted within its execution, as of `within.with_figures`."""
        return with_figures(process, root, [event for event, _ in within], self._following)

    def as_written(self, process: Process, root: LogicalPlan, within: Sequence[Ended]) -> Process:
        """Spark 4's saveAsTable holds the query as the user wrote it: the execution within it has it as it is written.

        There the table's name is whole, and the columns have its order and spelling.
        """
        if isinstance(root, V2CreateTableAsSelect):
            return self._as_made(process, within)
        if not isinstance(root, SaveAsV1TableCommand):
            return process
        for inner, at in within:
            if isinstance(analyzed(inner), (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand)):
                for written in self.processes((inner, at)).processes:
                    return dataclasses.replace(written, run=process.run)
        return process

    def _as_made(self, process: Process, within: Sequence[Ended]) -> Process:
        """The statement may leave to the catalog where its table lies: the write within it has the table as it was made."""
        for inner, at in within:
            if isinstance(analyzed(inner), V2Write):
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
        """The application under the job of the session that an execution runs in."""
        return of_session(self._application, opened.configs, query.session_names)

    def set_variables(self, event: SparkListenerSQLExecutionEnd, counts: Counter[str], *more: Origins) -> None:
        """Take notice of what an execution that has succeeded has made of SQL variables."""
        session = event.query_execution.session if event.query_execution else None
        self._variables.add(event, lambda plan: self.origin(plan, counts, *more, session=session))

    def origin(self, plan: LogicalPlan, counts: Counter[str], *more: Origins, session: str | None = None) -> Origin:
        """What the rows of a plan were made of, in a session."""
        return origin(plan, self._application, counts, self._with(more, session))

    def _with(self, more: tuple[Origins, ...], session: str | None) -> Following:
        origins = (*more, *self._following.origins)
        return dataclasses.replace(self._following, origins=origins, variables=self._variables.of(session))


def is_result(plan: LogicalPlan, mode: str) -> bool:
    """A command runs in an execution of its own; under mode ALL its node is the plan of an action on its result."""
    is_command = plan.is_command or (isinstance(plan, Union) and all(c.is_command for c in plan.children))
    return is_command and mode == "ALL"


def analyzed(event: SparkListenerSQLExecutionEnd) -> LogicalPlan | None:
    """The analyzed plan of an execution, None where there is none."""
    return event.query_execution.analyzed if event.query_execution else None


def succeeded(event: SparkListenerSQLExecutionEnd) -> LogicalPlan | None:
    """The command that an execution has run with success; None for one that reads its result again."""
    query, plan = event.query_execution, analyzed(event)
    if event.failure is not None or query is None or plan is None or is_result(plan, query.mode):
        return None
    return plan
