"""Default filters: what each of them excludes, and similar names that it keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sac_kafka.model import TableDataset
from sac_kafka.stages.filters.defaults import DEFAULTS
from tests.helpers.every_row import every_row
from tests.unit.lineage.filters.datasets import is_kept, path, selection, table, topic

UUID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
PAGE = (Path(__file__).parents[4] / "docs" / "filters.md").read_text("utf-8")

EXAMPLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "path:.sparkStaging/**": (
        ("hdfs://nn1/user/alice/.sparkStaging/application_1700000000000_0001/__spark_libs__",),
        ("hdfs://nn1/user/alice/sparkStaging/x", "hdfs://nn1/data/my.sparkStaging/x"),
    ),
    "path:_temporary/**": (
        ("s3a://b/out/_temporary/0/task_1", "file:/out/_temporary"),
        ("s3a://b/out/temporary/0", "s3a://b/out/my_temporary/0", "s3a://b/_temporary_orders/x"),
    ),
    "path:.spark-staging-*/**": (
        (f"hdfs://nn1/out/.spark-staging-{UUID}/day=1",),
        ("hdfs://nn1/out/spark-staging-1", "hdfs://nn1/out/.spark-staging"),
    ),
    "path:_spark_metadata/**": (
        ("s3a://b/events/_spark_metadata/0",),
        ("s3a://b/events/spark_metadata/0", "s3a://b/_spark_metadata_of_jobs"),
    ),
    "path:blockmgr-{uuid}/**": (
        (f"file:/tmp/blockmgr-{UUID}/0c/shuffle_0_0_0.data",),
        ("file:/data/blockmgr-orders/x", f"file:/tmp/spark-{UUID}/userFiles-{UUID}/orders.csv"),
    ),
    "path:file:/dev/null": (
        ("file:/dev/null", "file:///dev/null"),
        ("hdfs://nn1/dev/null", "file:/dev/null/x", "file:/data/dev/null"),
    ),
    "path:_checkpoint/**": (
        ("s3a://b/orders/_checkpoint/offsets/0",),
        ("s3a://b/orders/checkpoint/0", "s3a://b/border_checkpoint/x"),
    ),
    "path:_checkpoints/**": (
        ("s3a://b/orders/_checkpoints/etl/offsets",),
        ("s3a://b/checkpoints/orders", "s3a://b/border_checkpoints"),
    ),
    "path:{uuid}/rdd-*": (
        (f"hdfs://nn1/chk/{UUID}/rdd-12", f"hdfs://nn1/chk/{UUID}/rdd-12/part-00000"),
        ("hdfs://nn1/chk/orders/rdd-12", f"hdfs://nn1/chk/{UUID}/orders"),
    ),
    "path:temporary-{uuid}/**": (
        (f"file:/tmp/temporary-{UUID}/offsets",),
        ("file:/data/temporary-orders/x", f"file:/data/{UUID}/orders"),
    ),
    "path:/tmp/spark-events/**": (
        ("file:/tmp/spark-events/local-1", "hdfs://nn1/tmp/spark-events"),
        ("file:/data/tmp/spark-events", "file:/tmp/spark-events-of-users"),
    ),
    "path:/user/spark/*pplicationHistory/**": (
        (
            "hdfs://nn1/user/spark/applicationHistory/application_1_1",
            "hdfs://nn1/user/spark/spark3ApplicationHistory/application_1_1",
        ),
        ("hdfs://nn1/user/spark/history", "hdfs://nn1/data/user/spark/applicationHistory"),
    ),
    "path:/var/log/spark/apps/**": (
        ("hdfs://nn1/var/log/spark/apps/application_1_1",),
        ("hdfs://nn1/var/log/apps/x", "hdfs://nn1/raw/var/log/spark/apps"),
    ),
    "path:eventlog_v2_*/**": (
        ("hdfs://nn1/history/eventlog_v2_application_1_1/events_1",),
        ("hdfs://nn1/history/eventlog_v2", "hdfs://nn1/my_eventlog_v2_x"),
    ),
    "path:hdfs://*/tmp/hive/**": (
        ("hdfs://nn1/tmp/hive/alice/x", "hdfs:/tmp/hive/alice"),
        ("s3a://b/tmp/hive/orders", "hdfs://nn1/data/tmp/hive/x", "hdfs://nn1/tmp/hive_export/x"),
    ),
    "path:file:/tmp/hive/**": (
        (f"file:/tmp/hive/alice/{UUID}/hive_2026-11-22_1",),
        ("file:/tmp/hive2/x", "file:/home/alice/tmp/hive/x"),
    ),
    "path:.hive-staging*/**": (
        ("hdfs://nn1/wh/orders/.hive-staging_hive_2026-11-22_10-00-00_1/-ext-10000",),
        ("hdfs://nn1/wh/hive-staging/orders", "hdfs://nn1/wh/my.hive-staging/x"),
    ),
    "path:_delta_log/**": (
        ("s3a://b/orders/_delta_log", "s3a://b/orders/_delta_log/*.json"),
        ("s3a://b/orders/delta_log/x", "s3a://b/orders"),
    ),
    "path:.hoodie/**": (
        ("s3a://b/orders/.hoodie/metadata/files",),
        ("s3a://b/orders/hoodie/x", "s3a://b/orders.hoodie"),
    ),
    "path:metadata/*.metadata.json": (
        ("s3a://b/db/t/metadata/v3.metadata.json", f"s3a://b/db/t/metadata/00003-{UUID}.metadata.json"),
        ("s3a://b/metadata/orders.json", "s3a://b/metadata/orders", "s3a://b/exports/x.metadata.json"),
    ),
    "path:metadata/snap-*.avro": (
        (f"s3a://b/db/t/metadata/snap-1-1-{UUID}.avro",),
        ("s3a://b/metadata/orders.avro", "s3a://b/data/snap-1.avro"),
    ),
    "path:metadata/*{uuid}-m*.avro": (
        (f"s3a://b/db/t/metadata/{UUID}-m0.avro",),
        ("s3a://b/metadata/orders-m0.avro", f"s3a://b/data/{UUID}-m0.avro"),
    ),
    "path:metadata/version-hint.text": (
        ("s3a://b/db/t/metadata/version-hint.text",),
        ("s3a://b/metadata/readme.text",),
    ),
    "path:.spark-bigquery-*/**": (
        (f"gs://b/.spark-bigquery-local-1700000000000-{UUID}/x",),
        ("gs://b/spark-bigquery-exports/x", "gs://b/my.spark-bigquery-x"),
    ),
    "path:{date}/??-??-??-???/{uuid}/**": (
        (f"abfss://c@a.dfs.core.windows.net/tmp/2026-11-22/10-11-12-345/{UUID}",),
        (
            f"abfss://c@a.dfs.core.windows.net/out/2026-11-22/{UUID}",
            "abfss://c@a.dfs.core.windows.net/out/2026-11-22/10-11-12-345/orders",
        ),
    ),
}


def test_every_default_has_its_examples() -> None:
    assert list(EXAMPLES) == list(DEFAULTS)
    assert all(stays for _, stays in EXAMPLES.values())


@every_row(("rule", "uri"), [(rule, uri) for rule, (out, _) in EXAMPLES.items() for uri in out])
def test_path_is_excluded_by_its_default_rule(rule: str, uri: str) -> None:
    ruling = selection(with_defaults=True).dataset(path(uri))
    assert (ruling.is_kept, str(ruling.rule)) == (False, rule)
    assert is_kept(path(uri))


@every_row("uri", [uri for _, stays in EXAMPLES.values() for uri in stays])
def test_similar_path_is_kept(uri: str) -> None:
    assert selection(with_defaults=True).dataset(path(uri)).is_kept


@pytest.mark.parametrize(
    "uri",
    [
        f"s3a://b/out/{UUID}",
        "s3a://b/tmp/orders",
        "file:/tmp/orders.csv",
        "s3a://b/orders/part-00000.parquet",
        "s3a://b/2026/11/22",
        "s3a://b/orders/day=2026-11-22/_SUCCESS",
        "s3a://b/metadata",
        "hdfs://nn1/user/hive/warehouse/orders",
        "file:/opt/spark-warehouse/orders",
        "/",
        "s3a://b",
    ],
)
def test_locations_of_users_are_kept(uri: str) -> None:
    assert selection(with_defaults=True).dataset(path(uri)).is_kept


def test_partly_excluded_directory_is_kept() -> None:
    assert is_kept(path("s3a://b/orders/_delta_log", "s3a://b/orders/day=1"), with_defaults=True)


def test_only_paths_are_excluded_by_default() -> None:
    for named in (table("_temporary._delta_log"), TableDataset(database=".hoodie", name="x"), topic("_checkpoint")):
        assert is_kept(named, with_defaults=True)


def test_the_page_lists_every_default() -> None:
    listed = re.findall(r"`(path:[^`]+)`", PAGE.partition("## What is excluded by default")[2])
    assert listed == list(DEFAULTS)
