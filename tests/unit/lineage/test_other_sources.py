"""Unknown connectors: what options name is a dataset, the rest is counted, and a query is no name."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.extract import extract
from sac_kafka.model import OtherDataset, Run, TableDataset
from sac_kafka.plan.commands import InsertIntoDataSourceCommand, SaveIntoDataSourceCommand
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.relations import LogicalRelation, OtherRelation, RowsWithoutDataset
from sac_kafka.plan.v2_tables import DataSourceV2Relation, V2Table
from sac_kafka.plan.v2_writes import V2WriteWithOptions
from tests.helpers.live_runs import APPLICATION
from tests.unit.lineage.test_sources import _table

ID = Attribute(1, "id", "bigint", True)
ROWS = RowsWithoutDataset(class_name="org.apache.spark.sql.catalyst.plans.logical.Range", output=(ID,))
RELATION = "com.example.spark.v1.ExampleRelation"

NAMED = [
    ({"table": "orders"}, "other:com.example.spark:///orders"),
    ({"database": "shop", "collection": "orders"}, "other:com.example.spark:///shop/orders"),
    ({"project": "p", "dataset": "d", "table": "t"}, "other:com.example.spark:///p/d/t"),
    ({"dbtable": "dbo.orders", "url": "jdbc:example://clerk:***@DB1:5000/shop?x=1"}, "other:com.example.spark://db1:5000/dbo.orders"),
    ({"index": "logs", "host": "es1"}, "other:com.example.spark://es1/logs"),
    ({"keyspace": "ks", "table": "t", "uri": "example+srv://a.b.c/"}, "other:com.example.spark://a.b.c/ks/t"),
    ({"url": "https://api.example.org/v1/orders?token=***"}, "other:com.example.spark://api.example.org/v1/orders"),
]  # fmt: skip
UNNAMED = [
    {},
    {"database": "shop"},
    {"url": "https://api.example.org"},
    {"url": "https://hooks.example.org/services/T00000000/B00000000/xq3fT7RbkW1c9LmZsDp0vYha"},
    {"url": "https://api.example.org/***/x"},
    {"table": "***"},
]


def _leaf(options: dict[str, str], catalog_table: object = None) -> LogicalRelation:
    relation = OtherRelation(relation_class=RELATION, options=options)
    return LogicalRelation(relation=relation, catalog_table=catalog_table, output=(ID,))


def _v2(options: dict[str, str], *, name: str = "", of: str = "com.example.spark.v2.ExampleTable") -> V2Table:
    return V2Table(table_class=of, name=name, columns=(), partitioning=(), properties={}, own_options=options)


def _v2_leaf(table: V2Table, options: dict[str, str]) -> DataSourceV2Relation:
    return DataSourceV2Relation(table=table, catalog=None, identifier=None, options=options, output=(ID,))


def _key(found: object) -> str:
    (dataset,) = found.datasets  # type: ignore[attr-defined]
    assert isinstance(dataset, OtherDataset)
    assert [c.name for c in dataset.columns] == ["id"]
    return dataset.key


@pytest.mark.parametrize(("options", "key"), NAMED)
def test_every_access_to_a_dataset_has_one_name(options: dict[str, str], key: str) -> None:
    """Compare relations, tables and saves of one dataset."""
    relation = reading(_leaf(options), ())
    assert _key(relation) == key
    assert relation is not None and relation.counts == (f"connector not known, named by its options: {RELATION}",)
    assert _key(reading(_v2_leaf(_v2(options), {}), ())) == key
    assert _key(reading(_v2_leaf(_v2({}), options), ())) == key
    save = SaveIntoDataSourceCommand(
        class_name="Save",
        data_source="com.example.spark.DefaultSource",
        options=options,
        query=ROWS,
        query_output=(ID,),
        is_command=True,
    )
    insert = InsertIntoDataSourceCommand(
        class_name="Insert",
        relation=OtherRelation(relation_class=RELATION, options=options),
        query=ROWS,
        query_output=(ID,),
        is_command=True,
    )
    write = V2WriteWithOptions(
        class_name="AppendData",
        table=_v2({}),
        catalog=None,
        identifier=None,
        table_output=(ID,),
        query=ROWS,
        query_output=(ID,),
        options=options,
        is_command=True,
    )
    for command in (save, insert, write):
        found = extract(command, Run(execution_id=1), APPLICATION)
        assert [d.key for p in found.processes for d in p.outputs] == [key]
    assert found.counts == {"connector not known, named by its options: com.example.spark.v2.ExampleTable": 1}


@pytest.mark.parametrize("options", UNNAMED)
def test_unnamed_source_is_counted(options: dict[str, str]) -> None:
    found = reading(_leaf(options), ())
    assert found is not None and (found.datasets, found.counts) == ((), (f"relation not understood: {RELATION}",))


@pytest.mark.parametrize(
    "options", [{"query": "(query)"}, {"dbtable": "(query)"}, {"database": "d", "table": "(query)"}]
)
def test_query_is_no_name(options: dict[str, str]) -> None:
    found = reading(_leaf(options), ())
    assert found is not None and (found.datasets, found.counts) == ((), (f"query not understood: {RELATION}",))


def test_name_counts_in_addition_to_a_query() -> None:
    assert _key(reading(_leaf({"query": "(query)", "index": "orders"}), ())).endswith("orders")


def test_a_table_of_a_catalog_keeps_its_name() -> None:
    found = reading(_leaf({"table": "t"}, _table("com.example.spark", {})), ())
    assert found is not None and isinstance(found.only, TableDataset)


def test_a_path_of_a_relation_is_one_only_with_a_scheme() -> None:
    with_scheme, without = (reading(_leaf({"path": path}), ()) for path in ("s3a://b/orders", "shop/orders"))
    assert with_scheme is not None and [d.key for d in with_scheme.datasets] == ["path:s3a://b/orders"]
    assert without is not None and without.counts == (f"relation not understood: {RELATION}",)


@pytest.mark.parametrize(
    ("name", "of", "key"),
    [
        ("shop.orders", "com.example.spark.ExampleTable", "other:com.example.spark:///shop.orders"),
        ("Example", "com.example.spark.ExampleTable", None),
        ("ExampleTable(shop)", "com.example.spark.ExampleTable", None),
        ("rate", "org.apache.spark.sql.execution.streaming.sources.RateStreamTable", None),
        ("", "com.example.spark.ExampleTable", None),
    ],
)
def test_table_is_identified_by_its_name_if_that_is_valid(name: str, of: str, key: str | None) -> None:
    found = reading(_v2_leaf(_v2({}, name=name, of=of), {}), ())
    assert found is not None
    assert [d.key for d in found.datasets] == ([key] if key else [])
    assert found.counts


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("owner/repo", "other:github:///owner/repo"),
        ("repo", "other:github:///repo"),
        ("/data/repo", "path:/data/repo"),
        ("s3a://b/repo", "path:s3a://b/repo"),
    ],
)
def test_argument_of_a_python_data_source_is_a_path_only_if_written_as_one(path: str, key: str) -> None:
    table = _v2({}, name="github", of="org.apache.spark.sql.execution.datasources.v2.python.PythonTable")
    found = reading(_v2_leaf(table, {"path": path}), ())
    assert found is not None and [each.key for each in found.datasets] == [key]


def test_python_data_source_is_identified_by_its_own_name() -> None:
    table = _v2({}, name="crm", of="org.apache.spark.sql.execution.datasources.v2.python.PythonTable")
    assert _key(reading(_v2_leaf(table, {"object": "Account"}), ())) == "other:crm:///Account"
