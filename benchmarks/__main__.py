"""Runs each shape of job with and without the hook, in pairs, and prints medians.

    python -m benchmarks [--pairs N] [SHAPE …]

Without a SHAPE all but `merge` and `append`, which need a Spark that Delta Lake supports (3.5, 4.2), or Iceberg (3.5, 4.1).
CPU is what counts; wall time is for information. "per execution" is the second half of a run: the first half warms the
JVM's compiler and sends every column once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

OF_A_FORMAT = ("merge", "append")
JOB = Path(__file__).with_name("job.py")
COUNTS = {"merge": 8, "append": 100, "small": 300, "joins": 300, "wide": 8, "operators": 8, "chained": 8}
COUNTS |= {f"deep{n}": 4 for n in (250, 500, 1000, 2000)}
TITLES = {
    "merge": "MERGE of 1000 columns into a Delta table, 8 times",
    "append": "100 small appends to an Iceberg table",
    "small": "300 small writes",
    "joins": "300 writes behind a join and an aggregate",
    "wide": "1000 columns with 20 derived ones, 8 writes",
    "operators": "500 operators, 8 writes",
    "chained": "1000 columns with 50 withColumn, 8 writes",
    **{f"deep{n}": f"{n} columns through 200 operators, 4 writes" for n in (250, 500, 1000, 2000)},
}
STAGES = ("projection", "decode", "lineage", "entities", "encode", "total")
ROWS = (
    ("bus", "bus thread, CPU ms"),
    ("empty", "… of an empty listener"),
    ("projector", "projecting thread, CPU ms"),
    ("worker", "Python worker thread, CPU ms"),
    ("python", "Python in all, CPU ms"),
    ("jvm", "JVM in all, CPU ms"),
    ("wall", "wall ms"),
    ("messages", "messages"),
    ("bytes", "bytes"),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "shapes", nargs="*", choices=[[], *COUNTS], default=[shape for shape in COUNTS if shape not in OF_A_FORMAT]
    )
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    for shape in options.shapes:
        pairs = []
        for number in range(options.pairs):
            order = ("with", "without") if number % 2 else ("without", "with")
            runs = {hook: run(shape, hook) for hook in order}
            pairs.append((runs["with"], runs["without"]))
        show(shape, pairs)
    return 0


def run(shape: str, hook: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(JOB), shape, str(COUNTS[shape]), hook, folder],
            env=os.environ,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{shape} {hook}: status {done.returncode}\n{done.stderr[-3000:]}")
        return json.loads(done.stdout.splitlines()[-1])


def show(shape: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    print(f"\n{TITLES[shape]}: medians of {len(pairs)} pairs, per execution, second half of each run\n")
    print(f"  {'':<32}{'with':>12}{'without':>12}{'difference':>12}")
    for key, title in ROWS:
        with_hook, without, differences = (
            median(w[key] for w, _ in pairs),
            median(o[key] for _, o in pairs),
            median(w[key] - o[key] for w, o in pairs),
        )
        print(f"  {title:<32}{with_hook:>12.2f}{without:>12.2f}{differences:>12.2f}")
    own = median(w["bus"] + w["projector"] + w["worker"] for w, _ in pairs)
    total = median(w["jvm"] + w["python"] - o["jvm"] - o["python"] for w, o in pairs)
    print(f"  {'own threads in all, CPU ms':<32}{own:>12.2f}")
    print(f"  {'all in all (JVM + Python), CPU ms':<32}{'':>10}{'':>12}{total:>12.2f}")
    print(f"  {'attach, ms':<32}{median(w['attach'] for w, _ in pairs):>12.0f}")
    print(
        f"  {'SparkContext.stop, ms':<32}{median(w['stop'] for w, _ in pairs):>12.0f}{median(o['stop'] for _, o in pairs):>12.0f}"
    )
    print(f"  {'bytes of the first half':<32}{median(w['first_bytes'] for w, _ in pairs):>12.0f}")
    show_stages([w["stages"] for w, _ in pairs])


def show_stages(runs: list[dict[str, Any]]) -> None:
    """Projection is the JVM's wall time for it; the others are CPU time of Python."""
    print(f"\n  {'per stage, ms':<32}{'at first':>12}{'steady':>12}")
    for stage in STAGES:
        first, steady = (median(r[when][stage] for r in runs) for when in ("first", "steady"))
        print(f"  {stage:<32}{first:>12.2f}{steady:>12.2f}")
    print(f"  {'columns with lineage':<32}{'':>12}{median(r['columns'] for r in runs):>12.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
