"""Columns that exceed a budget cost column lineage and are counted; datasets never get lost."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.hook.recording import Recording, replay
from sac_kafka.lineage.extract import extract
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.model import Run
from sac_kafka.model.bounds import Budget
from sac_kafka.plan import wire
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from tests.helpers.live_runs import APPLICATION

BATCH = next((Path(__file__).resolve().parents[2] / "fixtures" / "batches").glob("4.*/copy_parquet.txt"))


def command() -> InsertIntoHadoopFsRelationCommand:
    for line in wire.read(BATCH.read_text("utf-8")):
        query = getattr(line.event, "query_execution", None) if isinstance(line, wire.Projected) else None
        if query is not None and isinstance(query.analyzed, InsertIntoHadoopFsRelationCommand):
            return query.analyzed
    raise AssertionError("no write in the batch")


def cut_command() -> LogicalPlan:
    return dataclasses.replace(command(), columns_cut=True, output_columns=())


def cut_query() -> LogicalPlan:
    whole = command()
    return dataclasses.replace(whole, query=dataclasses.replace(whole.query, columns_cut=True, project_list=()))


def cut_leaf() -> LogicalPlan:
    whole = command()
    leaf = dataclasses.replace(whole.query.children[0], columns_cut=True, output=())
    return dataclasses.replace(whole, query=dataclasses.replace(whole.query, children=(leaf,)))


@pytest.mark.parametrize("cut", [cut_command(), cut_query(), cut_leaf()], ids=["command", "query", "leaf"])
def test_cut_columns_are_counted_once(cut: LogicalPlan) -> None:
    found = extract(cut, Run(execution_id=1), APPLICATION)
    (process,) = found.processes
    assert process.columns == process.row_level == ()
    assert [d.key for d in process.inputs] == ["path:file:/work-of-the-case/in/orders_parquet"]
    assert found.counts == {"column lineage omitted: the plan is over the budget of an event": 1}


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(nodes=1), "more than 1 nodes"),
        (Budget(columns=1), "more than 1 columns"),
        (Budget(edges=1), "more than 1 edges"),
    ],
    ids=["nodes", "columns", "edges"],
)
def test_flow_over_a_budget_has_table_lineage_and_the_reason(budget: Budget, reason: str) -> None:
    found = extract(command(), Run(execution_id=1), APPLICATION, TraversalOptions(budget=budget))
    (process,) = found.processes
    assert process.columns == process.row_level == ()
    assert [d.key for d in process.inputs] == ["path:file:/work-of-the-case/in/orders_parquet"]
    assert process.columns_omitted == reason
    assert found.counts == {f"column lineage omitted: {reason}": 1}


def test_budgets_are_settings_and_the_process_has_the_reason() -> None:
    recording = Recording(APPLICATION, BATCH.read_text("utf-8"))
    settings = Settings(content=Content(column_lineage_max_columns=1))
    sent = [each for m in replay(recording, settings) for each in read(m.value).notification.entities]
    (process,) = (each for each in sent if each.id.type_name == "spark_process")
    assert process.custom_attributes["column_lineage"] == "omitted: more than 1 columns"
    assert "spark_column_lineage" not in {each.id.type_name for each in sent}


def test_without_cuts_nothing_is_counted() -> None:
    found = extract(command(), Run(execution_id=1), APPLICATION)
    assert len(found.processes[0].columns) == 2
    assert found.counts == {}
