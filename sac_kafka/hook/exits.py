"""Handle the end of a driver: interpreter exit, SIGTERM, forks. Existing handlers are chained, never replaced."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from sac_kafka.log import fall_silent, logger

Drain = Callable[[], None]
"""Called when the driver ends, possibly in a signal handler: it may wait with a deadline, but not call the JVM."""

Hurry = Callable[[], None]
"""Called before `Drain`, in a signal handler, if the process will probably be killed soon."""

_KERNEL = "ipykernel"
_watched_pid: int | None = None
_leaving_pid: int | None = None
_terminated_pid: int | None = None
_sigterm: _Sigterm | None = None
_runs_job = True
_status: object = None


class _Sigterm:
    """Handler of SIGTERM.

    An earlier handler comes first and decides what the signal means: it may raise SystemExit, or let the job finish; the hook
    is then drained when the interpreter exits. If the signal would end the process at once, the hook is drained here. If the
    process is exiting already or is a Jupyter kernel, a SIGKILL follows soon, so draining is limited.
    """

    def __init__(self, drain: Drain, hurry: Hurry | None, pid: int, before: object) -> None:
        self.pid = pid
        # A forked child that attaches inherits the handler of its parent.
        self.before: object = before.before if isinstance(before, _Sigterm) else before
        self._drain = drain
        self._hurry = hurry

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if callable(self.before):
            self.before(number, frame)
            return
        if os.getpid() == self.pid:
            global _terminated_pid
            _terminated_pid = self.pid
            if self._hurry is not None and (_leaving_pid == self.pid or _KERNEL in sys.modules):
                self._hurry()
            self._drain()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def watch(drain: Drain, hurry: Hurry | None = None, *, runs_job: bool = True) -> None:
    """Register `drain` for the end of this process. Idempotent; not inherited by forked children.

    Args:
        drain: Called when the driver ends.
        hurry: Called before `drain`, if the process will probably be killed soon.
        runs_job: False in the first call of a process that only serves the driver's JVM and its other Python processes.
    """
    global _watched_pid, _runs_job
    pid = os.getpid()
    if _watched_pid != pid:
        _watched_pid, _runs_job = pid, runs_job
        _register(drain, pid)
    if (_sigterm is None or _sigterm.pid != pid) and threading.current_thread() is threading.main_thread():
        _chain_sigterm(drain, hurry, pid)  # Only allowed in the main thread; a later attach may do it.


def runs_job() -> bool:
    """Return False in a process that only serves the driver's JVM and its other Python processes."""
    return _runs_job


def has_driver_failed(has_served_failed: bool = False) -> bool:
    """Return whether this process ends because of an uncaught exception or SIGTERM.

    An interactive interpreter continues after an uncaught exception. The status of `sys.exit` is known from `note_status` only.

    Args:
        has_served_failed: The same of the last process that this one has served: counts if this one runs no job itself.
    """
    if _terminated_pid == os.getpid() or _status not in (None, 0):
        return True
    if not _runs_job:
        return has_served_failed
    is_interactive = hasattr(sys, "ps1") or _KERNEL in sys.modules
    return _leaving_pid == os.getpid() and not is_interactive and getattr(sys, "last_value", None) is not None


def note_status(status: object) -> None:
    """Note the argument of the `sys.exit` that ends the job of this process."""
    global _status
    _status = status


def _register(drain: Drain, pid: int) -> None:
    def at_exit() -> None:
        global _leaving_pid
        if os.getpid() == pid:
            _leaving_pid = pid
            drain()
            fall_silent()

    atexit.register(at_exit)


def _chain_sigterm(drain: Drain, hurry: Hurry | None, pid: int) -> None:
    global _sigterm
    before = signal.getsignal(signal.SIGTERM)
    if before is None or before == signal.SIG_IGN:
        return  # None is a handler installed outside Python; SIG_IGN is respected.
    try:
        _sigterm = _Sigterm(drain, hurry, pid, before)
        signal.signal(signal.SIGTERM, _sigterm)
    except (ValueError, OSError) as e:
        logger.debug("no SIGTERM handler installed: %s", e)
