"""Hold the pipeline of the flows that this process states: one per configuration, with a worker thread as in a hook.

A forked child has its own, because a thread does not survive a fork. At the end of the process, each delivers or spools the
rest.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from sac_kafka.atlas.context import Context
from sac_kafka.emitting.configuration import Conf, parts_of, read_settings, working_directory
from sac_kafka.emitting.source import StatedSource
from sac_kafka.emitting.stated_flows import StatingProcess
from sac_kafka.errors import ConfigurationError
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.destinations import open_without_driver
from sac_kafka.hook.pipeline import Pipeline, now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.worker import Worker
from sac_kafka.lineage.runs.identity import identity_of
from sac_kafka.model import Application, Engine, Outcome
from sac_kafka.settings import Settings
from sac_kafka.stats import Flushed, Stats, flush_result, stats_of_none
from sac_kafka.transport.spool.directory import login_name

IS_OFF = "atlas.spark.enabled is false"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    by: StatingProcess
    worker: Worker
    source: StatedSource
    pipeline: Pipeline
    destinations: tuple[Destination, ...]
    guard: Guard


class EmitSession:
    """The pipeline of one configuration.

    Args:
        settings: The settings; if they are disabled, the session does nothing.

    Attributes:
        users: The number of calls that use it now, during which it is not ended for others.

    Raises:
        SacKafkaError: The settings of a part are wrong.
    """

    def __init__(self, settings: Settings) -> None:
        self._exit_seconds = settings.driver.exit_timeout_seconds
        self.users = 0
        try:
            self._parts = _assemble(settings) if settings.sink.enabled else None
        except OSError as error:  # no directory is writable, not even a temporary one
            fix = "set atlas.hook.spool.dir to a writable directory"
            raise ConfigurationError(f"no directory for the spool: {error.strerror or error}; {fix}") from None
        self._thread: threading.Thread | None = None
        self.by = StatingProcess() if self._parts is None else self._parts.by
        if self._parts is not None:
            self._thread = threading.Thread(target=self._parts.worker.run, name="sac-kafka-emit", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the interpreter is exiting: `emit` works in the thread of its caller
                self._thread = None

    @property
    def is_over(self) -> bool:
        """Whether it takes no more flows."""
        return self._parts is not None and self._parts.worker.ending.is_requested

    @property
    def is_done(self) -> bool:
        """Whether it has delivered or spooled everything after its end."""
        return self._parts is None or self._parts.worker.done.is_set()

    def emit(self, outcomes: tuple[Outcome, ...], wait_seconds: float) -> Flushed:
        """Put outcomes, and wait until they are delivered or spooled."""
        if self._parts is None:
            return Flushed(problem=f"not sent: {IS_OFF}")
        self._parts.source.put(outcomes)
        if self._thread is None:
            self.close(self._exit_seconds)
            self._parts.worker.run()
        return self.flush(wait_seconds)

    def flush(self, wait_seconds: float) -> Flushed:
        """Wait until everything is delivered or spooled; return the state of all messages of this session."""
        parts = self._parts
        if parts is None:
            return Flushed(problem=f"not sent: {IS_OFF}")
        messages = parts.worker.messages()
        if wait_seconds > 0 and not parts.worker.done.is_set():
            found = parts.worker.flush(wait_seconds)
            if found is None and not parts.worker.done.is_set():
                return flush_result(self._stats(parts), None)
            messages = found or parts.worker.messages()
        is_open = bool(parts.source.left) and (wait_seconds <= 0 or parts.worker.done.is_set())
        return flush_result(self._stats(parts), None if is_open else messages)

    def close(self, seconds: float | None = None) -> None:
        """Request the end within a time; `join` waits for it."""
        if self._parts is not None:
            self._parts.worker.finish(self._exit_seconds if seconds is None else seconds)

    def join(self) -> None:
        """Wait for the end; if the worker hangs, spool what is in flight."""
        if self._parts is None or self._thread is None:
            return
        if not self._parts.worker.done.wait(self._exit_seconds + 1):
            for each in self._parts.destinations:
                with self._parts.guard("abandon"):
                    each.spool.abandon("not delivered when the interpreter ended")

    @staticmethod
    def _stats(parts: _Parts) -> Stats:
        first = parts.destinations[0]
        problems = ((each, each.spool.problem()) for each in parts.destinations)
        return {
            **stats_of_none(None, parts.guard.counts),
            "messages": parts.worker.messages(),
            "spool": first.spool.figures,
            "listener": dict(parts.worker.not_handled),
            "problem": next((each.prefix_name(problem) for each, problem in problems if problem is not None), None),
        }


def _assemble(settings: Settings) -> _Parts:
    guard = Guard()
    with ExitStack() as undo:
        opened = open_without_driver(settings, _application(), undo)
        first = opened[0]
        pipeline = Pipeline(
            replace(pipeline_options(first.context, settings), joins_runs=False), first.places, guard=guard
        )
        destinations = tuple(each.destination(pipeline.stats.writes, guard, now_ms) for each in opened)
        source = StatedSource(pipeline, guard)
        worker = Worker(source, pipeline, destinations, guard, settings.driver.exit_timeout_seconds)
        undo.pop_all()
    by = _stating(settings, first.context)
    return _Parts(by=by, worker=worker, source=source, pipeline=pipeline, destinations=destinations, guard=guard)


def _application() -> Application:
    """Return the application of this process, whose id is the key of its messages and part of the names of spool files."""
    name = f"emit-{socket.gethostname()}-{os.getpid()}-{int(time.time() * 1000)}"
    return Application(job=name, application_id=name, name=name, user=login_name(), engine=Engine(name=""))


def _stating(settings: Settings, context: Context) -> StatingProcess:
    lineage = lineage_options(context, settings)
    return StatingProcess(
        application_id=context.application.application_id,
        user=context.application.user,
        facts=identity_of({}, os.environ).facts,
        patterns=lineage.patterns,
        budget=lineage.budget,
        query_text=settings.content.query_text,
    )


# ---- the sessions of this process

MAX_SESSIONS = 32
"""Limit of the open sessions of a process: each configuration and working directory has one.

