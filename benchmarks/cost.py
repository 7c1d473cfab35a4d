"""Costs of the daily job per day for an account: messages, entities and bytes, in both dialects.

    python -m benchmarks.cost [--dialects atlas purview]

The job of `tests/live/server/jobs`, as `make test-atlas` runs it, into a file: the first day, the same day
again, and the next day
(what was sent is older than 24 hours). A topic of it needs a broker, which is started. An entity of a message is what an account
writes at least once; of the assets of Purview only names are sent, and so these writes change nothing that a scan has found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stack.kafka import KafkaBroker
from tests.live.server.daily import DailyJob, Size

DIALECTS = ("atlas", "purview")
RUNS = ("day 1", "again within a day", "day 2")
OLDER_HOURS = 25


class FileJob(DailyJob):
    """The job, its messages in a file."""

    def __init__(self, kafka: KafkaBroker, work: Path, dialect: str) -> None:
        self.file_of_messages = work / "messages.txt"
        settings = {
            "atlas.client.type": "file",
            "atlas.client.file.path": str(self.file_of_messages),
            "atlas.hook.spark.dialect": dialect,
        }
        server: Any = SimpleNamespace(kafka=kafka, bootstrap=kafka.bootstrap("PLAINTEXT"), wait_consumed=lambda: None)
        super().__init__(server, work, dialect, **settings)

    def _end(self) -> int:
        return len(self.messages())

    def messages(self) -> list[str]:
        """Return all of them so far."""
        return self.file_of_messages.read_text("utf-8").splitlines() if self.file_of_messages.exists() else []

    def _size_since(self, start: int) -> Size:
        new = self.messages()[start:]
        return Size(messages=len(new), entities=sum(map(_entities, new)), bytes=sum(map(len, new)))


def _entities(message: str) -> int:
    """Return how many entities a message is about; a partial update or a delete is about one."""
    held = json.loads(message)["message"].get("entities", [])
    return len(held.get("entities", ())) if isinstance(held, dict) else max(1, len(held))


def processes(messages: list[str]) -> int:
    """Return how many of the entities connect others."""
    kinds: Counter[bool] = Counter()
    for message in messages:
        held = json.loads(message)["message"].get("entities", {})
        for each in held.get("entities", ()) if isinstance(held, dict) else ():
            kinds["outputs" in {**each.get("attributes", {}), **each.get("relationshipAttributes", {})}] += 1
    return kinds[True]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__)
    parser.add_argument("--dialects", nargs="+", choices=DIALECTS, default=DIALECTS)
    dialects = parser.parse_args().dialects
    print("| dialect | run | messages | entities | … of them processes | bytes |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka:
        for dialect in dialects:
            work = Path(folder, dialect)
            work.mkdir()
            job = FileJob(kafka, work, dialect)
            for run in RUNS:
                before = len(job.messages())
                if run == RUNS[-1]:
                    job.grow_older(hours=OLDER_HOURS)
                job.run()
                size = job.sizes[-1]
                flows = processes(job.messages()[before:])
                print(
                    f"| {dialect} | {run} | {size.messages} | {size.entities} | {flows} | {size.bytes:,} |", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
