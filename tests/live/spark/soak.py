"""Many small executions with the hook attached: `python -m tests.live.spark.soak N` prints what the driver's memory does.

Every 20th execution writes, to one of a few paths; messages go to /dev/null, or with `soak N BOOTSTRAP TOPIC` to a
broker. It fails where the used heap of the JVM, its resident memory or that of Python grows after the first tenth, or
where anything was dropped.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sac_kafka
from tests.helpers.live_runs import session
from tests.helpers.waiting import LONG_SECONDS
from tests.live.spark.drivers import hook_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MAX_GROWTH_MIB = 10.0
RETAINED = "50"
"""Executions, jobs and so on that Spark's own status store keeps: it would grow until its default of 1000."""


MEMORIES = {"JVM's heap": MAX_GROWTH_MIB, "JVM": 64.0, "Python": MAX_GROWTH_MIB}
"""What is looked at, and by how much it may grow, in MiB: the JVM's memory holds compiled code and classes, too."""
ATTEMPTS = 20
AT_ONCE = 50
"""Executions between two flushes: what waits to be projected is never too much, however long that waits for a processor."""
WHOLE_HEAP = "-Xms1g -XX:+AlwaysPreTouch"
"""All of the heap from the start: otherwise the JVM's memory grows until it has had a use for all of it."""


def resident(pid: int | str) -> float:
    """Return the resident memory of a process, in MiB."""
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / 2**10


def memory(spark: SparkSession) -> tuple[float, float, float]:
    """Return the used heap of the JVM after a collection, and the resident memory of the JVM and of this process, in MiB."""
    java = spark.sparkContext._jvm.java.lang
    runtime = java.Runtime.getRuntime()
    for _ in range(2):
        java.System.gc()
        time.sleep(0.2)
    heap = (runtime.totalMemory() - runtime.freeMemory()) / 2**20
    return heap, resident(spark.sparkContext._gateway.proc.pid), resident("self")


def sink(arguments: list[str]) -> dict[str, str]:
    """Return the settings of where messages go."""
    if not arguments:
        return {"client_file_path": "/dev/null"}
    bootstrap, topic = arguments
    return {
        "client_type": "kafka",
        "kafka_bootstrap_servers": bootstrap,
        "notification_hook_topic_name": topic,
    }


def main() -> None:
    executions = int(sys.argv[1])
    keep = (
        "spark.sql.ui.retainedExecutions",
        "spark.ui.retainedJobs",
        "spark.ui.retainedStages",
        "spark.ui.retainedTasks",
    )
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)  # the repository's own atlas-application.properties is not meant
        conf = {**hook_conf(Path(work), **sink(sys.argv[2:])), "spark.driver.extraJavaOptions": WHOLE_HEAP}
        spark = session(work, **conf, **dict.fromkeys(keep, RETAINED))
        hook = sac_kafka.attach(spark)
        cheap = spark.sql("select 1 as a")
        samples = []
        for tenth in range(10):
            for i in range(executions // 10):
                if i % 20 == 0:
                    spark.range(1).write.mode("overwrite").parquet(f"{work}/out{i % 200}")
                elif i % 20 == 10:
                    spark.range(1).collect()
                elif i % 20 == 15:
                    spark.sql(f"select {i} as a").collect()
                else:
                    cheap._jdf.collectAsList()  # an execution like any other, without a socket for its rows
                if i % AT_ONCE == 0:
                    assert hook.flush(5 * LONG_SECONDS), hook.stats()
            assert hook.flush(5 * LONG_SECONDS), hook.stats()
            samples.append(memory(spark))
            done = (tenth + 1) * (executions // 10)
            heap, jvm, python = samples[-1]
            figures = f"heap {heap:6.1f} MiB, JVM {jvm:6.1f} MiB, Python {python:6.1f} MiB"
            print(f"{done:>7} executions: {figures}", flush=True)
        least = samples[-1]
        for _ in range(ATTEMPTS):  # discarded objects may still be held by a cleaner
            if all(now - first < most for now, first, most in zip(least, samples[0], MEMORIES.values(), strict=True)):
                break
            time.sleep(1)
            least = tuple(map(min, least, memory(spark)))
        stats = hook.stats()
        spark.stop()
    print(stats)
    assert stats["executions"] >= executions, "not all were seen"
    assert stats["processes"] == executions // 10 // 20 * 10, "not all writes were reported"
    assert stats["listener"] == {}, "events were dropped"
    assert stats["errors"] == {}, "errors were swallowed"
    assert stats["messages"]["spooled"] == stats["messages"]["dropped"] == 0, "messages were lost"
    for (what, most), first, last in zip(MEMORIES.items(), samples[0], least, strict=True):
        growth = last - first
        print(f"{what}: {growth:+.1f} MiB from the first tenth to the last")
        assert growth < most, f"the memory of {what} grows"


if __name__ == "__main__":
    main()
