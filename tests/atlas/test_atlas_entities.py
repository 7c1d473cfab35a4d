"""What is said of each kind of thing."""

from __future__ import annotations

import dataclasses

import pytest

from sac_kafka.atlas import datasets
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import ColumnLineageMode, Compat, TableModel
from sac_kafka.lineage.model import (
    Column,
    ColumnLineage,
    ColumnSource,
    Database,
    Dependency,
    RdbmsDataset,
    TableDataset,
)
from tests.atlas.flows import (
    APPLICATION,
    CONTEXT,
    ORDERS,
    ORDINARY,
    TOTALS,
    copy,
    ends,
    entities,
    name,
    of_type,
    path,
    process,
    say,
    table,
)

D = Dependency
HIVE = Naming(namespace="prod", table_model=TableModel.HIVE)
SAC = Naming(namespace="prod", compat=Compat.SAC, application_id="app-1")


def test_order_is_definitions_then_application_process_and_column_lineage():
    assert [entity["typeName"] for entity in entities(say(ORDINARY))] == [
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
    (entity,) = of_type(say(process([path(uri)])), "fs_path", "hdfs_path")
    assert {"typeName": entity["typeName"], **entity["attributes"]} == {**expected, "qualifiedName": f"{uri}@prod"}


def test_table_says_what_is_known():
    (entity,) = of_type(say(process([ORDERS])), "spark_table")
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
    }


def test_table_of_another_catalog():
    said = say(process([table("t", "id", catalog="lake")]))
    assert [name(entity) for entity in of_type(said, "spark_db", "spark_table", "spark_column")] == [
        "lake.sales@prod",
        "lake.sales.t@prod",
        "lake.sales.t.id@prod",
    ]


def test_storage_only_where_something_is_known_of_it():
    assert of_type(say(process([table("t")])), "spark_storagedesc") == []
    (entity,) = of_type(say(process([table("t", serde="S", compressed=True)])), "spark_storagedesc")
    assert entity["attributes"] == {"qualifiedName": "sales.t@prod_storage", "serde": "S", "compressed": True}


def test_columns_say_type_and_nullability():
    columns = (Column(name="id", type="bigint", nullable=False), Column(name="x"))
    said = say(process([table("t", columns=columns)]))
    assert [entity["attributes"] for entity in of_type(said, "spark_column")] == [
        {"qualifiedName": "sales.t.id@prod", "name": "id", "type": "bigint", "nullable": False},
        {"qualifiedName": "sales.t.x@prod", "name": "x", "type": "unknown", "nullable": True},
    ]
    said = say(process([path("file:/t", columns=columns)]))
    assert [entity["attributes"] for entity in of_type(said, "avro_field")] == [
        {"qualifiedName": "file:/t#id@prod", "name": "id", "doc": "bigint"},
        {"qualifiedName": "file:/t#x@prod", "name": "x"},
    ]


def test_schema_of_a_path_says_its_format():
    (entity,) = of_type(say(process([TOTALS])), "avro_schema")
    assert entity["attributes"] == {
        "qualifiedName": "hdfs://nn1/data/totals#schema@prod",
        "name": "/data/totals",
        "type": "record",
        "namespace": "parquet",
    }


def test_path_without_columns_has_no_schema():
    assert of_type(say(process([path("file:/a")])), "avro_schema") == []


def test_application_is_named_by_its_job():
    (entity,) = of_type(say(ORDINARY), "spark_application")
    assert entity["attributes"] == {
        "qualifiedName": "daily load@prod",
        "name": "daily load",
        "currentUser": "alice",
        "remoteUser": "alice",
    }
    assert entity["customAttributes"] == {
        "application_id": "application_1795000000000_0042",
        "attempt": "1",
        "spark_version": "4.3.0",
        "started": "2026-11-20T09:10:00.000Z",
    }


def test_process_says_its_last_run():
    (entity,) = of_type(say(ORDINARY), "spark_process")
    assert {**entity["attributes"], "qualifiedName": "-"} == {
        "qualifiedName": "-",
        "name": "daily load: sales.orders -> /data/totals",
        "executionId": 7,
        "currUser": "alice",
        "remoteUser": "alice",
        "queryText": ORDINARY.run.query_text,
    }
    assert entity["customAttributes"] == {
        "application_id": "application_1795000000000_0042",
        "started": "2026-11-20T09:11:40.000Z",
        "ended": "2026-11-20T09:11:42.000Z",
        "status": "succeeded",
    }


def test_name_of_a_process_with_many_datasets_stays_readable():
    said = say(process([table(f"t{number}") for number in range(5)]))
    assert of_type(said, "spark_process")[0]["attributes"]["name"] == (
        "daily load: sales.t0, sales.t1, sales.t2, +2 -> nothing"
    )


