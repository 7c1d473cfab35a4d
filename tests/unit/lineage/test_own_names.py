"""Names from OpenLineage's interfaces map to the same datasets as any other access to the same data."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.own_names import own_name_of, own_reading
from sac_kafka.lineage.datasets.systems.warehouses import bigquery
from sac_kafka.model import Dataset, OtherDataset, PathDataset, TableDataset, TopicDataset
from sac_kafka.names.jdbc_urls import name_parts, rdbms_table
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.nodes import OwnName


def named(namespace: str, name: str) -> Dataset | None:
    return dataset_of(OwnName(namespace=namespace, name=name), (), ())


@pytest.mark.parametrize(
    ("namespace", "name", "path"),
    [
        ("file", "/data/orders", "file:/data/orders"),
        ("s3://lake", "raw/orders", "s3://lake/raw/orders"),
        ("s3://lake/", "/raw/orders", "s3://lake/raw/orders"),
        ("gs://lake", "raw/orders", "gs://lake/raw/orders"),
        ("abfss://lake@account.dfs.core.windows.net", "raw", "abfss://lake@account.dfs.core.windows.net/raw"),
        ("hdfs://nn1:8020", "/data/orders/day=2026-01-01", "hdfs://nn1:8020/data/orders"),
    ],
)
def test_files_are_the_root_of_their_path(namespace: str, name: str, path: str) -> None:
    found = named(namespace, name)
    assert isinstance(found, PathDataset) and found.path == path


@pytest.mark.parametrize(
    ("namespace", "name", "url", "table"),
    [
        ("postgres://db1:5432", "shop.sales.orders", "jdbc:postgresql://db1/shop", "sales.orders"),
        ("mysql://db1:3306", "shop.orders", "jdbc:mysql://db1/shop", "orders"),
        ("mssql://db1:1433", "shop.dbo.orders", "jdbc:sqlserver://db1;databaseName=shop", "dbo.orders"),
        ("sqlserver://db1:1433", "shop.dbo.orders", "jdbc:sqlserver://db1;databaseName=shop", "dbo.orders"),
        ("oracle://db1:1521", "XE.SALES.ORDERS", "jdbc:oracle:thin:@//db1:1521/XE", "SALES.ORDERS"),
        ("db2://db1:50000", "shop.sales.orders", "jdbc:db2://db1:50000/shop", "sales.orders"),
        ("redshift://c1.eu:5439", "shop.sales.orders", "jdbc:redshift://c1.eu:5439/shop", "sales.orders"),
        ("trino://t1:8080", "hive.sales.orders", "jdbc:trino://t1:8080/hive/sales", "orders"),
        ("snowflake://org-acc", "SHOP.SALES.O", "jdbc:snowflake://org-acc.snowflakecomputing.com/?db=SHOP", "SALES.O"),
        ("cassandra://ring:9042", "shop.orders", "jdbc:cassandra://ring:9042/shop", "orders"),
        ("postgres://clerk:********@db1:5432", "shop.sales.orders", "jdbc:postgresql://db1/shop", "sales.orders"),
    ],
)
def test_a_table_of_a_database_has_the_name_that_jdbc_gives_it(namespace: str, name: str, url: str, table: str) -> None:
    found = named(namespace, name)
    assert found is not None and found == rdbms_table(url, name_parts(table))


@pytest.mark.parametrize(
    ("namespace", "name", "dataset"),
    [
        ("kafka://b1:9092", "orders", TopicDataset(topic="orders", servers="b1:9092")),
        ("hive://m1:9083", "sales.orders", TableDataset(database="sales", name="orders")),
        ("arn:aws:glue:eu-west-1:123", "table/sales/orders", TableDataset(database="sales", name="orders")),
        (
            "awsathena://athena.eu.amazonaws.com",
            "AwsDataCatalog.sales.orders",
            TableDataset(database="sales", name="orders"),
        ),
        ("unitycatalog://uc1", "main.sales.orders", TableDataset(catalog="main", database="sales", name="orders")),
    ],
)
def test_topics_and_tables_are_those_named_by_spark(namespace: str, name: str, dataset: Dataset) -> None:
    assert named(namespace, name) == dataset


def test_other_names_belong_to_the_system_at_the_start_of_the_namespace() -> None:
    found = named("milvus://m1:19530", "shop.orders")
    assert isinstance(found, OtherDataset)
    assert (found.system, found.host, found.parts) == ("milvus", "m1:19530", ("shop", "orders"))


def test_bigquery_table_is_that_of_its_connector() -> None:
    assert named("bigquery", "p.shop.orders") == bigquery({"table": "p.shop.orders"}, ())


@pytest.mark.parametrize(
    ("namespace", "name"), [("", ""), ("", "orders"), ("postgres://db1", " "), ("hive://m1", "a.b.c")]
)
def test_odd_names_raise_nothing(namespace: str, name: str) -> None:
    named(namespace, name)


def test_path_that_is_a_known_table_is_that_table() -> None:
    table = OwnName(namespace="hive://m1:9083", name="sales.orders")
    found = dataset_of(OwnName(namespace="s3://lake", name="raw/orders", tables=(table,)), (), ())
    assert found == TableDataset(database="sales", name="orders", location="s3://lake/raw/orders")


def test_properties_name_a_table_only_with_both() -> None:
    both = {"openlineage.dataset.namespace": "kafka://b1", "openlineage.dataset.name": "t"}
    name = own_name_of(both)
    assert name is not None and (name.namespace, name.name) == ("kafka://b1", "t")
    assert own_name_of({"openlineage.dataset.name": "t"}) is None
    assert own_name_of(None) is None
    assert own_reading((), (), ()) is None
