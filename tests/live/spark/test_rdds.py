"""RDDs in a driver: what looking at them costs and touches, and how far it goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sac_kafka.model import Process
from tests.helpers.live_runs import Capture, session
from tests.helpers.watch import CONF, Watch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    spark = session(str(work), **CONF)
    spark.createDataFrame([("a b",), ("b",)], "line string").write.text(f"{work}/lines")
    yield spark
    spark.stop()


@pytest.fixture
def capture(spark: SparkSession) -> Iterator[Capture]:
    capture = Capture(spark)
    yield capture
    capture.listener.detach()


@pytest.mark.subset
def test_lineage_neither_computes_nor_lists_partitions(spark: SparkSession, work: Path, capture: Capture) -> None:
    """Leave an unused DataFrame lazy: its lineage is known without running it."""
    sc = spark.sparkContext
    lazy = [
        sc.textFile(f"{work}/lines").map(lambda line: (line,)),
        sc.wholeTextFiles(f"{work}/lines").map(lambda pair: (pair[1],)),
        sc.textFile(f"{work}/lines").map(lambda line: (line, 1)).partitionBy(2),
    ]
    frames = [spark.createDataFrame(rdd.map(lambda row: row[:1]), "line string") for rdd in lazy]
    watch = Watch(spark)
    text = capture.text_of(lambda: [f.createOrReplaceTempView(f"lazy_{n}") for n, f in enumerate(frames)])
    assert watch.taken(wait=True) == []
    assert text.count("sackafka.RddRows") == len(frames)
    assert text.count(f"{work}/lines") >= len(frames)
    assert "accessor failed" not in text


@pytest.mark.parametrize("shape", ["chained", "sibling"])
def test_thousands_of_rdds_are_traversed(spark: SparkSession, work: Path, capture: Capture, shape: str) -> None:
    context = spark.sparkContext._jsc
    rdd = context.textFile(f"{work}/lines")
    if shape == "behind":
        for _ in range(3_000):
            rdd = rdd.coalesce(1)
    else:
        many = spark.sparkContext._gateway.new_array(spark._jvm.org.apache.spark.api.java.JavaRDD, 200)
        for n in range(200):
            many[n] = context.textFile(f"{work}/lines")
        rdd = context.union(many)
    (process,) = written(capture.text_of(lambda: _write(spark, rdd, f"{work}/{shape}")))
    assert [d.key for d in process.inputs] == [f"path:file:{work}/lines"]


def _write(spark: SparkSession, rdd: Any, path: str) -> None:
    """By a plan without rows, so that no task of Spark's own has to go that deep."""
    encoder = spark._jvm.org.apache.spark.sql.Encoders.STRING()
    made = spark._jsparkSession.createDataset(rdd.rdd(), encoder)
    made.limit(0).write().mode("overwrite").text(path)


def written(text: str) -> list[Process]:
    return [o for o in Capture.outcomes_of(text) if isinstance(o, Process)]


def test_a_loop_of_small_jobs_costs_the_bus_little(spark: SparkSession, capture: Capture) -> None:
    rdd = spark.sparkContext._jsc.emptyRDD().union(spark.sparkContext.parallelize([1], 1)._jrdd)
    bus = spark.sparkContext._jsc.sc().listenerBus()
    timer = bus.metrics().metricRegistry().getTimers()["listenerProcessingTime.sackafka.ProjectionListener"]
    before, jobs_run = timer.getCount(), 300
    for _ in range(jobs_run):
        rdd.count()
    text = capture.drain()
    assert text == ""
    assert timer.getCount() - before >= 2 * jobs_run
    assert timer.getSnapshot().getMedian() < 500_000  # nanoseconds an event
