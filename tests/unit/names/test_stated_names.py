"""Names of datasets as people write them: each form, what it means, and the error for anything else."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest

from sac_kafka.errors import FlowError
from sac_kafka.names.stated_names import named_dataset

TABLE = "table:spark_catalog.sales.orders"
JDBC = "rdbms:postgresql://db1:5432/shop/sales.orders"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("s3://lake/orders", "path:s3://lake/orders"),
        ("S3://lake/orders/", "path:s3://lake/orders"),
        ("abfss://raw@lake.dfs.core.windows.net/in", "path:abfss://raw@lake.dfs.core.windows.net/in"),
        ("hdfs://nn1/data/orders", "path:hdfs://nn1/data/orders"),
        ("file:///data/a b", "path:file:/data/a b"),
        ("/data/orders/2026-11-28", "path:file:/data/orders"),
        ("C:\\data\\orders", "path:file:/C:/data/orders"),
        (Path("/data/orders"), "path:file:/data/orders"),
        ("s3://AKIA:secret@lake/orders", "path:s3://********@lake/orders"),
        ("sales.orders", TABLE),
        ("spark_catalog.sales.orders", TABLE),
        ("`sales`.`orders`", TABLE),
        ("main.sales.orders", "table:main.sales.orders"),
        ("sales.`my orders.csv`", "table:spark_catalog.sales.my orders.csv"),
        ("sales.bestellungen_größe", "table:spark_catalog.sales.bestellungen_größe"),
        ("kafka://b1:9092/orders", "topic:b1:9092/orders"),
        ("kafka://b1:9092,b2:9092/shop.orders", "topic:b1:9092,b2:9092/shop.orders"),
        ("postgres://db1:5432/shop/sales/orders", JDBC),
        ("postgres://db1:5432/shop.sales.orders", JDBC),
        ("postgres://me:secret@db1:5432/shop/sales/orders", JDBC),
        ("postgres://db1:5432/shop/sales/a.b", "rdbms:postgresql://db1:5432/shop/sales.a.b"),
        ("bigquery://project/data/orders", "rdbms:bigquery://:/project/data.orders"),
        ("mongodb://db1:27017/shop/a.b", "other:mongodb://db1:27017/shop/a.b"),
        ("hive://m1:9083/sales/orders", TABLE),
        ("databricks://host/main/sales/orders", "table:main.sales.orders"),
        (("jdbc:postgresql://db1/shop?user=me&password=secret", "sales.orders"), JDBC),
        (["postgres://db1:5432", "shop.sales.orders"], JDBC),
        (("duckdb:///data/shop.duckdb", "main.orders"), "rdbms:duckdb://://data/shop.duckdb/main.orders"),
        (("feast-prod/riders", "rides"), "other:feast-prod/riders:///rides"),
        (PureWindowsPath("C:/data/orders"), "path:file:/C:/data/orders"),
        (PureWindowsPath("//server/share/orders"), "path:file://server/share/orders"),
        ("\\\\server\\share\\orders", "path:file://server/share/orders"),
        ("\\\\?\\C:\\data\\orders", "path:file:/C:/data/orders"),
        ("\\\\?\\UNC\\server\\share\\orders", "path:file://server/share/orders"),
        (PureWindowsPath("//?/C:/data/orders"), "path:file:/C:/data/orders"),
    ],
)
def test_every_form(name: object, key: str) -> None:
    assert named_dataset(name).key == key


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (
            "data/orders",
            "'data/orders': a relative path names no dataset; write pathlib.Path('data/orders'), or file:/path",
        ),
        ("orders.csv", "'orders.csv': looks like a file"),
        ("\\\\server", "a relative path names no dataset"),
        ("s3:orders", "write s3://bucket/path"),
        ("hdfs:orders", "write hdfs:/path"),
        ("s3:///orders", "names no directory or file; write s3://bucket/path"),
        ("file:///", "names no directory or file; write file:/path"),
        ("orders", "'orders': a table needs its database"),
        ("a.b.c.d", "not the name of a table"),
        ("a..b", "not the name of a table"),
        ("select * from t", "not the name of a table"),
        ("sales.*", "not the name of a table"),
        ("jdbc:postgresql://me:secret@db1/shop", "a JDBC URL names a database; write the pair [URL, table]"),
        ("postgress://db1/shop/t", "unknown scheme postgress (did you mean postgres"),
        ("https://example.org/orders", "unknown scheme https"),
        ("postgres://db1:5432/orders", "lacks the server or the database"),
        ("postgres:///shop/sales/orders", "not postgres://server/name"),
        ("duckdb:///data/shop.duckdb", "write the pair [namespace, name]"),
        ("kafka://b1:9092", "not kafka://server/name"),
        (("jdbc:x", "t"), "not the URL of a database and a table"),
        (("inmemory://", "t"), "identifies no dataset"),
        (("a", "b", "c"), "a tuple is no name of a dataset"),
        ("", "the name of a dataset is empty"),
        ("a\nb.c", "the name of a dataset has control characters"),
        ("x" * 5_000, "the name of a dataset is too long"),
        (None, "a NoneType is no name of a dataset"),
        (b"sales.orders", "a bytes is no name of a dataset"),
    ],
)
def test_every_error_has_the_value_and_the_fix(name: object, error: str) -> None:
    with pytest.raises(FlowError) as raised:
        named_dataset(name)
    assert error in str(raised.value)
    assert "secret" not in str(raised.value)
    assert any(word in str(raised.value) for word in ("write", "quote"))
