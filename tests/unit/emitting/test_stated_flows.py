"""What a flow states: datasets, columns, conditions and the run, and the error with its place for what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest

from sac_kafka.emitting.stated_flows import StatingProcess, read_descriptions, read_flow
from sac_kafka.errors import FlowError
from sac_kafka.model import Column, ColumnSource, DatasetDescribed, Dependency, Engine, Process
from sac_kafka.model.bounds import Budget
from sac_kafka.model.gaps import COLUMNS_NOT_STATED, CONDITIONS_NOT_STATED
from tests.helpers.work import assert_linear

IN, OUT = "table:spark_catalog.a.x", "table:spark_catalog.a.y"


def flow(by: StatingProcess | None = None, **stated: Any) -> Process:
    """Return the process of a flow from a.x to a.y."""
    whole = {"job": "daily", "inputs": "a.x", "outputs": "a.y", **stated}
    (process,) = (o for o in read_flow(whole, by or StatingProcess()) if isinstance(o, Process))
    return process


def sources(**stated: Any) -> dict[str, list[tuple[str, str, Dependency]]]:
    return {c.column: [(s.dataset, s.column, s.dependency) for s in c.sources] for c in flow(**stated).columns}


def test_without_columns_both_are_gaps() -> None:
    assert flow().gaps == (COLUMNS_NOT_STATED, CONDITIONS_NOT_STATED)
    assert flow(columns={}, conditions={}).gaps == ()
    assert flow(columns={"n": ["c"]}).gaps == (CONDITIONS_NOT_STATED,)
    assert flow(columns={"n": {"direct": "c"}}).gaps == ()


def test_a_source_without_a_kind_is_no_copy() -> None:
    assert sources(columns={"y.n": ["x.c"]}) == {"n": [(IN, "c", Dependency.TRANSFORMATION)]}


@pytest.mark.parametrize("reference", ["c", "x.c", "a.x.c", {"column": "c"}, {"dataset": "a.x", "column": "c"}])
def test_references_to_a_column(reference: object) -> None:
    assert sources(columns={"n": [reference]}) == {"n": [(IN, "c", Dependency.TRANSFORMATION)]}


def test_references_by_alias_and_end_of_a_path() -> None:
    found = sources(
        inputs={"o": "s3://b/orders", "x": {"dataset": ["jdbc:postgresql://db1/shop", "s.t"]}},
        columns={"n": {"aggregation": ["o.c", "x.d"], "condition": ["orders.e"], "text": "sum(c) + 'secret'"}},
    )
    path, table = "path:s3://b/orders", "rdbms:postgresql://db1:5432/shop/s.t"
    assert found == {
        "n": [
            (path, "c", Dependency.AGGREGATION),
            (path, "e", Dependency.CONDITIONAL),
            (table, "d", Dependency.AGGREGATION),
        ]
    }


@pytest.mark.parametrize("reference", ["t.c", "s.t.c", "postgres://db1/shop/s/t.c", {"dataset": "t", "column": "c"}])
def test_references_to_a_table_of_a_server(reference: object) -> None:
    found = sources(inputs=["postgres://db1/shop/s/t", "a.x"], columns={"n": [reference]})
    assert found == {"n": [("rdbms:postgresql://db1:5432/shop/s.t", "c", Dependency.TRANSFORMATION)]}


def test_expressions_have_no_literals() -> None:
    (column,) = flow(columns={"n": {"expression": "c", "text": "c || 'secret'"}}, sql="select 'secret'").columns
    assert column.expression == "c || ?"
    assert flow(sql="select 'secret' from a.x").run.query_text == "select ? from a.x"


def test_conditions() -> None:
    process = flow(conditions={"filter": ["c"], "join": ["x.id"]})
    assert [(each.dependency, each.text) for each in process.clauses] == [
        (Dependency.FILTER, "c"),
        (Dependency.JOIN, "id"),
    ]
    assert process.row_level == (ColumnSource(IN, "c", Dependency.FILTER), ColumnSource(IN, "id", Dependency.JOIN))


def test_datasets_describe_inputs_and_outputs() -> None:
    described = {"dataset": "a.y", "columns": {"n": "bigint"}, "description": "All.", "owner": "sales", "tags": ["pii"]}
    (description, process) = read_flow({"job": "daily", "outputs": ["a.y"], "datasets": [described]})
    assert isinstance(description, DatasetDescribed)
    assert isinstance(process, Process)
    assert (description.description, description.owner, description.labels) == ("All.", "sales", ("pii",))
    assert process.outputs[0].columns == description.dataset.columns == (Column(name="n", type="bigint"),)


def test_the_run() -> None:
    moment = datetime(2026, 11, 28, 5, tzinfo=timezone.utc)
    process = flow(
        started=moment,
        ended="2026-11-28T05:00:01Z",
        failure=ValueError("secret"),
        rows=3,
        engine="DuckDB 1.4.1",
        run_id="r1",
        facts={"parent_job": "dag"},
        replaces=True,
        other_sources="an API",
    )
    assert (process.run.started_ms, process.run.ended_ms) == (1795842000000, 1795842001000)
    assert (process.run.failure, process.run.rows_written) == ("ValueError", 3)
    assert process.application.engine == Engine(name="DuckDB", version="1.4.1")
    assert (process.application.application_id, process.application.facts) == ("r1", (("parent_job", "dag"),))
    assert (process.replaces_output, process.other_sources) == (True, ("an API",))


def test_an_output_may_be_an_input_and_occur_twice() -> None:
    process = flow(inputs=["a.x", "a.y", "a.x"], outputs=["a.y", {"dataset": "a.y", "columns": ["n"]}])
    assert [each.key for each in process.inputs] == [IN, OUT]
    assert process.outputs[0].columns == (Column(name="n"),)


@pytest.mark.parametrize(
    ("stated", "error"),
    [
        ({"job": ""}, "job: empty; write a text"),
        ({"job": 3}, "job: 3 is a int; write a text"),
        ({"job": "a\nb"}, "job: 'a\\nb' is too long, or has control characters"),
        ({"outputs": []}, "outputs: empty; a flow writes at least one dataset"),
        ({"outputs": 3}, "outputs: a int; state a list of datasets"),
        ({"inputs": ["a.b", "c"]}, "inputs[1]: 'c': a table needs its database"),
        ({"inputs": {"o": {"dataset": "a.b", "colums": []}}}, "inputs.o: unknown key 'colums' (did you mean columns?)"),
        ({"inputs": [{"columns": []}]}, "inputs[0]: state dataset, or namespace and name, or url and table"),
        ({"inputs": [{"dataset": "a.b", "columns": ["c", "c"]}]}, "inputs[0].columns: 'c' occurs twice"),
        ({"inputs": [{"dataset": "a.b", "columns": {"c": 3}}]}, "inputs[0].columns.c.type: 3 is a int"),
        ({"inputs": [{"dataset": "a.b", "format": "csv"}]}, "inputs[0].format: only a path has one"),
        ({"inputs": [{"dataset": "a.b", "tags": ["a b"]}]}, "inputs[0].tags: 'a b' must have 1 to 50 letters"),
        ({"columns": []}, "columns: a list; state a table"),
        ({"columns": {"n": 3}}, "columns.n: a int; state a list of columns"),
        ({"columns": {"n": ["z.c"]}}, "columns.n: 'z' is no dataset of the inputs; the inputs are a.x"),
        ({"columns": {"z.n": []}}, "columns: 'z' is no dataset of the outputs"),
        ({"columns": {"n": {"agregation": ["c"]}}}, "columns.n: unknown key 'agregation' (did you mean aggregation?)"),
        ({"columns": {"n": [], "y.n": []}}, "columns.y.n: the column occurs twice"),
        ({"inputs": ["a.x", "b.x"], "columns": {"n": ["x.c"]}}, "columns.n: 'x' is the name of several inputs"),
        ({"inputs": ["a.x", "b.z"], "columns": {"n": ["c"]}}, "columns.n: 'c' is of which of the inputs?"),
        ({"inputs": [], "columns": {"n": ["c"]}}, "there are none; write dataset.column; the inputs are empty"),
        (
            {"inputs": [{"dataset": "a.x", "columns": ["amount"]}], "columns": {"n": ["amout"]}},
            "columns.n: a.x has no column 'amout' (did you mean amount?)",
        ),
        ({"conditions": {"having": ["c"]}}, "conditions[0]: unknown kind 'having'"),
        ({"conditions": 3}, "conditions: a int"),
        ({"started": 2, "ended": 1}, "started: 2 is after ended"),
        ({"started": "yesterday"}, "started: 'yesterday' is no time"),
        ({"ended": float("nan")}, "ended: nan is no time"),
        ({"ended": True}, "ended: True is no time"),
        ({"rows": -1}, "rows: -1; state the number of rows written"),
        ({"replaces": "yes"}, "replaces: 'yes'; write true or false"),
        ({"facts": {"a b": "c"}}, "facts: 'a b' must have 1 to 50 letters"),
        ({"start": 1}, "flow: unknown key 'start' (did you mean started?)"),
    ],
)
def test_every_error_has_its_place(stated: dict[str, Any], error: str) -> None:
    with pytest.raises(FlowError) as raised:
        flow(**stated)
    assert error in str(raised.value)
    assert not str(raised.value).startswith(":")


def test_registration_of_nothing_is_an_error() -> None:
    with pytest.raises(FlowError, match="datasets: empty"):
        read_descriptions([])


def test_columns_are_read_in_linear_time() -> None:
    def wide(number: int) -> Callable[[], object]:
        names = [f"c{n}" for n in range(number)]
        datasets = [{"dataset": name, "columns": names} for name in ("a.x", "a.y")]
        return lambda: flow(columns={name: [f"x.{name}"] for name in names}, datasets=datasets)

    assert_linear(wide, 300)


def test_more_columns_than_the_budget_are_omitted_with_the_reason() -> None:
    process = flow(StatingProcess(budget=Budget(columns=1)), columns={"n": ["c"], "m": ["c"]})
    assert (process.columns, process.columns_omitted) == ((), "more than 1 columns")
