"""One hook at work: the thread that makes its parts and runs them, and the ways in which it ends.

Every wait of a user's thread has a deadline: what may hang (the driver's JVM, a file system, a broker) is called by
threads of ours. What a signal handler waits for has no lock (`phases`): it may have interrupted this very thread in one.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping
from typing import Any

from sac_kafka.deadlines import MONOTONIC, Clock, waitable, within
from sac_kafka.dialects import is_purview
from sac_kafka.errors import AttachError, LateError, SacKafkaError, ServedError
from sac_kafka.guard import Guard
from sac_kafka.hook import assembly, phases, session_settings
from sac_kafka.hook.attempt import Attempt
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.phases import Phase, Phases
from sac_kafka.landing.verification import Verification
from sac_kafka.log import logger
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.spark.java_errors import refusal
from sac_kafka.spark.listener import GoneError
from sac_kafka.spark.port import SparkDriver
from sac_kafka.stats import Flushed, Stats, at_the_end, flushed, stats_of_none

_GRACE_SECONDS = 0.5  # for the worker, after its time is over
_KEEP_SECONDS = 2.0
_REPORT_SECONDS = 1.0
_VERIFY_SECONDS = 60.0  # where who asks names none
_IS_FORK = "this process is a fork of the driver"
_IS_OFF = "atlas.spark.enabled = false"


class Attachment:
    """The hook of one SparkContext, from `start` to its end.

    Args:
        context: The SparkContext, None where there is none to attach to.
        arguments: Settings that `attach` was given, over all others: key to text.
        clock: What all its waits go by.
    """

    def __init__(
        self,
        context: Any,  # noqa: ANN401 a SparkContext
        arguments: Mapping[str, str] | None = None,
        clock: Clock = MONOTONIC,
    ) -> None:
        self.context = context
        self.arguments = arguments or {}
        self.phases = Phases(clock)
        self._clock = clock
        self._pid = os.getpid()
        self._guard = Guard()
        self._attempt = Attempt(clock)

    @property
    def parts(self) -> Parts | None:
        """What it is made of, from when it is attached on, for good."""
        return self.phases.state.parts

    @property
    def is_forked(self) -> bool:
        """True in a child of the process that has attached it: there it does nothing."""
        return os.getpid() != self._pid

    @property
    def why_disabled(self) -> str | None:
        """Why it does nothing in this process, None if it does, or did."""
        return _IS_FORK if self.is_forked else self.phases.state.why_disabled

    @property
    def is_active(self) -> bool:
        """True as long as it listens, also in a child of its process: that is not to attach another."""
        return self.phases.state.is_listening

    # ---- the user's thread

    def start(self) -> None:
        """Attach; whatever goes wrong leaves it disabled, and one warning."""
        why = "interrupted while attaching"  # Ctrl-C passes
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
            self.phases.move(phases.REFUSE, why_disabled=why)  # unless it is attached, or was refused before

    def refuse(self, error: SacKafkaError) -> None:
        """Stay disabled, and say why; nothing where it is attached already."""
        if self.phases.move(phases.REFUSE, why_disabled=str(error)):
            is_served = isinstance(error, ServedError)
            logger.warning("not attached%s: %s", "" if is_served else ", the job runs on without lineage", error)

    def flush(self, timeout_seconds: float | None) -> Flushed:
        """Wait until the lineage of everything that has run so far is delivered, or known not to be."""
        parts, messages = self._own_parts, None
        if parts is None:
            return flushed(self.stats(), None)
        timeout_seconds = waitable(timeout_seconds)
        deadline = self._clock() + timeout_seconds
        with self._guard("flush"):
            try:
                messages = parts.worker.flush(timeout_seconds) if self.is_active else None
            except GoneError as e:
                logger.debug("flush: %s", e)
                self.phases.wait(phases.OVER, deadline - self._clock())
        stats = self.stats()
        return flushed(stats, messages if self.is_active else stats["messages"])

    def verify(self, timeout_seconds: float | None) -> Verification:
        """Look up over REST whether what was sent is stored, on the caller's thread."""
        parts = self._own_parts
        if parts is None:
            return Verification(problem=f"nothing to verify: not attached: {self.why_disabled}")
        return parts.verify(_VERIFY_SECONDS if timeout_seconds is None else max(0.0, timeout_seconds))

    def detach(self) -> None:
        """Stop listening; what has been seen is still delivered, for as long as the exit may take. Idempotent."""
        parts = self._own_parts
        if parts is None or not self.is_active:
            return
        deadline = self._clock() + parts.exit_seconds
        self.flush(parts.exit_seconds)  # events may still be on their way through the listener bus
        parts.worker.driver_goes_on = True
        self._leave_the_bus(parts, max(0.1, deadline - self._clock()))
        self._ask_to_end(parts, max(0.0, deadline - self._clock()))
        self._await_end(parts)

    def stats(self) -> Stats:
        """What has been seen and done so far."""
        if self.is_forked:  # a lock may have been held when this child was forked
            return stats_of_none(_IS_FORK, {})
        state = self.phases.state
        if state.parts is None:
            return stats_of_none(state.why_disabled, self._guard.counts)
        return state.parts.stats(self._guard.counts)

    # ---- the exit

    def ask_to_end(self, most_seconds: float = math.inf) -> None:
        """Ask the worker to end within the exit timeout, or less, from now on; waits for nothing."""
        parts = self._own_parts
        if parts is not None:
            self._ask_to_end(parts, min(parts.exit_seconds, most_seconds))

    def drain(self) -> None:
        """Deliver or keep everything, within the exit timeout; then it has ended. A signal handler may call it."""
        with self._guard("exit"):
            parts = self._own_parts
            if parts is not None:
                self.ask_to_end()
                self._await_end(parts)

    @property
    def _own_parts(self) -> Parts | None:
        """The parts, with the worker; None where there is none in this process."""
        return None if self.is_forked else self.parts

    def _ask_to_end(self, parts: Parts, timeout_seconds: float) -> None:
        if self.is_active:
            parts.worker.finish(timeout_seconds)

    def _await_end(self, parts: Parts) -> None:
        """Wait for the worker until its time is over; then keep what it holds. All waits are bounded."""
        if self.phases.wait(phases.OVER, parts.worker.finish_at + _GRACE_SECONDS - self._clock()):
            return
        # The worker hangs in a stalled JVM, client or disk, in which this thread must not hang, too.
        self.phases.move(phases.GIVE_UP)
        if self.phases.wait(phases.NOT_HANGING, _KEEP_SECONDS) and parts.spool.in_flight:
            self._keep(parts)  # a signal may have interrupted this very thread while it held the spool's lock
        self.phases.wait(phases.OVER, _REPORT_SECONDS)
        self.phases.move(phases.LEAVE)

    # ---- attaching, in both threads

    def _start(self) -> None:
        driver = JvmDriver(self.context)  # here, because another thread may have another class loader
        self.phases.move(phases.BEGIN)
        threading.Thread(target=self._run, args=(driver,), name="sac-kafka", daemon=True).start()
        seconds = self._attempt.wait()
        self.refuse(AttachError(f"the driver did not answer within {seconds:g} seconds"))  # if it still is about to
        parts, found = self.parts, self._attempt.found
        if parts is not None and found is not None:
            _greet(parts, found)
        elif self.why_disabled == _IS_OFF and found is not None:
            logger.info("not attached: %s (%s)", _IS_OFF, found.source)

    def _run(self, driver: SparkDriver) -> None:
        """Make everything, then work: a JVM, store or directory that hangs costs the attach timeout only."""
        parts: Parts | None = None
        error: Exception | None = None
        try:
            found = session_settings.read_settings(driver, self.arguments)
            self._attempt.has_found(found)
            if not found.settings.sink.enabled:
                self.phases.move(phases.REFUSE, why_disabled=_IS_OFF)
            elif self.phases.state.phase is Phase.ATTACHING:  # somebody waits
                parts = assembly.assemble(driver, found.settings, self._guard)
                # Now, because an interpreter that exits starts no threads.
                threading.Thread(target=self._stand_by, args=(parts,), name="sac-kafka-exit", daemon=True).start()
        except BaseException as e:  # noqa: BLE001 raised again in the thread that attaches, which must not end by it
            error = e if isinstance(e, Exception) else AttachError(f"ended by {type(e).__name__} while attaching")
        is_attached = parts is not None and error is None and self.phases.move(phases.ATTACH, parts=parts)
        self._attempt.is_over(error)
        if parts is None:
            return
        if not is_attached:
            parts.dismantle(self._guard)
            return
        try:
            with self._guard("worker"):
                parts.worker.run(lambda: parts.reports.report_if_due(self.stats))
        finally:
            parts.calls.restore()
            self._report(parts)

    def _leave_the_bus(self, parts: Parts, timeout_seconds: float) -> None:
        parts.calls.restore()
        with self._guard("detach"):
            try:
                within(timeout_seconds, parts.listener.detach, self._clock)
            except (GoneError, LateError) as e:
                logger.debug("detach: %s", e)

    # ---- the end

    def _stand_by(self, parts: Parts) -> None:
        """A thread of its own: keep what a hanging worker holds, once `_await_end` asks for it."""
        if self.phases.stand_by():
            self._keep(parts)
            self.phases.move(phases.KEEP)
            self._report(parts)

    def _keep(self, parts: Parts) -> None:
        with self._guard("abandon"):
            parts.spool.abandon("not delivered when the interpreter ended")

    def _report(self, parts: Parts) -> None:
        """Say what became of everything: once, whoever comes first."""
        if not self.phases.move(phases.REPORT):
            return
        try:
            with self._guard("report"):
                is_good, line = at_the_end(self.stats(), parts.spool.reasons_by_kind, logger.above)
                (logger.good if is_good else logger.warning)("%s", line)
            with self._guard("metrics"):
                parts.reports.report_last(self.stats)
                parts.reports.close()
        finally:
            self.phases.move(phases.END)


def _greet(parts: Parts, found: session_settings.FoundSettings) -> None:
    application = parts.pipeline.application
    logger.good(
        "attached to %s (job %s) with %s, messages go to %s%s",
        application.application_id,
        application.job,
        found.source,
        parts.spool.name,
        ", in the dialect purview" if is_purview(found.settings) else "",
    )
    assembly.warn(found.settings, application)
