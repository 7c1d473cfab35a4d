"""A worker on recorded batches, for tests: no Java, a transport in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.emitter import Emitter
from sac_kafka.hook.listener_source import ListenerSource
from sac_kafka.hook.pipeline import Pipeline, now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.hook.worker import Worker
from sac_kafka.model import Application, Engine
from sac_kafka.settings import Settings
from sac_kafka.stages.filters.rulings import Selection
from sac_kafka.stages.output import Output
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.messages import validated
from tests.helpers.spool_options import options_in

APPLICATION = Application(
    job="job", application_id="local-1", name="job 2026-11-21", user="me", engine=Engine(version="4.3.0")
)
BATCHES = Path(__file__).parents[1] / "fixtures" / "batches" / "4.3.0"
END = '["end"]'
EXIT_SECONDS = 1.0


class Script:
    """A listener that returns the given texts, then the end of the application."""

    def __init__(self, texts: Iterable[str | Exception | None], before_end: Callable[[], None] = lambda: None) -> None:
        self.texts = [*texts, before_end, END]
        self.marks: list[int] = []
        self.waits: list[int] = []
        self.woken = threading.Event()
        self.confirmed: list[tuple[int, tuple[int, ...]]] = []

    def poll(self, wait_ms: int) -> str | None:
        self.waits.append(wait_ms)
        text = self.texts.pop(0)
        if isinstance(text, Exception):
            raise text
        if callable(text):
            text()
            return None
        return text

    def confirm(self, number: int, needed: Sequence[int]) -> None:
        self.confirmed.append((number, tuple(needed)))

    def wake(self) -> None:
        self.woken.set()

    def others(self) -> tuple[str, ...]:
        return ()

    def mark(self, marker: int) -> None:
        self.marks.append(marker)
        self.texts.insert(0, f'["marker",{marker}]')


def spool_counts(spool: Spool) -> dict[str, int]:
    """Return the counts of the spool that are not zero."""
    return {kind: count for kind, count in spool.counts.items() if count}


def batch(name: str) -> str:
    return (BATCHES / f"{name}.txt").read_text().strip()


class Bench:
    """A worker with everything around it."""

    def __init__(
        self,
        tmp_path: Path,
        script: Script,
        transport: MemoryTransport | None = None,
        retry_seconds: float = 30.0,
        recorder: TextIO | None = None,
        clock: Clock = MONOTONIC,
    ) -> None:
        settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
        self.transport = transport or MemoryTransport()
        self.guard = Guard()
        self.output = AtlasOutput(context_of(APPLICATION, settings.names, settings.content))
        options = replace(pipeline_options(self.output.context, settings), selection=Selection(with_defaults=False))
        self.pipeline = Pipeline(options, guard=self.guard, clock=lambda: self.now_ms())
        self.now_ms: Callable[[], int] = now_ms
        spool_options = options_in(tmp_path, retry_ms=int(retry_seconds * 1000))
        self.spool = Spool(self.transport, spool_options, "local-1", ticks=clock)
        self.destination = self.to(self.spool)
        self.events = SparkEvents(self.pipeline, lineage_options(self.output.context, settings), self.guard)
        source = ListenerSource(script, self.events, self.guard, recorder)
        self.worker = Worker(source, self.pipeline, (self.destination,), self.guard, EXIT_SECONDS, clock=clock)

    def to(self, spool: Spool, output: Output | None = None, name: str = "") -> Destination:
        """Return a destination over a spool; by default with the output of this bench."""
        emitter = Emitter(
            output or self.output, self.pipeline.stats.writes, self.guard, lambda: self.now_ms(), is_first=not name
        )
        return Destination(emitter, spool, "ATLAS_HOOK", self.guard, lambda: self.now_ms(), name)

    def run(self) -> list[dict]:
        self.worker.run()
        return validated(value for r in self.transport.records for value in r.values)
