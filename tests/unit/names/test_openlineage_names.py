"""Names from OpenLineage's interfaces map to the same datasets as any other access to the same data."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.reading import own_name_of, own_reading
from sac_kafka.lineage.datasets.systems.warehouses import bigquery
from sac_kafka.model import Dataset, HBaseDataset, OtherDataset, PathDataset, TableDataset, TopicDataset
from sac_kafka.names.jdbc_urls import name_parts, rdbms_table
from sac_kafka.names.openlineage_names import SYSTEMS, LinkedName, dataset_of, name_of
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
        ("arn:aws:glue:eu-west-1:123", "sales.orders", TableDataset(database="sales", name="orders")),
        ("spark://thrift1:10001", "sales.orders", TableDataset(database="sales", name="orders")),
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


@pytest.mark.parametrize(
    ("namespace", "name", "key"),
    [
        ("unity-catalog", "main.sales.orders", "table:main.sales.orders"),
        ("databricks://adb-1.azuredatabricks.net", "main.sales.orders", "table:main.sales.orders"),
        ("hive", "sales.orders", "table:spark_catalog.sales.orders"),
        ("dbfs", "/mnt/raw/orders", "path:dbfs:/mnt/raw/orders"),
        ("file://host1", "/data/orders", "path:file://host1/data/orders"),
        ("S3://lake", "raw/orders", "path:s3://lake/raw/orders"),
        ("postgres://db1:5432", "shop.orders", "rdbms:postgresql://db1:5432/shop/public.orders"),
        ("oracle://db1:1521", "XE.ORDERS", "rdbms:oracle://db1:1521/xe/ORDERS"),
        ("sqlserver://db1:1433;database=shop", "dbo.orders", "rdbms:sqlserver://db1:1433/shop/dbo.orders"),
        ("sqlserver://db1:1433;database=shop;", "shop.dbo.orders", "rdbms:sqlserver://db1:1433/shop/dbo.orders"),
        (
            "fabric-warehouse://w.fabric.net:1433",
            "shop.dbo.orders",
            "rdbms:sqlserver://w.fabric.net:1433/shop/dbo.orders",
        ),
        (
            "snowflake://org-acc.snowflakecomputing.com",
            "SHOP.SALES.O",
            "rdbms:snowflake://org-acc.snowflakecomputing.com:443/shop/SALES.O",
        ),
        ("trino:8080", "hive.sales.orders", "rdbms:trino://trino:8080/hive/sales.orders"),
        (
            "azurecosmos://acc.documents.azure.com/dbs/shop",
            "colls/orders",
            "other:cosmos://acc.documents.azure.com/shop/orders",
        ),
        (
            "azurecosmos://acc.documents.azure.com/dbs/shop",
            "/colls/orders",
            "other:cosmos://acc.documents.azure.com/shop/orders",
        ),
        ("azurekusto://c.kusto.windows.net/shop", "orders", "other:kusto://c.kusto.windows.net/shop/orders"),
        ("azurekusto://c.kusto.windows.net", "shop/orders", "other:kusto://c.kusto.windows.net/shop/orders"),
        ("duckdb:///work/shop.duckdb", "shop.main.orders", "rdbms:duckdb://://work/shop.duckdb/main.orders"),
        ("duckdb:///work/other.duckdb", "shop.main.orders", "rdbms:duckdb://://work/other.duckdb/shop/main.orders"),
        ("duckdb://:memory:", "main.orders", "rdbms:duckdb://:/:memory:/main.orders"),
        ("duckdb://:memory:", "memory.main.orders", "rdbms:duckdb://:/:memory:/main.orders"),
        ("sqlite:///work/shop.db", "main.orders", "rdbms:sqlite://://work/shop.db/main.orders"),
        ("mongodb://m1:27017", "shop.orders.old", "other:mongodb://m1:27017/shop/orders.old"),
        ("hbase://c1", "shop:orders", "hbase:c1/shop:orders"),
        ("kafka://", "orders", "topic:/orders"),
        ("feast-prod/riders", "rides", "other:feast-prod/riders:///rides"),
        ("shop.sales.orders", "postgres://db1:5432", "rdbms:postgresql://db1:5432/shop/sales.orders"),
        ("pubsub", "topic:p:t", "other:pubsub:///topic:p:t"),
    ],
)
def test_systems_have_the_names_that_other_ways_of_access_give_them(namespace: str, name: str, key: str) -> None:
    found = named(namespace, name)
    assert found is not None and found.key == key


def test_bigquery_is_the_same_with_the_older_namespace() -> None:
    assert named("bigquery://", "p.shop.orders") == named("bigquery", "p.shop.orders") is not None


def test_spanner_has_its_instance_and_database() -> None:
    assert named("spanner://p:i", "shop.s.orders") == rdbms_table(
        "jdbc:cloudspanner:/projects/p/instances/i/databases/shop", ("s", "orders")
    )


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("inmemory://", "t"),
        ("", "default_catalog.default_database.gen"),
        ("azurekusto://c.kusto.windows.net/db", "COMPLEX"),
    ],
)
def test_data_that_no_other_job_can_read_is_no_dataset(namespace: str, name: str) -> None:
    assert named(namespace, name) is None


@pytest.mark.parametrize(
    "namespace", ["/lake/warehouse", "file:/lake/warehouse", "hdfs://nn1:8020/lake/warehouse", "file"]
)
def test_symlink_in_the_warehouse_of_spark_is_the_table(namespace: str) -> None:
    link = LinkedName(namespace, "shop.orders")
    found = dataset_of(LinkedName("file", "/lake/warehouse/shop.db/orders", (link,)), (), ())
    assert found == TableDataset(database="shop", name="orders", location="file:/lake/warehouse/shop.db/orders")


def test_symlink_of_a_topic_is_no_table() -> None:
    link = LinkedName("kafka://b1:9092", "default_catalog.default_database.orders")
    assert dataset_of(LinkedName("kafka://b1:9092", "orders", (link,)), (), ()) == named("kafka://b1:9092", "orders")


ROUND_TRIPS = {
    "azurecosmos": ("azurecosmos://acc.documents.azure.com/dbs/shop", "colls/orders"),
    "azurekusto": ("azurekusto://c.kusto.windows.net/shop", "orders"),
    "bigquery": ("bigquery", "p.shop.orders"),
    "db2": ("db2://db1:50000", "shop.sales.orders"),
    "duckdb": ("duckdb:///work/shop.duckdb", "main.orders"),
    "feast": ("feast-prod/riders", "rides"),
    "hbase": ("hbase://c1", "shop:orders"),
    "hive": ("hive", "sales.orders"),
    "kafka": ("kafka://b1:9092", "orders"),
    "milvus": ("milvus://m1:19530", "shop.orders"),
    "mongodb": ("mongodb://m1:27017", "shop.orders"),
    "mysql": ("mysql://db1:3306", "shop.orders"),
    "oracle": ("oracle://db1:1521", "xe.SALES.ORDERS"),
    "postgres": ("postgres://db1:5432", "shop.sales.orders"),
    "snowflake": ("snowflake://org-acc", "shop.SALES.O"),
    "spanner": ("spanner://p:i", "shop.s.orders"),
    "sqlite": ("sqlite:///work/shop.db", "main.orders"),
    "sqlserver": ("sqlserver://db1:1433", "shop.dbo.orders"),
    "trino": ("trino://t1:8080", "hive.sales.orders"),
    "s3": ("s3://lake", "raw/orders"),
    "abfss": ("abfss://raw@acc.dfs.core.windows.net", "orders"),
    "hdfs": ("hdfs://nn1:8020", "/data/orders"),
    "file": ("file", "/data/orders"),
    "root": ("s3://lake", "/"),
}


@pytest.mark.parametrize("system", ROUND_TRIPS)
def test_dataset_has_the_name_that_it_was_made_of(system: str) -> None:
    namespace, name = ROUND_TRIPS[system]
    found = named(namespace, name)
    assert found is not None
    assert name_of(found) == LinkedName(namespace, name)


def test_every_system_that_is_written_is_tested_both_ways() -> None:
    written = {each.schemes[0] for each in SYSTEMS if each.models}
    assert written <= ROUND_TRIPS.keys()


def test_name_of_a_path_ends_before_what_differs_from_run_to_run() -> None:
    assert name_of(PathDataset(path="s3a://lake/raw/{date}/orders.csv", format="csv")) == LinkedName("s3://lake", "raw")


def test_table_with_a_location_has_its_own_name_as_a_symlink() -> None:
    table = TableDataset(catalog="main", database="sales", name="orders", location="s3://lake/sales/orders")
    name = name_of(table, "hive://m1:9083")
    assert name == LinkedName("s3://lake", "sales/orders", (LinkedName("hive://m1:9083", "main.sales.orders"),))
    assert dataset_of(name, (), ()) == table
    glue = name_of(TableDataset(database="sales", name="orders"), "arn:aws:glue:eu-west-1:1")
    assert glue == LinkedName("arn:aws:glue:eu-west-1:1", "table/sales/orders")


def test_cluster_of_hbase_may_be_unknown() -> None:
    assert name_of(HBaseDataset(namespace="default", table="orders")) == LinkedName("hbase://", "default:orders")
