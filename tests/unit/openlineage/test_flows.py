"""What a run means: its flow, columns, job and metrics, and what is no flow."""

from __future__ import annotations

from typing import Any

import pytest

from sac_kafka.model import (
    ColumnSource,
    Dependency,
    Engine,
    Process,
    RdbmsDataset,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.bounds import Budget
from sac_kafka.openlineage.events import read_dataset
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import Waiting
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings.declarations.choices import QueryText
from tests.unit.openlineage.small_events import dataset, edges, event, flows, lineage, outcomes, parent, runs_of, schema

X, Y = "table:spark_catalog.a.x", "table:spark_catalog.a.y"
WRITE: Any = {"inputs": [dataset("a.x")], "outputs": [dataset("a.y")]}


def used(column: str, *transformations: dict[str, str], name: str = "a.x", **more: Any) -> dict[str, Any]:
    return {"namespace": "hive://m1:9083", "name": name, "field": column, "transformations": [*transformations], **more}


def output(**facet: Any) -> list[dict[str, Any]]:
    return [dataset("a.y", columnLineage=facet)]


@pytest.mark.parametrize("dependency", list(Dependency))
def test_every_kind_of_dependency(dependency: Dependency) -> None:
    others = {"only": {"inputFields": [used("c", {"subtype": "IDENTITY"})]}}
    fields = {"n": {"inputFields": [used("c", {"subtype": dependency.name})]}, **others}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields=fields))])
    assert flow.columns[0].sources == (ColumnSource(X, "c", dependency),)


@pytest.mark.parametrize(
    ("transformations", "dependency"),
    [
        ([], Dependency.TRANSFORMATION),
        ([{"type": "DIRECT", "subtype": "NEW"}], Dependency.TRANSFORMATION),
        ([{"type": "INDIRECT", "subtype": "NEW"}], Dependency.CONDITIONAL),
        ([{"type": "INDIRECT"}], Dependency.CONDITIONAL),
    ],
)
def test_unknown_transformation_is_never_a_copy(transformations: list[dict[str, str]], dependency: Dependency) -> None:
    fields = {"n": {"inputFields": [used("c", *transformations)]}}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields=fields))])
    assert flow.columns[0].sources == (ColumnSource(X, "c", dependency),)


def test_older_form_of_transformations() -> None:
    fields = {"n": {"inputFields": [used("c")], "transformationType": "IDENTITY", "transformationDescription": ""}}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields=fields))])
    assert flow.columns[0].sources == (ColumnSource(X, "c", Dependency.IDENTITY),)


def test_description_is_the_expression_without_literals() -> None:
    step = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "concat(c, 'secret', 12345)"}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields={"n": {"inputFields": [used("c", step)]}}))])
    assert flow.columns[0].expression == "concat(c, ?, ?)"


def test_rows_are_decided_by_what_the_dataset_states() -> None:
    rows = [used("id", {"type": "INDIRECT", "subtype": "FILTER", "description": "id > 12345"})]
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields={}, dataset=rows))])
    assert flow.row_level == (ColumnSource(X, "id", Dependency.FILTER),)
    assert [each.text for each in flow.clauses] == ["id > ?"]


def test_what_every_column_repeats_decides_the_rows() -> None:
    joined = used("k", {"type": "INDIRECT", "subtype": "JOIN"})
    fields = {name: {"inputFields": [used(name, {"subtype": "IDENTITY"}), joined]} for name in ("a", "b")}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=output(fields=fields))])
    assert flow.row_level == (ColumnSource(X, "k", Dependency.JOIN),)
    assert [len(each.sources) for each in flow.columns] == [1, 1]


def test_dataset_of_column_lineage_alone_is_an_input() -> None:
    fields = {"n": {"inputFields": [used("c", name="a.seed")]}}
    (flow,) = flows([event(outputs=output(fields=fields))])
    assert edges(flow) == (["spark_catalog.a.seed"], ["spark_catalog.a.y"])


