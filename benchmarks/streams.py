"""What a streaming query costs with the hook and without: many micro-batches that say the same.

    python -m benchmarks.streams [--batches N] [--pairs N] [--shapes files function]

CPU seconds of the driver's JVM and of Python from the query's start to its end, in pairs; of the run with the hook its worker's
CPU time per batch and Python's memory, in fifths of the run: both are to stay as they are.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

FIFTHS = 5
SHAPES = ("files", "function")
CHECKOUT = str(Path(__file__).resolve().parents[1])
POLL_SECONDS = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--batches", type=int, default=2_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES)
    options = parser.parse_args()
    for shape in options.shapes:
        pairs = []
        for number in range(options.pairs):
            order = ("with", "without") if number % 2 else ("without", "with")
            runs = {hook: _run(shape, options.batches, hook) for hook in order}
            pairs.append((runs["with"], runs["without"]))
        _show(shape, options.batches, pairs)
    return 0


def _run(shape: str, batches: int, hook: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, shape, str(batches), hook, folder],
            env=os.environ,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{shape} {hook}: status {done.returncode}\n{done.stderr[-3000:]}")
        return json.loads(done.stdout.splitlines()[-1])


def _show(shape: str, batches: int, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    print(f"\n{shape}, {batches} batches, {len(pairs)} pairs")
    for with_hook, without in pairs:
        print(f"  CPU s with {with_hook['cpu']:.1f}, without {without['cpu']:.1f}")
    print(f"  ratio, median {median(w['cpu'] / o['cpu'] for w, o in pairs):.3f}")
    for key, title in (("bus", "bus thread"), ("projector", "projecting thread"), ("worker", "worker thread")):
        print(f"  {title}, CPU ms a batch: {median(w[key] for w, _ in pairs) * 1000 / batches:.2f}")
    for key, title in (
        ("worker_ms", "worker, CPU ms a batch, by fifths"),
        ("memory_mb", "Python's memory, MB, by fifths"),
    ):
        print(f"  {title}: {', '.join(f'{each:.2f}' for each in pairs[-1][0][key])}")
    print(f"  messages {pairs[-1][0]['messages']}", flush=True)


def run(shape: str, batches: int, hook: str, folder: str) -> None:
    """One run; prints what it cost as one line of JSON."""
    sys.path.append(CHECKOUT)
    from pyspark.sql import SparkSession

    from benchmarks.job import Clock, add_empty_listener, worker_seconds

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.atlas.client.type", "file")
        .config("spark.atlas.client.file.path", f"{folder}/messages.jsonl")
        .config("spark.atlas.metadata.namespace", "bench")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    add_empty_listener(spark)
    Path(folder, "in").mkdir()
    for number in range(batches):
        Path(folder, "in", f"{number}.json").write_text('{"id": 1, "name": "n"}\n')
    if hook == "with":
        import sac_kafka

        attached = sac_kafka.attach(spark)
    rows = spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    writer = rows.selectExpr("id", "upper(name) AS name").writeStream.queryName(shape)
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
    clock = Clock(spark)
    before = clock.read()
    if shape == "files":
        query = writer.format("parquet").option("path", f"{folder}/out").start()
    else:
        query = writer.foreachBatch(lambda batch, _: _two_writes(batch, folder)).start()
    samples = [(0, before["worker"], _resident_mb())]
    while not query.awaitTermination(POLL_SECONDS):
        done = len(list(Path(folder, "checkpoint", "commits").glob("[0-9]*")))
        samples.append((done, worker_seconds(), _resident_mb()))
    if hook == "with":
        attached.flush(60)
    after = clock.read()
    samples.append((batches, after["worker"], _resident_mb()))
    messages = Path(folder, "messages.jsonl")
    measured: dict[str, Any] = {key: after[key] - before[key] for key in after}
    measured["cpu"] = measured["jvm"] + measured["python"]
    measured["messages"] = len(messages.read_bytes().splitlines()) if messages.exists() else 0
    if hook == "with" and not measured["messages"]:
        raise SystemExit(
            f"the hook of {sac_kafka.__file__} has told nothing of the query: make venv installs this checkout"
        )
    measured |= _fifths(samples, batches)
    spark.stop()
    print(json.dumps(measured))


def _two_writes(batch: Any, folder: str) -> None:
    batch.write.mode("append").parquet(f"{folder}/first")
    batch.select("name").write.mode("append").json(f"{folder}/second")


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _fifths(samples: list[tuple[int, float, float]], batches: int) -> dict[str, list[float]]:
    """The samples nearest to each fifth: CPU of the worker since the one before, per batch, and the memory there."""
    at = [min(samples, key=lambda s: abs(s[0] - batches * n / FIFTHS)) for n in range(FIFTHS + 1)]
    return {
        "worker_ms": [(b[1] - a[1]) * 1000 / max(1, b[0] - a[0]) for a, b in itertools.pairwise(at)],
        "memory_mb": [each[2] for each in at[1:]],
    }


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in SHAPES:
        run(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        sys.exit(main())
