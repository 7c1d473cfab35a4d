"""The events of flows, changes and applications: what a receiver reads without knowing this product."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from sac_kafka.model import (
    REPLACED,
    Application,
    Column,
    ColumnLineage,
    ColumnRenamed,
    ColumnSource,
    Database,
    DatabaseDropped,
    Dataset,
    DatasetDescribed,
    DatasetRead,
    Dependency,
    Engine,
    ModelDataset,
    PathDataset,
    Process,
    RowClause,
    RowsRemoved,
    Run,
    Stream,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
    TopicDataset,
)
from sac_kafka.model.gaps import INPUTS_MAY_BE_MISSING
from sac_kafka.openlineage.events import read_dataset, read_event
from sac_kafka.openlineage.flows import FlowOptions, Flows
from sac_kafka.openlineage.open_runs import OpenRuns
from sac_kafka.openlineage.own_facets import ALL
from sac_kafka.openlineage.runs import run_of
from sac_kafka.openlineage.writing.output import EventOptions, OpenLineageOutput
from sac_kafka.stages.outcome_scheduler import OutcomeScheduler, ScheduledOutcome

PARENT = "0197d6c0-0000-7000-8000-000000000001"
APP = Application(
    job="nightly",
    application_id="app-1",
    name="Nightly 2026-11-28",
    user="etl",
    engine=Engine(version="4.3.0"),
    started_ms=1_000,
    facts=(("parent", "airflow"), ("parent_job", "dag.task"), ("parent_run_id", PARENT)),
)
ORDERS = TableDataset(
    database="shop",
    name="orders",
    location="s3a://lake/shop.db/orders",
    owner="ann",
    comment="all orders",
    columns=(Column(name="id", type="bigint"), Column(name="amount", type="double", comment="net")),
)
REPORT = PathDataset(
    path="hdfs://nn/out/{date}/report", format="parquet", columns=(Column(name="total", type="double"),)
)
AMOUNT = ColumnSource(ORDERS.key, "amount", Dependency.AGGREGATION)
ROWS = ColumnSource(ORDERS.key, "id", Dependency.FILTER)
FLOW = Process(
    application=APP,
    run=Run(
        execution_id=7,
        started_ms=2_000,
        ended_ms=3_500,
        query_text="SELECT sum(amount) FROM shop.orders WHERE id > ?",
        rows_written=1,
        bytes_written=20,
        read=(DatasetRead(dataset=ORDERS.key, rows=9, files=2),),
    ),
    inputs=(ORDERS,),
    outputs=(REPORT,),
    columns=(ColumnLineage(dataset=REPORT.key, column="total", sources=(AMOUNT,), expression="sum(amount)"),),
    row_level=(ROWS,),
    clauses=(RowClause(dependency=Dependency.FILTER, text="id > ?", sources=(ROWS,)),),
    versions_read=((ORDERS.key, "version 3"),),
    extent=REPLACED,
)


SCHEMAS = Path(__file__).parents[4] / "schemas"


def output(**options: Any) -> OpenLineageOutput:
    made = EventOptions(application=APP, namespace="prod", metastore="hive://m1:9083", max_bytes=1_000_000)
    return OpenLineageOutput(replace(made, **options))


def event_of(outcome: Any, **more: Any) -> dict[str, Any]:
    (message,) = output().messages(ScheduledOutcome(outcome, **more), 5_000)
    return json.loads(message.value)


def bare(facet: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a facet, whose producer and schema are stated."""
    assert facet["_producer"] == "urn:sac-kafka:0.1.0"
    assert facet["_schemaURL"].startswith(("https://openlineage.io/spec/facets/", "urn:sac-kafka:facet:"))
    return {key: value for key, value in facet.items() if not key.startswith("_")}


def facets_of(part: dict[str, Any]) -> dict[str, Any]:
    for name in ALL & part["facets"].keys():
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(part["facets"][name])
    return {name: bare(facet) for name, facet in part["facets"].items()}


