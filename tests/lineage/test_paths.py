"""What of a path names the data set."""

from __future__ import annotations

import re

import pytest

from sac_kafka.lineage.datasets.paths import root
from sac_kafka.lineage.runs.job import job_name
from tests.every_row import every_row


@every_row(
    ("path", "expected"),
    [
        ("file:/data/orders", "file:/data/orders"),
        ("file:///data/orders/", "file:/data/orders"),
        ("/data/orders", "/data/orders"),
        ("hdfs://nn1:8020/data/orders/dt=2026-11-21", "hdfs://nn1:8020/data/orders"),
        ("hdfs://nn1/data/orders/dt=2026-11-21/hour=05/part-00000-abc.snappy.parquet", "hdfs://nn1/data/orders"),
        ("s3a://bucket/orders/part-00000", "s3a://bucket/orders"),
        ("s3a://bucket/dt=2026-11-21", "s3a://bucket/dt=2026-11-21"),
        ("file:/out/2026-11-21", "file:/out"),
        ("file:/out/20261121", "file:/out"),
        ("file:/out/2026_11_21", "file:/out"),
        ("file:/out/2026/11/21", "file:/out"),
        ("file:/out/2026/11", "file:/out"),
        ("file:/out/2026-11", "file:/out"),
        ("file:/out/2026/11/21/05", "file:/out"),
        ("file:/out/2026-11-21/05/30", "file:/out"),
        ("file:/out/20261121T053000", "file:/out"),
        ("file:/out/2026-11-21T05:30:00Z", "file:/out"),
        ("file:/in/2026-11-21/orders.csv", "file:/in/{date}/orders.csv"),
        ("file:/in/orders_2026-11-21.csv", "file:/in/orders_{date}.csv"),
        ("file:/in/orders-20261121-v2.json", "file:/in/orders-{date}-v2.json"),
        ("file:/out/0f8fad5b-d9cb-469f-a165-70867728950e", "file:/out"),
        ("file:/out/0f8fad5b-d9cb-469f-a165-70867728950e/result", "file:/out/{uuid}/result"),
        ("file:/out/application_1700000000000_0001", "file:/out"),
        ("file:/out/local-1795233600000/x", "file:/out/{run}/x"),
        ("file:/out/1795233600", "file:/out"),
        (
            "abfss://ws@westeurope-onelake.dfs.fabric.microsoft.com/0f8fad5b-d9cb-469f-a165-70867728950e/Tables/orders",
            "abfss://ws@westeurope-onelake.dfs.fabric.microsoft.com/0f8fad5b-d9cb-469f-a165-70867728950e/Tables/orders",
        ),
        (
            "https://onelake.blob.fabric.microsoft.com/0f8fad5b-d9cb-469f-a165-70867728950e/x/2026-11-21",
            "https://onelake.blob.fabric.microsoft.com/0f8fad5b-d9cb-469f-a165-70867728950e/x",
        ),
        ("file:/models/2000", "file:/models/2000"),
        ("file:/data/v2/12345", "file:/data/v2/12345"),
        ("file:/data/20269921", "file:/data/20269921"),
        ("wasbs://c@a.blob.core.windows.net/x?sv=1&sig=***", "wasbs://c@a.blob.core.windows.net/x"),
        ("abfss://c@a.dfs.core.windows.net/", "abfss://c@a.dfs.core.windows.net/"),
        ("file:/", "file:/"),
        ("dbfs:/mnt/x", "dbfs:/mnt/x"),
    ],
)
def test_root(path: str, expected: str) -> None:
    assert root(path) == expected


def test_the_users_patterns_fold_whole_segments() -> None:
    patterns = (re.compile(r"batch\d+"),)

    assert root("file:/in/batch17/orders", patterns) == "file:/in/{run}/orders"
    assert root("file:/in/orders/batch17", patterns) == "file:/in/orders"
    assert root("file:/in/mybatch17", patterns) == "file:/in/mybatch17"


def test_a_time_that_a_blank_parts_from_its_date_is_of_the_run() -> None:
    assert root("file:/in/orders 2026-11-21 05:00:03.csv") == "file:/in/orders {date}.csv"


def test_the_root_of_a_root_is_itself() -> None:
    for path in ("file:/a/2026-11-21/b", "s3a://b/x/dt=1", "file:/in/orders_20261121.csv"):
        assert root(root(path)) == root(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders", "orders"),
        ("orders 2026-11-21", "orders"),
        ("orders_2026-11-21T05:00", "orders"),
        ("daily-20261121-load", "daily-load"),
        ("etl (application_1700000000000_0001)", "etl"),
        ("load 0f8fad5b-d9cb-469f-a165-70867728950e", "load"),
        ("orders 2026-11-21 05:00:03.123456", "orders"),
        ("orders (2026-11-21 05:00) daily", "orders daily"),
        ("orders 2026-11-21 05:00:03 PM", "orders"),
        ("orders 2026/11/21", "orders"),
        ("orders 21.11.2026 05:00", "orders"),
        ("orders 11/21/2026", "orders"),
        ("orders_1795233600", "orders"),
        ("orders_1795233600000", "orders"),
        ("orders 0f8fad5bd9cb469fa16570867728950e", "orders"),
        ("2026-11-21", "2026-11-21"),
        ("report 2026-11-21 10 top", "report 10 top"),
        ("release 10.11.12", "release 10.11.12"),
        ("tenant 4711471147", "tenant 4711471147"),
        ("step 3 of 7", "step 3 of 7"),
        ("Databricks Shell", "Databricks Shell"),
    ],
)
def test_job_name(name: str, expected: str) -> None:
    assert job_name(None, name) == expected
    assert job_name("configured", name) == "configured"
