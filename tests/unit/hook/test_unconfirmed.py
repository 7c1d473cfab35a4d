"""Lines of running executions are not confirmed, because another process would need them."""

from __future__ import annotations

from sac_kafka.hook.listener_source import Unconfirmed
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from tests.helpers.fake_driver import FakeListener


def start(number: int) -> SparkListenerSQLExecutionStart:
    return SparkListenerSQLExecutionStart(execution_id=number, root_execution_id=None, time=number)


def end(number: int) -> SparkListenerSQLExecutionEnd:
    return SparkListenerSQLExecutionEnd(execution_id=number, time=number, failure=None, query_execution=None)


def test_all_but_the_lines_of_pending_executions_are_confirmed() -> None:
    listener = FakeListener()
    unconfirmed = Unconfirmed(listener)
    for event in (start(1), start(2), end(2), start(3), end(3), None):
        unconfirmed.add(event)

    unconfirmed.confirm({1, 2})
    assert listener.confirmed == [(6, (1, 2, 3))]

    unconfirmed.confirm({1, 2})
    assert len(listener.confirmed) == 1, "nothing new was read"

    unconfirmed.add(end(1))
    unconfirmed.confirm(())
    assert listener.confirmed[1:] == [(7, ())]
