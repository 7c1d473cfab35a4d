"""Roots of paths: the part that names the dataset."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sac_kafka.hook.pipeline_options import segment_patterns
from sac_kafka.names.files import BasePath, Patterns, paths, roots
from sac_kafka.names.job_names import job_name
from sac_kafka.names.paths import root
from sac_kafka.settings.names import Names
from tests.helpers.every_row import every_row
from tests.helpers.work import Text, assert_linear


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
        # k=v: at the end it is a partition, elsewhere a directory like others
        ("s3a://b/lake/env=prod/orders", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/lake/env=prod/orders/part-00000-abc.c000.snappy.parquet", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/lake/env=prod/orders/dt=2026-11-21/country=DE", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/lake/env=prod/orders/2026-11-21", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/lake/env=prod", "s3a://b/lake"),
        ("s3a://b/lake/env=prod/2026-11-21", "s3a://b/lake"),
        ("s3a://b/lake/2026-11-21/env=prod", "s3a://b/lake"),
        ("s3a://b/lake/env=prod/_delta_log/00000000000000000000.json", "s3a://b/lake"),
        ("file:/events/day=2026-11-21/raw", "file:/events/day={date}/raw"),
        ("file:/events/day=2026-11-21/orders.csv", "file:/events/day={date}/orders.csv"),
        ("file:/events/at=2026-11-21 05%3A00%3A00/raw", "file:/events/at={date}/raw"),
        ("file:/events/dt=2026-11-21/hour=05/raw", "file:/events/dt={date}/hour={date}/raw"),
        ("file:/events/year=2026/month=1/day=5/raw", "file:/events/year={date}/month={date}/day={date}/raw"),
        ("file:/events/y=2026/m=11/d=21/h=5/raw", "file:/events/y={date}/m={date}/d={date}/h={date}/raw"),
        ("file:/events/2026-11-21/event_hour=05/raw", "file:/events/{date}/event_hour={date}/raw"),
        ("file:/events/year=2026/week=47/raw", "file:/events/year={date}/week={date}/raw"),
        ("file:/events/m=11/raw", "file:/events/m=11/raw"),
        ("file:/events/shop=11/raw", "file:/events/shop=11/raw"),
        ("file:/events/load=full_2026-11-21/raw", "file:/events/load=full_{date}/raw"),
        ("file:/events/run=application_1700000000000_0001/raw", "file:/events/run={run}/raw"),
        ("file:/events/run=0f8fad5b-d9cb-469f-a165-70867728950e/raw", "file:/events/run={uuid}/raw"),
        ("file:/events/batch=1795233600/raw", "file:/events/batch={run}/raw"),
        ("s3a://bucket/dt=2026-11-21/raw", "s3a://bucket/dt={date}/raw"),
        ("s3a://bucket/country=DE", "s3a://bucket/country=DE"),
        ("s3a://bucket/country=DE/dt=2026-11-21", "s3a://bucket/country=DE"),
        # files as Spark and Hadoop call them, and no other
        ("file:/out/part-r-00000", "file:/out"),
        ("file:/out/part-m-00012.gz", "file:/out"),
        ("file:/out/part-r-00000/data", "file:/out"),
        ("file:/out/part-1234567-abc.parquet", "file:/out"),
        ("file:/in/part-1-orders", "file:/in/part-1-orders"),
        ("file:/in/part-1-orders/part-00000", "file:/in/part-1-orders"),
        ("file:/in/part-20261121-orders", "file:/in/part-{date}-orders"),
        ("file:/in/part-0", "file:/in/part-0"),
        ("file:/in/part-s-00000", "file:/in/part-s-00000"),
        # times since 1970, and other numbers of so many digits
        ("file:/in/1500000000/orders", "file:/in/{run}/orders"),
        ("file:/in/1795233600123/orders", "file:/in/{run}/orders"),
        ("file:/in/1234567890/orders", "file:/in/1234567890/orders"),
        ("file:/in/9876543210/orders", "file:/in/9876543210/orders"),
        ("file:/in/9876543210123/orders", "file:/in/9876543210123/orders"),
        ("file:/in/9876543210", "file:/in/9876543210"),
        ("file:/models/2000", "file:/models/2000"),
        ("file:/data/v2/12345", "file:/data/v2/12345"),
        ("file:/data/20269921", "file:/data/20269921"),
        # below a directory of `tempfile.mkdtemp`; the directory itself has no other name
        ("file:/tmp/tmpab12cd34/model", "file:/tmp/tmp{run}/model"),
        ("/tmp/tmp_b_2cd34/model/metadata/part-00000", "/tmp/tmp{run}/model/metadata"),
        ("file:/var/tmp/tmpabcdefgh/out/dt=2026-11-21", "file:/var/tmp/tmp{run}/out"),
        ("file:/var/folders/zz/x_n0000gn/T/tmpab12cd34/model", "file:/var/folders/zz/x_n0000gn/T/tmp{run}/model"),
        ("file:/private/tmp/tmpab12cd34/2026-11-21/x", "file:/private/tmp/tmp{run}/{date}/x"),
        ("file:/tmp/tmpab12cd34", "file:/tmp/tmpab12cd34"),
        ("file:/tmp/tmpab12cd34/dt=2026-11-21", "file:/tmp/tmpab12cd34"),
        ("file:/tmp/tmpab12cd34/part-00000", "file:/tmp/tmpab12cd34"),
        ("file:/tmp/tmp_invoice/x", "file:/tmp/tmp_invoice/x"),
        ("file:/tmp/tmpab12cd345/x", "file:/tmp/tmpab12cd345/x"),
        ("file:/tmp/tmpAB12cd34/x", "file:/tmp/tmpAB12cd34/x"),
        ("file:/data/tmpab12cd34/x", "file:/data/tmpab12cd34/x"),
        ("file:/data/tmp/tmpab12cd34/x", "file:/data/tmp/tmpab12cd34/x"),
        ("s3a://b/tmp/tmpab12cd34/x", "s3a://b/tmp/tmpab12cd34/x"),
        ("wasbs://c@a.blob.core.windows.net/x?sv=1&sig=***", "wasbs://c@a.blob.core.windows.net/x"),
        ("abfss://c@a.dfs.core.windows.net/", "abfss://c@a.dfs.core.windows.net/"),
        # a host has no case, a bucket may have one
        ("hdfs://NN1/In/dt=2026-11-21", "hdfs://nn1/In"),
        ("HDFS://Name-Node.example:8020/in", "hdfs://name-node.example:8020/in"),
        ("abfss://raw@Lake.dfs.core.windows.net:443/In", "abfss://raw@lake.dfs.core.windows.net/In"),
        ("abfss://raw@lake.dfs.core.windows.net:8443/in", "abfss://raw@lake.dfs.core.windows.net:8443/in"),
        ("wasb://raw@lake.blob.core.windows.net:80/in", "wasb://raw@lake.blob.core.windows.net/in"),
        ("s3a://Bucket/in", "s3a://Bucket/in"),
        ("file:/", "file:/"),
        ("dbfs:/mnt/x", "dbfs:/mnt/x"),
    ],
)
def test_root(path: str, expected: str) -> None:
    assert root(path) == expected


def patterns(**settings: tuple[str, ...]) -> Patterns:
    return segment_patterns(Names(**settings))


FOLDED = {"path_folded": ("batch*", "env=*", "*.json.gz", "tmp_fold???")}
KEPT = {"path_kept": ("tmpab12*", "tenant*={uuid}", "1795*", "release-*", "part-00042*", "env=*", "2026")}


@every_row(
    ("settings", "path", "expected"),
    [
        (FOLDED, "file:/in/batch17/orders", "file:/in/{run}/orders"),
        (FOLDED, "file:/in/orders/batch17", "file:/in/orders"),
        (FOLDED, "file:/in/mybatch17", "file:/in/mybatch17"),
        (FOLDED, "s3a://b/lake/env=prod/orders", "s3a://b/lake/env={run}/orders"),
        (FOLDED, "s3a://b/orders/dt=2026-11-21/orders+0+017.json.gz", "s3a://b/orders"),
        (
            KEPT,
            "file:/in/tenant=0f8fad5b-d9cb-469f-a165-70867728950e/x",
            "file:/in/tenant=0f8fad5b-d9cb-469f-a165-70867728950e/x",
        ),
        (
            KEPT,
            "file:/in/tenant=0f8fad5b-d9cb-469f-a165-70867728950e",
            "file:/in/tenant=0f8fad5b-d9cb-469f-a165-70867728950e",
        ),
        (KEPT, "file:/tmp/tmpab12cd34/orders", "file:/tmp/tmpab12cd34/orders"),
        (FOLDED, "file:/tmp/tmp_fold12_/orders", "file:/tmp/{run}/orders"),
        (KEPT, "file:/in/1795233600/orders", "file:/in/1795233600/orders"),
        (KEPT, "file:/in/release-2026-11-21", "file:/in/release-2026-11-21"),
        (KEPT, "file:/in/other-2026-11-21", "file:/in/other-{date}"),
        (KEPT, "file:/in/part-00042-orders", "file:/in/part-00042-orders"),
        (KEPT, "file:/in/part-00043-orders", "file:/in"),
        (KEPT, "s3a://b/lake/env=prod/dt=2026-11-21", "s3a://b/lake/env=prod"),
        (KEPT, "file:/in/2026/11/21/orders", "file:/in/2026/11/21/orders"),
        ({"path_kept": ("*",)}, "file:/in/2026-11-21/dt=2026-11-21", "file:/in/2026-11-21/dt=2026-11-21"),
        ({"path_kept": ("batch-1",), "path_folded": ("batch-*",)}, "file:/in/batch-1", "file:/in/batch-1"),
        ({"path_kept": ("batch-1",), "path_folded": ("batch-*",)}, "file:/in/batch-2", "file:/in"),
        ({"path_patterns": (r"batch\d+",)}, "file:/in/batch17/orders", "file:/in/{run}/orders"),
        ({"path_patterns": (r"batch\d+",)}, "file:/in/batch/orders", "file:/in/batch/orders"),
    ],
)
def test_the_users_patterns_are_about_whole_segments(
    settings: dict[str, tuple[str, ...]], path: str, expected: str
) -> None:
    assert root(path, patterns(**settings)) == expected
    assert list(roots([path], patterns(**settings))) == [expected]


def test_hostile_segments_take_linear_time() -> None:
    of = patterns(path_kept=("*a*a*a*b", "?*{run}*{date}*"), path_folded=("*=*=*=*!",))

    def folding(count: int) -> Callable[[], object]:
        path = Text(f"file:/in/{'a=' * count}")
        return lambda: root(path, of)

    assert_linear(folding, 100)


@every_row(
    ("base", "partitions", "path", "expected"),
    [
        ("s3a://b/lake", ("env",), "s3a://b/lake/env=prod/orders", "s3a://b/lake"),
        ("/lake", ("ENV", "day"), "file:/lake/env=prod/day=1/orders", "file:/lake"),
        ("file:///lake/", ("env",), "file:/lake/env=prod/part-00000", "file:/lake"),
        # Spark found others, further down
        ("s3a://b/lake", ("day",), "s3a://b/lake/env=prod/orders", "s3a://b/lake/env=prod/orders"),
        # behind a gap Spark does not look
        ("s3a://b/lake", ("day",), "s3a://b/lake/env=prod/orders/day=1/raw", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/lake/env=prod", ("env",), "s3a://b/lake/env=prod/orders", "s3a://b/lake/env=prod/orders"),
        ("s3a://c/lake", ("env",), "s3a://b/lake/env=prod/orders", "s3a://b/lake/env=prod/orders"),
        ("s3a://b/la", ("env",), "s3a://b/lake/env=prod/orders", "s3a://b/lake/env=prod/orders"),
    ],
)
def test_partitions_below_a_base_path(base: str, partitions: tuple[str, ...], path: str, expected: str) -> None:
    (found,) = paths((path,), "parquet", (), (), BasePath(base, partitions))
    assert (found.path, found.locations) == (expected, (path,))


def test_a_time_that_a_blank_parts_from_its_date_is_of_the_run() -> None:
    assert root("file:/in/orders 2026-11-21 05:00:03.csv") == "file:/in/orders {date}.csv"


def test_the_root_of_a_root_is_itself() -> None:
    for path in (
        *("file:/a/2026-11-21/b", "s3a://b/x/dt=1", "file:/in/orders_20261121.csv", "s3a://b/dt=2026-11-21/dt=1"),
        *("file:/a/day=2026-11-21/b", "s3a://b/lake/env=prod/2026-11-21", "s3a://b/y=2026/m=11/raw/y=2026"),
        *("file:/tmp/tmpab12cd34/x", "file:/tmp/tmpab12cd34/dt=1", "file:/tmp/tmpab12cd34/2026-11-21/x"),
    ):
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
