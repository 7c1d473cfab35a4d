"""Examples of pages with Spark run in one session: Python and SQL, block after block, with the tables of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

import sac_kafka
from tests.helpers.live_runs import session
from tests.helpers.sessions import atlas_conf
from tests.helpers.waiting import LONG_SECONDS
from tests.project.docs.blocks import PAGES, ROOT, blocks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(
        "ignore:is_(datetime64tz|categorical)_dtype is deprecated:DeprecationWarning"
    ),  # Spark 3.5 needs pandas
]

LIVE = [page for page in PAGES if any(b.mark and b.mark.kind == "runs in Spark" for b in blocks(page))]
SALES = (
    "CREATE DATABASE sales",
    "CREATE TABLE sales.orders USING parquet AS SELECT 'x' AS customer, 1 AS amount, '2026-11-20' AS day",
    "CREATE TABLE sales.loads USING parquet AS SELECT '2026-11-20' AS day",
    "CREATE TABLE sales.report USING parquet AS SELECT '' AS day, 0 AS amount",
)
PREPARED: dict[str, tuple[str, ...]] = {
    "docs/atlas.md": (
        "CREATE DATABASE crm",
        "CREATE TABLE crm.orders USING parquet AS SELECT 'x' AS customer, 1 AS amount, '2026-11-20' AS day",
        "CREATE TABLE crm.customers USING parquet AS SELECT 'x' AS name",
        "CREATE TABLE crm.customer_tiers (customer STRING, total BIGINT, tier STRING) USING parquet",
    ),
    "docs/driver-python.md": (
        "CREATE TABLE sales USING parquet AS SELECT 'north' AS region, 20 AS amount",
        "CREATE TABLE regions USING parquet AS SELECT 'north' AS name",
    ),
    "docs/scripting.md": SALES,
    "docs/user-guide.md": SALES,
}
"""The tables that a page's examples read, by page."""
OF_SPARK_4 = ("docs/scripting.md",)
"""Pages about what Spark 3.5 does not have."""


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    work = tmp_path_factory.mktemp("pages")
    conf = {**atlas_conf(client_type="memory", metadata_namespace="docs"), "hive.server2.thrift.port": "0"}
    spark = session(str(work), **conf)
    yield spark
    spark.stop()


def job(spark: SparkSession) -> None:
    """Run the reader's job that pages test."""
    spark.table("sales.orders").groupBy().sum("amount").toDF("total").write.saveAsTable("sales.report")


@pytest.mark.parametrize("page", LIVE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_in_spark(page: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession as Session

    # Pages name no time, and a busy machine may need more than the usual one.
    monkeypatch.setattr(sac_kafka.Hook.flush, "__defaults__", (LONG_SECONDS,))
    if str(page.relative_to(ROOT)) in OF_SPARK_4 and spark.version < "4":
        pytest.skip("about what Spark has since 4.0")
    for statement in PREPARED.get(str(page.relative_to(ROOT)), ()):
        spark.sql(statement)
    names: dict[str, object] = {"spark": spark, "sac_kafka": sac_kafka, "job": job, "SparkSession": Session}
    try:
        for block in blocks(page):
            if block.mark is None or block.mark.kind != "runs in Spark":
                continue
            if "job(" in block.text:
                spark.sql("DROP TABLE sales.report")
            if block.language == "sql":
                for statement in filter(str.strip, block.text.split(";\n")):
                    spark.sql(statement)
            else:
                exec(compile(block.text, block.place, "exec"), names)
        hook = sac_kafka.attach(spark)
        assert hook.stats()["disabled"] is None
        assert hook.stats()["errors"] == {}
    finally:
        sac_kafka.detach()
        for database in ("sales", "crm"):
            spark.sql(f"DROP DATABASE IF EXISTS {database} CASCADE")
        for table in spark.catalog.listTables():
            spark.sql(f"DROP TABLE {table.name}")