def test_a_flow_is_one_event_of_its_run_with_what_the_specification_has_a_facet_for() -> None:
    event = event_of(FLOW)
    assert (event["eventType"], event["eventTime"]) == ("COMPLETE", "1970-01-01T00:00:03.500Z")
    assert (event["job"]["namespace"], event["job"]["name"]) == ("prod", "nightly.hdfs://nn/out/{date}/report")
    (read,), (written,) = event["inputs"], event["outputs"]
    assert (read["namespace"], read["name"]) == ("s3://lake", "shop.db/orders")
    assert facets_of(read) == {
        "schema": {
            "fields": [{"name": "id", "type": "bigint"}, {"name": "amount", "type": "double", "description": "net"}]
        },
        "symlinks": {"identifiers": [{"namespace": "hive://m1:9083", "name": "shop.orders", "type": "TABLE"}]},
        "documentation": {"description": "all orders"},
        "ownership": {"owners": [{"name": "ann", "type": "OWNER"}]},
        "version": {"datasetVersion": "3"},
    }
    assert bare(read["inputFacets"]["inputStatistics"]) == {"rowCount": 9, "fileCount": 2}
    assert (written["namespace"], written["name"]) == ("hdfs://nn", "/out")
    source = {"namespace": "s3://lake", "name": "shop.db/orders"}
    of_output = facets_of(written)
    assert of_output["columnLineage"] == {
        "fields": {
            "total": {
                "inputFields": [
                    {
                        **source,
                        "field": "amount",
                        "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum(amount)"}],
                    }
                ]
            }
        },
        "dataset": [
            {
                **source,
                "field": "id",
                "transformations": [{"type": "INDIRECT", "subtype": "FILTER", "description": "id > ?"}],
            }
        ],
    }
    assert of_output["lifecycleStateChange"] == {"lifecycleStateChange": "OVERWRITE"}
    assert of_output["sacKafka_dataset"] == {"kind": "PathDataset", "path": REPORT.path}
    assert bare(written["outputFacets"]["outputStatistics"]) == {"rowCount": 1, "size": 20}
    of_job, of_run = facets_of(event["job"]), facets_of(event["run"])
    assert of_job["sql"] == {"query": FLOW.run.query_text, "dialect": "spark"}
    assert of_job["jobType"] == {"processingType": "BATCH", "integration": "SPARK", "jobType": "QUERY"}
    assert of_run["processing_engine"]["version"] == "4.3.0"
    assert of_run["sacKafka_completeness"] == {"lineage": "complete", "reasons": []}
    assert of_run["parent"]["job"] == {"namespace": "prod", "name": "nightly"}
    assert of_run["parent"]["root"] == {"run": {"runId": PARENT}, "job": {"namespace": "prod", "name": "dag.task"}}


def test_the_run_of_a_flow_is_that_of_its_execution_and_the_same_when_it_is_sent_again() -> None:
    second = replace(FLOW, outputs=(ORDERS,), inputs=(REPORT,), columns=(), row_level=(), clauses=())
    steps = [*OutcomeScheduler().schedule((FLOW, second), 0)]
    one, other = (event_of(each.outcome, together=each.together) for each in steps)
    assert one["run"]["runId"] == other["run"]["runId"] == event_of(FLOW)["run"]["runId"]
    assert one["job"]["name"] == other["job"]["name"] == "nightly.hdfs://nn/out/{date}/report,shop.orders"
    assert [facets_of(each["outputs"][0])["sacKafka_flow"]["of"] for each in (one, other)] == [REPORT.key, ORDERS.key]
    later = replace(FLOW, run=replace(FLOW.run, execution_id=8))
    attempt = replace(FLOW, application=replace(APP, attempt="2"))
    others = {event_of(each)["run"]["runId"] for each in (FLOW, later, attempt)}
    assert len(others) == 3
    assert facets_of(one["run"])["parent"]["run"] == facets_of(event_of(later)["run"])["parent"]["run"]


