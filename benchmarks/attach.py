"""Costs of attaching: Python's CPU over that of `import pyspark`, and the JVM's as a share of Spark's own start.

The JVM loads the listener precompiled, and compiled in the driver, in pairs of new drivers. Counted is all CPU of the JVM's
process from `attach` until it is idle again: Py4J's calls, loaded classes, polls, and what they make the JVM compile in the
background. Spark's start is over by then: a JVM that only waits as long uses 0.01 s, which is subtracted as measured before.

python -m benchmarks.attach [PAIRS]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median

HOW = ("precompiled", "compiled")
IDLE_SECONDS, STILL = 0.01, 10
"""CPU of an idle JVM in a fifth of a second, and for how many of them."""
PYTHON = "python"


def measure(how: str) -> None:
    """Print the JVM's CPU seconds of a Spark's start and of attaching to it, in a separate driver."""
    from pyspark.sql import SparkSession

    import sac_kafka
    from sac_kafka.spark import java_classes

    if how == "compiled":
        java_classes.archive = Path  # a path without an archive
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with tempfile.TemporaryDirectory() as folder:
        spark = builder.config("spark.sql.warehouse.dir", folder).getOrCreate()
        os.chdir(folder)  # no configuration file
        pid = spark.sparkContext._gateway.proc.pid
        started = idle(pid)
        before = idle(pid)  # an idle JVM uses some, too
        keys = {
            "client_type": "file",
            "atlas.client.file.path": f"{folder}/messages",
            "atlas.metadata.namespace": "test",
        }
        hook = sac_kafka.attach(spark, **keys)
        attached = idle(pid) - before - (before - started)
        is_compiled = "listener compiled in the driver" in hook.stats()["captured"]
        assert hook.is_active
        assert is_compiled == (how == "compiled"), hook.stats()["captured"]
        spark.stop()
    print(attached, started)


def idle(pid: int) -> float:
    """Wait until a process has nothing to do; return its CPU seconds."""

    def used() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    before, still = used(), 0
    while still < STILL:
        time.sleep(0.2)
        now = used()
        still = still + 1 if now - before <= IDLE_SECONDS else 0
        before = now
    return before


def measure_python() -> None:
    """Print the CPU seconds of `import pyspark`, of importing and attaching a hook, and of loading the code for a query."""
    started = time.process_time()
    import_module("pyspark")
    imported = time.process_time()
    import_module("sac_kafka.hook.hook")
    from sac_kafka.guard import Guard
    from sac_kafka.hook.assembly import assemble
    from sac_kafka.hook.session_settings import read_settings

    loaded = time.process_time() - imported
    from tests.helpers.fake_driver import FakeDriver

    driver = FakeDriver()
    with tempfile.TemporaryDirectory() as folder:
        keys = {"kafka.bootstrap.servers": "127.0.0.1:9", "metadata.namespace": "test", "hook.spool.dir": folder}
        os.chdir(folder)  # no configuration file
        before = time.process_time()
        settings = read_settings(driver, {f"atlas.{key}": text for key, text in keys.items()})
        assemble(driver, settings, Guard())
        attached = time.process_time()
        import_module("sac_kafka.lineage.actions")  # as the first event does
        done = time.process_time()
        print(imported - started, loaded + attached - before, done - attached, flush=True)
        os._exit(0)  # the listener is not polled, so nothing ends the hook


def _run(how: str) -> list[float]:
    ran = subprocess.run([sys.executable, "-m", "benchmarks.attach", how], capture_output=True, text=True, check=True)
    return [float(each) for each in ran.stdout.splitlines()[-1].split()]


def main() -> None:
    """Print a line per driver."""
    if sys.argv[1:] == [PYTHON]:
        return measure_python()
    if sys.argv[1:2] and sys.argv[1] in HOW:
        return measure(sys.argv[1])
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 3):
        pyspark, attached, first = _run(PYTHON)
        print(
            f"Python       {attached:5.2f} s of CPU, {attached / pyspark:.1f} times `import pyspark` ({pyspark:.2f} s); "
            f"the first event loads for {first:.2f} s"
        )
    pairs = [{how: _run(how) for how in HOW} for _ in range(int(sys.argv[1]) if sys.argv[1:] else 3)]
    for pair in pairs:
        for how, (attached, start) in pair.items():
            print(
                f"{how:12} {attached:5.2f} s of the JVM's CPU, {attached / start:6.1%} of Spark's start ({start:.1f} s)"
            )
    shares = {how: median(pair[how][0] / pair[how][1] for pair in pairs) for how in HOW}
    ratio = median(pair["compiled"][0] / pair["precompiled"][0] for pair in pairs)
    print(
        f"medians: {shares['precompiled']:.1%} precompiled, {shares['compiled']:.1%} compiled, {ratio:.1f} times as much"
    )
    return None


if __name__ == "__main__":
    main()
