"""Counts, write by write, how complete the lineage of an application is: in all and by job. Bounded; used by one thread.

`total` may be asked for by others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sac_kafka.figures import OTHERS, Completeness
from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.model import Application, Process
from sac_kafka.lineage.model.gaps import NOT_ASKED_FOR, OF_THE_HOOK, Lacking, gaps, is_write, lacking

MAX_JOBS = 1_000
"""Jobs of one application that are told apart; the oldest is forgotten first, and stays in the total."""
MAX_REASONS = 100
"""Reasons that are told apart; more of them count as `OTHERS`."""
MAX_STREAMS = 1_000
"""Streaming queries of which is remembered how they were counted."""


@dataclass(slots=True)
class WriteCounts:
    """Writes, by what the worst gap of each takes away, and by that gap."""

    writes: int = 0
    lacking: Counter[Lacking] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str | None, times: int = 1) -> None:
        """Count a write, by its worst gap, None where it has none; with `times` -1 take it back."""
        self.writes += times
        if reason is None:
            return
        taken = lacking(reason)
        self.lacking[taken if taken is not None else Lacking.COLUMNS] += times
        name = reason if reason in self.reasons or len(self.reasons) < MAX_REASONS else OTHERS
        self.reasons[name] += times

    def completeness(self) -> Completeness:
        """The same as others are told."""
        without_tables = self.lacking[Lacking.FLOW] + self.lacking[Lacking.TABLES]
        return Completeness(
            writes=self.writes,
            with_table_lineage=self.writes - without_tables,
            with_column_lineage=self.writes - without_tables - self.lacking[Lacking.COLUMNS],
            reasons={reason: number for reason, number in dict(self.reasons).items() if number > 0},
        )


class WriteTally:
    """Counts the writes of an application.

    A streaming query is one write, however often it is told: what was told last counts.
    """

    def __init__(self) -> None:
        self._total = WriteCounts()
        self._by_job: Bounded[str, tuple[Application, WriteCounts]] = Bounded(MAX_JOBS)
        self._streams: Bounded[tuple[str, ...], tuple[str, str | None]] = Bounded(MAX_STREAMS)

    def add(self, process: Process) -> None:
        """Count a process, if it is a write."""
        if is_write(process):
            self._tell(process, next(iter(gaps(process)), None))

    def lost(self, process: Process) -> None:
        """Count a process that was added as one of which nothing is told: an error of ours came between."""
        if not is_write(process):
            return
        if process.stream is None:
            self._count(self._of(process.application.job), next(iter(gaps(process)), None), -1)
        self._tell(process, OF_THE_HOOK)

    def _tell(self, process: Process, reason: str | None) -> None:
        if process.stream is not None:
            job, before = self._streams.get(process.stream.identity, ("", None))
            if job:
                self._count(self._of(job), before, -1)
            self._streams[process.stream.identity] = (process.application.job, reason)
        self._add(process.application, reason)

    def unsaid(self, application: Application, reason: str) -> None:
        """Count a write of which nothing is told, and why."""
        self._add(application, reason)

    @property
    def total(self) -> Completeness:
        """How complete it is in all."""
        return self._total.completeness()

    def by_job(self) -> Iterator[tuple[Application, Completeness]]:
        """How complete it is by job, each with the application under the job's name."""
        for application, counts in self._by_job.values():
            yield application, counts.completeness()

    def _of(self, job: str) -> WriteCounts | None:
        return self._by_job[job][1] if job in self._by_job else None

    def _add(self, application: Application, reason: str | None) -> None:
        counts = self._of(application.job) or WriteCounts()
        self._by_job[application.job] = (application, counts)
        self._count(counts, reason, 1)

    def _count(self, of_job: WriteCounts | None, reason: str | None, times: int) -> None:
        self._total.add(reason, times)
        if of_job is not None:
            of_job.add(reason, times)


def without_columns(process: Process) -> Process:
    """The process where no columns are told: that is a gap of each that has any to tell."""
    has_any = any(column.sources for column in process.columns)
    return replace(process, gaps=(*process.gaps, NOT_ASKED_FOR)) if has_any else process