The one unused for longest ends; those that calls use may be more.
"""
_lock = threading.Lock()
_sessions: dict[object, EmitSession] = {}
"""The open sessions, the one used last at the end."""
_ending: list[EmitSession] = []
"""Sessions beyond the limit, which still deliver."""


def session_of(conf: Conf = None, call: str = "emit", *, is_used: bool = False) -> EmitSession:
    """Return the session of a configuration; the first call with it reads it.

    Args:
        conf: The configuration.
        call: The name of the public function, for errors.
        is_used: Whether the caller counts as one of its users.

    Raises:
        ConfigurationError: There is no configuration, or it is wrong.
    """
    option, arguments = parts_of(conf, call)
    key = (option, tuple(sorted(arguments.items())), os.environ.get("ATLAS_CONF"), working_directory())
    with _lock:
        found = _sessions.pop(key, None)
        if found is None or found.is_over:
            found = EmitSession(read_settings(option, arguments, call))
            _end_with_child()
        _sessions[key] = found
        others = [other for other, each in _sessions.items() if not each.users and each is not found]
        for other in others[: max(0, len(_sessions) - MAX_SESSIONS)]:
            unused = _sessions.pop(other)
            unused.close()
            _ending[:] = [each for each in (*_ending, unused) if not each.is_done]
        found.users += is_used
        return found


@contextmanager
def use_session(conf: Conf, call: str, session: EmitSession | None = None) -> Iterator[EmitSession]:
    """Hold a session, or that of a configuration if it belongs to another process, as `session_of`.

    Raises:
        ConfigurationError: There is no configuration, or it is wrong.
    """
    with _lock:
        is_open = session is not None and not session.is_over and session in _sessions.values()
        if session is not None and is_open:
            session.users += 1
    if session is None or not is_open:
        session = session_of(conf, call, is_used=True)
    try:
        yield session
    finally:
        with _lock:
            session.users -= 1


def _end_with_child() -> None:
    """Let a child of multiprocessing end its sessions, too: it leaves by `os._exit`, without atexit."""
    process, util = (sys.modules.get(f"multiprocessing.{name}") for name in ("process", "util"))
    if process is not None and util is not None and process.parent_process() is not None:
        util.Finalize(None, close_all, exitpriority=0)


def sessions() -> tuple[EmitSession, ...]:
    """Return the sessions of this process that still deliver."""
    with _lock:
        return (*_ending, *_sessions.values())


def close_all() -> None:
    """Deliver or spool what all sessions of this process hold, and end them."""
    with _lock:
        closing = [*_ending, *_sessions.values()]
        _sessions.clear()
        _ending.clear()
    for each in closing:
        each.close()
    for each in closing:
        each.join()


def _forget_parent() -> None:
    """Drop the sessions that a forked child has inherited: their threads and connections belong to the parent."""
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held it
    _sessions.clear()
    _ending.clear()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