def test_a_failed_flow_states_the_class_of_the_error() -> None:
    event = event_of(replace(FLOW, run=replace(FLOW.run, failure="SparkException [DIVIDE_BY_ZERO] 22012")))
    assert event["eventType"] == "FAIL"
    assert facets_of(event["run"])["errorMessage"] == {
        "message": "SparkException [DIVIDE_BY_ZERO] 22012",
        "programmingLanguage": "JAVA",
    }
    assert "lifecycleStateChange" not in event["outputs"][0]["facets"]


def test_missing_inputs_are_stated() -> None:
    event = event_of(replace(FLOW, gaps=(INPUTS_MAY_BE_MISSING,)))
    assert facets_of(event["run"])["sacKafka_completeness"] == {
        "lineage": "partial",
        "reasons": [INPUTS_MAY_BE_MISSING],
    }


@pytest.mark.parametrize(("is_running", "state"), [(True, "RUNNING"), (False, "COMPLETE")])
def test_a_stream_is_one_run_since_its_start(is_running: bool, state: str) -> None:
    stream = Stream(
        identity=("q",), name="q", checkpoint=None, query_id="i", run_id="r", is_running=is_running, batches=3
    )
    event = event_of(replace(FLOW, stream=stream))
    again = event_of(replace(FLOW, stream=replace(stream, batches=4), run=replace(FLOW.run, execution_id=9)))
    assert (event["eventType"], event["job"]["name"]) == (state, "nightly.stream.q.hdfs://nn/out/{date}/report")
    assert event["run"]["runId"] == again["run"]["runId"]
    assert facets_of(event["job"])["jobType"]["processingType"] == "STREAMING"


def test_direct_column_lineage_has_no_conditions() -> None:
    (message,) = output(is_full=False).messages(ScheduledOutcome(FLOW), 0)
    columns = json.loads(message.value)["outputs"][0]["facets"]["columnLineage"]
    assert (len(columns["fields"]), "dataset" in columns) == (1, False)


def test_a_table_keeps_its_name_where_a_statement_does_not_state_its_location() -> None:
    made = output()
    made.messages(ScheduledOutcome(FLOW), 0)
    (message,) = made.messages(ScheduledOutcome(TableDropped(table=replace(ORDERS, location=None))), 9)
    (dropped,) = json.loads(message.value)["outputs"]
    assert (dropped["namespace"], dropped["name"]) == ("s3://lake", "shop.db/orders")
    assert facets_of(dropped)["lifecycleStateChange"] == {"lifecycleStateChange": "DROP"}


@pytest.mark.parametrize(
    ("change", "verb", "job"),
    [
        (TableDefined(table=replace(ORDERS, created_ms=2_000)), "CREATE", "nightly.create.shop.orders"),
        (TableDefined(table=replace(ORDERS, created_ms=1)), "ALTER", "nightly.alter.shop.orders"),
        (TableDefined(table=ORDERS), "ALTER", "nightly.alter.shop.orders"),
        (ColumnRenamed(table=ORDERS, old="a", new="id"), "ALTER", "nightly.alter.shop.orders"),
        (RowsRemoved(dataset=ORDERS), "TRUNCATE", "nightly.truncate.shop.orders"),
    ],
)
def test_a_change_is_a_run_with_an_output(change: Any, verb: str, job: str) -> None:
    event = event_of(change)
    assert (event["eventType"], event["inputs"], event["job"]["name"]) == ("COMPLETE", [], job)
    assert facets_of(event["outputs"][0])["lifecycleStateChange"] == {"lifecycleStateChange": verb}


@pytest.mark.parametrize(
    ("location", "former"),
    [
        (None, ("hive://m1:9083", "shop.old")),
        ("s3a://lake/shop.db/old", ("s3://lake", "shop.db/old")),
        (ORDERS.location, ("hive://m1:9083", "shop.old")),
    ],
)
def test_a_renamed_table_has_its_former_name(location: str | None, former: tuple[str, str]) -> None:
    made, old = output(), TableDataset(database="shop", name="old", location=location)
    made.messages(ScheduledOutcome(TableDefined(table=old)), 0)
    (message,) = made.messages(ScheduledOutcome(TableRenamed(old=replace(old, location=None), new=ORDERS)), 1)
    change = json.loads(message.value)["outputs"][0]["facets"]["lifecycleStateChange"]
    assert change["previousIdentifier"] == {"namespace": former[0], "name": former[1]}
    (outcome,) = Flows(FlowOptions()).outcomes(run_of(read_event(json.loads(message.value))))
    assert isinstance(outcome, TableRenamed)
    assert (outcome.old.key, outcome.new.key) == (old.key, ORDERS.key)


