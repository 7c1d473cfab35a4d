"""A whole driver against a real Kafka over SASL_SSL, each in its own process, with the hook and without.

`attach` is measured with the JVM's work in the background, until it is idle; the writes then begin.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.processes import cpu_seconds, jvm_of, jvm_seconds, kafka_conf, megabytes, wait_until_idle
from benchmarks.table import Row, in_turns, rows_of
from stack.kafka import KafkaBroker

WRITES = 30
TOPIC = "ATLAS_HOOK"
UNITS = {
    "a driver with 30 writes, start to exit, wall": "s",
    "… CPU of Python and the JVM": "s",
    "… `SparkContext.stop`, wall": "s",
    "… most memory of Python": "MB",
    "… memory of the JVM's heap after a collection": "MB",
}
OWN = {
    "attaching, wall": "s",
    "attaching, CPU of Python": "s",
    "attaching, CPU of the JVM": "s",
    "end of a query to acknowledged by Kafka, median of a driver's": "ms",
    "… of 95 in 100": "ms",
}


def rows(pairs: int) -> Iterator[Row]:
    """Yield the figures of whole drivers."""
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        kafka.create_topic(TOPIC)
        conf = json.dumps(kafka_conf(kafka, folder))
        found = in_turns(pairs, lambda has_hook: _run(conf if has_hook else ""))
    yield from rows_of(found, UNITS)
    for name, unit in OWN.items():
        yield Row(name, unit, found[name][0])


def _run(conf: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as work:
        command, since = [sys.executable, "-m", "benchmarks.drivers", work, conf], time.monotonic()
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        took = time.monotonic() - since
    if done.returncode:
        raise SystemExit(f"status {done.returncode}\n{done.stderr[-3000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    # The run without the hook waits as long for an idle JVM.
    return {**figures, next(iter(UNITS)): took - figures.pop("waited")}


def job(work: str, conf: str) -> dict[str, float]:
    """Run one driver and return its figures."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR")
    for key, value in json.loads(conf or "{}").items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    jvm, figures, acknowledged = jvm_of(spark), {}, {}
    since = time.monotonic()
    wait_until_idle(jvm)
    waited = time.monotonic() - since
    if conf:
        wall, cpu, own = time.monotonic(), jvm_seconds(jvm), time.process_time()
        import sac_kafka

        note_acknowledgements(acknowledged)
        hook = sac_kafka.attach(spark)
        figures["attaching, wall"] = time.monotonic() - wall
        figures["attaching, CPU of Python"] = time.process_time() - own
        since = time.monotonic()
        figures["attaching, CPU of the JVM"] = wait_until_idle(jvm) - cpu
        waited += time.monotonic() - since
    ended = {}
    for i in range(WRITES):
        spark.range(10).selectExpr("id", f"id * {i} as v").write.parquet(f"{work}/out{i}-")
        ended[f"/out{i}-"] = time.monotonic()
    if conf:
        assert hook.flush(60), hook.stats()
        assert hook.stats()["messages"]["delivered"] >= WRITES, hook.stats()
        assert not hook.stats()["errors"], hook.stats()
        latencies = [1000 * (acknowledged[key] - at) for key, at in ended.items() if key in acknowledged]
        figures["end of a query to acknowledged by Kafka, median of a driver's"] = median(latencies)
        figures["… of 95 in 100"] = quantiles(latencies, n=20)[-1]
    figures["… memory of the JVM's heap after a collection"] = _heap(spark)
    cpu, since = cpu_seconds(jvm), time.monotonic()
    spark.stop()
    figures["… `SparkContext.stop`, wall"] = time.monotonic() - since
    figures["… CPU of Python and the JVM"] = cpu_seconds(jvm)
    figures["… most memory of Python"] = megabytes(key="VmHWM")
    return {**figures, "waited": waited}


def _heap(spark: Any) -> float:
    runtime = spark._jvm.java.lang.Runtime.getRuntime()
    spark._jvm.java.lang.System.gc()
    return float(runtime.totalMemory() - runtime.freeMemory()) / 2**20


def note_acknowledgements(acknowledged: dict[str, float]) -> None:
    """Note when a message was acknowledged, by its path."""
    from sac_kafka.transport.spool.spool import Spool

    send: Callable[..., None] = Spool.send

    def noted(self: Spool, record: Any, outcome: Callable[..., None]) -> None:
        text = b"".join(record.values)
        start = text.find(b"/out")
        name = text[start : text.find(b"-", start) + 1].decode()

        def then(*what: Any) -> None:
            acknowledged.setdefault(name, time.monotonic())
            outcome(*what)

        send(self, record, then)

    Spool.send = noted  # type: ignore[method-assign]


if __name__ == "__main__":
    print(json.dumps(job(*sys.argv[1:])))
