"""Facts of a run: rows, failures, the text of the plan, and whether a directory was replaced."""

from __future__ import annotations

import dataclasses
import re

import pytest

from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.runs.plan_text import MAX_CHARACTERS, plan_text
from sac_kafka.model import PathDataset, Process, RdbmsDataset
from sac_kafka.plan import wire
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.execution import (
    SparkListenerSQLExecutionEnd,
    SparkThrowable,
    Throwable,
)
from sac_kafka.settings.names import Names
from tests.cases.batches import BATCHES
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

RECORDED = ["3.5.9", "4.3.0"]


def batch(version: str, case: str) -> str:
    return (BATCHES / version / f"{case}.txt").read_text("utf-8")


def failed(version: str, case: str, error: SparkThrowable | Throwable, *, failed_too: bool) -> list[Process]:
    """Return the processes of a case whose executions had all failed."""
    actions = Actions(APPLICATION, LineageOptions(failed_too=failed_too))
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
    ("error", "expected"),
    [
        (SPARK_ERROR, "org.apache.spark.SparkException [TASK_FAILED] 58030"),
        (dataclasses.replace(SPARK_ERROR, condition=None, sql_state=None), "org.apache.spark.SparkException"),
        (Throwable(error_class="java.io.IOException"), "java.io.IOException"),
    ],
)
def test_failed_run_has_its_error_if_enabled(error: SparkThrowable | Throwable, expected: str) -> None:
    (process,) = failed("4.3.0", "jdbc_read", error, failed_too=True)
    assert process.run.failure == expected
    assert failed("4.3.0", "jdbc_read", error, failed_too=False) == []


def test_failed_read_has_no_process() -> None:
    assert failed("4.3.0", "reads_only", SPARK_ERROR, failed_too=True) == []


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(("case", "rows"), [("path_of_a_table", [3, 0, 1, 3]), ("table_replaced", [3, 3])])
def test_rows_are_those_counted_by_the_write(version: str, case: str, rows: list[int]) -> None:
    assert [p.run.rows_written for p in Capture.processes_of(batch(version, case))] == rows


@pytest.mark.parametrize("version", RECORDED)
def test_overwritten_directory_is_replaced_and_an_appended_one_is_not(version: str) -> None:
    actions = Actions(APPLICATION, names=Names(paths_as_tables=False))
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
def test_run_has_the_text_of_its_plan_only_if_enabled(version: str) -> None:
    text = batch(version, "copy_csv")
    (enabled,) = Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(plan_text=True)))
    (disabled,) = Capture.outcomes_of(text, Actions(APPLICATION))
    assert isinstance(enabled, Process)
    assert isinstance(disabled, Process)
    assert (enabled.run.plan_text or "").startswith("InsertIntoHadoopFsRelationCommand ")
    assert disabled.run.plan_text is None


def test_the_text_of_a_plan_shows_names_and_no_literals() -> None:
    ends = [line.event for line in wire.read(batch("4.3.0", "case_when")) if isinstance(line, wire.Projected)]
    (query,) = [e.query_execution for e in ends if isinstance(e, SparkListenerSQLExecutionEnd) and e.query_execution]
    assert query.analyzed is not None
    text = plan_text(query.analyzed)
    lines = text.split("\n")
    assert lines[0].startswith("InsertIntoHadoopFsRelationCommand ")
    assert any("CASE WHEN amount > 2 " in line for line in lines)
    assert "[id, customer, amount, day" in lines[-1]
    assert len(text) <= MAX_CHARACTERS


def _plan_text(case: str) -> str:
    ends = [line.event for line in wire.read(batch("4.3.0", case)) if isinstance(line, wire.Projected)]
    queries = [e.query_execution for e in ends if isinstance(e, SparkListenerSQLExecutionEnd) and e.query_execution]
    return "\n".join(plan_text(query.analyzed) for query in queries if query.analyzed is not None)


def test_the_text_of_a_plan_names_what_is_read_and_written() -> None:
    of_files = _plan_text("copy_csv")
    assert re.search(r"InsertIntoHadoopFsRelationCommand file:\S+/copy_csv \[", of_files)
    assert re.search(r"LogicalRelation file:\S+ \[", of_files)
    of_view = _plan_text("view_made_and_read")
    assert re.search(r"View \w+\.\w+ \[", of_view)
    assert re.search(r"LogicalRelation \w+\.\w+ \[", of_view)


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(
    ("case", "figures"),
    [("view_made_and_read", [(0, 1, 402)] * 2), ("v2_written_after_changes", [(3, None, None)] * 4)],
)
def test_write_has_files_and_bytes_and_a_v2_write_has_rows(
    version: str, case: str, figures: list[tuple[int | None, ...]]
) -> None:
    runs = [p.run for p in Capture.processes_of(batch(version, case)) if not p.defines_view]
    assert [(r.rows_written, r.files_written, r.bytes_written) for r in runs] == figures


def test_writers_of_parts_of_a_directory_add_up() -> None:
    actions = Actions(APPLICATION)
    runs = []
    for i in range(3):
        for line in wire.read(batch("4.3.0", "view_made_and_read")):
            if isinstance(line, wire.Projected):
                event = line.event
                if isinstance(event, SparkListenerSQLExecutionEnd):
                    event = _into(event, f"file:/out/shard={i}")
                runs += [o.run for o in actions.add(event) if isinstance(o, Process) and not o.defines_view]
    assert [(r.files_written, r.bytes_written, r.executions) for r in runs[::2]] == [
        (1, 402, 1),
        (2, 804, 2),
        (3, 1206, 3),
    ]


def _into(event: SparkListenerSQLExecutionEnd, path: str) -> SparkListenerSQLExecutionEnd:
    """Return the end of the same execution, of a write to another directory."""
    query = event.query_execution
    if query is None or not isinstance(query.analyzed, InsertIntoHadoopFsRelationCommand):
        return event
    first = query.analyzed.output_path.endswith("1")
    command = dataclasses.replace(query.analyzed, output_path=path if first else f"file:/elsewhere/{path[-1]}x")
    return dataclasses.replace(event, query_execution=dataclasses.replace(query, analyzed=command))


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("insert_values", "rows of the driver"),
        ("rows_of_the_driver", "rows of the driver or an RDD"),
        ("range_joined", "a range of numbers"),
        ("python_udtf", "constants"),
    ],
)
def test_rows_of_no_dataset_are_described(version: str, case: str, words: str) -> None:
    assert {s for p in Capture.processes_of(batch(version, case)) for s in p.other_sources} == {words}
