"""Starts and ends of executions, and their nesting."""

from __future__ import annotations

from collections import Counter

from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart


def start(number: int, root: int | None) -> SparkListenerSQLExecutionStart:
    return SparkListenerSQLExecutionStart(execution_id=number, root_execution_id=root, time=number)


def nested_in(executions: OpenExecutions, number: int) -> list[int] | None:
    _, within = executions.end(
        SparkListenerSQLExecutionEnd(execution_id=number, time=100 + number, failure=None, query_execution=None)
    )
    return None if within is None else [event.execution_id for event, _ in within]


def test_an_execution_is_nested_in_its_root() -> None:
    executions = OpenExecutions(Counter())
    for event in (start(1, 1), start(2, 1), start(3, 1)):
        executions.start(event)
    assert [nested_in(executions, number) for number in (3, 2, 1)] == [None, None, [3, 2]]
    assert not executions


def test_first_execution_is_the_root_if_the_root_has_not_started() -> None:
    """Nest commands that `spark-sql` runs while it plans the statement, whose start Spark posts later."""
    executions = OpenExecutions(Counter())
    executions.start(start(1, 0))
    executions.start(start(2, 0))
    assert nested_in(executions, 2) is None
    assert nested_in(executions, 1) == [2]
    executions.start(start(3, 0))
    assert nested_in(executions, 3) == []
    executions.start(start(0, 0))
    assert nested_in(executions, 0) == []
    assert not executions
