"""Valid plans that people rarely write: deep chains of generated names, correlations, structs in LATERAL."""

from __future__ import annotations

import dataclasses
import gc
from collections import Counter
from collections.abc import Callable

import pytest

from sac_kafka.lineage.columns import checkpoints as remembered
from sac_kafka.lineage.columns.checkpoints import Checkpoints
from sac_kafka.lineage.columns.output_columns import OutputColumn
from sac_kafka.lineage.extract import extract, origin
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.model import Dependency, Process, Run
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.expressions import (
    Alias,
    Attribute,
    AttributeReference,
    CreateNamedStruct,
    Expression,
    GetStructField,
    Literal,
    OuterReference,
    UnknownExpression,
)
from sac_kafka.plan.nodes import LogicalPlan, SubqueryExpression
from sac_kafka.plan.operators import (
    CTERelationDef,
    CTERelationRef,
    Filter,
    LateralJoin,
    NearestByJoin,
    Project,
    WithCTE,
)
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRDD, LogicalRelation
from sac_kafka.plan.row_functions import GroupStateFunction
from tests.helpers.live_runs import APPLICATION
from tests.helpers.work import assert_linear


def attribute(expr_id: int, name: str) -> Attribute:
    return Attribute(expr_id=expr_id, name=name, type="int", nullable=True)


def reference(expr_id: int) -> AttributeReference:
    return AttributeReference(expr_id=expr_id)


def outer(expr_id: int) -> OuterReference:
    return OuterReference(reference=reference(expr_id))


def alias(child: Expression, expr_id: int, name: str) -> Alias:
    return Alias(children=(child,), name=name, expr_id=expr_id)


def call(name: str, *children: Expression) -> UnknownExpression:
    return UnknownExpression(class_name=f"org.x.{name}", children=children)


def literal() -> Literal:
    return Literal()


def files(path: str, *output: Attribute) -> LogicalPlan:
    relation = HadoopFsRelation(root_paths=(path,), file_format="parquet")
    return LogicalRelation(relation=relation, catalog_table=None, output=output)


def project(child: LogicalPlan, *expressions: Expression, subqueries: tuple[LogicalPlan, ...] = ()) -> Project:
    return Project(children=(child,), subqueries=subqueries, project_list=expressions)


def scalar(plan: LogicalPlan, *outer_columns: Expression) -> SubqueryExpression:
    return SubqueryExpression(
        class_name="ScalarSubquery", children=outer_columns, plan=plan, subquery_class="org.x.ScalarSubquery"
    )


def process(query: LogicalPlan, *output: Attribute) -> Process:
    command = InsertIntoHadoopFsRelationCommand(
        class_name="Insert",
        children=(query,),
        is_command=True,
        output_path="file:/out",
        catalog_table=None,
        file_format="parquet",
        query=query,
        output_columns=output,
    )
    (found,) = extract(command, Run(execution_id=1), APPLICATION).processes
    return found


def sources(found: Process) -> dict[str, set[str]]:
    return {
        c.column: {f"{s.dataset.rpartition('/')[2]}.{s.column} {s.dependency.value}" for s in c.sources}
        for c in found.columns
    }


def chain(length: int, twice: bool) -> tuple[LogicalPlan, int]:
    """Return nested projections, each of an expression over the one below, under the name that Spark generates."""
    plan: LogicalPlan = files("file:/t", attribute(0, "x"))
    for i in range(1, length + 1):
        below = reference(i - 1)
        plan = project(plan, alias(call("Add", below, below if twice else literal()), i, "(x + x)"))
    return plan, length


@pytest.mark.slow
@pytest.mark.parametrize("twice", [False, True])
def test_long_chain_of_generated_names_is_rendered_up_to_a_bound(twice: bool) -> None:
    def options(length: int) -> Callable[[], object]:
        plan, last = chain(length, twice)
        found = process(plan, attribute(last, "y"))
        assert sources(found) == {"y": {"t.x transformation"}}
        assert found.columns[0].expression
        return lambda: process(plan, attribute(last, "y"))

    assert_linear(options, 25)
    options(1_000)


@pytest.mark.slow
def test_checkpoints_of_a_long_loop_keep_no_plans_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MAX_CHECKPOINTS", most := 100)

    def columns_alive(rounds: int) -> int:
        checkpoints = Checkpoints()
        plan: LogicalPlan = files("file:/t", attribute(0, "x"))
        for i in range(1, rounds + 1):
            made = project(plan, alias(call("Add", reference(i - 1)), i, "(x + 1)"))
            checkpoints.add(
                origin(made, APPLICATION, counts := Counter[str](), TraversalOptions(origins=(checkpoints,)))
            )
            assert not counts
            plan = LogicalRDD(output=(attribute(i, "(x + 1)"),))
        gc.collect()
        alive = sum(isinstance(each, OutputColumn) for each in gc.get_objects())
        assert checkpoints.origin_of(plan) is not None
        return alive

    assert columns_alive(4 * most) <= columns_alive(2 * most) + 20


