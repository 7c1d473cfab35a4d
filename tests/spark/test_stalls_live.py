"""Wide and long statements on a real Spark: a thread of the user's never stands still for long because of the hook."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from tests.live import session
from tests.stalls import measured
from tests.waiting import LONG_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]


def statements(spark: SparkSession, work: str) -> None:
    wide = [f"id + {i} as c{i}" for i in range(2000)]
    spark.range(2).selectExpr(*wide).write.parquet(f"{work}/wide")
    spark.read.parquet(f"{work}/wide").selectExpr("*", "c1 + c2 as more").write.parquet(f"{work}/wider")
    several = ",".join(map(str, range(30_000)))
    spark.sql(f"create table chosen using parquet as select id from range(9) where id in ({several})")
    long = " ".join(f"/* {'long' * 20} */ id + 1 as x{i}," for i in range(20))
    comment = "\n".join("-- " + "what a generator writes " * 4 for _ in range(50_000))
    spark.sql(f"create table long using parquet as\n{comment}\nselect {long} id from range(3)")


class Ticker:
    """A thread of the user's that wants to run every 2 ms; `worst` is the longest that it did not."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="user-ticker", daemon=True)

    def _tick(self) -> None:
        before = time.monotonic()
        while not self._is_over.wait(0.002):
            now = time.monotonic()
            self.worst = max(self.worst, now - before)
            before = now

    @contextmanager
    def ticking(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self._thread.join()


def test_no_user_thread_stands_still_because_of_wide_and_long_statements(
    tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    spark = session(str(tmp_path))
    alone, beside = Ticker(), Ticker()
    try:
        with alone.ticking():
            statements(spark.newSession(), f"{tmp_path}/alone")
        spark.sql("drop table chosen")
        spark.sql("drop table long")
        with measured("sac-kafka") as stalls:
            hook = sac_kafka.attach(spark, client_type="file", client_file_path=tmp_path / "messages.jsonl")
            with beside.ticking():
                statements(spark, f"{tmp_path}/beside")
                assert hook.flush(5 * LONG_SECONDS), hook.stats()
            hook.detach()
    finally:
        spark.stop()
    record_property("longest calls (CPU)", stalls.worst())
    record_property("longest collection (CPU)", max(stalls.collections, default=0.0))
    record_property("worst tick", f"{alone.worst:.3f} s alone, {beside.worst:.3f} s beside the hook")
    print(stalls.worst(), max(stalls.collections, default=0.0), alone.worst, beside.worst, file=sys.stderr)
    assert hook.stats()["processes"] == 4
    stalls.assert_short()
