"""What loading the listener costs the driver's JVM, precompiled and compiled in the driver, in pairs of new drivers.

python -m benchmarks.attach [PAIRS]
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HOW = ("precompiled", "compiled")


def measure(how: str) -> None:
    """Print the CPU and wall seconds of loading, and the JVM's CPU seconds before it, in a driver of its own."""
    from pyspark.sql import SparkSession

    from sac_kafka.spark import java_classes
    from sac_kafka.spark.java_units import LISTENER

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


def main() -> None:
    """Print a line per driver."""
    if sys.argv[1:2] and sys.argv[1] in HOW:
        return measure(sys.argv[1])
    for _ in range(int(sys.argv[1]) if sys.argv[1:] else 3):
        for how in HOW:
            ran = subprocess.run(
                [sys.executable, "-m", "benchmarks.attach", how], capture_output=True, text=True, check=True
            )
            cpu, wall, start = map(float, ran.stdout.split()[-3:])
            print(f"{how:12} {cpu:5.2f} s of CPU, {wall:5.2f} s; the JVM had used {start:.1f} s before")
    return None


if __name__ == "__main__":
    main()
