"""The gauges in Spark's metrics: read as Spark's sinks read them, removed when the hook is detached."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from sac_kafka.hook.metrics.table import METRICS
from tests.helpers.live_runs import session
from tests.helpers.waiting import LONG_SECONDS, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    conf = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.metrics.namespace": "ours"}
    spark = session(str(work), **conf)
    yield spark
    spark.stop()


def gauges(spark: SparkSession) -> dict[str, float]:
    """Return the gauges of the source `sac_kafka`, from Spark's JSON servlet."""
    with urllib.request.urlopen(f"{spark.sparkContext.uiWebUrl}/metrics/json", timeout=LONG_SECONDS) as answer:
        gauges_of_spark = json.load(answer)["gauges"]
    return {name: gauge["value"] for name, gauge in gauges_of_spark.items() if ".sac_kafka." in name}


def test_gauges_are_among_those_of_spark_until_detach(spark: SparkSession, work: Path) -> None:
    settings = {"metrics_spark": "true", "metrics_interval_seconds": "1", "metadata_namespace": "t"}
    settings["exit_timeout_seconds"] = f"{LONG_SECONDS:g}"
    settings["metrics_prometheus_path"] = str(work / "x.prom")
    for _ in range(2):  # a second hook of the same context registers again
        with sac_kafka.attach(spark, client_type="memory", **settings) as hook:
            spark.range(3).write.mode("overwrite").parquet(f"{work}/out")
            assert hook.flush(LONG_SECONDS)
            until(lambda: gauges(spark).get("ours.driver.sac_kafka.messages_delivered_total"), lambda: gauges(spark))
            shown = gauges(spark)
            assert shown["ours.driver.sac_kafka.processes_total"] == 1
            assert set(shown) == {f"ours.driver.sac_kafka.{metric.name}" for metric in METRICS}
            assert shown["ours.driver.sac_kafka.messages_delivered_total"] == 1
            assert shown["ours.driver.sac_kafka.active"] == 1
            assert shown["ours.driver.sac_kafka.capture_seconds_total"] > 0
        assert gauges(spark) == {}
        assert "sac_kafka_active{" in (work / "x.prom").read_text()
        assert hook.stats()["errors"] == {}
