"""Reader of the listener's text: repeated values are one object, and errors have their place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sac_kafka.errors import ProjectionError
from sac_kafka.plan import wire
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, UnknownExpression
from sac_kafka.plan.nodes import UnknownPlan, walk
from sac_kafka.plan.operators import Filter, Project
from sac_kafka.plan.relations import RowsWithoutDataset

UI = "org.apache.spark.sql.execution.ui"
L = "org.apache.spark.sql.catalyst.plans.logical"
E = "org.apache.spark.sql.catalyst.expressions"

END = ["c", f"{UI}.SparkListenerSQLExecutionEnd", ["execution_id", "time", "failure", "query_execution"]]
QUERY = ["c", "org.apache.spark.sql.execution.QueryExecution", ["analyzed", "mode", "sql_text"]]
LEAF = ["c", f"{L}.LocalRelation", ["output"]]
PROJECT = ["c", f"{L}.Project", ["project_list"]]
FILTER = ["c", f"{L}.Filter", ["condition"]]
UNKNOWN = ["c", "x.Unknown", ["expressions", "output"]]
COLUMN = ["5", "a", "int", True]


def line(*records: list[Any]) -> str:
    return json.dumps(["event", 12, list(records)])


def ending(plans: list[list[Any]]) -> str:
    """Return an event whose plan is the last of `plans`; their classes are numbered from 2."""
    last = sum(1 for r in plans if r[0] not in "cn") - 1
    return line(END, QUERY, *plans, ["o", 1, [last, "ALL", None]], ["o", 0, ["7", "1234", None, last + 1]])


def analyzed(text: str) -> Any:
    (read,) = wire.read(text)
    assert isinstance(read, wire.Projected)
    assert isinstance(read.event, SparkListenerSQLExecutionEnd)
    assert read.event.query_execution is not None
    return read.event.query_execution.analyzed


def test_every_kind_of_line() -> None:
    start = ["c", f"{UI}.SparkListenerSQLExecutionStart", ["execution_id", "root_execution_id", "time"]]
    text = "\n".join(
        [
            line(start, ["o", 0, ["3", None, "99"]], ["n", "something", 2]),
            '["marker",4]',
            '["stuck","a < b"]',
            '["counters",{"dropped: x":1}]',
            "",
            '["end"]',
        ]
    )
    projected, *others = wire.read(text)
    assert isinstance(projected, wire.Projected)
    event = projected.event
    assert isinstance(event, SparkListenerSQLExecutionStart)
    assert (event.execution_id, event.root_execution_id, event.time) == (3, None, 99)
    assert (projected.microseconds, projected.notes) == (12, {"something": 2})
    assert others == [wire.Marker(4), wire.Stuck("a < b"), wire.Counters({"dropped: x": 1}), wire.End()]


def test_plans_expressions_and_attributes() -> None:
    alias = ["c", f"{E}.Alias", ["name", "expr_id"]]
    plan = analyzed(
        ending(
            [
                LEAF,
                ["p", 2, [], [], [[COLUMN]]],
                alias,
                ["c", f"{E}.Add", []],
                ["e", 4, [-6, -6]],
                ["e", 3, [1], ["b", "8"]],
                PROJECT,
                ["p", 5, [0], [], [[-6, 2]]],
            ]
        )
    )
    assert isinstance(plan, Project)
    (leaf,) = plan.children
    assert isinstance(leaf, RowsWithoutDataset)
    assert leaf.output == (Attribute(5, "a", "int", True),)
    reference, made = plan.project_list
    assert isinstance(reference, AttributeReference)
    assert reference.expr_id == 5
    assert isinstance(made, Alias)
    assert (made.name, made.expr_id) == ("b", 8)
    (add,) = made.children
    assert isinstance(add, UnknownExpression)
    assert add.simple_name == "Add"
    assert add.children == (reference, reference)


def test_an_undeclared_plan_keeps_its_class_and_what_every_plan_has() -> None:
    plan = analyzed(ending([LEAF, ["p", 2, [], [], [[COLUMN]]], UNKNOWN, ["w", 3, [0], [], [[], [COLUMN]], 1]]))
    assert isinstance(plan, UnknownPlan)
    assert (plan.class_name, plan.simple_name) == ("x.Unknown", "Unknown")
    assert plan.output == (Attribute(5, "a", "int", True),)
    assert plan.is_command
    assert plan.columns_cut
    assert isinstance(plan.children[0], RowsWithoutDataset)


def test_an_undeclared_object_keeps_its_class() -> None:
    relation = [
        "c",
        "org.apache.spark.sql.execution.datasources.LogicalRelation",
        ["relation", "catalog_table", "output"],
    ]
    plan = analyzed(ending([["c", "x.Relation", []], ["o", 2, []], relation, ["p", 3, [], [], [0, None, None]]]))
    assert isinstance(plan.relation, wire.UnknownObject)
    assert plan.relation.class_name == "x.Relation"
    assert plan.output == ()


def test_columns_that_were_cut_are_empty() -> None:
    name = "org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand"
    command = ["c", name, ["output_path", "catalog_table", "file_format", "query", "output_columns"]]
    plan = analyzed(
        ending([LEAF, ["p", 2, [], [], [None], 1], command, ["w", 3, [0], [], ["/x", None, "csv", 0, None], 1]])
    )
    assert isinstance(plan, InsertIntoHadoopFsRelationCommand)
    assert plan.output_columns == ()
    assert plan.columns_cut
    assert plan.query is plan.children[0]


def test_fields_that_this_version_does_not_know_are_passed_over() -> None:
    leaf = ["c", f"{L}.LocalRelation", ["of_a_later_version", "output"]]
    assert analyzed(ending([leaf, ["p", 2, [], [], ["x", [COLUMN]]]])).output[0].name == "a"


def test_missing_field_is_reported_with_its_class() -> None:
    text = '["marker",1]\n' + ending([["c", f"{L}.Project", []], ["p", 2, [], [], []]])
    with pytest.raises(ProjectionError, match=rf"line 2 of the batch: {L}.Project: the batch lacks project_list"):
        list(wire.read(text))


@pytest.mark.parametrize(
    "bad",
    [
        "no JSON",
        "5",
        '"event"',
        "[]",
        "{}",
        '["unheard of",1]',
        '["marker"]',
        '["end",1]',
        '["event",1]',
        '["event",1,[]]',
        '["event",1,5]',
        '["event",1,[5]]',
        '["event",1,[[]]]',
        '["event",1,[["o",0,[]]]]',
        '["event",1,[["c","x.Y",[]],["o",0,[]]]]',
        ending([LEAF, ["p", 2, [9], [], [None]]]),
        ending([LEAF, ["p", 2, [], [], []]]),
        ending([LEAF, ["p", 2, [], [], [["a"]]]]),
        ending([FILTER, ["p", 2, [], [], [17]]]),
        "[" * 100_000,
        '["event",1,[["o",0,["3"',
    ],
)
def test_invalid_line_is_reported_with_its_number(bad: str) -> None:
    with pytest.raises(ProjectionError, match="line 3 of the batch"):
        list(wire.read(f'["marker",1]\n\n{bad}\n["marker",2]'))


def test_lines_before_an_invalid_one_are_read() -> None:
    lines = wire.read('["marker",1]\nbad')
    assert next(lines) == wire.Marker(1)


def test_deep_plans_and_expressions_need_no_recursion() -> None:
    depth = 5_000
    records: list[list[Any]] = [LEAF, ["p", 2, [], [], [[COLUMN]]], ["c", f"{E}.Not", []], ["e", 3, [-6]]]
    records += [["e", 3, [i]] for i in range(1, depth)]  # each one over the one before
    records += [FILTER, ["p", 4, [0], [], [depth]]]
    records += [["p", 4, [depth + i], [], [-6]] for i in range(1, depth)]
    plan = analyzed(ending(records))
    assert sum(1 for _ in walk(plan)) == depth + 1
    filters = [node for node in walk(plan) if isinstance(node, Filter)]
    expression = filters[0].condition
    terms = 0
    while expression.children:
        expression = expression.children[0]
        terms += 1
    assert terms == depth


def test_a_plan_that_is_used_twice_is_one_object() -> None:
    plan = analyzed(ending([LEAF, ["p", 2, [], [], [[COLUMN]]], ["c", f"{L}.Union", []], ["p", 3, [0, 0], [], []]]))
    assert plan.children[0] is plan.children[1]
    assert sum(1 for _ in walk(plan)) == 2
