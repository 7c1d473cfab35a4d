"""Costs of a streaming query with the hook and without: many equal micro-batches.

    python -m benchmarks.streams [--batches N] [--pairs N] [--together] [--shapes files function]

CPU seconds of the driver's JVM and of Python, in pairs: of all, from before the hook is attached to the query's end, and of each
batch after the first 50, when classes are loaded and most code is compiled. Of the runs with the hook what its own threads
take, its worker's CPU time per batch and Python's memory in fifths of the run (both are to stay as they are), and what the JVM's
compiler threads take more.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))  # last: what is measured is the package that is installed
from benchmarks.job import Clock, add_empty_listener, cpu_seconds, worker_seconds

FIFTHS = 5
SHAPES = ("files", "function")
POLL_SECONDS = 0.5
FIRST = 50
"""Batches that are not counted in what a batch costs."""
COMPILERS = ("C1 Compiler", "C2 Compiler")
"""How the names of the JVM's compiler threads begin."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--batches", type=int, default=2_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--together", action="store_true", help="both of a pair at once, on a machine that others use")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES)
    options = parser.parse_args()
    for shape in options.shapes:
        pairs = []
        for number in range(options.pairs):
            order = ("with", "without") if number % 2 else ("without", "with")
            with ThreadPoolExecutor(2 if options.together else 1) as threads:
                runs = dict(zip(order, threads.map(partial(_run, shape, options.batches), order), strict=True))
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
    for key, title in (("cpu", "CPU s"), ("batch_ms", f"CPU ms a batch after the first {FIRST}")):
        for with_hook, without in pairs:
            print(f"  {title} with {with_hook[key]:.1f}, without {without[key]:.1f}")
        print(f"  ratio, median {median(w[key] / o[key] for w, o in pairs):.3f}")
    for key, title in (("bus", "bus thread"), ("projector", "projecting thread"), ("worker", "worker thread")):
        print(f"  {title}, CPU ms a batch: {median(w[key] for w, _ in pairs) * 1000 / batches:.2f}")
    print(f"  an empty listener's bus thread: {median(w['empty'] for w, _ in pairs) * 1000 / batches:.2f}")
    print(f"  compiler threads, CPU s more: {median(w['compiling'] - o['compiling'] for w, o in pairs):.1f}")
    for key, title in (
        ("worker_ms", "worker, CPU ms a batch, by fifths"),
        ("memory_mb", "Python's memory, MB, by fifths"),
    ):
        print(f"  {title}: {', '.join(f'{each:.2f}' for each in pairs[-1][0][key])}")
    print(f"  messages {pairs[-1][0]['messages']}", flush=True)


def run(shape: str, batches: int, hook: str, folder: str) -> None:
    """Run once; print the cost as one line of JSON."""
    from pyspark.sql import SparkSession

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
    clock = Clock(spark)
    before, compiled = clock.read(), _compiling(clock.pid)
    if hook == "with":
        import sac_kafka

        attached = sac_kafka.attach(spark)
    rows = spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    writer = rows.selectExpr("id", "upper(name) AS name").writeStream.queryName(shape)
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
    if shape == "files":
        query = writer.format("parquet").option("path", f"{folder}/out").start()
    else:
        query = writer.foreachBatch(lambda batch, _: _two_writes(batch, folder)).start()
    samples = [_Sample.of(clock, 0)]
    while not query.awaitTermination(POLL_SECONDS):
        # Spark keeps the last hundred commits.
        commits = Path(folder, "checkpoint", "commits").glob("[0-9]*")
        samples.append(_Sample.of(clock, max((int(c.name) + 1 for c in commits), default=0)))
    if hook == "with":
        attached.flush(60)
    after = clock.read()
    samples.append(_Sample.of(clock, batches))
    messages = Path(folder, "messages.jsonl")
    measured: dict[str, Any] = {key: after[key] - before[key] for key in after}
    measured["cpu"] = measured["jvm"] + measured["python"]
    measured["compiling"] = _compiling(clock.pid) - compiled
    first = next(s for s in samples if s.batches >= min(FIRST, batches // 2))
    measured["batch_ms"] = (samples[-1].cpu - first.cpu) * 1000 / max(1, batches - first.batches)
    measured["messages"] = len(messages.read_bytes().splitlines()) if messages.exists() else 0
    if hook == "with" and not measured["messages"]:
        raise SystemExit(
            f"the hook of {sac_kafka.__file__} has reported nothing of the query: make venv installs this checkout"
        )
    measured |= _fifths(samples)
    spark.stop()
    print(json.dumps(measured))


def _two_writes(batch: Any, folder: str) -> None:
    batch.write.mode("append").parquet(f"{folder}/first")
    batch.select("name").write.mode("append").json(f"{folder}/second")


@dataclasses.dataclass(frozen=True)
class _Sample:
    """What has been used when so many batches were done: seconds of CPU, of all and of the worker, and Python's memory in MB."""

    batches: int
    cpu: float
    worker: float
    memory_mb: float

    @classmethod
    def of(cls, clock: Clock, batches: int) -> _Sample:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(batches, clock.cpu(), worker_seconds(), pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def _compiling(pid: int) -> float:
    """CPU seconds of the JVM's compiler threads, of those that are there by now."""
    seconds = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it has ended meanwhile
            name, _, numbers = (task / "stat").read_text().partition("(")[2].rpartition(")")
            seconds += cpu_seconds(numbers) if name.startswith(COMPILERS) else 0.0
    return seconds


def _fifths(samples: list[_Sample]) -> dict[str, list[float]]:
    """The samples nearest to each fifth: CPU of the worker since the one before, per batch, and the memory there."""
    batches = samples[-1].batches
    at = [min(samples, key=lambda s: abs(s.batches - batches * n / FIFTHS)) for n in range(FIFTHS + 1)]
    return {
        "worker_ms": [(b.worker - a.worker) * 1000 / max(1, b.batches - a.batches) for a, b in itertools.pairwise(at)],
        "memory_mb": [each.memory_mb for each in at[1:]],
    }


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in SHAPES:
        run(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        sys.exit(main())
