"""The ways a driver leaves: the interpreter's exit, SIGTERM, a fork. What was there before is chained, never replaced."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

logger = logging.getLogger("sac_kafka")

Drain = Callable[[], None]
"""Called when the driver leaves, also within a signal handler: it may wait, with a deadline, but not talk to the JVM."""

_watched_pid: int | None = None
_chained_pid: int | None = None  # of SIGTERM: only the main thread may, perhaps at a later attach


def watch(drain: Drain) -> None:
    """See that `drain` is called when this process leaves. Idempotent; a forked child is not watched."""
    global _watched_pid, _chained_pid
    pid = os.getpid()
    if _watched_pid != pid:
        _watched_pid = pid
        _register(drain, pid)
    if _chained_pid != pid and threading.current_thread() is threading.main_thread():
        _chained_pid = pid
        _chain_sigterm(drain, pid)


def _register(drain: Drain, pid: int) -> None:
    def at_exit() -> None:
        if os.getpid() == pid:
            drain()

    atexit.register(at_exit)


def _chain_sigterm(drain: Drain, pid: int) -> None:
    before = signal.getsignal(signal.SIGTERM)
    if before is None or before == signal.SIG_IGN:
        return  # a handler that Python does not know, or none wanted

    def on_sigterm(number: int, frame: FrameType | None) -> None:
        if os.getpid() == pid:
            drain()
        if callable(before):
            before(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    try:
        signal.signal(signal.SIGTERM, on_sigterm)
    except (ValueError, OSError) as e:
        logger.debug("sac_kafka: SIGTERM is not watched: %s", e)
