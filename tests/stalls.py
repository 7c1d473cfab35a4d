"""How long a thread holds the GIL in one go: calls of C that do not give it back, in the thread's own CPU time.

Python code gives the GIL to others every 5 ms, a call of C (`json.loads`, `re`, `sort`) only when it is over. Between two
events of a profile function there is at most one such call, or a few lines. CPU time of the thread is little changed by what
else runs on the machine; calls that give the GIL back (compression, files) count, too, so it is too much rather than too little.
Python's garbage collector is told apart: when it runs, and for how long, depends on all that the process holds.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tests.waiting import slowness

LONGEST_SECONDS = 0.05
"""No user thread may stand still for longer because of us."""


class Stalls:
    """The longer calls of threads whose names begin with `prefix`: seconds and where; `collections` are the collector's."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._here = threading.local()
        self.longer: list[tuple[float, str]] = []
        self.collections: list[float] = []

    def __call__(self, frame: FrameType, event: str, what: object) -> None:
        """Take an event, as a profile function."""
        if getattr(self._here, "collects_since", None) is not None or frame.f_code is Stalls.collecting.__code__:
            return
        now = time.thread_time()
        since = getattr(self._here, "since", None)
        if since is None and not threading.current_thread().name.startswith(self._prefix):
            sys.setprofile(None)
            return
        if since is not None and now - since > LONGEST_SECONDS / 10:
            code = frame.f_code
            self.longer.append(
                (now - since, f"{code.co_filename}:{frame.f_lineno} {code.co_name} {event} {what!r:.60}")
            )
        self._here.since = time.thread_time()

    def collecting(self, phase: str, _: dict[str, Any]) -> None:
        """Take an event of the collector."""
        if phase == "start":
            self._here.collects_since = time.thread_time()
        elif getattr(self._here, "since", None) is None:  # another thread
            self._here.collects_since = None
        else:
            taken = time.thread_time() - self._here.collects_since
            self.collections.append(taken)
            self._here.since += taken
            self._here.collects_since = None

    def worst(self) -> list[tuple[float, str]]:
        """The five longest."""
        return sorted(self.longer, reverse=True)[:5]

    def assert_short(self) -> None:
        """No call was longer than it may be; on a machine that is slower just now it may take so much more."""
        longest = max((seconds for seconds, _ in self.longer), default=0.0)
        assert longest <= LONGEST_SECONDS or longest <= LONGEST_SECONDS * slowness(), self.worst()


@contextmanager
def measured(prefix: str | None = None) -> Iterator[Stalls]:
    """Measure this thread's calls within the block, or those of threads that begin in it and are named so."""
    stalls = Stalls(threading.current_thread().name if prefix is None else prefix)
    gc.callbacks.append(stalls.collecting)
    before = sys.getprofile()
    sys.setprofile(stalls) if prefix is None else threading.setprofile(stalls)
    try:
        yield stalls
    finally:
        gc.callbacks.remove(stalls.collecting)
        sys.setprofile(before) if prefix is None else threading.setprofile(None)  # type: ignore[arg-type] # as documented
