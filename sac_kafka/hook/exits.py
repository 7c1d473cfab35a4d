"""The ways a driver leaves: the interpreter's exit, SIGTERM, a fork. What was there before is chained, never replaced."""

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
"""Called when the driver leaves, also within a signal handler: it may wait, with a deadline, but not talk to the JVM."""

Hurry = Callable[[], None]
"""Called before `Drain` where somebody who does not want to wait any longer asks for it, within a signal handler."""

_KERNEL = "ipykernel"
_watched_pid: int | None = None
_leaving_pid: int | None = None
_terminated_pid: int | None = None
_sigterm: _Sigterm | None = None


class _Sigterm:
    """Our handler of SIGTERM.

    A handler that was there before decides what the signal means: it may raise SystemExit, or let the job finish what it
    is at. It comes first, so the hook goes on meanwhile, and is drained when the interpreter exits. Only where the signal
    would end the process at once the hook is drained here. Whoever sends it to a process that is leaving already, or to a
    kernel of Jupyter, does not wait for long, and kills it then.
    """

    def __init__(self, drain: Drain, hurry: Hurry | None, pid: int, before: object) -> None:
        self.pid = pid
        # A fork that attaches finds the handler of its parent.
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


def watch(drain: Drain, hurry: Hurry | None = None) -> None:
    """See that `drain` is called when this process leaves. Idempotent; a forked child is not watched."""
    global _watched_pid
    pid = os.getpid()
    if _watched_pid != pid:
        _watched_pid = pid
        _register(drain, pid)
    if (_sigterm is None or _sigterm.pid != pid) and threading.current_thread() is threading.main_thread():
        _chain_sigterm(drain, hurry, pid)  # only the main thread may, perhaps at a later attach


def has_driver_failed() -> bool:
    """Return True if this process leaves because of an error that nobody caught, or of SIGTERM.

    An interactive interpreter goes on after such an error. The status of `sys.exit` is not known here.
    """
    if _terminated_pid == os.getpid():
        return True
    is_interactive = hasattr(sys, "ps1") or _KERNEL in sys.modules
    return _leaving_pid == os.getpid() and not is_interactive and getattr(sys, "last_value", None) is not None


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
        return  # a handler that Python does not know, or none wanted
    try:
        _sigterm = _Sigterm(drain, hurry, pid, before)
        signal.signal(signal.SIGTERM, _sigterm)
    except (ValueError, OSError) as e:
        logger.debug("SIGTERM is not watched: %s", e)