def test_facet_lineage_of_a_job_states_flows_of_datasets_in_no_list() -> None:
    source = {"namespace": "hive://m1:9083", "name": "a.x", "type": "DATASET"}
    job_input = {"namespace": "prod", "name": "other", "type": "JOB"}
    entry = {
        **source,
        "name": "a.y",
        "inputs": [source, job_input],
        "fields": {"n": {"inputs": [{**source, "field": "c", "transformations": [{"subtype": "AGGREGATION"}]}]}},
    }
    (flow,) = flows([event(job_facets={"lineage": {"entries": [entry]}})])
    assert edges(flow) == (["spark_catalog.a.x"], ["spark_catalog.a.y"])
    assert flow.columns[0].sources == (ColumnSource(X, "c", Dependency.AGGREGATION),)


def test_column_lineage_over_the_budget_is_omitted_with_the_reason() -> None:
    facet = lineage("n", *(("a.x", f"c{n}", "IDENTITY") for n in range(5)))
    (flow,) = flows(
        [event(inputs=[dataset("a.x")], outputs=[dataset("a.y", columnLineage=facet)])],
        FlowOptions(budget=Budget(edges=4)),
    )
    assert (flow.columns, flow.columns_omitted) == ((), "more than 4 edges")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (event(inputs=[dataset("a.x")]), "runs that only read"),
        (event(), "runs without datasets"),
        (event(outputs=[dataset("a.y")]), "runs with outputs that write no rows, such as definitions"),
        (event(**WRITE, job_facets={"jobType": {"jobType": "TEST"}}), "runs of tests"),
    ],
)
def test_run_that_writes_nothing_is_counted(value: Any, reason: str) -> None:
    runs = runs_of([value])
    assert [*runs.all()] == []
    assert runs.counts[reason] == 1


def test_output_with_statistics_or_of_a_seed_needs_no_input() -> None:
    written = {**dataset("a.y"), "outputFacets": {"outputStatistics": {"rowCount": 3}}}
    (flow,) = flows([event(outputs=[written])])
    assert (flow.inputs, flow.run.rows_written) == ((), 3)
    assert len(flows([event(outputs=[dataset("a.y")], job_facets={"jobType": {"jobType": "SEED"}})])) == 1


def test_input_that_is_no_dataset_is_another_source_and_counted() -> None:
    runs = runs_of([event(inputs=[dataset("db.gen", "")], outputs=[dataset("a.y")])])
    ((flow,),) = runs.all()
    assert getattr(flow, "other_sources", None) == ("db.gen",)
    assert runs.counts["dataset whose name does not identify it: no namespace"] == 1


def test_lineage_that_the_producer_does_not_state_is_a_gap() -> None:
    (bare,) = flows([event(**WRITE)])
    assert [each.partition(":")[0] for each in bare.gaps] == ["columns not known", "conditions not known"]
    facet = lineage("n", ("a.x", "c", "IDENTITY"))
    (whole,) = flows([event(inputs=[dataset("a.x")], outputs=[dataset("a.y", columnLineage=facet)])])
    assert whole.gaps == ()


@pytest.mark.parametrize(
    ("engine", "change", "is_replaced"),
    [("Flink", "OVERWRITE", True), ("spark", "OVERWRITE", False), ("spark", "CREATE", True), ("Flink", "ALTER", False)],
)
def test_overwrite_replaces_unless_spark_states_it(engine: str, change: str, is_replaced: bool) -> None:
    changed = dataset("a.y", lifecycleStateChange={"lifecycleStateChange": change})
    (flow,) = flows(
        [event(inputs=[dataset("a.x")], outputs=[changed], run_facets={"processing_engine": {"name": engine}})]
    )
    assert flow.replaces_output == is_replaced


