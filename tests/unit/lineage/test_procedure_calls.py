"""A CALL is reported once per statement, whatever its queries and the reads of its result are."""

from __future__ import annotations

from sac_kafka.lineage.executions import ProcedureCalls
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import UnknownPlan
from sac_kafka.plan.systems.iceberg import ProcedureCall

SNAPSHOT = ProcedureCall(procedure="snapshot", source=("spark_catalog", "db", "a"), table=("ic", "db", "t"))
ADDED = ProcedureCall(procedure="add_files", source=("parquet", "file:/in"), table=("ic", "db", "t"))


def plan(*columns: str, is_command: bool = False) -> UnknownPlan:
    output = tuple(
        Attribute(expr_id=number, name=name, type="bigint", nullable=True) for number, name in enumerate(columns)
    )
    return UnknownPlan(class_name="X", is_command=is_command, output=output)


QUERIES = (("count", plan("value")), ("collect", plan("value")))
"""The queries that a procedure runs, by the names of their actions."""


def reported(calls: ProcedureCalls, call: ProcedureCall, session: str = "s") -> int:
    """Return how many queries of a procedure report its call."""
    return sum(not calls.is_reported(name, call, session, query) for name, query in QUERIES)


def test_the_queries_of_a_procedure_report_it_once() -> None:
    assert reported(ProcedureCalls(), SNAPSHOT) == 1


def test_the_same_call_is_reported_again() -> None:
    calls = ProcedureCalls()
    assert [reported(calls, SNAPSHOT) for _ in range(3)] == [1, 1, 1]


def test_a_call_after_another_statement_is_reported() -> None:
    calls = ProcedureCalls()
    assert not calls.is_reported("count", SNAPSHOT, "s", plan("value"))
    calls.running = ()
    assert not calls.is_reported("collect", SNAPSHOT, "s", plan("value"))


def test_each_session_reports_its_call() -> None:
    calls = ProcedureCalls()
    assert [reported(calls, SNAPSHOT, session) for session in "ab"] == [1, 1]


def test_a_later_read_of_the_result_is_no_call() -> None:
    calls = ProcedureCalls()
    reported(calls, SNAPSHOT)
    reported(calls, ADDED)
    calls.running = ()
    assert calls.is_reported("collect", SNAPSHOT, "s", plan("imported_files_count"))


def test_a_procedure_without_queries_is_reported_by_its_result() -> None:
    assert not ProcedureCalls().is_reported("collect", ADDED, "s", plan("added_files_count", "changed_partition_count"))


def test_each_command_of_spark_3_5_is_a_call() -> None:
    calls = ProcedureCalls()
    command = plan(is_command=True)
    assert not any(calls.is_reported("collect", ADDED, "s", command) for _ in range(2))
