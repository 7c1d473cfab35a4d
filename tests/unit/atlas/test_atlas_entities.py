"""Entities of tables, columns, paths, databases, processes and applications."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas import datasets
from sac_kafka.atlas.limits import DETAILS_LIMIT
from sac_kafka.model import (
    Column,
    Database,
    Dependency,
    Engine,
    RdbmsDataset,
    TableDataset,
)
from sac_kafka.settings.declarations.choices import Compat, MessageForm, TableModel
from tests.cases.namings import naming_of
from tests.unit.atlas.flows import (
    APPLICATION,
    CONTEXT,
    ORDERS,
    ORDINARY,
    TOTALS,
    copy,
    ends,
    entities,
    messages_for,
    name,
    of_type,
    path,
    process,
    table,
)

D = Dependency
HIVE = naming_of(table_model=TableModel.HIVE)
SAC = naming_of(compat=Compat.SAC, sac_prefix="app-1")


def test_order_is_definitions_then_application_process_and_column_lineage():
    assert [entity["typeName"] for entity in entities(messages_for(ORDINARY))] == [
        "hdfs_path",
        "avro_schema",
        "avro_field",
        "avro_field",
        "spark_db",
        "spark_table",
        "spark_storagedesc",
        "spark_column",
        "spark_column",
        "spark_application",
        "spark_process",
        "spark_column_lineage",
        "spark_column_lineage",
    ]


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("hdfs://nn1/a", {"typeName": "hdfs_path", "name": "/a", "path": "hdfs://nn1/a", "clusterName": "prod"}),
        ("viewfs://c/a", {"typeName": "hdfs_path", "name": "/a", "path": "viewfs://c/a", "clusterName": "prod"}),
        ("file:/A/b", {"typeName": "fs_path", "name": "/A/b", "path": "file:/A/b"}),
        ("/a", {"typeName": "fs_path", "name": "/a", "path": "/a"}),
    ],
)
def test_path(uri, expected):
    (entity,) = of_type(messages_for(process([path(uri)])), "fs_path", "hdfs_path")
    assert {"typeName": entity["typeName"], **entity["attributes"]} == {**expected, "qualifiedName": f"{uri}@prod"}


def test_table_has_its_known_attributes():
    (entity,) = of_type(messages_for(process([ORDERS])), "spark_table")
    assert entity["attributes"] == {
        "qualifiedName": "sales.orders@prod",
        "name": "orders",
        "tableType": "MANAGED",
        "provider": "parquet",
        "partitionColumnNames": ["day"],
        "owner": "etl",
        "ownerType": "USER",
        "createTime": 1_700_000_000_000,
        "comment": "all orders",
        "description": "all orders",
    }


def test_table_of_another_catalog():
    sent = messages_for(process([table("t", "id", catalog="lake")]))
    assert [name(entity) for entity in of_type(sent, "spark_db", "spark_table", "spark_column")] == [
        "lake.sales@prod",
        "lake.sales.t@prod",
        "lake.sales.t.id@prod",
    ]


def test_storage_is_sent_only_with_known_attributes():
    assert of_type(messages_for(process([table("t")])), "spark_storagedesc") == []
    (entity,) = of_type(messages_for(process([table("t", serde="S", compressed=True)])), "spark_storagedesc")
    assert entity["attributes"] == {"qualifiedName": "sales.t@prod_storage", "serde": "S", "compressed": True}


def test_columns_have_type_and_nullability():
    columns = (Column(name="id", type="bigint", nullable=False), Column(name="x"))
    sent = messages_for(process([table("t", columns=columns)]))
    assert [entity["attributes"] for entity in of_type(sent, "spark_column")] == [
        {"qualifiedName": "sales.t.id@prod", "name": "id", "type": "bigint", "nullable": False},
        {"qualifiedName": "sales.t.x@prod", "name": "x", "type": "unknown", "nullable": True},
    ]
    sent = messages_for(process([path("file:/t", columns=columns)]))
    assert [entity["attributes"] for entity in of_type(sent, "avro_field")] == [
        {"qualifiedName": "file:/t#id@prod", "name": "id", "doc": "bigint"},
        {"qualifiedName": "file:/t#x@prod", "name": "x"},
    ]


def test_schema_of_a_path_has_its_format():
    (entity,) = of_type(messages_for(process([TOTALS])), "avro_schema")
    assert entity["attributes"] == {
        "qualifiedName": "hdfs://nn1/data/totals#schema@prod",
        "name": "/data/totals",
        "type": "record",
        "namespace": "parquet",
    }


def test_path_without_columns_has_no_schema():
    assert of_type(messages_for(process([path("file:/a")])), "avro_schema") == []


def test_application_is_named_by_its_job():
    (entity,) = of_type(messages_for(ORDINARY), "spark_application")
    assert entity["attributes"] == {
        "qualifiedName": "daily load@prod",
        "name": "daily load",
        "description": "Last run: Spark 4.3.0, application_1795000000000_0042, attempt 1, "
        "started 2026-11-20T09:10:00.000Z",
        "currentUser": "alice",
        "remoteUser": "alice",
    }
    assert entity["customAttributes"] == {
        "status": "running",
        "application_id": "application_1795000000000_0042",
        "attempt": "1",
        "spark_version": "4.3.0",
        "started": "2026-11-20T09:10:00.000Z",
    }


def test_process_describes_its_last_run():
    (entity,) = of_type(messages_for(ORDINARY), "spark_process")
    run = {
        "status": "succeeded",
        "lineage": "complete",
        "started": "2026-11-20T09:11:40.000Z",
        "ended": "2026-11-20T09:11:42.000Z",
        "duration_seconds": 2.0,
        "application_id": "application_1795000000000_0042",
        "attempt": "1",
        "execution_id": 7,
        "spark_version": "4.3.0",
    }
    assert {**entity["attributes"], "qualifiedName": "-"} == {
        "qualifiedName": "-",
        "name": "daily load: sales.orders -> data/totals",
        "description": "Rows are not joined, filtered, grouped or sorted.",
        "executionId": 7,
        "details": json.dumps(run),
        "currUser": "alice",
        "remoteUser": "alice",
        "queryText": ORDINARY.run.query_text,
    }
    assert entity["customAttributes"] == {key: str(value) for key, value in run.items()}


def test_platform_facts_describe_the_run_and_are_no_part_of_names():
    facts = {"platform": "databricks", "job_id": "918273645", "run_id": "5550122"}
    ran = dataclasses.replace(APPLICATION, facts=tuple(facts.items()))
    sent = messages_for(dataclasses.replace(ORDINARY, application=ran))
    (run,), (application,) = of_type(sent, "spark_process"), of_type(sent, "spark_application")
    for known in (run["customAttributes"], application["customAttributes"], json.loads(run["attributes"]["details"])):
        assert {key: known.get(key) for key in facts} == facts
    assert application["attributes"]["description"].endswith(", platform databricks, job_id 918273645, run_id 5550122")
    for each, bare in zip(
        (run, application),
        (of_type(messages_for(ORDINARY), t)[0] for t in ("spark_process", "spark_application")),
        strict=True,
    ):
        assert name(each) == name(bare)
        assert each["attributes"]["name"] == bare["attributes"]["name"]


def test_details_are_bounded_json_with_the_number_of_omitted_entries():
    many = tuple((f"key{number}", "ü" * 500) for number in range(40))
    sent = messages_for(ORDINARY, labels=("nightly",), custom_attributes=many)
    text = of_type(sent, "spark_process")[0]["attributes"]["details"]
    assert len(text) <= DETAILS_LIMIT
    details = json.loads(text)
    assert (details["status"], details["labels"], details["omitted"]) == ("succeeded", ["nightly"], 1)


def test_details_list_the_first_paths_and_count_the_others():
    source = path("file:/in", locations=tuple(f"file:/in/day={number}" for number in range(1_000)))
    details = json.loads(of_type(messages_for(process([source])), "spark_process")[0]["attributes"]["details"])
    *shown, more = details["read_locations"]
    assert shown[:2] == ["file:/in/day=0", "file:/in/day=1"]
    assert more == f"+{1_000 - len(shown)}"


def test_plan_is_a_separate_attribute():
    planned = dataclasses.replace(ORDINARY, run=dataclasses.replace(ORDINARY.run, plan_text="Project [id]"))
    (entity,) = of_type(messages_for(planned), "spark_process")
    assert entity["attributes"]["sparkPlanDescription"] == "Project [id]"


def test_process_name_has_the_last_segments_of_paths():
    source, target = path("s3a://lake/raw/crm/2026/orders"), path("abfss://mart@account.dfs.core.windows.net/orders")
    (entity,) = of_type(messages_for(process([source, table("t")], [target])), "spark_process")
    assert entity["attributes"]["name"] == "daily load: 2026/orders, sales.t -> mart/orders"


def test_name_of_a_process_is_bounded():
    long = [table(f"{'n' * 200}{number}") for number in range(5)]
    (entity,) = of_type(messages_for(process(long, long, job="j" * 500)), "spark_process")
    assert len(entity["attributes"]["name"]) < 600


def test_name_of_a_process_with_many_datasets_stays_readable():
    sent = messages_for(process([table(f"t{number}") for number in range(5)]))
    assert of_type(sent, "spark_process")[0]["attributes"]["name"] == (
        "daily load: sales.t0, sales.t1, sales.t2, +2 -> the driver"
    )


def test_process_lists_the_locations_below_the_root():
    source = path("file:/in", locations=("file:/in/day=1", "file:/in/day=2"))
    target = path("file:/out", locations=("file:/out",))
    custom = of_type(messages_for(process([source], [target])), "spark_process")[0]["customAttributes"]
    assert custom["read_locations"] == "file:/in/day=1, file:/in/day=2"
    assert "written_locations" not in custom


def test_unknown_facts_of_a_run_are_absent():
    bare = dataclasses.replace(
        process([table("a")]),
        application=dataclasses.replace(
            APPLICATION, attempt=None, started_ms=None, engine=Engine(version=""), application_id="", user=""
        ),
    )
    (entity,) = of_type(messages_for(bare), "spark_application")
    assert (set(entity["attributes"]), entity["customAttributes"]) == ({"qualifiedName", "name"}, {"status": "running"})


def test_dataset_that_is_read_and_written_is_one_entity_with_the_attributes_of_both():
    read = table("t", "id", "old", owner="etl")
    written = table("t", "id", "new", provider="delta")
    sent = messages_for(copy(read, written))
    (entity,) = of_type(sent, "spark_table")
    assert (entity["attributes"]["owner"], entity["attributes"]["provider"]) == ("etl", "delta")
    assert {c["attributes"]["name"] for c in of_type(sent, "spark_column")} == {"id", "old", "new"}
    (flow,) = of_type(sent, "spark_process")
    assert ends(flow, "inputs") == ends(flow, "outputs") == ["sales.t@prod"]


def _entities_of(dataset):
    return datasets.entities(dataset, CONTEXT.naming)


def test_table_properties_are_bounded_with_the_number_of_omitted_ones():
    properties = tuple((f"key{number:03}", "v" * 600) for number in range(20))
    parameters = _entities_of(table("t", properties=properties)).head[-1].attributes["parameters"]
    assert list(parameters) == [*(f"key{number:03}" for number in range(7)), "…"]
    assert (len(parameters["key000"]), parameters["…"]) == (500, "13 more")
    assert sum(len(key) + len(value) for key, value in parameters.items()) <= 4_020


def test_definition_of_a_view_is_bounded():
    text = "SELECT " + "x, " * 10_000
    definition = _entities_of(table("v", table_type="VIEW", view_text=text)).head[-1].attributes["viewOriginalText"]
    assert (len(definition), definition[-1]) == (8_000, "…")


def test_comments_of_columns():
    columns = (Column(name="id", type="bigint", comment="the order"), Column(name="x", type="int", comment=""))
    sent = of_type(messages_for(process([table("t", columns=columns)])), "spark_column")
    for attribute in ("comment", "description"):
        assert [e["attributes"].get(attribute) for e in sent] == ["the order", None]
    fields = of_type(messages_for(process([path("file:/t", columns=columns)])), "avro_field")
    assert [entity["attributes"].get("description") for entity in fields] == ["the order", None]
    described = datasets.entities(
        RdbmsDataset(rdbms_type="h2", database="d", table="t", columns=columns), CONTEXT.naming
    )
    assert [entity.attributes for entity in described.details] == [
        {"name": "id", "isNullable": True, "data_type": "bigint", "comment": "the order", "description": "the order"},
        {"name": "x", "isNullable": True, "data_type": "int"},
    ]


def test_database_has_its_known_attributes():
    sent = datasets.database(
        Database(
            name="sales", location="file:/w/sales.db", comment="what was sold", owner="etl", properties=(("a", "1"),)
        ),
        CONTEXT.naming,
    )
    assert (sent.id, sent.attributes) == (
        ("spark_db", "sales@prod"),
        {
            "name": "sales",
            "clusterName": "prod",
            "location": "file:/w/sales.db",
            "description": "what was sold",
            "parameters": {"a": "1"},
            "owner": "etl",
            "ownerType": "USER",
        },
    )


@pytest.mark.parametrize(
    ("database", "naming", "expected"),
    [
        (Database(name="Sales", catalog="lake"), naming_of(), ("spark_db", "lake.Sales@prod")),
        (Database(name="Sales", owner="x"), HIVE, ("hive_db", "sales@prod")),
        (Database(name="Sales", catalog="lake"), HIVE, ("spark_db", "lake.Sales@prod")),
        (Database(name="s"), SAC, ("spark_db", "app-1.s")),
        (Database(name="s"), dataclasses.replace(SAC, sac_prefix="m"), ("spark_db", "m.s")),
        (Database(name="S"), dataclasses.replace(SAC, table_model=TableModel.HIVE), ("hive_db", "s@prod")),
    ],
)
def test_name_of_a_database(database, naming, expected):
    sent = datasets.database(database, naming)
    assert sent.id == expected
    # A table refers to the same database, with its known attributes only.
    owner = datasets.entities(TableDataset(database=database.name, catalog=database.catalog, name="t"), naming).head[0]
    assert (owner.id, owner.attributes) == (sent.id, {key: sent.attributes[key] for key in ("name", "clusterName")})


@pytest.mark.parametrize(
    ("dataset", "naming", "storage"),
    [
        (table("t"), naming_of(), "sales.t@prod_storage"),
        (table("t", location="file:/t"), SAC, "app-1.sales.t.storageFormat"),
        (table("t"), HIVE, None),
        (path("file:/t"), naming_of(), None),
    ],
)
def test_storage_of_a_dataset(dataset, naming, storage):
    described = datasets.entities(dataset, naming)
    assert (described.storage and described.storage.qualified_name) == storage


def test_hive_columns_are_identity_with_their_mandatory_type():
    columns = (Column(name="Id", type="bigint", nullable=False, comment="c"), Column(name="x"))
    sent = of_type(messages_for(process([table("t", columns=columns, location="file:/t")]), naming=HIVE), "hive_column")
    assert [entity["attributes"] for entity in sent] == [
        {"qualifiedName": "sales.t.id@prod", "name": "id", "type": "bigint"},
        {"qualifiedName": "sales.t.x@prod", "name": "x", "type": "unknown"},
    ]


def test_schema_of_a_table_under_the_names_of_the_connector():
    few = datasets.entities(table("t", "a", "b"), SAC).head[-1].attributes["schemaDesc"]
    assert few == "struct<a:bigint,b:bigint>"
    many = datasets.entities(table("t", *map(str, range(30))), SAC).head[-1].attributes["schemaDesc"]
    assert many.startswith("struct<0:bigint,") and many.endswith("23:bigint,... 6 more fields>")


@pytest.mark.parametrize(
    ("application_name", "expected"),
    [("daily load", "daily load app-1"), ("Spark shell", "Spark Job + app-1")],
)
def test_process_under_the_names_of_the_connector(application_name, expected):
    application = dataclasses.replace(APPLICATION, application_id="app-1", name=application_name)
    sent = dataclasses.replace(ORDINARY, application=application)
    (flow,) = of_type(messages_for(sent, naming=SAC, message_form=MessageForm.V2), "spark_process")
    assert (name(flow), flow["attributes"]["name"]) == ("app-1", expected)


def test_unknown_class_of_dataset_is_an_error_that_names_it():
    with pytest.raises(TypeError, match="class int"):
        datasets.entities(7, CONTEXT.naming)
