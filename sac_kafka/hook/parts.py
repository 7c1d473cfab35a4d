"""Hold the parts of an attached hook, collect their statistics, and dismantle them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.doors import nothing_to_verify
from sac_kafka.hook.driver_log import DriverLog
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.hook.worker import Worker
from sac_kafka.spark.calls import sessions
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.stats import Excluded, Stats

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification
    from sac_kafka.hook.metrics.reporting import Reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a hook that is attached; the worker runs them, `exit_seconds` is what their end may take.

    `log` has its lines in the driver's log, `verify` looks up sent entities in the catalog, within a timeout in seconds, of the
    destination with a name.
    """

    listener: Listener
    pipeline: Pipeline
    destinations: tuple[Destination, ...]
    worker: Worker
    calls: Instrumentor
    exit_seconds: float
    log: DriverLog
    reports: Reports | None = None
    verify: Callable[[float, str], Verification] = lambda _, __: nothing_to_verify("nothing to verify")

    def stats(self, errors: Mapping[str, int]) -> Stats:
        """Return the statistics of all parts; `errors` are the swallowed ones."""
        captured, counted, first = dict(self.worker.counts), self.pipeline.stats, self.destinations[0]
        spools = [destination.spool for destination in self.destinations]
        problems = ((destination, destination.spool.problem()) for destination in self.destinations)
        if self.listener.compiled_because is not None:
            captured["listener compiled in the driver"] = 1
        return Stats(
            disabled=None,
            job=self.pipeline.application.job,
            sink=first.spool.name,
            executions=captured.pop("executions", 0),
            failed=captured.pop("executions failed", 0),
            processes=first.emitter.stats.processes,
            completeness=counted.writes.total,
            messages=self.worker.messages(),
            message_types=dict(first.emitter.stats.message_types),
            undelivered=dict(sum((Counter(spool.reasons) for spool in spools), Counter[str]())),
            spool=first.spool.figures,
            captured=captured,
            excluded=Excluded(
                datasets=dict(counted.excluded.datasets),
                processes=dict(counted.excluded.processes),
                changes=dict(counted.excluded.changes),
                column_sources=dict(counted.excluded.column_sources),
            ),
            capture_seconds=counted.capture_microseconds / 1e6,
            listener={**counted.listener, **self.worker.not_handled},
            errors=dict(Counter(errors) + sum((Counter(spool.errors) for spool in spools), Counter(plugins.errors()))),
            problem=next((each.prefix_name(problem) for each, problem in problems if problem is not None), None),
            destinations=[destination.stats() for destination in self.destinations],
        )

    def own(self, spark: object) -> None:
        """Register a session of this process. Raises GoneError."""
        sessions.own(self.listener, spark)

    def dismantle(self, guard: Guard) -> None:
        """Undo `assemble`."""
        self.calls.restore()
        if self.reports is not None:
            self.reports.close()
        leave(self.listener, guard)
        for destination in self.destinations:
            with guard("detach"):
                destination.spool.close(0.0)

    @property
    def reasons(self) -> Mapping[str, Mapping[str, int]]:
        """Number of undelivered messages by reason, for each state, of all destinations."""
        found: dict[str, Counter[str]] = {}
        for destination in self.destinations:
            for state, reasons in destination.spool.reasons_by_kind.items():
                found.setdefault(state, Counter()).update(reasons)
        return found

    @property
    def has_in_flight(self) -> bool:
        """Whether a transport has not reported on some records."""
        return any(destination.spool.in_flight for destination in self.destinations)

    def abandon(self, reason: str) -> None:
        """Keep what is in flight, called by another thread if the worker hangs."""
        for destination in self.destinations:
            destination.spool.abandon(reason)


def leave(listener: Listener, guard: Guard) -> None:
    """Remove the listener from Spark's bus, if the JVM still exists; leave it to other Python processes, if there are any."""
    with guard("detach", GoneError):
        if listener.others():
            listener.release()
        else:
            listener.detach()
