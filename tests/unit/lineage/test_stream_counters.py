"""What the executions of a batch count, attributed to the writes of its function."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.streams.batch import ExecutionCounters, repeated_total
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics
from sac_kafka.plan.errors import Throwable
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.streaming_events import RepeatedWrites
from sac_kafka.plan.systems.delta import DeltaDeleteCommand

PLAN = LogicalPlan(class_name="org.x.Plan")


def end(
    execution: int,
    *rows: int,
    counted: tuple[int, ...] = (),
    plan: LogicalPlan = PLAN,
    failure: Throwable | None = None,
) -> SparkListenerSQLExecutionEnd:
    """Return the end of an execution whose commands wrote these rows, each in one file of ten bytes a row."""
    query = QueryExecution(
        analyzed=plan,
        mode="SKIP",
        sql_text=None,
        rows_written=rows,
        files_written=(1,) * len(rows),
        bytes_written=tuple(10 * n for n in rows),
    )
    return SparkListenerSQLExecutionEnd(
        execution_id=execution, time=1, failure=failure, query_execution=query, counted=counted
    )


def test_commands_are_counted_by_their_number() -> None:
    first, second = end(3, 5, 7), end(4, 9)
    counters = ExecutionCounters([first, second], {3, 4})
    assert [counters.positions(*write) for write in ((first, 0), (first, 1), (second, 0))] == [(0,), (1,), (2,)]
    assert counters.total((1,)) == WriteMetrics(7, 1, 70)
    assert counters.total((1, 2)) == WriteMetrics(16, 2, 160)
    assert counters.positions(second, 1) == counters.positions(second, None) == ()
    assert counters.total(()) == NOT_COUNTED


def test_a_nested_command_counts_for_the_write_that_runs_it() -> None:
    """A CTAS, `saveAsTable`: only the nested write of files counts."""
    nested, outer, later = end(5, 8), end(4), end(6, 1)
    counters = ExecutionCounters([nested, outer, later], {4, 6})
    assert counters.positions(outer, 0) == (0,)
    assert counters.positions(later, 0) == (1,)
    assert ExecutionCounters([end(5, 8), end(6, 2), outer], {4}).positions(outer, 0) == ()


def test_transactions_of_delta_lake_are_added_up_but_for_those_that_rewrite_rows() -> None:
    inner = [end(5, counted=(3, 1, 30)), end(6, counted=(4, 2, 40))]
    counters = ExecutionCounters([*inner, end(4)], {4})
    assert counters.total(counters.positions(end(4), 0)) == WriteMetrics(7, 3, 70)
    deletion = end(4, plan=DeltaDeleteCommand(class_name="org.x.Delete", target=PLAN, condition=None))
    assert ExecutionCounters([*inner, deletion], {4}).positions(deletion, 0) == ()


def test_executions_of_two_threads_that_share_a_batch_are_not_told_apart() -> None:
    """Threads may inherit the root execution; then only a write's own command is certain."""
    nested, one, other = end(6, 3), end(4), end(5, 2)
    counters = ExecutionCounters([nested, one, other], {4, 5})
    assert counters.positions(one, 0) == ()
    assert counters.positions(other, 0) == (1,)


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ((0,), WriteMetrics(10, None, 100)),
        ((0, 1), WriteMetrics(None, None, 100)),
        ((2,), NOT_COUNTED),
        ((), NOT_COUNTED),
    ],
)
def test_repeated_batches_are_counted_at_the_same_positions(positions: tuple[int, ...], expected: WriteMetrics) -> None:
    repeated = RepeatedWrites(
        execution=2, batches=4, rows_written=(10, -1), files_written=(-1, 3), bytes_written=(100, 0)
    )
    assert repeated_total(positions, repeated) == expected
