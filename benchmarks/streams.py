"""Streaming queries of one warm driver against a real Kafka, the hook attached and detached in turns: many equal batches."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sac_kafka
from benchmarks.processes import cpu_seconds, jvm_of, kafka_conf
from benchmarks.table import Row, in_turns, rows_of
from stack.kafka import KafkaBroker
from tests.helpers.live_runs import session

BATCHES = 100
WALL = f"a streaming query of {BATCHES} micro-batches of a small file each, wall"


def rows(pairs: int) -> Iterator[Row]:
    """Yield the figures of a query."""
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        kafka.create_topic("ATLAS_HOOK")
        spark = session(folder, **kafka_conf(kafka, folder))
        Path(folder, "in").mkdir()
        for number in range(BATCHES):
            Path(folder, "in", f"{number}.json").write_text('{"id": 1, "name": "n"}\n')

        def measure(has_hook: bool) -> dict[str, float]:
            return _measure(spark, folder, has_hook=has_hook)

        in_turns(1, measure)
        yield from rows_of(in_turns(pairs, measure), {WALL: "s", "… CPU": "s"})
        spark.stop()


def _measure(spark: Any, folder: str, *, has_hook: bool) -> dict[str, float]:
    for name in ("out", "checkpoint"):
        shutil.rmtree(Path(folder, name), ignore_errors=True)
    jvm = jvm_of(spark)
    hook = sac_kafka.attach(spark) if has_hook else None
    cpu, wall = cpu_seconds(jvm), time.perf_counter()
    source = spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    writer = source.selectExpr("id", "upper(name) AS name").writeStream.queryName("names").format("parquet")
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint").option("path", f"{folder}/out")
    writer.trigger(availableNow=True).start().awaitTermination()
    wall = time.perf_counter() - wall
    if hook is not None:
        assert hook.flush(60), hook.stats()
    cpu = cpu_seconds(jvm) - cpu
    if hook is not None:
        assert hook.stats()["messages"]["delivered"], hook.stats()
        hook.detach()
    return {WALL: wall, "… CPU": cpu}