@pytest.mark.parametrize(
    ("change", "kind"), [("CREATE", TableDefined), ("ALTER", TableDefined), ("DROP", TableDropped)]
)
def test_definitions_of_tables_are_changes(change: str, kind: type) -> None:
    table = dataset("a.y", schema=schema("id"), lifecycleStateChange={"lifecycleStateChange": change})
    (found,) = outcomes([event(outputs=[table])])
    assert isinstance(found, kind)
    assert outcomes([event("FAIL", outputs=[table])]) == []


def changed(kind: str, name: str = "a.y", before: Any = None, namespace: str = "hive://m1:9083") -> Any:
    facet = {"lifecycleStateChange": kind, **({"previousIdentifier": before} if before else {})}
    return dataset(name, namespace, schema=schema("id"), lifecycleStateChange=facet)


def test_rename_of_a_table() -> None:
    before = {"namespace": "hive://m1:9083", "name": "a.x"}
    (found,) = outcomes([event(outputs=[changed("RENAME", before=before)])])
    assert isinstance(found, TableRenamed)
    assert (found.old.key, found.new.key) == (X, Y)


def test_rename_that_spark_states_by_directories() -> None:
    renamed = changed("RENAME", "/w/a.db/y", {"namespace": "file", "name": "/w/a.db/x"}, "file")
    renamed["facets"]["symlinks"] = {"identifiers": [{"namespace": "file:/w", "name": "a.y", "type": "TABLE"}]}
    (found,) = outcomes([event(outputs=[renamed])])
    assert isinstance(found, TableRenamed)
    assert (found.old.key, found.new.key) == (X, Y)
    renamed["facets"]["lifecycleStateChange"]["previousIdentifier"]["name"] = "/elsewhere/x"
    (unknown,) = [event(outputs=[renamed])]
    assert outcomes([unknown]) == []  # what it was called is not known


def test_every_run_counts_a_former_name_without_a_dataset() -> None:
    renamed = changed("RENAME", before={"namespace": "", "name": "x"})
    for number in (1, 2, 3):
        runs = runs_of([event(run=f"r{n}", outputs=[renamed]) for n in range(number)])
        assert [*runs.all()] == []
        assert runs.counts["dataset whose name does not identify it: no namespace"] == number


def test_truncate_removes_the_rows_of_its_job() -> None:
    (found,) = outcomes([event(outputs=[changed("TRUNCATE")])])
    assert isinstance(found, RowsRemoved)
    assert (found.dataset.key, found.job) == (Y, "load")


def test_event_of_a_dataset_defines_a_table() -> None:
    runs = runs_of([])
    read = read_dataset({"dataset": dataset("a.y", schema=schema("id"), documentation={"description": "Orders"})})
    assert read is not None
    (found,) = runs.define(*read)
    assert isinstance(found, TableDefined)
    assert (found.table.key, found.table.comment) == (Y, "Orders")
    assert runs.define(read[0], {}) == ()
    assert runs.counts["DatasetEvent: no table of a catalog, or without columns"] == 1


def job_event(second: int, *inputs: str) -> dict[str, Any]:
    value = event(second=second, inputs=[dataset(name) for name in inputs], outputs=[dataset("a.y")])
    return {key: part for key, part in value.items() if key not in ("run", "eventType")}


def test_event_of_a_job_is_a_flow_without_a_run() -> None:
    runs = runs_of([job_event(1, "a.x"), job_event(1, "a.x"), job_event(2, "a.z")])
    found = [flow for group in runs.due(Waiting().settle) for flow in group if isinstance(flow, Process)]
    assert [edges(flow)[0] for flow in found] == [["spark_catalog.a.x"], ["spark_catalog.a.z"]]
    assert {flow.run.started_ms for flow in found} == {None}
    facts = dict(found[0].application.facts)
    assert (facts["openlineage_state"], "openlineage_run_id" in facts) == ("STATIC", False)
    assert "runs reported without an end" not in runs.counts


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        ("java.lang.IllegalStateException: x@y", "FAIL: IllegalStateException"),
        ("Database Error in model stg (a.sql)\n  no column 'secret'", "FAIL: Database Error in model stg (a.sql)"),
        ('cannot parse "anna" of 12345, mail=x@y.org', "FAIL: cannot parse ? of ?, ?"),
        ("", "FAIL"),
    ],
)
def test_failure_is_the_class_or_the_message_without_data(message: str, failure: str) -> None:
    (flow,) = flows([event("FAIL", **WRITE, run_facets={"errorMessage": {"message": message}})])
    assert flow.run.failure == failure


