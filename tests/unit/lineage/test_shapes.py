"""Shapes of nested values that recorded cases do not show, and their bounded cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sac_kafka.lineage.columns import dependencies, operands
from sac_kafka.lineage.columns import operators as _operators
from sac_kafka.lineage.columns.dependencies import MAX_NESTED
from sac_kafka.lineage.columns.operands import EXTENT, ITEM, KEY, ShapeKind
from sac_kafka.lineage.columns.output_columns import EMPTY, Columns, OutputColumn
from sac_kafka.lineage.columns.rules import ChildColumns, columns_of
from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    Alias,
    Attribute,
    AttributeReference,
    CaseWhen,
    CreateArray,
    CreateNamedStruct,
    Expression,
    GetStructField,
    Literal,
    UnknownExpression,
)
from sac_kafka.plan.functions import Collect, Explode
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Generate, Project

assert _operators  # its rules are registered
A_SOURCE = "table:t"


def column(i: int) -> AttributeReference:
    return AttributeReference(expr_id=i)


def literal(text: str = "1") -> Literal:
    return Literal(text=text)


def struct(*values: Expression) -> CreateNamedStruct:
    children = tuple(part for value in values for part in (literal(), value))
    names = tuple(f"f{i}" for i in range(len(values)))
    return CreateNamedStruct(children=children, names=names)


def array(*values: Expression) -> CreateArray:
    return CreateArray(children=values)


def function(name: str, *children: Expression) -> UnknownExpression:
    return UnknownExpression(class_name=f"x.{name}", children=children)


def size(of: Expression) -> UnknownExpression:
    return function("Size", of)


def collected(name: str, of: Expression, *, is_distinct: bool = False) -> AggregateExpression:
    values = Collect(class_name=f"x.{name}", children=(of,))
    return AggregateExpression(class_name="x.AggregateExpression", children=(values,), is_distinct=is_distinct)


def count(of: Expression, *, is_distinct: bool = False) -> AggregateExpression:
    return AggregateExpression(
        class_name="x.AggregateExpression", children=(function("Count", of),), is_distinct=is_distinct
    )


def field(of: Expression, i: int) -> GetStructField:
    return GetStructField(children=(of,), ordinal=i, name=f"f{i}")


def table(width: int) -> Columns:
    return Columns(
        OutputColumn(i, f"c{i}", frozenset({ColumnSource(A_SOURCE, f"c{i}", Dependency.IDENTITY)}))
        for i in range(width)
    )


def _no_plan(plan: LogicalPlan) -> Columns:
    del plan
    return EMPTY


def above(below: Columns, node: LogicalPlan) -> Columns:
    return columns_of(node, ChildColumns(children=[below], columns_of_plan=_no_plan, cte={}))


def project(*values: Expression, first_id: int = 10_000) -> Project:
    named = (Alias(children=(value,), name=f"x{i}", expr_id=first_id + i) for i, value in enumerate(values))
    return Project(project_list=tuple(named))


def explode(of: Expression, expr_id: int = 20_000) -> Generate:
    return Generate(generator=Explode(children=(of,)), generator_output=(Attribute(expr_id, "r", "", True),))


def sources_of(column: OutputColumn) -> set[tuple[str, str]]:
    return {(s.column, s.dependency.value) for s in column.sources}


def of_value(*values: Expression, width: int = 4) -> list[set[tuple[str, str]]]:
    return [sources_of(c) for c in above(table(width), project(*values)).outputs]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Expression]:
    """Record the expressions whose rules are looked up."""
    looked_up: list[Expression] = []
    rule_of: Callable[[Expression], Any] = operands.rule_of

    def counted(e: Expression) -> Any:
        looked_up.append(e)
        return rule_of(e)

    monkeypatch.setattr(dependencies, "rule_of", counted)
    return looked_up


@pytest.mark.parametrize(
    ("value", "sources"),
    [
        (field(struct(column(0), column(1)), 1), {("c1", "identity")}),
        (field(struct(column(0)), 7), {("c0", "transformation")}),
        (
            field(function("Unknown", struct(column(0), column(1))), 0),
            {("c0", "transformation"), ("c1", "transformation")},
        ),
        (field(function("GetArrayItem", array(struct(literal(), column(1))), literal("0")), 0), set()),
        (function("GetArrayItem", array(column(0), column(1)), literal("1")), {("c1", "transformation")}),
        (function("GetArrayItem", array(column(0)), literal("3")), {("c0", "transformation")}),
        (function("ElementAt", array(column(0), column(1)), literal("-1")), {("c1", "transformation")}),
        (function("ElementAt", array(column(0)), literal("-2")), {("c0", "transformation")}),
        (function("ElementAt", array(column(0)), literal("0")), {("c0", "transformation")}),
        (function("ElementAt", array(column(0), column(1)), literal("1")), {("c0", "transformation")}),
        (function("Size", array(column(0), column(1))), set()),
        (size(function("ArrayCompact", array(column(0), column(1)))), {("c0", "conditional"), ("c1", "conditional")}),
        (size(function("ArrayCompact", array(struct(column(0), column(1))))), set()),
        (size(function("ArrayCompact", column(0))), {("c0", "transformation")}),
        (size(collected("CollectSet", struct(column(0), column(1)))), {("c0", "conditional"), ("c1", "conditional")}),
        (
            size(collected("CollectList", struct(column(0), column(1)), is_distinct=True)),
            {("c0", "conditional"), ("c1", "conditional")},
        ),
        (size(collected("CollectList", struct(column(0), column(1)))), set()),
        (function("TypedNullLiteral", struct(column(0))), set()),
        (function("TypeOf", column(0)), set()),
        (count(column(0)), {("c0", "aggregation")}),
        (count(struct(column(0), column(1))), set()),
        (count(struct(column(0), column(1)), is_distinct=True), {("c0", "aggregation"), ("c1", "aggregation")}),
        (function("Size", column(0)), {("c0", "transformation")}),
        (function("IsNotNull", struct(column(0))), set()),
        (field(function("Max", struct(column(0), column(1))), 1), {("c0", "conditional"), ("c1", "transformation")}),
        (field(function("Max", column(0)), 1), {("c0", "transformation")}),
        (
            field(function("Coalesce", column(0), struct(column(1), column(2))), 0),
            {("c0", "transformation"), ("c1", "transformation")},
        ),
    ],
    ids=lambda value: "" if isinstance(value, set) else None,
)
def test_field_of_a_value_has_the_sources_of_that_field(value: Expression, sources: set[tuple[str, str]]) -> None:
    assert of_value(value) == [sources]


def test_steps_lead_to_the_parts_of_their_kind() -> None:
    assert [ShapeKind.ARRAY.at(step, 2) for step in (ITEM, EXTENT, KEY, 0)] == [0, 1, None, None]
    assert [ShapeKind.MAP.at(step, 3) for step in (KEY, ITEM, EXTENT, 0)] == [0, 1, 2, None]
    assert [ShapeKind.STRUCT.at(step, 3) for step in (0, 1, 2, ITEM, EXTENT)] == [0, 1, None, None, 2]


def test_column_without_a_shape_is_read_as_a_whole() -> None:
    (made,) = above(table(2), project(function("Coalesce", column(0), column(1)))).outputs
    assert (made.kind, made.parts) == (None, ())


def test_the_shape_of_plain_values_costs_a_step(steps: list[Expression]) -> None:
    above(table(2), project(function("Coalesce", column(0), function("If", column(0), column(1), literal()))))
    assert len(steps) <= 8


def test_a_value_that_is_used_twice_is_asked_for_its_shape_once(steps: list[Expression]) -> None:
    value: Expression = function("Coalesce", column(0), column(1))
    for _ in range(100):
        value = function("Coalesce", value, value)
    above(table(2), project(value))
    assert len(steps) <= 1000


def test_fields_survive_nodes_between() -> None:
    made = above(table(2), project(array(struct(literal(), column(0)), struct(literal(), column(1)))))
    exploded = above(made, explode(column(10_000)))
    parts = above(exploded, project(field(column(20_000), 0), field(column(20_000), 1), first_id=30_000))
    assert [sources_of(c) for c in parts.outputs] == [set(), {("c0", "transformation"), ("c1", "transformation")}]


@pytest.mark.parametrize("outer", [False, True])
def test_elements_of_an_outer_explode_depend_on_whether_there_are_any(outer: bool) -> None:
    node = replace(explode(function("ArrayRepeat", column(0), column(1))), outer=outer)
    (element,) = above(table(2), node).outputs[2:]
    assert sources_of(element) == {("c0", "transformation"), *([("c1", "conditional")] if outer else [])}


def test_a_thousand_fields_cost_as_many_steps(steps: list[Expression]) -> None:
    width = 1000
    rows = array(*(struct(*map(column, range(width))) for _ in range(3)))
    exploded = above(table(width), explode(rows))
    of_shape = len(steps)
    parts = above(exploded, project(*(field(column(20_000), i) for i in range(width)), first_id=30_000))
    assert [sources_of(c) for c in parts.outputs] == [{(f"c{i}", "transformation")} for i in range(width)]
    assert of_shape <= 20 * width
    assert len(steps) - of_shape <= 5 * width


def test_too_large_shape_is_dropped(steps: list[Expression]) -> None:
    """Take the greatest of structs, where each field depends on all fields before it: quadratic in their number."""
    width = 1000
    (greatest,) = above(table(width), project(function("Max", struct(*map(column, range(width)))))).outputs
    assert greatest.kind is None
    assert len(greatest.sources) == width
    assert len(steps) <= 100 * width


def test_too_deeply_nested_field_has_the_sources_of_the_whole() -> None:
    depth = 3 * MAX_NESTED
    value: Expression = struct(column(0), column(1))
    for _ in range(depth):
        value = array(struct(value, column(2)))
    made = above(table(3), project(value))
    part: Expression = column(10_000)
    for _ in range(depth):
        part = field(function("GetArrayItem", part, literal("x")), 0)
    (found,) = above(made, project(field(part, 0), first_id=30_000)).outputs
    assert ("c0", "transformation") in sources_of(found)


def test_a_long_choice_between_plain_values_costs_a_few_steps_a_branch(steps: list[Expression]) -> None:
    branches = 2000
    values = [e for _ in range(branches) for e in (function("IsNotNull", column(0)), function("Upper", column(1)))]
    made = above(table(2), project(CaseWhen(children=tuple(values))))
    assert [sources_of(c) for c in made.outputs] == [{("c0", "conditional"), ("c1", "transformation")}]
    assert len(steps) <= 3 * (2 * branches + 1)