def test_a_column_correlates_only_the_subquery_whose_rows_it_decides() -> None:
    k, x = attribute(10, "k"), attribute(11, "x")
    chosen = Filter(children=(files("file:/u", k, x),), condition=call("EqualTo", reference(10), outer(1)))
    deciding = project(chosen, alias(reference(11), 12, "m"))
    adding = project(files("file:/u", attribute(20, "x")), alias(call("Add", reference(20), outer(1)), 21, "n"))
    query = project(
        files("file:/t", attribute(1, "a")),
        alias(scalar(deciding, reference(1)), 30, "one"),
        alias(scalar(adding, reference(1)), 31, "two"),
        subqueries=(deciding, adding),
    )
    found = sources(process(query, attribute(30, "one"), attribute(31, "two")))
    assert found["one"] == {"u.x identity", "u.k conditional", "t.a join"}
    assert found["two"] == {"u.x transformation", "t.a transformation"}


def test_filter_in_a_cte_of_a_scalar_subquery_is_no_row_clause() -> None:
    chosen = Filter(
        children=(files("file:/u", attribute(10, "x"), attribute(11, "k")),),
        condition=call("EqualTo", reference(11), literal()),
    )
    definition = CTERelationDef(children=(chosen,), cte_id=1)
    named = CTERelationRef(cte_id=1, output=(attribute(12, "x"), attribute(13, "k")))
    value = project(named, alias(call("Max", reference(12)), 14, "m"))
    query = project(files("file:/t", attribute(1, "a")), alias(scalar(value), 30, "one"), subqueries=(value,))
    whole = WithCTE(children=(definition, query))
    found = process(whole, attribute(30, "one"))
    assert sources(found) == {"one": {"u.x transformation", "u.k conditional"}}
    assert found.row_level == ()
    both = WithCTE(children=(definition, dataclasses.replace(query, children=(named,))))
    assert {s.column for s in process(both, attribute(30, "one")).row_level} == {"k"}


def test_long_chain_of_rebuilt_structs_is_followed_by_field() -> None:
    plan = files("file:/t", attribute(0, "x"), attribute(1, "y"))
    x: Expression = reference(0)
    y: Expression = reference(1)
    for i in range(2, 202):
        struct = CreateNamedStruct(children=(literal(), call("Add", x, literal()), literal(), y), names=("x", "y"))
        plan = project(plan, alias(struct, i, "s"))
        x, y = (GetStructField(children=(reference(i),), ordinal=n, name=name) for n, name in enumerate("xy"))
    found = process(
        project(plan, alias(x, 1_000, "x"), alias(y, 1_001, "y")), attribute(1_000, "x"), attribute(1_001, "y")
    )
    assert sources(found) == {"x": {"t.x transformation"}, "y": {"t.y identity"}}
    assert {c.column: c.expression for c in found.columns} == {"x": "x" + " + ?" * 200, "y": None}


def test_a_field_of_a_struct_that_a_lateral_subquery_made_of_outer_columns() -> None:
    struct = CreateNamedStruct(children=(literal(), outer(1), literal(), outer(2)))
    nothing = files("file:/one", attribute(5, "z"))
    made = project(nothing, alias(struct, 6, "s"))
    right = SubqueryExpression(
        class_name="LateralSubquery",
        children=(reference(1), reference(2)),
        plan=made,
        subquery_class="org.x.LateralSubquery",
    )
    joined = LateralJoin(
        children=(files("file:/t", attribute(1, "a"), attribute(2, "b")),),
        subqueries=(made,),
        right=right,
        condition=None,
    )
    field = GetStructField(children=(reference(6),), ordinal=0)
    found = sources(process(project(joined, alias(field, 7, "f")), attribute(7, "f")))
    assert found == {"f": {"t.a identity"}}


def test_ranking_of_a_nearest_by_join_is_a_row_clause() -> None:
    sides = (files("file:/left", attribute(1, "a")), files("file:/right", attribute(2, "b"), attribute(3, "c")))
    ranking = call("Subtract", reference(1), reference(2))
    join = NearestByJoin(children=sides, ranking_expression=ranking)
    found = process(join, attribute(1, "a"), attribute(3, "c"))
    assert [(c.column, [s.column for s in c.sources]) for c in found.columns] == [("a", ["a"]), ("c", ["c"])]
    assert [(s.column, s.dependency) for s in found.row_level] == [("a", Dependency.JOIN), ("b", Dependency.JOIN)]


def test_a_function_over_groups_and_their_state_uses_key_and_values() -> None:
    child = files("file:/in", *(attribute(number, name) for number, name in enumerate("abc", start=1)))
    of_groups = GroupStateFunction(
        class_name="FlatMapGroupsWithState",
        children=(child,),
        key_deserializer=reference(1),
        value_deserializer=reference(2),
        grouping=(reference(1),),
        output=(attribute(4, "d"),),
    )
    found = process(of_groups, attribute(4, "d"))
    assert [(c.column, [s.column for s in c.sources]) for c in found.columns] == [("d", ["a", "b"])]
    assert [(s.column, s.dependency) for s in found.row_level] == [("a", Dependency.GROUP_BY)]
