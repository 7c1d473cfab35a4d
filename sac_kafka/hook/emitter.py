"""Make the messages of one output from scheduled outcomes, guarded, and count them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sac_kafka.log import logger
from sac_kafka.model import Application, Outcome, Process, shown_name
from sac_kafka.model.bounds import Bounded
from sac_kafka.stages.completeness import MAX_JOBS, WriteCounter
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Jobs, Outgoing
from sac_kafka.stages.output import Output as Output

_MAX_FAILURES = 20
"""Limit of log lines about failed writes."""

StageGuard = Callable[[str], AbstractContextManager[None]]
"""Returns the context manager under which the stage of this name runs (`guard.Guard`)."""


@dataclass(slots=True)
class EmitterStats:
    """What one output was given.

    Attributes:
        processes: Processes for which there was a message.
        message_types: Messages by type.
        reported_jobs: The application under each job name for which there was a message.
        unsent_failures: Failed writes that are not sent.
    """

    processes: int = 0
    message_types: Counter[str] = field(default_factory=Counter)
    reported_jobs: Bounded[str, Application] = field(default_factory=lambda: Bounded(MAX_JOBS))
    unsent_failures: int = 0

    def count_outcome(self, outcome: Outcome) -> None:
        """Count an outcome for which there is a message."""
        if isinstance(outcome, Process):
            self.processes += 1
            if not outcome.defines_view:
                self.reported_jobs[outcome.application.job] = outcome.application

    def add_unsent_failure(self, process: Process) -> None:
        """Count and log a failed write that is not sent, because its flow was not sent before."""
        self.unsent_failures += 1
        if self.unsent_failures <= _MAX_FAILURES:
            names = ", ".join(map(shown_name, process.outputs))
            logger.good("failed, so its lineage is not sent: write to %s (%s)", names, process.run.failure)


class Emitter:
    """Maker of the messages of one output.

    Args:
        output: The output.
        writes: The completeness of writes, which the messages at the end contain.
        guard: The guard of the stages.
        clock: Returns epoch milliseconds.
        is_first: Whether a message that cannot be made is counted as a gap: once, whatever the number of outputs.
    """

    def __init__(
        self,
        output: Output,
        writes: WriteCounter,
        guard: StageGuard,
        clock: Callable[[], int],
        *,
        is_first: bool = True,
    ) -> None:
        self.output = output
        self.stats = EmitterStats()
        self._writes = writes
        self._guard = guard
        self._clock = clock
        self._is_first = is_first

    def messages(self, steps: Iterable[ScheduledOutcome]) -> Iterator[Outgoing]:
        """Yield the messages of outcomes, in sending order; an error loses those of one outcome."""
        for step in steps:
            made: tuple[Outgoing, ...] | None = None
            with self._guard("entities"):
                made = self.output.messages(step, self._clock())
                if made:
                    self.stats.count_outcome(step.outcome)
                elif isinstance(step.outcome, Process) and step.outcome.outputs and not step.outcome.has_happened:
                    self.stats.add_unsent_failure(step.outcome)
            if made is None and self._is_first and isinstance(step.outcome, Process):
                self._writes.mark_lost(step.outcome)
            for message in made or ():
                self.stats.message_types[message.type] += 1
                yield message

    def delayed(self, *, everything: bool) -> Iterator[Outgoing]:
        """Yield the delayed messages that are due; `everything`: all of them."""
        made: tuple[Outgoing, ...] = ()
        with self._guard("entities"):
            made = self.output.delayed(self._clock(), everything=everything)
        yield from self._count_types(made)

    def at_the_end(self, status: str) -> Iterator[Outgoing]:
        """Yield the messages that end the application, after those that are delayed."""
        yield from self.delayed(everything=True)
        made: tuple[Outgoing, ...] = ()
        with self._guard("entities"):
            made = self.output.at_the_end(self._jobs(), status, self._clock())
        yield from self._count_types(made)

    def _count_types(self, messages: Iterable[Outgoing]) -> Iterator[Outgoing]:
        for message in messages:
            self.stats.message_types[message.type] += 1
            yield message

    def _jobs(self) -> Jobs:
        """Yield each job that has written, with its completeness, then the other jobs that were reported, with None."""
        wrote = {application.job: (application, writes) for application, writes in self._writes.by_job()}
        yield from wrote.values()
        yield from ((application, None) for job, application in self.stats.reported_jobs.items() if job not in wrote)
