"""One user action, one outcome: pairs the start and end of executions, and merges those that run within another one.

A CTAS, a `saveAsTable`, a directory insert run one or two more executions within themselves. The root speaks for them;
only where the root writes nothing itself do the executions within it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, OrderedDict
from collections.abc import Iterator

from sac_kafka.lineage.datasets import Patterns
from sac_kafka.lineage.extract import Extraction, extract
from sac_kafka.lineage.model import Application, Process, Run, TableDataset
from sac_kafka.plan.execution import Event, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union

MOST_OPEN = 10_000
MOST_WITHIN = 64
"""Executions that are remembered until their end, and, of one root, those within it."""


@dataclasses.dataclass(slots=True)
class _Open:
    root: int
    started_ms: int


class Actions:
    """Takes the events of an application in order; yields what each finished action means."""

    def __init__(self, application: Application, patterns: Patterns) -> None:
        self._application = application
        self._patterns = patterns
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._within: dict[int, list[tuple[SparkListenerSQLExecutionEnd, _Open]]] = {}
        self.counts: Counter[str] = Counter()

    def add(self, event: Event) -> Iterator[Process]:
        """The processes of the action that this event finishes."""
        if isinstance(event, SparkListenerSQLExecutionStart):
            self._start(event)
            return
        yield from self._end(event)

    def _start(self, event: SparkListenerSQLExecutionStart) -> None:
        root = event.execution_id if event.root_execution_id is None else event.root_execution_id
        self._open[event.execution_id] = _Open(root, event.time)
        if len(self._open) > MOST_OPEN:
            forgotten, _ = self._open.popitem(last=False)
            self._within.pop(forgotten, None)
            self.counts["execution forgotten: it never ended"] += 1

    def _end(self, event: SparkListenerSQLExecutionEnd) -> Iterator[Process]:
        self.counts["executions"] += 1
        # Without a start (attached in the middle of it) an execution counts as a root.
        opened = self._open.pop(event.execution_id, None) or _Open(event.execution_id, event.time)
        if opened.root != event.execution_id and opened.root in self._open:
            within = self._within.setdefault(opened.root, [])
            if len(within) < MOST_WITHIN:
                within.append((event, opened))
            else:
                self.counts["execution within another one left out: too many"] += 1
            return
        within = self._within.pop(event.execution_id, [])
        if event.failure is not None:
            self.counts["executions failed"] += 1
            return
        yield from self._outcome(event, opened, within)

    def _outcome(
        self,
        event: SparkListenerSQLExecutionEnd,
        opened: _Open,
        within: list[tuple[SparkListenerSQLExecutionEnd, _Open]],
    ) -> Iterator[Process]:
        found = self._extract(event, opened)
        self.counts.update(found.counts)
        if found.processes:
            self.counts["executions within another one"] += len(within)
            for process in found.processes:
                yield self._named(process, within)
            return
        for inner, at in within:
            if inner.failure is None:
                deeper = self._extract(inner, at)
                self.counts.update(deeper.counts)
                yield from deeper.processes
        if not within:
            self.counts["executions without output"] += 1

    def _extract(self, event: SparkListenerSQLExecutionEnd, opened: _Open) -> Extraction:
        query = event.query_execution
        if query is None or query.analyzed is None:
            return Extraction(counts={"execution without a plan": 1})
        if _is_result(query.analyzed, query.mode):
            return Extraction(counts={"result of a command read again": 1})
        run = Run(
            execution_id=event.execution_id,
            started_ms=opened.started_ms,
            ended_ms=event.time,
            query_text=query.sql_text,
        )
        return extract(query.analyzed, run, self._application, self._patterns)

    def _named(self, process: Process, within: list[tuple[SparkListenerSQLExecutionEnd, _Open]]) -> Process:
        """Spark 4's saveAsTable leaves the database to the session: the execution within it knows the whole name."""
        (output,) = process.outputs
        if not isinstance(output, TableDataset):
            return process
        for inner, at in within:
            for other in self._extract(inner, at).processes:
                (named,) = other.outputs
                if isinstance(named, TableDataset) and named.name == output.name and named.key != output.key:
                    return _renamed(process, output, named)
        return process


def _is_result(plan: LogicalPlan, mode: str) -> bool:
    """A command runs in an execution of its own; under mode ALL its node is the plan of an action on its result."""
    is_command = plan.is_command or (isinstance(plan, Union) and all(c.is_command for c in plan.children))
    return is_command and mode == "ALL"


def _renamed(process: Process, output: TableDataset, named: TableDataset) -> Process:
    whole = dataclasses.replace(output, database=named.database, catalog=named.catalog)
    lineage = tuple(dataclasses.replace(c, dataset=whole.key) for c in process.columns)
    return dataclasses.replace(process, outputs=(whole,), columns=lineage)