def test_a_change_without_a_form_is_counted() -> None:
    made = output()
    for change in (DatabaseDropped(database=Database(name="d")), RowsRemoved(dataset=ORDERS, part="day=1")):
        assert made.messages(ScheduledOutcome(change), 0) == ()
    assert sum(made.counts.values()) == 2


@pytest.mark.parametrize(("status", "state"), [("finished", "COMPLETE"), ("failed", "FAIL")])
def test_the_end_of_an_application_has_the_completeness_of_its_writes(status: str, state: str) -> None:
    wrote = {"writes": 2, "with_table_lineage": 2, "with_column_lineage": 1, "reasons": {"node not understood: X": 1}}
    (message,) = output().at_the_end([(APP, wrote)], status, 9_000)  # type: ignore[list-item]
    event = json.loads(message.value)
    assert (event["eventType"], event["job"]["name"]) == (state, "nightly")
    assert event["run"]["runId"] == facets_of(event_of(FLOW)["run"])["parent"]["run"]["runId"]
    assert facets_of(event["run"])["sacKafka_completeness"] == {
        "lineage": "partial",
        "reasons": ["node not understood: X"],
        "writes": 2,
        "writesWithTableLineage": 2,
        "writesWithColumnLineage": 1,
    }


@pytest.mark.parametrize(
    ("datasets", "name"),
    [
        ([TopicDataset(topic="t", servers="b1:9092,b2:9092")], ("kafka://b1:9092", "t")),
        (
            [
                ModelDataset(path="file:/m/one"),
                ModelDataset(path="file:/m/one", is_directory=True),
                PathDataset(path="file:/m/one", format="parquet"),
            ],
            ("file", "/m/one"),
        ),
    ],
)
def test_datasets_that_share_a_name_are_one_dataset_with_the_identity_of_each(
    datasets: list[Dataset], name: tuple[str, str]
) -> None:
    (found,) = event_of(replace(FLOW, inputs=tuple(datasets), columns=(), clauses=(), row_level=()))["inputs"]
    identity = facets_of(found)["sacKafka_dataset"]
    assert (found["namespace"], found["name"]) == name
    assert len([identity, *identity.get("others", ())]) == len(datasets)


def test_labels_and_custom_attributes_are_tags_of_the_job() -> None:
    flow = replace(FLOW, application=replace(APP, labels=("tier1",)))
    (message,) = output(tags=(("gold", "true"), ("team", "sales"))).messages(ScheduledOutcome(flow), 0)
    tags = facets_of(json.loads(message.value)["job"])["tags"]["tags"]
    assert [(each["key"], each["value"], each["source"]) for each in tags] == [
        (key, value, "sac_kafka") for key, value in (("gold", "true"), ("team", "sales"), ("tier1", "true"))
    ]


def test_a_described_dataset_is_an_event_without_a_run() -> None:
    event = event_of(
        DatasetDescribed(dataset=replace(ORDERS, owner=None, comment=None), description="all", owner="ann")
    )
    assert (event["eventTime"], "run" in event) == ("1970-01-01T00:00:05.000Z", False)
    assert event["schemaURL"].endswith("/DatasetEvent")
    facets = facets_of(event["dataset"])
    assert facets["documentation"] == {"description": "all"}
    assert facets["ownership"]["owners"] == [{"name": "ann", "type": "OWNER"}]
    described = read_dataset(event)
    assert described is not None
    (table,) = OpenRuns(FlowOptions()).define(*described)
    assert isinstance(table, TableDefined)
    assert (table.table.key, table.table.comment, table.table.owner) == (ORDERS.key, "all", "ann")
