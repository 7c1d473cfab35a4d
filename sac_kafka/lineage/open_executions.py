"""Executions between their start and their end: pairs the two, and keeps those within another one until that ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.executions import Ended, OpenExecution
from sac_kafka.lineage.runs.requesters import Requesters
from sac_kafka.plan.driver_notes import tagged_reads
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.plan.servers import (
    EXECUTION,
    ROOT_EXECUTION,
    SparkListenerJobStart,
    SparkListenerThriftServerOperationStart,
)

MAX_OPEN = 10_000
MAX_WITHIN = 64
"""Executions that are remembered until their end, and, of one root, those within it."""


class OpenExecutions:
    """The executions of an application that have begun and are not over; `counts` has those that were forgotten."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._open: Bounded[int, OpenExecution] = Bounded(MAX_OPEN, self._never_ended)
        self._within: dict[int, list[Ended]] = {}
        self._requesters = Requesters()

    def __bool__(self) -> bool:
        """True while one is open."""
        return bool(self._open)

    @property
    def roots(self) -> frozenset[int]:
        """The executions that those which are open run within."""
        return frozenset(o.root for o in self._open.values())

    @property
    def batches(self) -> tuple[int, ...]:
        """The micro-batches of streaming queries that are open."""
        return tuple(execution for execution, o in self._open.items() if o.is_of_batch and o.root == execution)

    def start(self, event: SparkListenerSQLExecutionStart) -> None:
        """One begins."""
        root = event.execution_id if event.root_execution_id is None else event.root_execution_id
        requester = self._requesters.of_execution(event)
        at = self._open.get(root)
        # A function may describe what it runs in its own words.
        is_batch = event.stream is not None or (at is not None and at.is_of_batch)
        self._open[event.execution_id] = OpenExecution(
            root, event.time, event.modified_configs, requester, set(), is_batch, tagged_reads(event.job_tags)
        )

    def served(self, event: SparkListenerThriftServerOperationStart) -> None:
        """A server begins a statement, whose executions come."""
        self._requesters.add(event)

    def asked(self, event: SparkListenerJobStart) -> None:
        """A job says who had a server run the execution that it is of."""
        requester = self._requesters.of_job(event)
        for execution in (event.properties.get(key, "") for key in (EXECUTION, ROOT_EXECUTION)):
            opened = self._open.get(int(execution)) if execution.isdecimal() else None
            if opened is not None and requester is not None:
                opened.requester = requester

    def created(self, key: str) -> None:
        """A table or view was made while these were open."""
        for opened in self._open.values():
            if opened.created is not None:
                opened.created.add(key)

    def end(self, event: SparkListenerSQLExecutionEnd) -> tuple[OpenExecution, list[Ended] | None]:
        """How an execution that is over began, and those within it; None in their place where its root is still open.

        Without a start (attached in the middle of it) it counts as a root.
        """
        opened = self._open.pop(event.execution_id, None) or OpenExecution(event.execution_id, event.time)
        if opened.root == event.execution_id or opened.root not in self._open:
            return opened, self._within.pop(event.execution_id, [])
        within = self._within.setdefault(opened.root, [])
        if len(within) < MAX_WITHIN:
            within.append((event, opened))
        else:
            self._counts["execution within another one left out: too many"] += 1
        return opened, None

    def forget(self, executions: Iterable[int]) -> None:
        """These are over, and nothing is made of them."""
        for execution in executions:
            self._open.pop(execution, None)

    def _never_ended(self, execution: int, opened: OpenExecution) -> None:
        del opened
        self._within.pop(execution, None)
        self._counts["execution forgotten: it never ended"] += 1
