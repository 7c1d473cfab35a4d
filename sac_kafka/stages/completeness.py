"""Count how complete the lineage of an application's writes is, in total and by job.

Bounded. Used by one thread; other threads may only read `total`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from sac_kafka.model import Application, Process
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.gaps import HOOK_ERROR, GapSeverity, gaps, is_write, severity_of
from sac_kafka.stats import OTHERS, Completeness

MAX_JOBS = 1_000
"""Jobs of one application that are counted separately; the oldest is evicted first, but stays in the total."""
MAX_REASONS = 100
"""Distinct reasons; further ones count as `OTHERS`."""
MAX_STREAMS = 10_000
"""Flows of streaming queries whose last count is remembered."""


@dataclass(slots=True)
class WriteCounts:
    """Number of writes, by the severity of the worst gap of each, and by that gap."""

    writes: int = 0
    lacking: Counter[GapSeverity] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str | None, times: int = 1) -> None:
        """Count a write by its worst gap (None if it has none); with `times` -1 undo an earlier count."""
        self.writes += times
        if reason is None:
            return
        taken = severity_of(reason)
        self.lacking[taken if taken is not None else GapSeverity.COLUMNS] += times
        name = reason if reason in self.reasons or len(self.reasons) < MAX_REASONS else OTHERS
        self.reasons[name] += times

    def completeness(self) -> Completeness:
        """Return the counts in the form of `stats()`."""
        without_tables = self.lacking[GapSeverity.FLOW] + self.lacking[GapSeverity.TABLES]
        return Completeness(
            writes=self.writes,
            with_table_lineage=self.writes - without_tables,
            with_column_lineage=self.writes - without_tables - self.lacking[GapSeverity.COLUMNS],
            reasons={reason: number for reason, number in dict(self.reasons).items() if number > 0},
        )


class WriteCounter:
    """Counter of an application's writes and of their gaps.

    A flow of a streaming query is one write: each time its process is emitted, the new state replaces the previous count.
    """

    def __init__(self) -> None:
        self._total = WriteCounts()
        self._by_job: Bounded[str, tuple[Application, WriteCounts]] = Bounded(MAX_JOBS)
        self._streams: Bounded[tuple[str, ...], tuple[str, str | None]] = Bounded(MAX_STREAMS)

    def add(self, process: Process, reason: str | None = None) -> None:
        """Count a process, if it is a write, by its worst gap or another reason."""
        if not is_write(process):
            return
        reason = reason or next(iter(gaps(process)), None)
        if process.stream is not None:
            job, before = self._streams.get(process.stream.identity, ("", None))
            if job:
                self._uncount(job, before)
            self._streams[process.stream.identity] = (process.application.job, reason)
        self.count_unreported(process.application, reason)

    def mark_lost(self, process: Process) -> None:
        """Recount a process that was added but could not be emitted because of an internal error."""
        if is_write(process) and process.stream is None:
            self._uncount(process.application.job, next(iter(gaps(process)), None))
        self.add(process, HOOK_ERROR)

    def count_unreported(self, application: Application, reason: str | None) -> None:
        """Count a write without a process, with the reason."""
        known = self._by_job.get(application.job)
        counts = known[1] if known else WriteCounts()
        self._by_job[application.job] = (application, counts)
        self._total.add(reason)
        counts.add(reason)

    @property
    def total(self) -> Completeness:
        """Completeness over all jobs."""
        return self._total.completeness()

    def by_job(self) -> Iterator[tuple[Application, Completeness]]:
        """Yield the completeness of each job, with the application under that job's name."""
        for application, counts in self._by_job.values():
            yield application, counts.completeness()

    def _uncount(self, job: str, reason: str | None) -> None:
        self._total.add(reason, -1)
        if job in self._by_job:
            self._by_job[job][1].add(reason, -1)
