"""Costs of each stage: the batch that a run recorded goes through the stages once more, each with its own CPU clock.

The pipeline is the real one, and what it makes counts as delivered at once. The clock is this process' CPU time: the
worker's thread is the only one here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.wire import message
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.recording import Recording
from sac_kafka.lineage.model import Process
from sac_kafka.plan import wire
from sac_kafka.settings import Settings

STAGES = ("projection", "decode", "lineage", "entities", "encode")


@dataclass
class Statement:
    """What one process cost, in milliseconds a stage; `columns` are those that its lineage has."""

    cost: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    columns: int = 0

    @property
    def total(self) -> float:
        return sum(self.cost.values())


class _Encoder:
    """The message's encoder, with a clock."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder
        self.seconds = 0.0

    def encode(self, value: Any) -> str:
        since = time.process_time()
        text = self.encoder.encode(value)
        self.seconds += time.process_time() - since
        return text


@contextmanager
def _timed() -> Iterator[_Encoder]:
    encoder = _Encoder(message._ENCODER)
    message._ENCODER = encoder
    try:
        yield encoder
    finally:
        message._ENCODER = encoder.encoder


def statements(recording: Recording) -> list[Statement]:
    """Return the cost of each process of a recording, in order; events before it that say nothing are a part of it."""
    settings = Settings.read({"atlas.metadata.namespace": "bench"}, "a benchmark")
    pipeline = Pipeline(context_of(recording.application, settings.names, settings.content))
    found, current = [], Statement()
    with _timed() as encoder:
        for text in recording.text.splitlines():
            since = time.process_time()
            line = wire.read_line(text)
            decoded = time.process_time()
            if not isinstance(line, wire.Projected):
                continue
            now_ms = time.time_ns() // 1_000_000
            steps = tuple(pipeline.steps(line, now_ms))
            extracted, encoded = time.process_time(), encoder.seconds
            for step in steps:
                for each in pipeline.messages(step, now_ms):
                    pipeline.remembered.confirm(each.tokens, now_ms)
            ended = time.process_time()
            encoding = encoder.seconds - encoded
            for stage, seconds in (
                ("projection", line.microseconds / 1e6),
                ("decode", decoded - since),
                ("lineage", extracted - decoded),
                ("entities", ended - extracted - encoding),
                ("encode", encoding),
            ):
                current.cost[stage] += seconds * 1000
            for step in steps:
                if isinstance(step.outcome, Process):
                    current.columns = len(step.outcome.columns)
                    found.append(current)
                    current = Statement()
    return found


def summary(recording: Recording) -> dict[str, Any]:
    """Return the first statement, at which all is sent, and the median of the second half of them."""
    found = statements(recording)
    late = found[len(found) // 2 :]
    return {
        "columns": found[-1].columns,
        "first": {**found[0].cost, "total": found[0].total},
        "steady": {
            **{stage: median(s.cost[stage] for s in late) for stage in STAGES},
            "total": median(s.total for s in late),
        },
    }