def test_locations_of_a_run_that_the_root_does_not_say():
    source = path("file:/in", locations=("file:/in/day=1", "file:/in/day=2"))
    target = path("file:/out", locations=("file:/out",))
    custom = of_type(say(process([source], [target])), "spark_process")[0]["customAttributes"]
    assert custom["read_locations"] == "file:/in/day=1, file:/in/day=2"
    assert "written_locations" not in custom


def test_what_is_not_known_of_a_run_is_absent():
    bare = dataclasses.replace(
        process([table("a")]),
        application=dataclasses.replace(
            APPLICATION, attempt=None, started_ms=None, spark_version="", application_id="", user=""
        ),
    )
    (entity,) = of_type(say(bare), "spark_application")
    assert (set(entity["attributes"]), "customAttributes" in entity) == ({"qualifiedName", "name"}, False)


def _several_sources():
    source = table("a", "x", "y", "z")
    target = table("b", "v", "w")
    lineage = [
        ColumnLineage(
            dataset=target.key,
            column="v",
            sources=(
                ColumnSource(source.key, "x", D.AGGREGATION),
                ColumnSource(source.key, "x", D.IDENTITY),
                ColumnSource(source.key, "y", D.CONDITIONAL),
            ),
            expression="sum(CASE WHEN (y > ?) THEN x END)",
        ),
        ColumnLineage(dataset=target.key, column="w", sources=(ColumnSource(source.key, "z", D.WINDOW),)),
    ]
    rows = [ColumnSource(source.key, "y", D.FILTER), ColumnSource(source.key, "z", D.GROUP_BY)]
    return process([source], [target], lineage, rows)


def test_direct_column_lineage_is_what_flows_into_the_value():
    (entity,) = of_type(say(_several_sources()), "spark_column_lineage")
    assert (ends(entity, "inputs"), ends(entity, "outputs")) == (["sales.a.x@prod"], ["sales.b.v@prod"])
    assert entity["attributes"]["name"] == "daily load: v"
    assert entity["attributes"]["description"] == "sum(CASE WHEN (y > ?) THEN x END)"


def test_full_column_lineage_has_conditions_and_windows_and_once_the_rows():
    said = say(_several_sources(), column_lineage=ColumnLineageMode.FULL)
    assert [ends(entity, "inputs") for entity in of_type(said, "spark_column_lineage")] == [
        ["sales.a.x@prod", "sales.a.y@prod"],
        ["sales.a.z@prod"],
    ]
    custom = of_type(said, "spark_process")[0]["customAttributes"]
    assert (custom["rows_by_filter"], custom["rows_by_group_by"]) == ("sales.a.y", "sales.a.z")


def test_rows_are_not_said_with_direct_column_lineage():
    assert not any("rows_by" in key for key in of_type(say(_several_sources()), "spark_process")[0]["customAttributes"])


def test_no_column_lineage():
    said = say(_several_sources(), column_lineage=ColumnLineageMode.OFF)
    assert of_type(said, "spark_column_lineage") == []
    assert len(of_type(said, "spark_column")) == 5


def test_source_that_is_no_column_of_its_dataset_is_named_not_defined():
    source, target = table("a", "x"), table("b", "v")
    hidden = ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(source.key, "_metadata", D.IDENTITY),))
    (entity,) = of_type(say(process([source], [target], [hidden])), "spark_column_lineage")
    (reference,) = entity["relationshipAttributes"]["inputs"]
    assert (name(reference), "guid" in reference) == ("sales.a._metadata@prod", False)


@pytest.mark.parametrize("key", ["table:other", table("b").key])
def test_source_of_a_dataset_that_is_no_input_is_left_out(key):
    source, target = table("a", "x"), table("b", "v")
    strange = ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(key, "v", D.IDENTITY),))
    assert of_type(say(process([source], [target], [strange])), "spark_column_lineage") == []


def test_columns_of_several_outputs_keep_apart():
    source, first, second = table("a", "x"), table("b", "v"), table("c", "v")
    lineage = [
        ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(source.key, "x", D.IDENTITY),))
        for target in (first, second)
    ]
    said = say(process([source], [first, second], lineage))
    names = [name(entity) for entity in of_type(said, "spark_column_lineage")]
    assert [":sales.b.v:" in names[0], ":sales.c.v:" in names[1], len(set(names))] == [True, True, 2]