def test_what_people_say_of_datasets_and_jobs() -> None:
    said = {"ownership": {"owners": [{"name": "team:sales"}]}, "documentation": {"description": "Orders"}}
    tags = {"tags": [{"key": "tier1", "value": "true"}, {"key": "domain", "value": "sales & co"},
                     {"key": "pii", "field": "mail"}]}  # fmt: skip
    outputs = [dataset("a.y", **said, tags=tags), dataset("db.s.t", "postgres://d1:5432", **said)]
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=outputs, job_facets={**said, "tags": tags})])
    tables = [each for each in flow.outputs if isinstance(each, TableDataset | RdbmsDataset)]
    assert [(each.owner, each.comment) for each in tables] == [("team:sales", "Orders")] * 2
    facts = dict(flow.application.facts)
    assert (facts["owner"], facts["documentation"]) == ("team:sales", "Orders")
    assert flow.application.labels == ("tier1", "domain_sales_co")
    assert facts["dataset_tags"] == "a.y: tier1, domain=sales & co; a.y.mail: pii"


# ---- the job


SPARK = {"processing_engine": {"name": "spark", "version": "3.5.9"}, "parent": parent("app-run")}
NAMED = {**SPARK, "spark_properties": {"properties": {"spark.app.name": "Shop 2026-11-20"}}}


def test_job_of_spark_is_its_application_without_what_differs_per_run() -> None:
    details = {"applicationId": "local-1", "userName": "ada"}
    (flow,) = flows([event(**WRITE, job="shop.execute_x", run_facets={**NAMED, "spark_applicationDetails": details})])
    of = flow.application
    assert (of.job, of.name, of.application_id) == ("Shop", "Shop 2026-11-20", "local-1")
    assert (of.user, of.engine) == ("ada", Engine(version="3.5.9"))


def test_job_that_has_started_an_application_names_it() -> None:
    application = event("START", run="app-run", job="shop", run_facets={**NAMED, "parent": parent("dag", "daily.load")},
                        job_facets={"jobType": {"jobType": "APPLICATION"}})  # fmt: skip
    (flow,) = flows([application, event(**WRITE, run_facets=NAMED)])
    assert flow.application.job == "daily.load"
    assert dict(flow.application.facts)["parent_run_id"] == "dag"
    root = {**parent("app-run"), "root": parent("dag", "daily.load")}
    (alone,) = flows([event(**WRITE, run_facets={**NAMED, "parent": root})])
    assert alone.application.job == "daily.load"


def test_job_of_dbt_is_that_of_its_node_however_it_is_run() -> None:
    node = {"dbt_node": {"unique_id": "model.shop.orders"}}
    for job in ("model.shop.orders", "shop.main.shop.orders.build.run"):
        (flow,) = flows([event(**WRITE, job=job, job_facets=node)])
        assert flow.application.job == "dbt model.shop.orders"


@pytest.mark.parametrize(("namespace", "job"), [("prod", "load"), ("default", "load"), ("airflow", "airflow/load")])
def test_namespace_is_part_of_a_job_unless_it_is_that_of_the_bridge(namespace: str, job: str) -> None:
    (flow,) = flows([event(**WRITE, namespace=namespace)])
    assert flow.application.job == job


def test_namespace_of_datasets_may_have_another_name() -> None:
    topic = dataset("orders", "kafka://b2:9092")
    (flow,) = flows(
        [event(inputs=[topic], outputs=[dataset("a.y")])],
        FlowOptions(namespaces={"kafka://b2:9092": "kafka://b1:9092"}),
    )
    assert edges(flow)[0] == ["b1:9092/orders"]


