"""CPU time and memory of this Python and of the driver's JVM, and the configuration of its hook."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from stack.kafka import KafkaBroker
from stack.local import client_properties

_TICKS = os.sysconf("SC_CLK_TCK")


def jvm_of(spark: Any) -> int:
    """Return the process id of a driver's JVM."""
    return int(spark.sparkContext._gateway.proc.pid)


def cpu_seconds(jvm: int) -> float:
    """Return the CPU seconds of this process and of a JVM together."""
    return time.process_time() + jvm_seconds(jvm)


def jvm_seconds(jvm: int) -> float:
    """Return the CPU seconds of a JVM."""
    fields = Path(f"/proc/{jvm}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def megabytes(pid: int | str = "self", key: str = "VmRSS") -> float:
    """Return the memory of a process; with `VmHWM` the most that it had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{key}:"))) / 1024


def wait_until_idle(jvm: int) -> float:
    """Wait until a JVM has little to do for a second, at most 15 seconds; return its CPU seconds."""
    before, still, left = jvm_seconds(jvm), 0, 75
    while still < 5 and left:
        time.sleep(0.2)
        now = jvm_seconds(jvm)
        still = still + 1 if now - before <= 0.02 else 0
        before, left = now, left - 1
    return before


def kafka_conf(kafka: KafkaBroker, folder: str) -> dict[str, str]:
    """Return the configuration of Spark for a hook that sends to a broker, and keeps its state in a folder."""
    settings = {**client_properties(kafka), "atlas.hook.spool.dir": f"{folder}/spool"}
    return {f"spark.{key}": value for key, value in settings.items()}
