"""Reads that return rows to the driver's Python, and DataFrames made from rows, with the hook's calls and without.

Both in one driver, in turns: the methods of PySpark are wrapped for one half of a pair and restored for the other.
Measured is the CPU time of the calling thread, and the longest that the hook's own functions held it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.table import Row, in_turns, rows_of
from sac_kafka.guard import Guard
from sac_kafka.spark.calls import reads
from tests.helpers.live_runs import Capture, session

ROWS = 100_000
WIDE = 2_000
COMPARED = 33_000
"""Rows of the largest frame whose every value is compared."""


class Longest:
    """The longest run of some functions in the calling thread, in seconds of CPU."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is measured."""

        def measured(*arguments: Any, **named: Any) -> Any:
            since = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds = max(self.seconds, time.thread_time() - since)

        return measured


def ways(spark: Any) -> dict[str, Callable[[], object]]:
    """Return what is measured."""
    long, wide = spark.table("long"), spark.table("wide")
    rows, frame, wide_frame = long.collect(), long.toPandas(), wide.toPandas()
    few = frame[frame.id < COMPARED].copy()
    texts = [("x" * 1_000_000,) for _ in range(20)]
    return {
        "a read of one row, CPU of the calling thread": lambda: spark.table("long").first(),
        f"`collect`, {ROWS:,} rows": lambda: spark.table("long").collect(),
        f"`toPandas`, {COMPARED:,} rows": lambda: spark.table("long").limit(COMPARED).toPandas(),
        f"`toPandas`, {WIDE:,} columns": lambda: spark.table("wide").toPandas(),
        f"`createDataFrame`, {ROWS:,} rows": lambda: spark.createDataFrame(rows, long.schema),
        f"`createDataFrame`, a frame of {ROWS:,} rows": lambda: spark.createDataFrame(frame),
        f"`createDataFrame`, a derived frame of {COMPARED:,} rows": lambda: spark.createDataFrame(few[few.id > 0]),
        f"`createDataFrame`, {WIDE:,} columns": lambda: spark.createDataFrame(wide_frame * 1),
        "`createDataFrame`, 20 texts of 1 MB": lambda: spark.createDataFrame(texts, ["text"]),
    }


def rows(pairs: int) -> Iterator[Row]:
    """Yield the figures of each way, and the longest call of all."""
    longest = Longest()
    with tempfile.TemporaryDirectory() as work:
        spark = session(work, **{"spark.sql.execution.arrow.pyspark.enabled": "true"})
        spark.range(ROWS).selectExpr("id", "concat('text ', id) as text", "id / 3 as part").write.saveAsTable("long")
        spark.range(10).selectExpr(*(f"id + {i} as c{i}" for i in range(WIDE))).write.saveAsTable("wide")
        capture = Capture(spark)
        for name, way in ways(spark).items():

            def measure(has_hook: bool, name: str = name, way: Callable[[], object] = way) -> dict[str, float]:
                calls = capture.watch(Guard())
                if has_hook:
                    spark.table("wide").limit(1).collect()  # there is something that rows may be made of
                    _measured(longest)
                else:
                    calls.restore()
                since = time.thread_time()
                way()
                took = time.thread_time() - since
                _restored()
                return {name: 1000 * took}

            way()
            yield from rows_of(in_turns(pairs, measure), {name: "ms"})
            capture.drain()
        spark.stop()
    yield Row("the hook's longest call in the threads of these reads and frames, CPU", "ms", (1000 * longest.seconds,))


_OWN = ((reads.RowsInDriver, "add"), (reads.RowsInDriver, "made_of"))
_FUNCTIONS = {(kind, name): kind.__dict__[name] for kind, name in _OWN}


def _measured(longest: Longest) -> None:
    for (kind, name), function in _FUNCTIONS.items():
        setattr(kind, name, longest.of(function))


def _restored() -> None:
    for (kind, name), function in _FUNCTIONS.items():
        setattr(kind, name, function)
