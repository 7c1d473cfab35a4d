"""The hook of one SparkContext: wires the stages, starts, drains and closes them.

`attach` finds the settings, starts the listener and the worker; `Hook` is what users hold. Nothing here knows plans or
entities.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sac_kafka import attaching, leaving
from sac_kafka.errors import AttachError, SacKafkaError
from sac_kafka.guard import Guard
from sac_kafka.pipeline import Pipeline, atlas_context
from sac_kafka.plan.specification import specification
from sac_kafka.settings import Settings
from sac_kafka.spark import session as spark_session
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.spark.listener import GoneError, Listener
from sac_kafka.transport.base import Transport
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.worker import Worker

logger = logging.getLogger("sac_kafka")

_GRACE_SECONDS = 0.5  # for the worker, after its time is over
_KEEP_SECONDS = 2.0
_REPORT_SECONDS = 1.0


class Hook:
    """Lineage of one SparkContext, from `attach` until the application ends or `detach`.

    A hook that could not be attached is disabled: its methods do nothing, and `stats()["disabled"]` says why.
    """

    def __init__(self, context: Any) -> None:  # noqa: ANN401 a SparkContext
        self.context = context
        self._pid = os.getpid()
        self._guard = Guard()
        self._disabled: str | None = "not attached yet"
        self._listener: Listener | None = None
        self._worker: Worker | None = None
        self._pipeline: Pipeline | None = None
        self._spool: Spool | None = None
        self._exit_seconds = 5.0
        self._is_abandoned = False  # it was not attached in time
        self._attaching = threading.Lock()  # decides whether it was
        self._is_over = threading.Event()  # what `_stand_by` waits for
        self._is_kept = threading.Event()  # what a hanging worker holds
        self._reporting = threading.Lock()  # never given back: there is one report
        self._ended = threading.Event()  # the worker is done, or given up, and this is reported

    def __repr__(self) -> str:
        """Say what it is attached to, or why it is not."""
        if self._disabled is not None or self._pipeline is None:
            return f"<Hook disabled: {self._disabled}>"
        return f"<Hook of {self._pipeline.application.application_id}, {'active' if self.is_active else 'ended'}>"

    @property
    def is_active(self) -> bool:
        """True as long as it listens."""
        return self._disabled is None and self._worker is not None and not self._worker.done.is_set()

    @property
    def transport(self) -> Transport | None:
        """Where messages go; with `atlas.client.type=memory` its `messages()` are what a user's own test looks at."""
        return self._spool.wrapped if self._spool is not None else None

    def flush(self, timeout_seconds: float = 10.0) -> bool:
        """Wait until the lineage of everything that has run so far is delivered.

        Args:
            timeout_seconds: The longest wait, in seconds.

        Returns:
            True when all of it is delivered or kept in a file, False when the time was up first or there is no hook.
        """
        if not self.is_active or self._worker is None or os.getpid() != self._pid:
            return False
        with self._guard("flush"):
            try:
                return self._worker.flush(timeout_seconds)
            except GoneError as e:
                logger.debug("sac_kafka: flush: %s", e)
        return False

    def detach(self) -> None:
        """Stop listening; what has been seen is still delivered, for as long as the exit may take. Idempotent."""
        if self.is_active and os.getpid() == self._pid:
            deadline = time.monotonic() + self._exit_seconds
            self.flush(self._exit_seconds)  # events may still be on their way through the listener bus
            self._leave_the_bus()
            self._ask_to_end(max(0.0, deadline - time.monotonic()))
            self._await_end()

    def stats(self) -> Mapping[str, Any]:
        """What the hook has seen and done so far.

        Returns:
            disabled: why it is not attached, None if it is; sink: where messages go; executions, processes: how many;
            messages: delivered, spooled (they wait in files), dropped, rejected (set aside), replayed (of earlier
            applications), under_way; message_types: sent by type; undelivered: why messages are spooled, dropped or
            rejected; spool: its directory, and the files, records and bytes that wait there; captured: what was seen,
            skipped or not understood; listener: what was dropped unhandled; errors: our own, swallowed; problem: the
            sink's last one.
        """
        if os.getpid() != self._pid:  # a lock may have been held when this child was forked
            return MappingProxyType({"disabled": "this process is a fork of the driver", "errors": {}})
        if self._disabled is not None or self._worker is None or self._pipeline is None or self._spool is None:
            return MappingProxyType({"disabled": self._disabled, "errors": self._guard.counts})
        captured = dict(self._pipeline.counts)
        return MappingProxyType(
            {
                "disabled": None,
                "sink": self._spool.name,
                "executions": captured.pop("executions", 0),
                "processes": self._worker.processes,
                "messages": {**self._spool.counts, "under_way": self._spool.under_way},
                "message_types": dict(self._worker.message_types),
                "undelivered": self._spool.reasons,
                "spool": self._spool.figures,
                "captured": captured,
                "projecting_seconds": self._pipeline.projecting_microseconds / 1e6,
                "listener": {**self._worker.listener_counts, **self._worker.not_handled},
                "errors": self._guard.counts,
                "problem": self._spool.problem(),
            }
        )

    # ---- called by attach and by leaving

    def start(self) -> None:
        """Attach; whatever goes wrong leaves a disabled hook and one warning."""
        with self._guard("attach"):
            try:
                self._start()
            except SacKafkaError as e:
                self._disabled = str(e)
                logger.warning("sac_kafka: not attached, the job runs on without lineage: %s", e)
                return
        if self._worker is None and self._disabled == "not attached yet":
            self._disabled = "an error while attaching: " + ", ".join(self._guard.counts)

    def ask_to_end(self) -> None:
        """Ask the worker to end within the exit timeout, which starts now; waits for nothing."""
        if self._is_mine():
            self._ask_to_end(self._exit_seconds)

    def drain(self) -> None:
        """Deliver or keep everything, within the exit timeout; then the hook has ended. A signal handler may call it."""
        if self._is_mine():
            self._ask_to_end(self._exit_seconds)
            self._await_end()

    def _is_mine(self) -> bool:
        """Whether there is a worker, in this process."""
        return os.getpid() == self._pid and self._worker is not None and self._disabled is None

    def _start(self) -> None:
        settings, file = attaching.read_settings(self.context)
        if not settings.enabled:
            self._disabled = "atlas.spark.enabled = false"
            logger.info("sac_kafka: not attached: atlas.spark.enabled = false (%s)", file)
            return
        self._exit_seconds = settings.exit_timeout_seconds
        self._start_worker(settings)
        assert self._pipeline is not None
        assert self._spool is not None
        application = self._pipeline.application
        logger.info(
            "sac_kafka: attached to %s (job %s) with %s, messages go to %s",
            application.application_id,
            application.job,
            file,
            self._spool.name,
        )
        attaching.warn(settings)

    def _start_worker(self, settings: Settings) -> None:
        """Make everything in the worker's thread: a JVM, store or directory that hangs costs the attach timeout only."""
        ready = threading.Event()
        failed: list[Exception] = []
        driver = JvmDriver(self.context)

        def run() -> None:
            try:
                worker = self._assemble(settings, driver)
            except Exception as e:  # noqa: BLE001 raised again below, in the thread that attaches
                self._dismantle()
                failed.append(e)
                ready.set()
                return
            with self._attaching:
                if not self._is_abandoned:
                    self._worker, self._disabled = worker, None
                    ready.set()
            if self._is_abandoned:
                self._dismantle()
                return
            with self._guard("worker"):
                worker.run()
            self._end()

        threading.Thread(target=run, name="sac-kafka", daemon=True).start()
        ready.wait(settings.attach_timeout_seconds)
        with self._attaching:
            self._is_abandoned = not ready.is_set()
        if self._is_abandoned:
            raise AttachError(f"the driver did not answer within {settings.attach_timeout_seconds:g} seconds")
        if failed:
            raise failed[0]

    def _assemble(self, settings: Settings, driver: JvmDriver) -> Worker:
        session = spark_session.read_session(self.context)
        application = attaching.application_of(session, settings)
        spool = self._spool = Spool(make_transport(settings, driver), options_of(settings), session.application_id)
        metastore = spark_session.read_metastore(self.context, session.conf)
        context = atlas_context(
            settings,
            application,
            session.conf.get("spark.driver.host", ""),
            is_hive=metastore.uris is not None,
            metastore=metastore.database,
        )
        sent_file = attaching.sent_file(settings, spool.name)
        remembered = sent_file.load() if sent_file is not None else None
        self._pipeline = Pipeline(application, context, settings, remembered)
        is_hive = context.naming.is_hive(None)
        for_listener = attaching.listener_settings(settings, session.conf, is_hive=is_hive)
        self._listener = Listener.start(self.context, specification(), for_listener)
        worker = Worker(
            self._listener, self._pipeline, spool, self._guard, settings.topic, settings.exit_timeout_seconds
        )
        if sent_file is not None:
            worker.remember_in(sent_file)
        if settings.record_path:
            worker.record_to(attaching.recorder(settings.record_path, application))
        # Now, because an interpreter that exits starts no threads.
        threading.Thread(target=self._stand_by, name="sac-kafka-exit", daemon=True).start()
        return worker

    def _dismantle(self) -> None:
        """Undo `_assemble`, or the part of it that was done."""
        self._leave_the_bus()
        self._ended.set()
        self._is_over.set()
        if self._spool is not None:
            with self._guard("detach"):
                self._spool.close(0.0)

    def _leave_the_bus(self) -> None:
        with self._guard("detach"):
            try:
                if self._listener is not None:
                    self._listener.detach()
            except GoneError as e:
                logger.debug("sac_kafka: detach: %s", e)

    def _ask_to_end(self, timeout_seconds: float) -> None:
        assert self._worker is not None
        if not self._ended.is_set():
            self._worker.finish(timeout_seconds)

    def _await_end(self) -> None:
        """Wait for the worker until its time is over; then keep what it holds. All waits are bounded."""
        assert self._worker is not None
        assert self._spool is not None
        if self._ended.is_set() or self._ended.wait(
            max(0.0, self._worker.finish_at + _GRACE_SECONDS - time.monotonic())
        ):
            return
        # The worker hangs in a stalled JVM, client or disk, in which this thread must not hang, too.
        self._is_over.set()
        if self._is_kept.wait(_KEEP_SECONDS) and self._spool.under_way:
            self._keep()  # a signal may have interrupted this very thread while it held the spool's lock
        self._ended.wait(_REPORT_SECONDS)
        self._ended.set()

    def _stand_by(self) -> None:
        """A thread of its own: keep what a hanging worker holds, once `_await_end` asks for it."""
        self._is_over.wait()
        if not self._ended.is_set():
            self._keep()
            self._is_kept.set()
            self._end()

    def _keep(self) -> None:
        assert self._spool is not None
        with self._guard("abandon"):
            self._spool.abandon("not delivered when the interpreter ended")

    def _end(self) -> None:
        if self._reporting.acquire(blocking=False):
            self._report()
        self._ended.set()
        self._is_over.set()

    def _report(self) -> None:
        """The one line at the end."""
        if self._disabled is not None:
            return
        with self._guard("report"):
            s = self.stats()
            messages = s["messages"]
            lost = {**s["undelivered"], **s["listener"], **s["errors"]}
            kept = messages["spooled"] + messages["rejected"]
            is_bad = kept or messages["dropped"] or messages["under_way"] or s["listener"]
            level = logging.WARNING if is_bad else logging.INFO
            logger.log(
                level,
                "sac_kafka: ended: %d executions seen, %d messages delivered, %d spooled, %d dropped%s%s%s%s%s",
                s["executions"],
                messages["delivered"],
                messages["spooled"],
                messages["dropped"],
                f", {messages['rejected']} rejected" if messages["rejected"] else "",
                f", {messages['under_way']} neither delivered nor kept" if messages["under_way"] else "",
                f", {messages['replayed']} of earlier applications delivered" if messages["replayed"] else "",
                f" ({'; '.join(f'{reason}: {n}' for reason, n in lost.items())})" if lost else "",
                f"; undelivered messages are in {s['spool']['directory']}" if kept else "",
            )


_hooks: list[Hook] = []
_lock = threading.Lock()


def attach(spark: Any) -> Hook:  # noqa: ANN401 a SparkSession or SparkContext
    """Attach the hook to the SparkContext of `spark`; see `sac_kafka.attach`."""
    guard = Guard()
    hook = Hook(None)
    with guard("attach"):
        try:
            context = spark_session.spark_context(spark)
        except AttachError as e:
            hook._disabled = str(e)
            logger.warning("sac_kafka: not attached, the job runs on without lineage: %s", e)
            return hook
        with _lock:
            active = next((h for h in _hooks if h.context is context and h.is_active), None)
            if active is not None:
                return active
            hook = Hook(context)
            hook.start()
            _hooks[:] = [h for h in _hooks if h.is_active]
            _hooks.append(hook)
            leaving.watch(_drain_all)
    return hook


def hooks() -> tuple[Hook, ...]:
    """The hooks of this process."""
    return tuple(_hooks)


def _drain_all() -> None:
    """Within one exit timeout: all are asked before the first is waited for."""
    for step in (Hook.ask_to_end, Hook.drain):
        for hook in hooks():
            with hook._guard("exit"):
                step(hook)
