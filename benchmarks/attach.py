"""What attaching costs: Python's CPU over that of `import pyspark`, and the JVM's for loading the listener.

The JVM loads the listener precompiled, and compiled in the driver, in pairs of new drivers.

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

HOW = ("precompiled", "compiled")
PYTHON = "python"


def measure(how: str) -> None:
    """Print the CPU and wall seconds of loading, and the JVM's CPU seconds before it, in a separate driver."""
    from pyspark.sql import SparkSession

    from sac_kafka.spark import java_classes
    from sac_kafka.spark.java_classes import LISTENER

    if how == "compiled":
        java_classes.archive = Path  # a path without an archive
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.range(3).count()
    gateway = spark.sparkContext._gateway
    loader = spark.sparkContext._jsc.sc().getClass().getClassLoader()

    def cpu() -> float:
        fields = Path(f"/proc/{gateway.proc.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    before, began = cpu(), time.monotonic()
    loaded = java_classes.load(gateway, loader, loader, LISTENER)
    print(cpu() - before, time.monotonic() - began, before)
    assert (loaded.compiled_because is None) == (how == "precompiled")
    spark.stop()


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
    return [float(each) for each in ran.stdout.split()[-3:]]


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
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 3):
        for how in HOW:
            cpu, wall, start = _run(how)
            print(f"{how:12} {cpu:5.2f} s of CPU, {wall:5.2f} s; the JVM had used {start:.1f} s before")
    return None


if __name__ == "__main__":
    main()