def test_facts_of_the_run_have_no_secrets() -> None:
    (flow,) = flows([event(**WRITE, job="load?password=hunter2", run_facets={"parent": parent("p1", "daily")})])
    facts = dict(flow.application.facts)
    assert (facts["parent_job"], facts["parent_run_id"], facts["openlineage_run_id"]) == ("daily", "p1", "r1")
    assert "hunter2" not in repr(flow)


# ---- SQL


@pytest.mark.parametrize(
    ("text", "dialect", "masked"),
    [
        ("SELECT 'a''b', \"c\" FROM t", "postgres", 'SELECT ?, "c" FROM t'),
        ('SELECT "secret" FROM t', "spark", "SELECT ? FROM t"),
        ("SELECT a /* note */ FROM t -- key\nWHERE b = 2.5", "", "SELECT a  FROM t \nWHERE b = ?"),
        ("SELECT $$secret$$, $t$x$t$", "postgres", "SELECT ?, ?"),
        ("SELECT 'it\\'s' , c1234", "mysql", "SELECT ? , c1234"),
        ("SELECT 'open", "", "SELECT ?"),
        ('/* {"app": "dbt", "node_id": "model.shop.o"} */ select 1', "", "/* dbt model.shop.o */ select 1"),
        ("LIMIT 10", "", "LIMIT 10"),
    ],
)
def test_literals_and_comments_are_masked(text: str, dialect: str, masked: str) -> None:
    assert mask_sql(text, dialect) == masked


def test_query_is_masked_unless_it_is_wanted_verbatim() -> None:
    query = {"sql": {"query": "SELECT 'x'", "dialect": "snowflake"}}
    (flow,) = flows([event(**WRITE, job_facets=query)])
    assert flow.run.query_text == "SELECT ?"
    (verbatim,) = flows([event(**WRITE, job_facets=query)], FlowOptions(query_text=QueryText.VERBATIM))
    assert verbatim.run.query_text == "SELECT 'x'"


def test_secrets_in_tags_are_masked_and_hide_no_other_tag() -> None:
    pairs = [("password", "hunter2"), ("tier1", "true"), ("store", "s3://me:hunter2@b")]
    tags = {"tags": [{"key": key, "value": value} for key, value in pairs]}
    (flow,) = flows([event(inputs=[dataset("a.x")], outputs=[dataset("a.y", tags=tags)], job_facets={"tags": tags})])
    assert flow.application.labels == ("password", "tier1", "store_s3_b")
    facts = dict(flow.application.facts)
    assert facts["dataset_tags"] == "a.y: password=********, tier1, store=s3://********@b"


def test_tags_of_the_client_do_not_hide_those_of_the_job() -> None:
    tags = [{"tags": [{"key": key, "value": "true"}]} for key in ("openlineage_client_version", "tier1")]
    written = event(**WRITE, run_facets={"tags": tags[0]}, job_facets={"tags": tags[1]})
    assert flows([written])[0].application.labels == ("tier1",)


def test_an_output_without_a_name_is_no_source() -> None:
    outputs = [*WRITE["outputs"], dataset("tmp", "inmemory://")]
    (flow,) = flows([event(inputs=WRITE["inputs"], outputs=outputs)])
    assert flow.other_sources == ()


def test_a_run_that_cannot_be_read_does_not_stop_the_others() -> None:
    too_long = {"fields": {"n": {"inputFields": [used("c", name="q" * 5_000)]}}}
    runs = runs_of([event(run="r1", inputs=[dataset("a.x")], outputs=output(**too_long)), event(run="r2", **WRITE)])
    assert len([*runs.all()]) == 1
    assert [reason for reason in runs.counts if reason.startswith("rejected: a run: ")]
    assert (len(runs), runs.places) == (0, frozenset())
