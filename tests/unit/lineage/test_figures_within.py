"""Write metrics of an action, as counted by its nested executions."""

from __future__ import annotations

import dataclasses

import pytest

from sac_kafka.lineage.executions import with_nested_metrics
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.model import Run
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.systems.delta import DeltaDeleteCommand
from sac_kafka.plan.wire import UnknownObject
from tests.unit.atlas.flows import ORDERS, TOTALS, copy

SAVE: LogicalPlan = UnknownPlan(class_name="org.x.Save", is_command=True)
DELETE = DeltaDeleteCommand(class_name="org.x.DeleteCommand", target=SAVE, condition=None)
PLAN = QueryExecution(analyzed=None, mode="ALL", sql_text=None)
COMMAND = dataclasses.replace(PLAN, rows_written=(7,), files_written=(2,), bytes_written=(70,))


def _ended(*counted: int, query: QueryExecution = PLAN, failed: bool = False) -> SparkListenerSQLExecutionEnd:
    return SparkListenerSQLExecutionEnd(
        execution_id=8,
        time=0,
        failure=UnknownObject("org.example.Failure") if failed else None,  # type: ignore[arg-type]
        query_execution=query,
        counted=counted,
    )


@pytest.mark.parametrize(
    ("within", "figures"),
    [
        ([], (None, None, None)),
        ([_ended()], (None, None, None)),
        ([_ended(10, 1, 800)], (10, 1, 800)),
        ([_ended(), _ended(10, 1, 800), _ended(3, 2, 50)], (13, 3, 850)),
        ([_ended(10, 1, 800), _ended(3, 2, 50, failed=True)], (10, 1, 800)),
        ([_ended(query=COMMAND)], (7, 2, 70)),
        ([_ended(query=COMMAND), _ended(10, 1, 800)], (7, 2, 70)),
    ],
    ids=[
        "nothing within",
        "reads",
        "a transaction",
        "two",
        "one that failed",
        "a command",
        "a command and a transaction",
    ],
)
def test_a_write_without_a_command_is_counted_by_its_driver(
    within: list[SparkListenerSQLExecutionEnd], figures: tuple[int | None, ...]
) -> None:
    bare = dataclasses.replace(copy(ORDERS, TOTALS), run=Run(execution_id=7))
    run = with_nested_metrics(bare, SAVE, within, TraversalOptions()).run
    assert (run.rows_written, run.files_written, run.bytes_written) == figures


def test_own_metrics_of_an_action_are_kept() -> None:
    own = dataclasses.replace(copy(ORDERS, TOTALS), run=Run(execution_id=7, rows_written=1))
    assert with_nested_metrics(own, SAVE, [_ended(10, 1, 800)], TraversalOptions()).run.rows_written == 1


def test_rows_rewritten_unchanged_are_not_counted() -> None:
    bare = dataclasses.replace(copy(ORDERS, TOTALS), run=Run(execution_id=7))
    assert with_nested_metrics(bare, DELETE, [_ended(10, 1, 800)], TraversalOptions()).run.rows_written is None
