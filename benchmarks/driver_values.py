"""Costs of reads that return rows to the driver's Python, and of DataFrames made from rows, with the hook's calls and without.

    python -m benchmarks.driver_values [--pairs N]

Both in one driver, in turns: the methods of PySpark are wrapped for one half of a pair and restored for the other. The ratio is
that of the medians of the calling thread's CPU time and of the wall time. The last column is the longest that the hook's own
functions held that thread, in CPU time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from sac_kafka.guard import Guard
from sac_kafka.spark.calls import reads
from tests.helpers.live_runs import Capture, session

ROWS = 100_000
WIDE = 2_000


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
    texts = [("x" * 1_000_000,) for _ in range(20)]
    return {
        "one row": lambda: spark.table("long").first(),
        f"collect, {ROWS} rows": lambda: spark.table("long").collect(),
        f"toPandas, {ROWS} rows": lambda: spark.table("long").toPandas(),
        f"toPandas, {WIDE} columns": lambda: spark.table("wide").toPandas(),
        f"createDataFrame, {ROWS} rows": lambda: spark.createDataFrame(rows, long.schema),
        f"createDataFrame, a frame of {ROWS} rows": lambda: spark.createDataFrame(frame),
        f"createDataFrame, a derived frame of {ROWS} rows": lambda: spark.createDataFrame(frame[frame.id > 0]),
        f"createDataFrame, {WIDE} columns": lambda: spark.createDataFrame(wide_frame * 1),
        "createDataFrame, 20 texts of 1 MB": lambda: spark.createDataFrame(texts, ["text"]),
        "createDataFrame, 3 constants": lambda: spark.createDataFrame([(1, "a"), (2, "b"), (3, "c")], ["id", "text"]),
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.driver_values", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as work:
        spark = session(work, **{"spark.sql.execution.arrow.pyspark.enabled": "true"})
        spark.range(ROWS).selectExpr("id", "concat('text ', id) as text", "id / 3 as part").write.saveAsTable("long")
        spark.range(10).selectExpr(*(f"id + {i} as c{i}" for i in range(WIDE))).write.saveAsTable("wide")
        capture = Capture(spark)
        print("| | CPU with | without | ratio | wall with | without | ratio | longest call |")
        print("|---|---|---|---|---|---|---|---|")
        for name, way in ways(spark).items():
            found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
            longest = Longest()
            way()
            for number in range(2 * pairs):
                is_with = number % 4 in (0, 3)
                calls = capture.watch(Guard())
                if is_with:
                    spark.table("wide").limit(1).collect()  # there is something that rows may be made of
                    _measured(longest)
                else:
                    calls.restore()
                cpu, wall = time.thread_time(), time.perf_counter()
                way()
                found[is_with].append((time.thread_time() - cpu, time.perf_counter() - wall))
                _restored()
            capture.drain()
            figures = [
                f"{with_ * 1000:.1f} ms | {without * 1000:.1f} ms | {with_ / without:.2f}"
                for at in (0, 1)
                for with_, without in [tuple(median(each[at] for each in found[is_with]) for is_with in (True, False))]
            ]
            print(f"| {name} | {' | '.join(figures)} | {longest.seconds * 1000:.1f} ms |", flush=True)
        spark.stop()


_OWN = ((reads.RowsInDriver, "add"), (reads.RowsInDriver, "made_of"))
_FUNCTIONS = {(kind, name): kind.__dict__[name] for kind, name in _OWN}


def _measured(longest: Longest) -> None:
    for (kind, name), function in _FUNCTIONS.items():
        setattr(kind, name, longest.of(function))


def _restored() -> None:
    for (kind, name), function in _FUNCTIONS.items():
        setattr(kind, name, function)


if __name__ == "__main__":
    main()
