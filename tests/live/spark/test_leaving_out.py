"""Filter rules in a driver: tables, paths, jobs and users of a real Spark, and the message at the end of a job."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from sac_kafka.hook.hook import Hook
from tests.helpers.live_runs import session
from tests.helpers.messages import validated
from tests.helpers.waiting import LONG_SECONDS
from tests.live.spark.drivers import hook_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]

Attach = Callable[..., Hook]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    work = tmp_path_factory.mktemp("work")
    conf = hook_conf(work, client_type="memory", hook_spark_exclude="path:of_spark_conf/**")
    spark = session(str(work), **conf)
    for database in ("sales", "tmp_etl"):
        spark.sql(f"CREATE DATABASE {database}")
    spark.sql("CREATE TABLE sales.orders USING parquet AS SELECT 1 AS id, 2 AS amount")
    spark.sql("CREATE TABLE tmp_etl.rates USING parquet AS SELECT 1 AS id, 3 AS rate")
    yield spark
    spark.stop()


@pytest.fixture
def attach(spark: SparkSession) -> Iterator[Attach]:
    """Attaches with rules; detaches at the end."""
    hooks: list[Hook] = []

    def made(**rules: object) -> Hook:
        hooks.append(sac_kafka.attach(spark, sent_max_age_seconds=0, **rules))
        assert hooks[-1].is_active, hooks[-1]
        return hooks[-1]

    yield made
    for hook in hooks:
        hook.detach()


def message_text(hook: Hook) -> str:
    """Return all messages so far; check that none failed."""
    assert hook.flush(LONG_SECONDS)
    assert hook.stats()["errors"] == {}
    messages = hook.messages()
    validated([json.dumps(each) for each in messages])
    return json.dumps(messages)


def flows(hook: Hook) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Inputs and outputs, paths by their last part."""
    assert hook.flush(LONG_SECONDS)
    return [
        (
            tuple(name.rpartition("/")[2] for name in flow.inputs),
            tuple(name.rpartition("/")[2] for name in flow.outputs),
        )
        for flow in hook.lineage()
    ]


JOIN = "SELECT o.id, o.amount * r.rate AS total, r.rate FROM sales.orders o JOIN tmp_etl.rates r ON o.id = r.id"


def test_an_excluded_table_is_in_no_message(spark: SparkSession, attach: Attach, tmp_path: Path) -> None:
    hook = attach(exclude="table:tmp_*.*")
    spark.sql(JOIN).write.parquet(f"{tmp_path}/report")
    spark.sql("CREATE TABLE tmp_etl.more USING parquet AS SELECT * FROM sales.orders")
    spark.sql("ALTER TABLE tmp_etl.more SET TBLPROPERTIES ('a' = 'b')")
    spark.sql("CREATE VIEW tmp_etl.seen AS SELECT id FROM sales.orders")
    spark.table("tmp_etl.seen").write.parquet(f"{tmp_path}/of_a_view")
    spark.sql("DROP VIEW tmp_etl.seen")
    spark.sql("DROP TABLE tmp_etl.more")
    spark.sql("CREATE DATABASE tmp_other")
    spark.sql("DROP DATABASE tmp_other")
    text = message_text(hook)
    assert flows(hook) == [(("sales.orders",), ("report",)), ((), ("of_a_view",))]
    assert '"inputs_excluded": "1"' in text
    assert not any(
        f"tmp_{name}" in text.replace("queryText", "") for name in ("etl.rates@", "etl.more", "etl.seen", "other")
    )
    report = next(flow for flow in hook.lineage() if flow.outputs[0].endswith("/report"))
    assert {column.rpartition("#")[2]: sources for column, sources in report.columns.items()} == {
        "id": ("sales.orders.id",),
        "total": ("sales.orders.amount",),
    }
    excluded = hook.stats()["excluded"]
    assert excluded["datasets"] == {"table:tmp_*.*": 2}
    assert excluded["processes"]["table:tmp_*.*"] >= 2
    assert excluded["changes"]["table:tmp_*.*"] >= 5
    assert excluded["column_sources"]["table:tmp_*.*"] >= 2


def test_the_defaults_can_be_switched_off(spark: SparkSession, attach: Attach, tmp_path: Path) -> None:
    hook = attach(exclude_defaults=False)  # the rules are those of Spark's configuration
    spark.range(2).write.parquet(f"{tmp_path}/raw/_checkpoints/x")
    spark.range(2).write.parquet(f"{tmp_path}/of_spark_conf/x")
    assert flows(hook) == [((), ("x",))]


@pytest.mark.parametrize("by", ["job", "user"])
def test_an_excluded_job_or_user_sends_nothing(
    spark: SparkSession, attach: Attach, tmp_path: Path, caplog: pytest.LogCaptureFixture, by: str
) -> None:
    user = spark.sparkContext.sparkUser()
    hook = attach(job_name="Adhoc-7", exclude=f"{by}:{'adhoc-*' if by == 'job' else user}")
    with caplog.at_level(logging.INFO, "sac_kafka"):
        spark.range(2).write.parquet(f"{tmp_path}/out")
        spark.sql("CREATE TABLE sales.of_a_job (id INT) USING parquet")
        spark.sql("DROP TABLE sales.of_a_job")
        assert hook.flush(LONG_SECONDS)
        hook.detach()
    assert hook.messages() == []
    stats = hook.stats()
    assert stats["executions"] >= 3
    assert stats["excluded"]["processes"] == {next(iter(stats["excluded"]["changes"])): 1}
    assert any("excluded by rules: 1 flow and " in message for message in caplog.messages)
