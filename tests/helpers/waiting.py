"""Waiting, and what something takes: on a machine that has other things to do, a test that is slow is not wrong."""

from __future__ import annotations

import contextlib
import gc
import re
import threading
import time
from collections.abc import Callable, Iterator

LONG_SECONDS = 60.0
"""What hangs in a test hangs for longer, and what comes comes sooner, on every machine."""
_LONGEST_PAUSE_SECONDS = 0.2
_ATTEMPTS = 20


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


def seconds_of(what: Callable[[], object]) -> float:
    """Return how long it takes, once."""
    start = time.monotonic()
    what()
    return time.monotonic() - start


def least_seconds(attempt: Callable[[], float], below: float) -> float:
    """Return how long it takes on an undisturbed machine: the least of several attempts, up to one that is below.

    An attempt gives its seconds. What is always too slow is so in each of them.
    """
    least = attempt()
    for _ in range(_ATTEMPTS):
        if least < below:
            break
        least = min(least, attempt())
    return least


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Python's garbage collector does not run meanwhile: how long it takes depends on all that the tests before have left."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextlib.contextmanager
def cpu_below(seconds: float) -> Iterator[None]:
    """Check that the block takes this thread less CPU, whatever else runs on the machine and in this process.

    On a machine that is slower just now it may take so much more.
    """
    with no_garbage_collection():
        start = time.thread_time()
        yield
        taken = time.thread_time() - start
    assert taken < seconds or taken < seconds * slowness(), taken


_YARDSTICK = "password = 'a', " * 12_000
_YARDSTICK_SECONDS = 0.008
"""What the yardstick takes on the machine that all bounds of CPU are made for."""
_ASSIGNED = re.compile(r"(\w+)\s*=\s*('[^']*')")


def slowness() -> float:
    """Return how much slower this machine is now than the one that bounds are made for; at least 1."""
    return max(1.0, min(_yardstick() for _ in range(8)) / _YARDSTICK_SECONDS)


def _yardstick() -> float:
    start = time.thread_time()
    found = [match.group(1).upper() for match in _ASSIGNED.finditer(_YARDSTICK)]
    sorted(f"{word}{number}" for number, word in enumerate(found))
    _ASSIGNED.sub("?", _YARDSTICK).split(",")
    return time.thread_time() - start
