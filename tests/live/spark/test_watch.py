"""The watch over the projecting thread sees what accessors must not do, and the hook's own do none of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.live_runs import Capture, session
from tests.helpers.watch import CONF, Watch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]
CARELESS = "sackafka.testing.Watched$Careless"


@pytest.fixture(scope="module")
def spark(work: Path) -> Iterator[SparkSession]:
    spark = session(str(work), **CONF)
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def watch(spark: SparkSession) -> Watch:
    return Watch(spark)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("method", "seen"),
    [("listsFiles", "listStatus"), ("connects", "connect socket"), ("runsAJob", "job "), ("name", "")],
)
def test_a_careless_accessor_is_seen(
    spark: SparkSession, work: Path, watch: Watch, port: int, method: str, seen: str
) -> None:
    specified = f"event\t{CARELESS}\nclass\t{CARELESS}\nfield\tvalue\t{method}\tidentity\t\n"
    capture = Capture(spark, specified=specified)
    context = spark.sparkContext._jsc.sc()
    watch.taken()
    event = getattr(spark.sparkContext._jvm.sackafka.testing, "Watched$Careless")(context, str(work), port)
    text = capture.text_of(lambda: context.listenerBus().post(event))
    assert '"event"' in text and "accessor failed" not in text
    found = watch.taken(wait=True)
    assert bool(found) is bool(seen)
    assert not seen or any(each.startswith(seen) and "sackafka" in each for each in found)
    capture.listener.detach()


def test_the_hook_itself_has_no_careless_accessor(spark: SparkSession, work: Path, watch: Watch) -> None:
    capture = Capture(spark)

    def job() -> None:
        spark.range(3).write.mode("overwrite").parquet(f"{work}/in")
        spark.sql("create or replace temporary view v as select 1 id")
        spark.sql(f"create table t using parquet as select * from parquet.`{work}/in`")
        spark.table("t").selectExpr("id + 1 as id").write.csv(f"{work}/out")

    watch.taken()
    text = capture.text_of(job)
    assert len(capture.processes_of(text)) == 3
    assert watch.taken(wait=True) == []
    capture.listener.detach()
