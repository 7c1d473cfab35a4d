"""Recognise queries that return rows to the driver, and those by which a connector reads its own metadata."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.lineage.model import Process
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.operators import Union

_ACTIONS = frozenset(
    {
        None,  # toLocalIterator, and executions of servers for their clients
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
"""Spark's names for executions of actions that return rows or counts; writes are commands."""

_LOGS = ("/_delta_log", "/.hoodie")
"""Metadata directories of tables, which only their connectors read."""


def ends_in_driver(event: SparkListenerSQLExecutionEnd) -> bool:
    """Return whether an execution returns rows to the driver: it is no command, command result, RDD or checkpoint."""
    query = event.query_execution
    if event.failure is not None or event.rdd_id is not None or query is None or query.analyzed is None:
        return False
    plan = query.analyzed
    is_command = plan.is_command or (isinstance(plan, Union) and any(c.is_command for c in plan.children))
    return event.name in _ACTIONS and not is_command


def is_of_connector(processes: Iterable[Process]) -> bool:
    """Return whether processes read nothing but a table format's own log."""
    inputs = [each.key for process in processes for each in process.inputs]
    return bool(inputs) and all(any(log in key for log in _LOGS) for key in inputs)
