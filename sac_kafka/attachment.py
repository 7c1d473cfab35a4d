"""One hook at work: the thread that makes its parts and runs them, and the ways in which it ends.

Every wait of a user's thread has a deadline: what may hang (the driver's JVM, a file system, a broker) is called by
threads of ours.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Mapping
from typing import Any

from sac_kafka import assembly
from sac_kafka.assembly import Parts
from sac_kafka.attempt import Attempt
from sac_kafka.deadlines import Flag, waitable, within
from sac_kafka.errors import AttachError, LateError, SacKafkaError
from sac_kafka.figures import Flushed, Stats, at_the_end, flushed, stats_of_none
from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.spark.listener import GoneError

_GRACE_SECONDS = 0.5  # for the worker, after its time is over
_KEEP_SECONDS = 2.0
_REPORT_SECONDS = 1.0
_NOT_YET = "not attached yet"
_IS_FORK = "this process is a fork of the driver"


class Attachment:
    """The hook of one SparkContext, from `start` to its end.

    Args:
        context: The SparkContext, None where there is none to attach to.
        arguments: Settings that `attach` was given, over all others: key to text.
        disabled: Why it cannot be started.
    """

    def __init__(
        self,
        context: Any,  # noqa: ANN401 a SparkContext
        arguments: Mapping[str, str] | None = None,
        disabled: str = _NOT_YET,
    ) -> None:
        self.context = context
        self.arguments = arguments or {}
        self.disabled: str | None = disabled
        self.parts: Parts | None = None
        self._pid = os.getpid()
        self._guard = Guard()
        self._attempt = Attempt()
        # No events: a signal handler waits for these and sets them, and may have interrupted this very thread in one.
        self._over: queue.SimpleQueue[None] = queue.SimpleQueue()  # what `_stand_by` waits for
        self._is_kept = Flag()  # what a hanging worker holds
        self._reporting = threading.Lock()  # never given back: there is one report
        self._ended = Flag()  # the worker is done, or given up, and this is reported

    @property
    def is_forked(self) -> bool:
        """True in a child of the process that has attached it: there it does nothing."""
        return os.getpid() != self._pid

    @property
    def why_disabled(self) -> str | None:
        """Why it does nothing in this process, None if it does, or did."""
        return _IS_FORK if self.is_forked else self.disabled

    @property
    def is_active(self) -> bool:
        """True as long as it listens, also in a child of its process: that is not to attach another."""
        return self.disabled is None and not self._ended.is_set()

    # ---- the user's thread

    def start(self) -> None:
        """Attach; whatever goes wrong leaves it disabled, and one warning."""
        with self._guard("attach"):
            try:
                self._start()
            except SacKafkaError as e:
                self.refuse(e)
                return
        if self.disabled == _NOT_YET:
            self.disabled = "an error while attaching: " + ", ".join(self._guard.counts)

    def refuse(self, error: SacKafkaError) -> None:
        """Stay disabled, and say why."""
        self.disabled = str(error)
        logger.warning("not attached, the job runs on without lineage: %s", error)

    def flush(self, timeout_seconds: float | None) -> Flushed:
        """Wait until the lineage of everything that has run so far is delivered, or known not to be."""
        parts, messages = self.parts, None
        if parts is None or not self._is_mine():
            return flushed(self.stats(), None)
        timeout_seconds = waitable(timeout_seconds)
        deadline = time.monotonic() + timeout_seconds
        with self._guard("flush"):
            try:
                messages = None if self._ended.is_set() else parts.worker.flush(timeout_seconds)
            except GoneError as e:
                logger.debug("flush: %s", e)
                self._ended.wait(max(0.0, deadline - time.monotonic()))
        stats = self.stats()
        return flushed(stats, stats["messages"] if self._ended.is_set() else messages)

    def detach(self) -> None:
        """Stop listening; what has been seen is still delivered, for as long as the exit may take. Idempotent."""
        if self.parts is None or not self.is_active or not self._is_mine():
            return
        deadline = time.monotonic() + self.parts.exit_seconds
        self.flush(self.parts.exit_seconds)  # events may still be on their way through the listener bus
        self._leave_the_bus(self.parts, max(0.1, deadline - time.monotonic()))
        self._ask_to_end(max(0.0, deadline - time.monotonic()))
        self._await_end()

    def stats(self) -> Stats:
        """What has been seen and done so far."""
        if self.is_forked:  # a lock may have been held when this child was forked
            return stats_of_none(_IS_FORK, {})
        if self.disabled is not None or self.parts is None:
            return stats_of_none(self.disabled, self._guard.counts)
        return self.parts.stats(self._guard.counts)

    # ---- the exit

    def ask_to_end(self) -> None:
        """Ask the worker to end within the exit timeout, which starts now; waits for nothing."""
        if self.parts is not None and self._is_mine():
            self._ask_to_end(self.parts.exit_seconds)

    def drain(self) -> None:
        """Deliver or keep everything, within the exit timeout; then it has ended. A signal handler may call it."""
        with self._guard("exit"):
            if self._is_mine():
                self.ask_to_end()
                self._await_end()

    def _is_mine(self) -> bool:
        """Whether there is a worker, in this process."""
        return os.getpid() == self._pid and self.parts is not None and self.disabled is None

    def _ask_to_end(self, timeout_seconds: float) -> None:
        if self.parts is not None and not self._ended.is_set():
            self.parts.worker.finish(timeout_seconds)

    def _await_end(self) -> None:
        """Wait for the worker until its time is over; then keep what it holds. All waits are bounded."""
        assert self.parts is not None
        finish_at = self.parts.worker.finish_at
        if self._ended.is_set() or self._ended.wait(max(0.0, finish_at + _GRACE_SECONDS - time.monotonic())):
            return
        # The worker hangs in a stalled JVM, client or disk, in which this thread must not hang, too.
        self._over.put(None)
        if self._is_kept.wait(_KEEP_SECONDS) and self.parts.spool.under_way:
            self._keep(self.parts)  # a signal may have interrupted this very thread while it held the spool's lock
        self._ended.wait(_REPORT_SECONDS)
        self._ended.set()

    # ---- attaching, in both threads

    def _start(self) -> None:
        driver = JvmDriver(self.context)  # here, because another thread may have another class loader
        threading.Thread(target=self._run, args=(driver,), name="sac-kafka", daemon=True).start()
        settings, source = self._attempt.wait()
        if self.parts is None:
            self.disabled = "atlas.spark.enabled = false"
            logger.info("not attached: atlas.spark.enabled = false (%s)", source)
            return
        application = self.parts.pipeline.application
        logger.good(
            "attached to %s (job %s) with %s, messages go to %s",
            application.application_id,
            application.job,
            source,
            self.parts.spool.name,
        )
        assembly.warn(settings, application)

    def _run(self, driver: JvmDriver) -> None:
        """Make everything, then work: a JVM, store or directory that hangs costs the attach timeout only."""
        parts: Parts | None = None
        error: Exception | None = None
        try:
            settings, source = assembly.read_settings(self.context, self.arguments, driver.thread_loader)
            if self._attempt.has_read(settings, source) and settings.sink.enabled:
                parts = assembly.assemble(self.context, settings, driver, self._guard)
                # Now, because an interpreter that exits starts no threads.
                threading.Thread(target=self._stand_by, args=(parts,), name="sac-kafka-exit", daemon=True).start()
        except BaseException as e:  # noqa: BLE001 raised again in the thread that attaches, which must not end by it
            error = e if isinstance(e, Exception) else AttachError(f"ended by {type(e).__name__} while attaching")
        with self._attempt.decided(error) as is_wanted:
            if is_wanted and parts is not None and error is None:
                self.parts, self.disabled = parts, None
        if self.parts is None or parts is None:
            self._undo(parts)
            return
        try:
            with self._guard("worker"):
                parts.worker.run()
        finally:
            self._end()

    def _undo(self, parts: Parts | None) -> None:
        self._ended.set()
        self._over.put(None)
        if parts is not None:
            parts.dismantle(self._guard)

    def _leave_the_bus(self, parts: Parts, timeout_seconds: float) -> None:
        with self._guard("detach"):
            try:
                within(timeout_seconds, parts.listener.detach)
            except (GoneError, LateError) as e:
                logger.debug("detach: %s", e)

    # ---- the end

    def _stand_by(self, parts: Parts) -> None:
        """A thread of its own: keep what a hanging worker holds, once `_await_end` asks for it."""
        self._over.get()
        if not self._ended.is_set():
            self._keep(parts)
            self._is_kept.set()
            self._end()

    def _keep(self, parts: Parts) -> None:
        with self._guard("abandon"):
            parts.spool.abandon("not delivered when the interpreter ended")

    def _end(self) -> None:
        try:
            if self._reporting.acquire(blocking=False) and self.disabled is None:
                with self._guard("report"):
                    reasons = self.parts.spool.reasons_by_kind if self.parts is not None else {}
                    is_good, line = at_the_end(self.stats(), reasons, logger.above)
                    (logger.good if is_good else logger.warning)("%s", line)
        finally:
            self._ended.set()
            self._over.put(None)
