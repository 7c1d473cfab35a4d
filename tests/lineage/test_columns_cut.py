"""Columns that did not travel, wherever in the plan, cost the column lineage and are counted; never the datasets."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from live import APPLICATION

from sac_kafka.lineage.extract import extract
from sac_kafka.lineage.model import Run
from sac_kafka.plan import wire
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.nodes import LogicalPlan

BATCH = next((Path(__file__).resolve().parents[1] / "fixtures" / "batches").glob("4.*/copy_parquet.txt"))


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
    found = extract(cut, Run(execution_id=1), APPLICATION, ())
    (process,) = found.processes
    assert process.columns == process.row_level == ()
    assert [d.key for d in process.inputs] == ["path:file:/work-of-the-case/in/orders_parquet"]
    assert found.counts == {"column lineage left out: the plan is over the budget of an event": 1}


def test_nothing_is_counted_where_nothing_was_cut() -> None:
    found = extract(command(), Run(execution_id=1), APPLICATION, ())
    assert len(found.processes[0].columns) == 2
    assert found.counts == {}
