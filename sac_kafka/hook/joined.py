"""The hook of a Python process whose SparkContext is served by another process of the driver.

It registers its process and sessions and instruments PySpark; flushes, statistics and verifications are questions to the
process that serves. When that one ends, the hook takes over.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sac_kafka.deadlines import MONOTONIC, Clock
from sac_kafka.escaping import escape
from sac_kafka.guard import Guard
from sac_kafka.hook.application import application_of_driver, warn_of_other_settings
from sac_kafka.hook.doors import nothing_to_verify, verification_of
from sac_kafka.hook.exits import has_driver_failed
from sac_kafka.hook.questions import Asked, QuestionKind, ask
from sac_kafka.log import logger
from sac_kafka.model import Application
from sac_kafka.settings import Settings
from sac_kafka.spark import processes
from sac_kafka.spark.calls import instrument, sessions
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.spark.port import SparkDriver
from sac_kafka.stats import Flushed, Stats, flush_result, stats_of_none

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification

_WATCH_SECONDS = 0.5
"""Interval at which it is checked whether the other process still serves."""
_STATS_SECONDS = 5.0


def join(driver: SparkDriver, settings: Settings, guard: Guard, listener: Listener) -> Joined:
    """Create the hook of a process that is served by another one, and register the process.

    Args:
        driver: The driver's JVM.
        settings: The settings of this process, of which only the job's name has an effect.
        guard: The guard of the instrumented methods.
        listener: Passes calls on to the listener of the serving process.
    """
    application, process = application_of_driver(driver, driver.session(), settings, guard)
    warn_of_other_settings(process, listener.server(), listener.owner())
    listener.register(process.text())
    bounds = settings.driver
    calls = instrument(listener, guard, follows_rdds=bounds.follows_rdds, statement_values=bounds.statement_values)
    return Joined(listener, application, calls, bounds.exit_timeout_seconds)


class Joined:
    """A hook that is served by another process.

    Args:
        listener: Passes calls on to the listener of that process.
        application: The application under the job of this process.
        calls: The instrumented methods.
        exit_seconds: How long the end of this process waits for its lineage to be delivered, in seconds.
        clock: The clock of all waits.
    """

    def __init__(
        self,
        listener: Listener,
        application: Application,
        calls: Instrumentor,
        exit_seconds: float,
        clock: Clock = MONOTONIC,
    ) -> None:
        self.listener = listener
        self.application = application
        self.calls = calls
        self.exit_seconds = exit_seconds
        self._clock = clock
        self._last: Stats | None = None
        self._is_over = threading.Event()
        self._is_leaving = threading.Event()
        self._wakes = threading.Event()

    def __repr__(self) -> str:
        """Return the application, the job and the process that serves."""
        application = self.application
        return escape(
            f"<Hook of {application.application_id} (job {application.job}), served by another Python process>"
        )

    def stats(self, errors: Mapping[str, int]) -> Stats:
        """Return the statistics of the application, after its end the last ones known; `errors` are those of this process."""
        found = self._ask(QuestionKind.STATS, _STATS_SECONDS)
        stats = stats_of_none(None, errors) if self._last is None else self._last
        if found is None and not self._is_over.is_set():
            stats["problem"] = "the Python process that serves this SparkContext does not answer"
        stats["errors"] = {**stats["errors"], **errors}
        stats["job"] = self.application.job
        return stats

    def flush(self, timeout_seconds: float) -> Flushed | None:
        """Wait until the lineage of everything that has run so far is delivered; None if this hook takes over meanwhile."""
        found = self._ask(QuestionKind.FLUSH, timeout_seconds)
        if found is None and self._is_over.is_set() and not self._is_leaving.is_set():
            return None
        return flush_result(self.stats({}), None) if found is None else flush_result(found["stats"], found["messages"])

    def messages(self, timeout_seconds: float = _STATS_SECONDS) -> list[str] | None:
        """Return the messages of the application as JSON, if the serving process keeps them in memory."""
        found = self._ask(QuestionKind.MESSAGES, timeout_seconds)
        return None if found is None else found["sent"]

    def verify(self, timeout_seconds: float, destination: str = "") -> Verification:
        """Look up in the catalog what the serving process has sent."""
        found = self._ask(QuestionKind.VERIFY, timeout_seconds + _STATS_SECONDS, destination)
        if found is None:
            return nothing_to_verify("the Python process that serves this SparkContext does not answer")
        return verification_of(found)

    def _ask(self, kind: QuestionKind, seconds: float, destination: str = "") -> Any | None:  # noqa: ANN401 JSON
        try:
            found = ask(self.listener, Asked(kind, seconds, destination), self._clock, self._is_over)
        except GoneError as e:
            logger.debug("%s: %s", kind.value, e)
            return None
        if found is not None and "stats" in found:
            self._last = found["stats"]
        return found

    def own(self, spark: object) -> None:
        """Register a session of this process. Raises GoneError."""
        sessions.own(self.listener, spark)

    # ---- the end

    def leave(self) -> None:
        """End this hook; its thread flushes first. Does not wait, and makes no call to the JVM."""
        self._is_leaving.set()
        self._wakes.set()

    def wait_for_end(self, guard: Guard) -> bool:
        """Wait until no process serves; return True if this hook is to take over, False if it or the application has ended."""
        try:
            while not self._clock.wait(self._wakes, _WATCH_SECONDS):
                owner = self.listener.owner()
                if not processes.is_running(owner):
                    return True
                if self.listener.server() is None and self.listener.owner() == owner:
                    return False
            with guard("flush"):
                self.flush(self.exit_seconds)
            self.listener.part(has_failed=has_driver_failed())
        except GoneError as e:
            logger.debug("the driver's JVM is gone: %s", e)
        finally:
            self.calls.restore()
            self._is_over.set()
        return False
