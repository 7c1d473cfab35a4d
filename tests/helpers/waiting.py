"""Waiting: on a machine that has other things to do, a test that is slow is not wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LONG_SECONDS = 60.0
"""What hangs in a test hangs for longer, and what comes comes sooner, on every machine."""
_LONGEST_PAUSE_SECONDS = 0.2


class FakeClock:
    """A clock that stands still until a test advances it, or code sleeps by it."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait in vain for an event that is not set by now."""
        if not event.is_set():
            self.sleep(seconds)
        return event.is_set()


def until(
    is_so: Callable[[], object],
    why_not: Callable[[], object] = lambda: "it does not come",
    seconds: float = LONG_SECONDS,
    progress: Callable[[], object] = lambda: None,
) -> None:
    """Wait until a condition holds; the limit is against hanging, `why_not` returns what to report at its end.

    The limit starts again whenever what `progress` returns has changed. Long waits are polled less and less often.
    """
    before, deadline = progress(), time.monotonic() + seconds
    pause = 0.01
    while not is_so():
        if (now := progress()) != before:
            before, deadline = now, time.monotonic() + seconds
        assert time.monotonic() < deadline, why_not()
        time.sleep(pause)
        pause = min(pause * 1.05, _LONGEST_PAUSE_SECONDS)
