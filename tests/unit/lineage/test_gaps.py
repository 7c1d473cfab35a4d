"""Gaps and their reasons: the table of reasons has all that are counted, and plans get the right ones."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.model import Stream
from sac_kafka.model.gaps import (
    INPUTS_EXCLUDED,
    MAX_GAPS,
    REASONS,
    GapSeverity,
    gaps,
    gaps_beyond_columns,
    is_write,
    severity_of,
    worst_first,
)
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.relations import LogicalRelation, RowsWithoutDataset
from sac_kafka.plan.systems.jdbc import JDBCRelation
from sac_kafka.plan.wire import UnknownObject
from tests.unit.atlas.flows import ORDERS, TOTALS, copy, process

SOURCE = Path(sac_kafka.__file__).parent / "lineage"
NO_GAPS = {
    "an RDD that is not understood": "described as a source of rows, in addition to a counted reason",
    "note of the driver not understood: ": "a note that an older hook does not know",
    "note about a model not understood: ": "as above",
    "checkpoint not remembered: its columns are over a budget": "its readers report the missing columns",
    "execution without a plan": "it failed before there was one, or was lost, which is counted as an event",
    "connector not known, named by its options: ": "a guess, which is reported",
}
"""Counted texts that resemble a gap and are none."""
_SOUNDS = ("not understood", "not known", "left out", "not found", "not remembered")


def _texts() -> Iterator[str]:
    """Yield the string constants of lineage that are no docstrings, and the beginnings of f-strings."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name != "gaps.py":
            tree = ast.parse(path.read_text("utf-8"))
            docs = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
            for each in ast.walk(tree):
                if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in docs:
                    yield each.value


@pytest.mark.slow
def test_every_counted_reason_is_a_gap_or_listed_as_none() -> None:
    found = {text for text in _texts() if any(word in text for word in _SOUNDS)}
    assert "relation not understood: " in found
    assert {each for each in found if severity_of(each) is None and each not in NO_GAPS} == set()


@pytest.mark.parametrize(
    ("relation", "named"),
    [
        (UnknownObject("org.example.Mystery"), "org.example.Mystery"),
        (JDBCRelation(url="no url", table="t"), "org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation"),
        (None, "LogicalRelation"),
    ],
)
def test_unnamed_relation_is_counted_by_its_class(relation: object, named: str) -> None:
    counts = Counter[str]()
    leaf = LogicalRelation(class_name="LogicalRelation", relation=relation, catalog_table=None, output=())
    QueryFlow(TraversalOptions(), counts).follow(leaf)
    assert counts == {f"relation not understood: {named}": 1}


@pytest.mark.parametrize(
    ("children", "reason"),
    [
        ((), "relation not understood: org.x.Mystery"),
        ((RowsWithoutDataset(class_name="org.x.LocalRelation", output=()),), "node not understood: Mystery"),
    ],
    ids=["a leaf", "an operator"],
)
def test_a_node_that_is_not_known_may_hide_an_input_where_nothing_is_below_it(
    children: tuple[LogicalPlan, ...], reason: str
) -> None:
    counts = Counter[str]()
    flow = QueryFlow(TraversalOptions(), counts)
    flow.follow(UnknownPlan(class_name="org.x.Mystery", children=children))
    assert flow.inputs.gaps == {reason}
    assert severity_of(reason) is (GapSeverity.COLUMNS if children else GapSeverity.TABLES)


@pytest.mark.parametrize("name", ["Transpose", "MemoryPlan"])
def test_rows_of_another_query_may_have_inputs(name: str) -> None:
    flow = QueryFlow(TraversalOptions(), Counter())
    flow.follow(RowsWithoutDataset(class_name=f"org.x.{name}", output=()))
    assert [severity_of(reason) for reason in flow.inputs.gaps] == [GapSeverity.TABLES]


@pytest.mark.parametrize("start", REASONS)
def test_every_reason_of_the_table_is_counted_somewhere(start: str) -> None:
    rooms = (SOURCE, *(SOURCE.parent / room for room in ("model", "names", "stages")))
    text = "".join(path.read_text("utf-8") for room in rooms for path in sorted(room.rglob("*.py")))
    gaps_file = (SOURCE.parent / "model" / "gaps.py").read_text("utf-8")
    name = next((name for name, value in re.findall(r'^([A-Z_]+) = "(.*)"$', gaps_file, re.M) if value == start), None)
    assert text.count(name or start) > 1


def test_the_page_has_every_reason() -> None:
    page = (Path(__file__).parents[3] / "docs" / "completeness.md").read_text("utf-8")
    assert [start for start in REASONS if f"`{start.rstrip()}" not in page] == []


def test_reason_with_the_largest_effect_comes_first() -> None:
    reasons = (
        "column not found in its query",
        "micro-batches",
        "relation not understood: b",
        "relation not understood: a",
    )
    assert worst_first(reasons) == (
        "relation not understood: a",
        "relation not understood: b",
        "column not found in its query",
    )
    assert worst_first(f"relation not understood: {n}" for n in range(100)) != ()
    assert len(worst_first(f"relation not understood: {n}" for n in range(100))) == MAX_GAPS
    assert gaps_beyond_columns(reasons) == reasons[2:]
    assert severity_of("sink not understood: x") is GapSeverity.FLOW


def test_process_has_its_own_gaps_and_those_of_columns_and_rules() -> None:
    flow = copy(ORDERS, TOTALS)
    assert gaps(flow) == ()
    cut = dataclasses.replace(
        flow, columns=(), columns_omitted="more than 3 nodes", inputs_excluded=1, gaps=("relation not understood: x",)
    )
    assert gaps(cut) == (
        INPUTS_EXCLUDED,
        "relation not understood: x",
        "column lineage omitted: more than 3 nodes",
    )


def test_processes_that_count_as_a_write() -> None:
    flow = copy(ORDERS, TOTALS)
    stream = Stream(identity=("q",), name="q", checkpoint=None, query_id="1", run_id="2")
    assert is_write(flow)
    assert is_write(process([], [TOTALS]))  # VALUES
    assert is_write(dataclasses.replace(flow, stream=stream))
    assert not is_write(process([ORDERS], []))  # rows that end in the driver
    assert not is_write(dataclasses.replace(flow, defines_view=True))
    assert not is_write(dataclasses.replace(flow, run=dataclasses.replace(flow.run, failure="java.lang.Error")))
