"""Pair the start and end events of executions, collect nested ones until their root ends, and find their requester."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sac_kafka.lineage.executions import Ended, OpenExecution
from sac_kafka.model import Requester
from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.driver_notes import READS_TAG
from sac_kafka.plan.execution import (
    SparkListenerJobStart,
    SparkListenerSQLExecutionEnd,
    SparkListenerSQLExecutionStart,
    SparkListenerThriftServerOperationStart,
    SparkOperationEvent,
)
from sac_kafka.plan.job_properties import EXECUTION, JOB_GROUP, KYUUBI_USER, ROOT_EXECUTION

CONNECT, THRIFT, KYUUBI = "Spark Connect", "Spark Thrift server", "Kyuubi"
MAX_OPERATIONS = 10_000
"""Statements that are remembered; the oldest is evicted first."""

_UUID = "[0-9A-Fa-f-]{36}"
_CONNECT_TAG = re.compile(
    rf"SparkConnect_OperationTag_User_(?P<user>.*)_Session_(?P<session_id>{_UUID})_Operation_(?P<operation_id>{_UUID})",
    re.DOTALL,
)


MAX_OPEN = 10_000
"""Executions remembered until they end."""
MAX_WITHIN = 64
"""Nested executions remembered per root execution."""
MAX_WITHIN_BATCH = 1_000
"""The same for a micro-batch, whose function may write many tables."""


class OpenExecutions:
    """The running executions of an application; those that are discarded are added to `counts`."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._open: Bounded[int, OpenExecution] = Bounded(MAX_OPEN, self._discard)
        self._within: dict[int, list[Ended]] = {}
        self._substitutes: dict[int, int] = {}  # root execution that has not started -> the open one that acts as root
        self._by_group: Bounded[str, Requester] = Bounded(MAX_OPERATIONS)  # statements of servers

    def __bool__(self) -> bool:
        """Return whether any execution is running."""
        return bool(self._open)

    @property
    def roots(self) -> frozenset[int]:
        """The root executions of all running executions."""
        return frozenset(o.root for o in self._open.values())

    @property
    def pending(self) -> frozenset[int]:
        """The running executions, and those that have ended within one that still runs."""
        return frozenset(self._open).union(event.execution_id for ends in self._within.values() for event, _ in ends)

    @property
    def batches(self) -> tuple[int, ...]:
        """The running micro-batches of streaming queries."""
        return tuple(execution for execution, o in self._open.items() if o.is_of_batch and o.root == execution)

    def start(self, event: SparkListenerSQLExecutionStart) -> None:
        """Add an execution that has started.

        Spark posts the start of an execution after planning it (SQLExecution.withNewExecutionId), and `spark-sql` runs commands
        while it plans a statement. So nested executions may start before their root; the first of them then acts as root.
        """
        root = event.execution_id if event.root_execution_id is None else event.root_execution_id
        if root != event.execution_id and root not in self._open:
            root = self._substitutes.setdefault(root, event.execution_id)
        requester = self._requester_of_execution(event)
        reads: list[int] = []
        for tag in event.job_tags:
            if tag.startswith(READS_TAG):
                reads += (int(number) for number in tag.removeprefix(READS_TAG).split("-") if number.isdecimal())
        at = self._open.get(root)
        # Spark marks a batch by the job description, which a `foreachBatch` function may overwrite: inherit the mark.
        is_batch = event.stream is not None or (at is not None and at.is_of_batch)
        self._open[event.execution_id] = OpenExecution(
            root, event.time, event.modified_configs, requester, set(), is_batch, tuple(reads)
        )
        if event.job_group is not None and not is_batch:
            self._open[event.execution_id].properties = {JOB_GROUP: event.job_group}

    def add_operation(self, event: SparkListenerThriftServerOperationStart | SparkOperationEvent) -> None:
        """Add a statement of a server, whose executions start later."""
        if isinstance(event, SparkOperationEvent):
            group, user, server, operation = event.statement_id, event.session_user, KYUUBI, event.statement_id
        else:
            group, user, server, operation = event.group_id, event.user_name or "", THRIFT, event.id
        self._by_group[group] = Requester(user=user, server=server, session_id=event.session_id, operation_id=operation)

    def add_job(self, event: SparkListenerJobStart) -> None:
        """Add the first job of an execution: its properties may name a server's user, a notebook or a task."""
        requester = self._requester_of_job(event)
        for execution in (event.properties.get(key, "") for key in (EXECUTION, ROOT_EXECUTION)):
            opened = self._open.get(int(execution)) if execution.isdecimal() else None
            if opened is None:
                continue
            opened.properties = event.properties
            if requester is not None:
                opened.requester = requester

    def note_creation(self, key: str) -> None:
        """Record that a table or view was created while these executions run."""
        for opened in self._open.values():
            if opened.created is not None:
                opened.created.add(key)

    def end(self, event: SparkListenerSQLExecutionEnd) -> tuple[OpenExecution, list[Ended] | None]:
        """Remove an execution that has ended.

        An execution without a start event (the hook attached while it ran) counts as a root execution.

        Returns:
            Its start, and the executions nested in it; None instead of these while its root execution still runs.
        """
        opened = self._open.pop(event.execution_id, None) or OpenExecution(event.execution_id, event.time)
        self._substitutes = {root: other for root, other in self._substitutes.items() if other in self._open}
        if opened.root == event.execution_id or opened.root not in self._open:
            return opened, self._within.pop(event.execution_id, [])
        within = self._within.setdefault(opened.root, [])
        if len(within) < (MAX_WITHIN_BATCH if opened.is_of_batch else MAX_WITHIN):
            within.append((event, opened))
        else:
            self._counts["nested execution ignored: too many in one action"] += 1
        return opened, None

    def forget(self, executions: Iterable[int]) -> None:
        """Remove executions that have ended and need no processing."""
        for execution in executions:
            self._open.pop(execution, None)

    def _requester_of_execution(self, event: SparkListenerSQLExecutionStart) -> Requester | None:
        """Return the requester of an execution; None if its start event does not name one."""
        for tag in event.job_tags:
            if match := _CONNECT_TAG.fullmatch(tag):
                return Requester(server=CONNECT, **match.groupdict())
        return self._by_group.get(event.job_group or "")

    def _requester_of_job(self, event: SparkListenerJobStart) -> Requester | None:
        """Return the requester that the properties of a job name for its execution."""
        group, user = event.properties.get(JOB_GROUP), event.properties.get(KYUUBI_USER)
        known = self._by_group.get(group or "")
        return Requester(user=user, server=KYUUBI, operation_id=group) if user and known is None else known

    def _discard(self, execution: int, opened: OpenExecution) -> None:
        del opened
        self._within.pop(execution, None)
        self._counts["execution discarded: no end event"] += 1
