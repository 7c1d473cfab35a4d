"""Many small executions with the hook attached: `python tests/spark/soak.py N` prints what the driver's memory does.

Every 20th execution writes, to one of a few paths; messages go to /dev/null. It fails where the used heap of the JVM or
the resident memory of Python grows after the first tenth, or where anything was dropped.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "spark")]
sys.path.append(str(TESTS.parent))

from drivers import hook_conf  # noqa: E402 the path must be set first
from live import session  # noqa: E402 the path must be set first

import sac_kafka  # noqa: E402 the path must be set first

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_GROWTH_MIB = 10.0
RETAINED = "50"
"""Executions, jobs and so on that Spark's own status store keeps: it would grow until its default of 1000."""


def memory(spark: SparkSession) -> tuple[float, float]:
    """The used heap of the JVM after a collection, the resident memory of this process; in MiB."""
    system = spark.sparkContext._jvm.java.lang.System
    runtime = spark.sparkContext._jvm.java.lang.Runtime.getRuntime()
    for _ in range(2):
        system.gc()
        time.sleep(0.2)
    heap = (runtime.totalMemory() - runtime.freeMemory()) / 2**20
    resident = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return heap, int(resident.split()[1]) / 2**10


def main() -> None:
    executions = int(sys.argv[1])
    keep = (
        "spark.sql.ui.retainedExecutions",
        "spark.ui.retainedJobs",
        "spark.ui.retainedStages",
        "spark.ui.retainedTasks",
    )
    with tempfile.TemporaryDirectory() as work:
        conf = hook_conf(Path(work), client_file_path="/dev/null")
        spark = session(work, **conf, **dict.fromkeys(keep, RETAINED))
        hook = sac_kafka.attach(spark)
        cheap = spark.sql("select 1 as a")
        samples = []
        for tenth in range(10):
            started = time.monotonic()
            for i in range(executions // 10):
                if i % 20 == 0:
                    spark.range(1).write.mode("overwrite").parquet(f"{work}/out{i % 200}")
                elif i % 20 == 10:
                    spark.range(1).collect()
                elif i % 20 == 15:
                    spark.sql(f"select {i} as a").collect()
                else:
                    cheap._jdf.collectAsList()  # an execution like any other, without a socket for its rows
            assert hook.flush(60), hook.stats()
            seconds = time.monotonic() - started
            samples.append(memory(spark))
            print(
                f"{(tenth + 1) * (executions // 10):>7} executions: heap %6.1f MiB, Python %6.1f MiB, {seconds:.1f} s"
                % samples[-1]
            )
        stats = hook.stats()
        spark.stop()
    print(stats)
    assert stats["executions"] >= executions, "not all were seen"
    assert stats["processes"] == executions // 10 // 20 * 10, "not all writes were told"
    assert stats["listener"] == {}, "events were dropped"
    assert stats["errors"] == {}, "errors were swallowed"
    assert stats["messages"]["spooled"] == stats["messages"]["dropped"] == 0, "messages were lost"
    for what, first, last in zip(("JVM", "Python"), samples[0], samples[-1], strict=True):
        growth = last - first
        print(f"{what}: {growth:+.1f} MiB from the first tenth to the last")
        assert growth < MOST_GROWTH_MIB, f"the memory of {what} grows"


if __name__ == "__main__":
    main()
