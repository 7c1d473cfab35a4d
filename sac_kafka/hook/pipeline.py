"""Run the outcomes of any input through the stages, up to scheduled outcomes. The only state is that of the application."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sac_kafka.hook.emitter import StageGuard
from sac_kafka.hook.pipeline_options import PipelineOptions
from sac_kafka.hook.pipeline_stats import PipelineStats
from sac_kafka.model import Application, Outcome
from sac_kafka.stages.outcome_scheduler import OutcomeScheduler, ScheduledOutcome
from sac_kafka.stages.table_places import TablePlaces

if TYPE_CHECKING:
    from sac_kafka.stages.process_stages import StageState


def now_ms() -> int:
    """Return the current time in epoch milliseconds."""
    return int(time.time() * 1000)


class Pipeline:
    """The pipeline of one application; the processes of its inputs may also be of others.

    Args:
        options: What its outcomes pass.
        places: The tables by location, shared with later runs.
        guard: The guard of the stages; by default errors are raised.
        clock: Returns epoch milliseconds.

    Attributes:
        stats: What has passed.
    """

    def __init__(
        self,
        options: PipelineOptions,
        places: TablePlaces | None = None,
        *,
        guard: StageGuard = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.stats = PipelineStats()
        self._options = options
        self._places = places
        self._stage_state: StageState | None = None
        self._scheduler = OutcomeScheduler(
            options.content.drop_delay_seconds, is_one_process=options.is_one_process, is_hive=options.is_hive
        )
        self._guard = guard
        self._clock = clock

    @property
    def application(self) -> Application:
        """The application whose outcomes are processed."""
        return self._options.application

    @property
    def counts(self) -> Mapping[str, int]:
        """Counters of what the stages exclude, by reason."""
        return self.stats.dropped

    @property
    def is_holding(self) -> bool:
        """Whether an outcome is held back."""
        return bool(self._scheduler)

    def add(
        self, outcomes: Callable[[], Iterable[Outcome]], on_error: Callable[[], None] = lambda: None
    ) -> Iterator[ScheduledOutcome]:
        """Run the outcomes of one action of any input through the stages.

        Args:
            outcomes: Returns them; each process states the application that it belongs to.
            on_error: Called if an error has lost them.
        """
        return self._run_stage("lineage", lambda now_ms: self._schedule(outcomes(), now_ms), on_error)

    def due(self) -> Iterator[ScheduledOutcome]:
        """Yield the delayed outcomes whose delay has expired."""
        return self._run_stage("due", self._scheduler.due)

    def drain(self) -> Iterator[ScheduledOutcome]:
        """Yield all delayed outcomes now (at a flush and at the end of the application)."""
        return self._run_stage("due", lambda _: self._scheduler.held())

    def state(self) -> StageState:
        """Return the state of the stages, which the first call loads."""
        if self._stage_state is None:
            from sac_kafka.stages.filters.outcomes import Rules
            from sac_kafka.stages.known_datasets import known_datasets
            from sac_kafka.stages.process_stages import StageState

            options = self._options
            self._stage_state = StageState(
                application=options.application,
                known=known_datasets(options.names.path_aliases, self._places),
                rules=Rules(options.selection, self.stats.excluded),
                names=options.names,
                content=options.content,
                has_columns=options.has_columns,
                joins_runs=options.joins_runs,
                counts=self.stats.dropped,
                writes=self.stats.writes,
            )
        return self._stage_state

    def _run_stage(
        self,
        stage: str,
        steps: Callable[[int], Iterable[ScheduledOutcome]],
        on_error: Callable[[], None] = lambda: None,
    ) -> Iterator[ScheduledOutcome]:
        """Yield what `steps` returns for the current time, guarded under the name of a stage; if it fails, nothing."""
        ready = None
        with self._guard(stage):
            ready = tuple(steps(self._clock()))
        if ready is None:
            on_error()
        yield from ready or ()

    def _schedule(self, outcomes: Iterable[Outcome], now_ms: int) -> Iterator[ScheduledOutcome]:
        from sac_kafka.stages.process_stages import pass_outcomes

        return self._scheduler.schedule(pass_outcomes(outcomes, self._stage_state or self.state()), now_ms)
