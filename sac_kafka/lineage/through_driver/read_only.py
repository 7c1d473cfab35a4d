"""Queries whose rows end in the driver: which executions are such, and which of them are a connector's own."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.lineage.model import Process
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.operators import Union

_ACTIONS = frozenset(
    {
        None,  # of toLocalIterator, and of what servers run for their clients
        "collect",
        "collectAsArrowToPython",
        "collectAsList",
        "collectToPython",
        "count",
        "first",
        "foreach",
        "foreachPartition",
        "getRowsToPython",
        "head",
        "isEmpty",
        "reduce",
        "tail",
        "tailToPython",
        "take",
        "takeAsList",
        "toLocalIterator",
    }
)
"""What Spark calls the executions of actions that give rows, or what is counted of them; writes are commands."""

_LOGS = ("/_delta_log", "/.hoodie")
"""Directories of tables that nobody but their connector reads."""


def ends_in_driver(event: SparkListenerSQLExecutionEnd) -> bool:
    """True for an action that gives rows to the driver: no command, nor its result read again, no RDD, no checkpoint."""
    query = event.query_execution
    if event.failure is not None or event.rdd_id is not None or query is None or query.analyzed is None:
        return False
    plan = query.analyzed
    is_command = plan.is_command or (isinstance(plan, Union) and any(c.is_command for c in plan.children))
    return event.name in _ACTIONS and not is_command


def is_of_connector(processes: Iterable[Process]) -> bool:
    """True where a connector reads its own log."""
    inputs = [each.key for process in processes for each in process.inputs]
    return bool(inputs) and all(any(log in key for log in _LOGS) for key in inputs)
