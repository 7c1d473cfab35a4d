"""Time of a message from the end of its query until the broker has it, and the additional time of `SparkContext.stop`.

    python -m benchmarks.delivery [--pairs N]

A real broker of `stack/` over SASL_SSL; each run is a separate driver with 100 small writes, with and without the hook.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from stack.kafka import KafkaBroker
from stack.local import client_properties

WRITES = 100
TOPIC = "ATLAS_HOOK"


def main() -> int:
    if sys.argv[1:2] == ["job"]:
        return job(*sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks.delivery", description=__doc__)
    parser.add_argument("--pairs", type=int, default=3)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        kafka.create_topic(TOPIC)
        conf = json.dumps({f"spark.{key}": value for key, value in client_properties(kafka).items()})
        runs = [(run(f"{folder}/with{n}", conf), run(f"{folder}/without{n}", "")) for n in range(pairs)]
    latencies = sorted(seconds for hooked, _ in runs for seconds in hooked["latencies"])
    print(f"end of query to acknowledged, {len(latencies)} messages of {pairs} drivers:")
    for name, part in (("median", 0.5), ("p95", 0.95), ("longest", 1.0)):
        print(f"  {name:<10}{1000 * latencies[min(len(latencies) - 1, int(len(latencies) * part))]:>8.0f} ms")
    print(f"SparkContext.stop, medians of {pairs} pairs:")
    print(f"  {'with':<10}{1000 * median(hooked['stop'] for hooked, _ in runs):>8.0f} ms")
    print(f"  {'without':<10}{1000 * median(plain['stop'] for _, plain in runs):>8.0f} ms")
    print(f"  {'difference':<10}{1000 * median(hooked['stop'] - plain['stop'] for hooked, plain in runs):>8.0f} ms")
    return 0


def run(work: str, conf: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.delivery", "job", work, conf]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"status {done.returncode}\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def job(work: str, conf: str) -> int:
    """Run one driver: print its figures as JSON."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR")
    for key, value in json.loads(conf or "{}").items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    acknowledged: dict[str, float] = {}
    if conf:
        import sac_kafka

        note_acknowledgements(acknowledged)
        hook = sac_kafka.attach(spark)
    ended = {}
    for i in range(WRITES):
        spark.range(10).selectExpr("id", f"id * {i} as v").write.parquet(f"{work}/out{i}-")
        ended[f"/out{i}-"] = time.monotonic()
    if conf:
        assert hook.flush(30), hook.stats()
        assert hook.stats()["messages"]["delivered"] >= WRITES, hook.stats()
    since = time.monotonic()
    spark.stop()
    stop = time.monotonic() - since
    # The first writes also make the producer, which connects and logs in.
    print(
        json.dumps({"stop": stop, "latencies": [acknowledged[k] - at for k, at in ended.items() if k in acknowledged]})
    )
    return 0


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
    sys.exit(main())
