"""Rows that may belong to a thread of a streaming function are kept; certainly foreign ones are reported at once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Columns
from sac_kafka.lineage.executions import Ended, OpenExecution
from sac_kafka.lineage.stream_actions import MAX_HELD, FunctionThreads
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdds import RddRows
from sac_kafka.plan.relations import LogicalRDD, RowsWithoutDataset

ID = Attribute(1, "id", "bigint", True)
NODE: dict[str, Any] = {"output": (ID,)}
MINE, OTHER = "session of the query", "session of the driver"
BATCH = 7


class Checkpoints:
    """Checkpoints that know the RDD 1 only."""

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        return Origin(inputs=(), columns=Columns(())) if isinstance(leaf, LogicalRDD) and leaf.rdd_id == 1 else None


def rows(rdd: int, *queries: int) -> LogicalPlan:
    of = RddRows(rdd_id=rdd, reads=(), query_ids=queries, queries=(), is_cut=False)
    return LogicalRDD(class_name="org.x.LogicalRDD", **NODE, rdd_id=rdd, rows=of)


def ended(plan: LogicalPlan | None, session: str | None = OTHER) -> Ended:
    query = QueryExecution(analyzed=plan, mode="ALL", sql_text=None, session=session)
    return SparkListenerSQLExecutionEnd(execution_id=9, time=1, failure=None, query_execution=query), OpenExecution(
        9, 1
    )


@pytest.fixture
def counts() -> Counter[str]:
    return Counter()


@pytest.fixture
def threads(counts: Counter[str]) -> FunctionThreads:
    return FunctionThreads((Checkpoints(),), counts)


@pytest.mark.parametrize(
    ("plan", "is_kept"),
    [
        (rows(2, 2), True),
        (LogicalRDD(class_name="org.x.LogicalRDD", **NODE, rdd_id=2, rows=None), True),
        (rows(1, 1), False),
        (rows(3), False),
        (rows(3, 2), False),
        (RowsWithoutDataset(class_name="org.x.LocalRelation", **NODE), False),
        (None, False),
    ],
    ids=["rows of a query", "RDDs are not followed", "a checkpoint", "a list", "mapped rows", "no RDD", "no plan"],
)
def test_rows_of_an_unknown_query_may_belong_to_a_batch(
    threads: FunctionThreads, plan: LogicalPlan | None, *, is_kept: bool
) -> None:
    assert not threads.hold((ended(plan), []), ())  # while no batch is open
    assert threads.hold((ended(plan), []), (BATCH,)) == is_kept
    assert not threads.hold((ended(plan, None), []), (BATCH,))
    assert len(threads.release_all()) == is_kept


def test_session_of_a_query_belongs_to_it_until_it_ends(threads: FunctionThreads) -> None:
    assert threads.release_session(MINE) == []
    first, second = (ended(rows(3), MINE), []), (ended(rows(4), MINE), [])
    assert threads.hold(first, ())
    assert threads.release_session(OTHER) == []
    assert threads.release_after((BATCH,)) == []
    assert threads.release_session(MINE) == [first]
    assert threads.hold(second, ())
    assert threads.release_session(MINE, has_ended=True) == [second]
    assert not threads.hold(second, ())


def test_unclaimed_rows_wait_for_the_open_batches(threads: FunctionThreads) -> None:
    action = (ended(rows(2, 2)), [])
    assert threads.hold(action, (BATCH, BATCH + 1))
    assert threads.release_after((BATCH,)) == []
    assert threads.release_after((BATCH + 1,)) == [action]
    assert threads.release_all() == []


def test_excess_is_reported_and_counted(threads: FunctionThreads, counts: Counter[str]) -> None:
    kept = [threads.hold((ended(rows(2, 2)), []), (BATCH,)) for _ in range(MAX_HELD + 2)]
    assert kept.count(False) == 2
    assert counts == {"execution alongside a micro-batch not held: too many": 2}
