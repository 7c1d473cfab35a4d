"""What is said of a run: rows, failures, who asked, the text of the plan, and whether a directory was replaced."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from live import APPLICATION, Capture

from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.model import PathDataset, Process, RdbmsDataset
from sac_kafka.lineage.plan_text import LONGEST, plan_text
from sac_kafka.plan import wire
from sac_kafka.plan.execution import (
    SparkListenerSQLExecutionEnd,
    SparkListenerSQLExecutionStart,
    SparkThrowable,
    Throwable,
)

BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "batches"
RECORDED = ["3.5.9", "4.3.0"]


def batch(version: str, case: str) -> str:
    return (BATCHES / version / f"{case}.txt").read_text("utf-8")


def failed(version: str, case: str, error: SparkThrowable | Throwable, *, failed_too: bool) -> list[Process]:
    """The processes of a case whose executions had all failed."""
    actions = Actions(APPLICATION, (), failed_too=failed_too)
    processes = []
    for line in wire.read(batch(version, case)):
        if isinstance(line, wire.Projected):
            event = line.event
            if isinstance(event, SparkListenerSQLExecutionEnd):
                event = dataclasses.replace(event, failure=error)
            processes += [o for o in actions.add(event) if isinstance(o, Process)]
    return processes


SPARK_ERROR = SparkThrowable(error_class="org.apache.spark.SparkException", condition="TASK_FAILED", sql_state="58030")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SPARK_ERROR, "org.apache.spark.SparkException [TASK_FAILED] 58030"),
        (dataclasses.replace(SPARK_ERROR, condition=None, sql_state=None), "org.apache.spark.SparkException"),
        (Throwable(error_class="java.io.IOException"), "java.io.IOException"),
    ],
)
def test_a_failed_run_says_why_where_that_is_asked_for(error: SparkThrowable | Throwable, said: str) -> None:
    (process,) = failed("4.3.0", "jdbc_read", error, failed_too=True)
    assert process.run.failure == said
    assert failed("4.3.0", "jdbc_read", error, failed_too=False) == []


def test_a_failed_read_is_no_process() -> None:
    assert failed("4.3.0", "reads_only", SPARK_ERROR, failed_too=True) == []


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(("case", "rows"), [("path_of_a_table", [3, 0, 1, 3]), ("table_replaced", [3, 3])])
def test_rows_are_those_that_the_write_counted(version: str, case: str, rows: list[int]) -> None:
    assert [p.run.rows_written for p in Capture.processes_of(batch(version, case))] == rows


@pytest.mark.parametrize("version", RECORDED)
def test_a_whole_directory_is_replaced_and_an_appended_one_is_not(version: str) -> None:
    actions = Actions(APPLICATION, (), paths_as_tables=False)
    outputs = [
        o.outputs[0] for o in Capture.outcomes_of(batch(version, "path_of_a_table"), actions) if isinstance(o, Process)
    ]
    replaced = {d.path.rpartition("/")[2]: d.is_replaced for d in outputs if isinstance(d, PathDataset)}
    assert replaced == {"sink": False, "path_of_a_table": True}  # the last write to a path named sink appends


@pytest.mark.parametrize("version", RECORDED)
def test_a_jdbc_table_shows_the_columns_that_were_read(version: str) -> None:
    (process,) = Capture.processes_of(batch(version, "jdbc_subquery"))
    (table,) = process.inputs
    assert isinstance(table, RdbmsDataset)
    assert {c.name: c.type for c in table.columns} == {"id": "int", "name": "string"}
    assert (table.rdbms_type, table.database, table.host) == ("derby", "memory:shop", "")


@pytest.mark.parametrize("version", RECORDED)
def test_a_run_has_the_text_of_its_plan_only_where_that_is_asked_for(version: str) -> None:
    text = batch(version, "copy_csv")
    (asked,) = Capture.outcomes_of(text, Actions(APPLICATION, (), plan_text=True))
    (not_asked,) = Capture.outcomes_of(text, Actions(APPLICATION, ()))
    assert isinstance(asked, Process)
    assert isinstance(not_asked, Process)
    assert (asked.run.plan_text or "").startswith("InsertIntoHadoopFsRelationCommand [")
    assert not_asked.run.plan_text is None


def test_spark_connect_names_who_asked() -> None:
    actions = Actions(APPLICATION, ())
    tag = "SparkConnect_OperationTag_User_jane@example.com_Session_0a-1b_Operation_2c-3d"
    users = []
    for line in wire.read(batch("4.3.0", "copy_csv")):
        if isinstance(line, wire.Projected):
            event = line.event
            if isinstance(event, SparkListenerSQLExecutionStart):
                event = dataclasses.replace(event, job_tags=("mine", tag))
            users += [o.run.user for o in actions.add(event) if isinstance(o, Process)]
    assert users == ["jane@example.com"]


def test_the_text_of_a_plan_shows_names_and_no_literals() -> None:
    ends = [line.event for line in wire.read(batch("4.3.0", "case_when")) if isinstance(line, wire.Projected)]
    (query,) = [e.query_execution for e in ends if isinstance(e, SparkListenerSQLExecutionEnd) and e.query_execution]
    assert query.analyzed is not None
    text = plan_text(query.analyzed)
    lines = text.split("\n")
    assert lines[0].startswith("InsertIntoHadoopFsRelationCommand [")
    assert any("CASE WHEN (amount > " in line for line in lines)
    assert lines[-1].strip().startswith("LogicalRelation [id, customer, amount, day")
    assert len(text) <= LONGEST
