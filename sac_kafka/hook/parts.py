"""Hold the parts of an attached hook, collect their statistics, and dismantle them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sac_kafka.guard import Guard
from sac_kafka.hook.doors import unverified
from sac_kafka.hook.driver_log import DriverLog
from sac_kafka.hook.metrics.reporting import Reports
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.hook.worker import Worker
from sac_kafka.spark.calls import sessions
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.stats import Excluded, Stats
from sac_kafka.transport.spool.spool import Spool

if TYPE_CHECKING:
    from sac_kafka.tools.verification.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a hook that is attached; the worker runs them, `exit_seconds` is what their end may take.

    `log` has its lines in the driver's log, `verify` looks up sent entities in the catalog, within a timeout in seconds.
    """

    listener: Listener
    pipeline: Pipeline
    spool: Spool
    worker: Worker
    calls: Instrumentor
    exit_seconds: float
    log: DriverLog
    reports: Reports = field(default_factory=Reports)
    verify: Callable[[float], Verification] = lambda _: unverified("nothing to verify")

    def stats(self, errors: Mapping[str, int]) -> Stats:
        """Return the statistics of all parts; `errors` are the swallowed ones."""
        captured, counted = dict(self.pipeline.counts), self.pipeline.stats
        if self.listener.compiled_because is not None:
            captured["listener compiled in the driver"] = 1
        return Stats(
            disabled=None,
            job=self.pipeline.application.job,
            sink=self.spool.name,
            executions=captured.pop("executions", 0),
            failed=captured.pop("executions failed", 0),
            processes=counted.processes,
            completeness=counted.writes.total,
            messages=self.worker.messages(),
            message_types=dict(counted.message_types),
            undelivered=dict(self.spool.reasons),
            spool=self.spool.figures,
            captured=captured,
            excluded=Excluded(
                datasets=dict(counted.excluded.datasets),
                processes=dict(counted.excluded.processes),
                changes=dict(counted.excluded.changes),
                column_sources=dict(counted.excluded.column_sources),
            ),
            capture_seconds=counted.capture_microseconds / 1e6,
            listener={**counted.listener, **self.worker.not_handled},
            errors=dict(Counter(errors) + Counter(self.spool.errors) + Counter(plugins.errors())),
            problem=self.spool.problem(),
        )

    def own(self, spark: object) -> None:
        """Register a session of this process. Raises GoneError."""
        sessions.own(self.listener, spark)

    def dismantle(self, guard: Guard) -> None:
        """Undo `assemble`."""
        self.calls.restore()
        self.reports.close()
        leave(self.listener, guard)
        close(self.spool, guard)


def leave(listener: Listener, guard: Guard) -> None:
    """Remove the listener from Spark's bus, if the JVM still exists; leave it to other Python processes, if there are any."""
    with guard("detach", GoneError):
        if listener.others():
            listener.release()
        else:
            listener.detach()


def close(spool: Spool, guard: Guard) -> None:
    """Close the spool without waiting."""
    with guard("detach"):
        spool.close(0.0)
