"""A pipeline with one output, as a hook with one destination has it, for tests of what messages say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import Dialect
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.hook import pipeline
from sac_kafka.hook.destination import record_of
from sac_kafka.hook.emitter import Emitter, StageGuard
from sac_kafka.hook.pipeline import now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.model.facts import FAILED, FINISHED, RUNNING
from sac_kafka.plan import wire
from sac_kafka.settings import Settings
from sac_kafka.stages.filters.rulings import Selection
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Outgoing
from sac_kafka.transport.base import Record


class Pipeline(SparkEvents):
    """The events of an application, whose outcomes become messages at once; without rules for exclusion."""

    def __init__(
        self,
        context: Context,
        *,
        dialect: Dialect | None = None,
        remembered: Remembered | None = None,
        guard: StageGuard = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        options = replace(pipeline_options(context, Settings()), selection=Selection(with_defaults=False))
        self.now_ms = clock
        self.pipeline = pipeline.Pipeline(options, guard=guard, clock=lambda: self.now_ms())
        super().__init__(self.pipeline, lineage_options(context, Settings()), guard)
        self.context = context
        self.output = AtlasOutput(context, dialect, remembered)
        self.emitter = Emitter(self.output, self.stats.writes, guard, clock)

    @property
    def remembered(self) -> Remembered:
        return self.output.remembered

    def steps(self, line: wire.Projected, now_ms: int) -> list[ScheduledOutcome]:
        self.now_ms = lambda: now_ms
        return list(self._add_projection(line))

    def run(self, text: str) -> Iterator[Outgoing]:  # type: ignore[override]
        return self.emitter.messages(super().run(text))

    def held(self) -> Iterator[ScheduledOutcome]:
        return self.pipeline.drain()

    def messages(self, step: ScheduledOutcome, now_ms: int) -> tuple[Message, ...]:
        return self.output.messages(step, now_ms)

    def end(self, *, has_driver_ended: bool = True, has_failed: bool = False) -> Iterator[Outgoing]:
        yield from self.emitter.messages(super().end(has_driver_ended=has_driver_ended))
        status = (FAILED if has_failed else FINISHED) if has_driver_ended else RUNNING
        yield from self.emitter.at_the_end(status)

    def record(self, message: Outgoing) -> Record:
        return record_of(message, self.output.values(message), "ATLAS_HOOK", 0)