def test_dataset_that_is_read_and_written_is_one_entity_with_what_both_know():
    read = table("t", "id", "old", owner="etl")
    written = table("t", "id", "new", provider="delta")
    said = say(copy(read, written))
    (entity,) = of_type(said, "spark_table")
    assert (entity["attributes"]["owner"], entity["attributes"]["provider"]) == ("etl", "delta")
    assert {c["attributes"]["name"] for c in of_type(said, "spark_column")} == {"id", "old", "new"}
    (flow,) = of_type(said, "spark_process")
    assert ends(flow, "inputs") == ends(flow, "outputs") == ["sales.t@prod"]


def _said(dataset):
    return datasets.entities(dataset, CONTEXT.naming)


def test_properties_of_a_table_are_bounded_and_what_is_left_out_is_counted():
    properties = tuple((f"key{number:03}", "v" * 600) for number in range(20))
    parameters = _said(table("t", properties=properties)).head[-1].attributes["parameters"]
    assert list(parameters) == [*(f"key{number:03}" for number in range(7)), "…"]
    assert (len(parameters["key000"]), parameters["…"]) == (500, "13 more")
    assert sum(len(key) + len(value) for key, value in parameters.items()) <= 4_020


def test_definition_of_a_view_is_bounded():
    text = "SELECT " + "x, " * 10_000
    said = _said(table("v", table_type="VIEW", view_text=text)).head[-1].attributes["viewOriginalText"]
    assert (len(said), said[-1]) == (8_000, "…")


def test_comments_of_columns():
    columns = (Column(name="id", type="bigint", comment="the order"), Column(name="x", type="int", comment=""))
    assert [
        e["attributes"].get("comment") for e in of_type(say(process([table("t", columns=columns)])), "spark_column")
    ] == [
        "the order",
        None,
    ]
    fields = of_type(say(process([path("file:/t", columns=columns)])), "avro_field")
    assert [entity["attributes"].get("description") for entity in fields] == ["the order", None]
    described = datasets.entities(
        RdbmsDataset(rdbms_type="h2", database="d", table="t", columns=columns), CONTEXT.naming
    )
    assert [entity.attributes for entity in described.details] == [
        {"name": "id", "isNullable": True, "data_type": "bigint", "comment": "the order"},
        {"name": "x", "isNullable": True, "data_type": "int"},
    ]


def test_database_says_what_is_known():
    said = datasets.database(
        Database(
            name="sales", location="file:/w/sales.db", comment="what was sold", owner="etl", properties=(("a", "1"),)
        ),
        CONTEXT.naming,
    )
    assert (said.id, said.attributes) == (
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
        (Database(name="Sales", catalog="lake"), Naming(namespace="prod"), ("spark_db", "lake.Sales@prod")),
        (Database(name="Sales", owner="x"), HIVE, ("hive_db", "sales@prod")),
        (Database(name="Sales", catalog="lake"), HIVE, ("spark_db", "lake.Sales@prod")),
        (Database(name="s"), SAC, ("spark_db", "app-1.s")),
        (Database(name="s"), dataclasses.replace(SAC, metastore="m"), ("spark_db", "m.s")),
        (Database(name="S"), dataclasses.replace(SAC, table_model=TableModel.HIVE), ("hive_db", "s@prod")),
    ],
)
def test_name_of_a_database(database, naming, expected):
    said = datasets.database(database, naming)
    assert said.id == expected
    # A table names the same database, with nothing but what it knows.
    owner = datasets.entities(TableDataset(database=database.name, catalog=database.catalog, name="t"), naming).head[0]
    assert (owner.id, owner.attributes) == (said.id, {key: said.attributes[key] for key in ("name", "clusterName")})


@pytest.mark.parametrize(
    ("dataset", "naming", "storage"),
    [
        (table("t"), Naming(namespace="prod"), "sales.t@prod_storage"),
        (table("t", location="file:/t"), SAC, "app-1.sales.t.storageFormat"),
        (table("t"), HIVE, None),
        (path("file:/t"), Naming(namespace="prod"), None),
    ],
)
def test_storage_of_a_dataset(dataset, naming, storage):
    described = datasets.entities(dataset, naming)
    assert (described.storage and described.storage.qualified_name) == storage


def test_hive_columns_are_identity_with_their_mandatory_type():
    columns = (Column(name="Id", type="bigint", nullable=False, comment="c"), Column(name="x"))
    said = of_type(say(process([table("t", columns=columns, location="file:/t")]), naming=HIVE), "hive_column")
    assert [entity["attributes"] for entity in said] == [
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
    naming = dataclasses.replace(SAC, application_name=application_name)
    (flow,) = of_type(say(ORDINARY, naming=naming), "spark_process")
    assert (name(flow), flow["attributes"]["name"]) == ("app-1", expected)


def test_unknown_class_of_dataset_is_an_error_that_names_it():
    with pytest.raises(TypeError, match="class int"):
        datasets.entities(7, CONTEXT.naming)
