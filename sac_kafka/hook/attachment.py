"""Attach a hook, run its worker thread, and end it at a detach, an exit or a signal.

Every wait of a user's thread has a deadline; calls that may hang (JVM, file system, broker) run in the hook's own threads. Signal
handlers wait without locks (`phases`), since they may have interrupted the thread that holds one.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sac_kafka.deadlines import MONOTONIC, Clock, waitable, within
from sac_kafka.errors import AttachError, LateError, SacKafkaError, ServedError
from sac_kafka.guard import Guard
from sac_kafka.hook import assembly, phases, session_settings
from sac_kafka.hook.answers import answers
from sac_kafka.hook.application import warn
from sac_kafka.hook.doors import nothing_to_verify
from sac_kafka.hook.joined import Joined, join
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.phases import Phase, Phases
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.spark.java_errors import refusal
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.spark.port import SparkDriver
from sac_kafka.stats import Flushed, Stats, flush_result, stats_of_none

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification

_TAKEN = frozenset({Phase.ACTIVE}) | phases.OVER
_LEFT = _TAKEN | phases.NOT_HANGING
_GRACE_SECONDS = 0.5  # for the worker, after its deadline
_KEEP_SECONDS = 2.0
_REPORT_SECONDS = 1.0
_VERIFY_SECONDS = 60.0  # default timeout
_IS_FORK = "this process is a fork of the driver"
_IS_OFF = "atlas.spark.enabled = false"


class Attempt:
    """Passes settings and errors from the thread that creates the parts to the one that attaches.

    `found` is set once the settings are read. `phases` decides between success and timeout.
    """

    def __init__(self, clock: Clock = MONOTONIC) -> None:
        self._clock = clock
        self._has_found = threading.Event()
        self._is_over = threading.Event()
        self.found: Settings | None = None
        self._error: Exception | None = None

    def wait(self) -> float:
        """Wait until the attempt is over or timed out; return the timeout in seconds.

        The timeout is `atlas.hook.spark.attach.timeout.seconds`; its default applies until the settings are read.

        Raises:
            Exception: The error of the other thread.
        """
        start, seconds = self._clock(), DriverBounds.attach_timeout_seconds
        if self._clock.wait(self._has_found, seconds) and self.found is not None:
            seconds = self.found.driver.attach_timeout_seconds
        self._clock.wait(self._is_over, max(0.0, start + seconds - self._clock()))
        if self._error is not None:
            raise self._error
        return seconds

    def has_found(self, found: Settings) -> None:
        """Publish the settings."""
        self.found = found
        self._has_found.set()

    def is_over(self, error: Exception | None) -> None:
        """Publish the end of the attempt, with its error if there was one."""
        self._error = error
        self._is_over.set()
        self._has_found.set()


class Attachment:
    """The hook of one SparkContext, from `start` to its end.

    Args:
        context: The SparkContext; None without one.
        arguments: The settings given to `attach`, which override all others: key to text.
        clock: The clock of all waits.
        spark: The session or context given to `attach`.
    """

    def __init__(
        self,
        context: Any,  # noqa: ANN401 a SparkContext
        arguments: Mapping[str, str] | None = None,
        clock: Clock = MONOTONIC,
        spark: object = None,
    ) -> None:
        self.context = context
        self._spark = spark
        self.arguments = arguments or {}
        self.phases = Phases(clock)
        self._clock = clock
        self._pid = os.getpid()
        self._guard = Guard()
        self._attempt = Attempt(clock)

    @property
    def parts(self) -> Parts | None:
        """The parts, from the successful attach on; they stay after the end."""
        return self.phases.state.parts

    @property
    def joined(self) -> Joined | None:
        """The hook that is served by another Python process; None before the attach, in a forked child, and after taking over."""
        state = self.phases.state
        return state.joined if state.parts is None and not self.is_forked else None

    @property
    def is_forked(self) -> bool:
        """Whether this is a forked child of the process that attached the hook; there it does nothing."""
        return os.getpid() != self._pid

    @property
    def why_disabled(self) -> str | None:
        """Why the hook does nothing in this process, None if it is or was attached."""
        return _IS_FORK if self.is_forked else self.phases.state.why_disabled

    @property
    def is_active(self) -> bool:
        """Whether it is attached; also true in a forked child, which must not attach another hook."""
        return self.phases.state.is_listening

    # ---- the user's thread

    def start(self) -> None:
        """Attach; an error disables the hook and logs one warning."""
        why = "interrupted while attaching"  # KeyboardInterrupt is not caught.
        try:
            with self._guard("attach"):
                try:
                    self._start()
                except Exception as e:
                    known = e if isinstance(e, SacKafkaError) else refusal(e)
                    if known is None:
                        raise
                    self.refuse(known)
            why = "an error while attaching: " + ", ".join(self._guard.counts)
        finally:
            self.phases.move(phases.REFUSE, why_disabled=why)  # No effect if it is attached or was refused before.

    def refuse(self, error: SacKafkaError) -> None:
        """Disable the hook and log the reason; no effect if it is attached already."""
        if self.phases.move(phases.REFUSE, why_disabled=str(error)):
            is_served = isinstance(error, ServedError)
            logger.warning("not attached%s: %s", "" if is_served else ", the job runs on without lineage", error)

    def flush(self, timeout_seconds: float | None) -> Flushed:
        """Wait until the lineage of everything that has run so far is delivered, or has definitely failed."""
        timeout_seconds = waitable(timeout_seconds)
        deadline = self._clock() + timeout_seconds
        joined = self.joined
        if joined is not None and self.is_active:
            with self._guard("flush"):
                if (found := joined.flush(timeout_seconds)) is not None:
                    return found
            self.phases.wait(_TAKEN, deadline - self._clock())  # this hook takes over
        parts, messages = self._own_parts, None
        if parts is None:
            return flush_result(self.stats(), None)
        with self._guard("flush"):
            try:
                messages = parts.worker.flush(timeout_seconds) if self.is_active else None
            except GoneError as e:
                logger.debug("flush: %s", e)
                self.phases.wait(phases.OVER, deadline - self._clock())
        stats = self.stats()
        return flush_result(stats, messages if self.is_active else stats["messages"])

    def verify(self, timeout_seconds: float | None, destination: str = "") -> Verification:
        """Look up over REST whether what was sent is stored, on the caller's thread."""
        parts, joined = self._own_parts, self.joined
        seconds = _VERIFY_SECONDS if timeout_seconds is None else max(0.0, timeout_seconds)
        if joined is not None:
            return joined.verify(seconds, destination)
        if parts is None:
            return nothing_to_verify(f"nothing to verify: not attached: {self.why_disabled}")
        return parts.verify(seconds, destination)

    def detach(self) -> None:
        """Stop listening, and deliver what was observed within the exit timeout. Idempotent."""
        if self.joined is not None:
            self.drain()
        parts = self._own_parts
        if parts is None or not self.is_active:
            return
        deadline = self._clock() + parts.exit_seconds
        self.flush(parts.exit_seconds)  # Events may still be in Spark's listener bus.
        parts.worker.ending.driver_goes_on = True
        self._leave_the_bus(parts, max(0.1, deadline - self._clock()))
        self._ask_to_end(parts, max(0.0, deadline - self._clock()))
        self._await_end(parts)

    def stats(self) -> Stats:
        """Return the statistics so far."""
        if self.is_forked:  # A lock may have been held at the fork.
            return stats_of_none(_IS_FORK, {})
        state = self.phases.state
        if state.parts is None and state.joined is not None:
            return state.joined.stats(self._guard.counts)
        if state.parts is None:
            return stats_of_none(state.why_disabled, self._guard.counts)
        return state.parts.stats(self._guard.counts)

    # ---- the exit

    def ask_to_end(self, most_seconds: float = math.inf) -> None:
        """Ask the worker to end within the exit timeout or `most_seconds`, whichever is shorter; do not wait."""
        parts, joined = self._own_parts, self.joined
        if joined is not None:
            joined.leave()
        if parts is not None:
            self._ask_to_end(parts, min(parts.exit_seconds, most_seconds))

    def drain(self) -> None:
        """Deliver or spool everything within the exit timeout, and end. Safe to call in a signal handler."""
        with self._guard("exit"):
            self.ask_to_end()
            if (joined := self.joined) is not None:
                self.phases.wait(_LEFT, joined.exit_seconds + _GRACE_SECONDS)
                self.phases.move(phases.PART)
            parts = self._own_parts
            if parts is not None:
                self.ask_to_end()
                self._await_end(parts)

    @property
    def _own_parts(self) -> Parts | None:
        """The parts; None before the attach and in a forked child."""
        return None if self.is_forked else self.parts

    def own(self, spark: object) -> None:
        """Register a session of this process."""
        attached = self.joined or self._own_parts
        if attached is not None:
            with self._guard("call", GoneError, LateError):
                within(_GRACE_SECONDS, lambda: attached.own(spark), self._clock)

    def _ask_to_end(self, parts: Parts, timeout_seconds: float) -> None:
        if self.is_active:
            parts.worker.finish(timeout_seconds)

    def _await_end(self, parts: Parts) -> None:
        """Wait for the worker until its deadline, then spool what it holds. All waits are bounded."""
        if self.phases.wait(phases.OVER, parts.worker.ending.at + _GRACE_SECONDS - self._clock()):
            return
        # The worker hangs in a stalled JVM, client or disk; this thread must not call any of them.
        self.phases.move(phases.GIVE_UP)
        if self.phases.wait(phases.NOT_HANGING, _KEEP_SECONDS) and parts.has_in_flight:
            # In this thread, because a signal may have interrupted it while it held the spool's (reentrant) lock.
            self._keep(parts)
        self.phases.wait(phases.OVER, _REPORT_SECONDS)
        self.phases.move(phases.LEAVE)

    # ---- attaching, in both threads

    def _start(self) -> None:
        driver = JvmDriver(self.context)  # In this thread, because another one may have another class loader.
        self.phases.move(phases.BEGIN)
        threading.Thread(target=self._run, args=(driver,), name="sac-kafka", daemon=True).start()
        seconds = self._attempt.wait()
        # No effect if it is attached by now.
        self.refuse(AttachError(f"the driver did not answer within {seconds:g} seconds"))
        found = self._attempt.found
        if (joined := self.joined) is not None:
            name, job = joined.application.application_id, joined.application.job
            logger.info("attached to %s (job %s), which another Python process serves", name, job)
        elif self.why_disabled == _IS_OFF and found is not None:
            logger.info("not attached: %s (%s)", _IS_OFF, found.source.text)

    def _run(self, driver: SparkDriver) -> None:
        """Create the parts, then run the worker; in a thread, so that a hanging JVM or disk costs the attach timeout only."""
        parts: Parts | None = None
        error: Exception | None = None
        try:
            found = session_settings.read_settings(driver, self.arguments)
            self._attempt.has_found(found)
            if not found.sink.enabled:
                self.phases.move(phases.REFUSE, why_disabled=_IS_OFF)
            elif self.phases.state.phase is Phase.ATTACHING:  # not abandoned
                parts = self._assemble(driver, found)
            if parts is not None:
                # Started here, because no thread can be started while the interpreter exits.
                threading.Thread(target=self._stand_by, args=(parts,), name="sac-kafka-exit", daemon=True).start()
        except BaseException as e:  # noqa: BLE001 raised again in the attaching thread, as an Exception
            error = e if isinstance(e, Exception) else AttachError(f"ended by {type(e).__name__} while attaching")
        is_attached = parts is not None and error is None and self.phases.move(phases.ATTACH, parts=parts)
        if is_attached and parts is not None:
            with self._guard("report"):
                parts.log.log_start()
                warn(found, parts.pipeline.application)
        self._attempt.is_over(error)
        if parts is None:
            if self.phases.move(phases.PART) and error is not None:
                logger.warning("no longer attached, the job runs on without lineage: %s", error)
            return
        if not is_attached:
            parts.dismantle(self._guard)
            return
        try:
            with self._guard("worker"):
                reports = parts.reports
                each_turn = (lambda: None) if reports is None else (lambda: reports.report_if_due(self.stats))
                parts.worker.run(each_turn, answers(parts, self.stats, self._guard))
        finally:
            parts.calls.restore()
            self._report(parts, is_stalled=False)

    def _assemble(self, driver: SparkDriver, settings: Settings) -> Parts | None:
        """Create the parts, as soon as no other Python process serves the SparkContext; None if this hook ends before."""
        while True:
            try:
                parts = assembly.assemble(driver, settings, self._guard)
            except ServedError as e:
                if e.listener is None:
                    raise
                joined = join(driver, settings, self._guard, e.listener)
            else:
                with self._guard("call"):
                    parts.own(self._spark)
                return parts
            with self._guard("call"):
                joined.own(self._spark)
            if not self.phases.move(phases.JOIN, joined=joined):
                joined.leave()
            self._attempt.is_over(None)
            if not joined.wait_for_end(self._guard):
                return None

    def _leave_the_bus(self, parts: Parts, timeout_seconds: float) -> None:
        parts.calls.restore()
        with self._guard("detach", GoneError, LateError):
            within(timeout_seconds, lambda: _detach(parts.listener), self._clock)

    # ---- the end

    def _stand_by(self, parts: Parts) -> None:
        """Wait until the worker is abandoned, then spool what it holds; runs in its own thread."""
        if self.phases.stand_by():
            self._keep(parts)
            self.phases.move(phases.KEEP)
            self._report(parts, is_stalled=True)

    def _keep(self, parts: Parts) -> None:
        with self._guard("abandon"):
            parts.abandon("not delivered when the interpreter ended")

    def _report(self, parts: Parts, *, is_stalled: bool) -> None:
        """Log the summary and write the final metrics, once, from the first thread that gets here."""
        if not self.phases.move(phases.REPORT):
            return
        try:
            with self._guard("report"):
                parts.log.log_end(self.stats(), parts.reasons, is_stalled=is_stalled)
            if parts.reports is not None:
                with self._guard("metrics"):
                    parts.reports.report_last(self.stats)
                    parts.reports.close()
        finally:
            self.phases.move(phases.END)


def _detach(listener: Listener) -> None:
    """Remove the listener from the bus; if other Python processes need it, the worker hands it over at its end."""
    if not listener.others():
        listener.detach()
