"""Wait with a deadline: a call that may hang runs in its own thread, so that the caller can stop waiting."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sac_kafka.errors import LateError

T = TypeVar("T")

_DEFAULT_SECONDS = 10.0
_MAX_SECONDS = threading.TIMEOUT_MAX / 2  # Rounding can make the remaining time longer than the given one.


def waitable(seconds: object) -> float:
    """Convert a user's timeout to seconds for a wait: None is the longest wait, an invalid value ten seconds.

    >>> waitable(2), waitable(-1), waitable("soon"), waitable(None) == waitable(float("inf"))
    (2.0, 0.0, 10.0, True)
    """
    try:
        wanted = math.inf if seconds is None else float(seconds)  # type: ignore[arg-type] # a non-number raises
    except (TypeError, ValueError, OverflowError):
        return _DEFAULT_SECONDS
    return _DEFAULT_SECONDS if math.isnan(wanted) else min(max(0.0, wanted), _MAX_SECONDS)


class Clock:
    """Count seconds that never go back, and wait for them; a test passes one whose time it moves."""

    def __call__(self) -> float:
        """Return seconds since an arbitrary moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep for a time in seconds."""
        time.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait for an event for at most `seconds`; return whether it is set."""
        return event.wait(seconds)


MONOTONIC = Clock()


class Call(Generic[T]):
    """A call that runs in its own daemon thread, and keeps running if the caller stops waiting.

    Attributes:
        has_begun: False if the interpreter exits, and starts no threads any more.
    """

    def __init__(self, call: Callable[[], T], clock: Clock = MONOTONIC) -> None:
        self._call = call
        self._clock = clock
        self._result: list[T] = []
        self._failed: list[Exception] = []
        self._done = threading.Event()
        self.has_begun = True
        try:
            threading.Thread(target=self._run, name="sac-kafka-call", daemon=True).start()
        except RuntimeError:
            self.has_begun = False

    def _run(self) -> None:
        try:
            self._result.append(self._call())
        except Exception as e:  # noqa: BLE001 raised again in the thread that waits
            self._failed.append(e)
        except SystemExit:  # `result` reports that there is no result
            pass
        finally:
            self._done.set()

    @property
    def is_over(self) -> bool:
        """Whether the call has ended, or could not begin."""
        return self._done.is_set() or not self.has_begun

    def result(self, seconds: float) -> T:
        """Return the result of the call, or raise its exception.

        Raises:
            LateError: The call took longer than `seconds`, or the interpreter exits and starts no threads any more.
        """
        if not self.has_begun:
            raise LateError("the interpreter exits")
        if not self._clock.wait(self._done, seconds):
            raise LateError(f"no answer within {seconds:g} seconds")
        if self._failed:
            raise self._failed[0]
        if not self._result:
            raise LateError("the call has ended its thread")
        return self._result[0]


def within(seconds: float, call: Callable[[], T], clock: Clock = MONOTONIC) -> T:
    """Run a call in its own thread and return its result, or raise its exception.

    Raises:
        LateError: As `Call.result`.
    """
    return Call(call, clock).result(seconds)


class SharedCalls(Generic[T]):
    """Calls by key, each made once at a time: a caller that needs one that runs waits for it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Call[T]] = {}

    def result(self, key: str, call: Callable[[], T], seconds: float) -> T:
        """Return the result of the call, or raise its exception, as `Call.result`; one that is late keeps running."""
        with self._lock:
            running = self._running[key] = self._running.get(key) or Call(call)
        try:
            return running.result(seconds)
        finally:
            with self._lock:
                if running.is_over and self._running.get(key) is running:
                    del self._running[key]

    def forget(self) -> None:
        """Wait for none of the running calls any more."""
        with self._lock:
            self._running.clear()


class Deadline:
    """Common deadline of several consecutive steps.

    Args:
        seconds: The time from now, in seconds.
        clock: Returns monotonic seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self, max_seconds: float = math.inf, min_seconds: float = 0.1) -> float:
        """Return the seconds that a step may take: the remaining time, at most `max_seconds` and at least `min_seconds`."""
        return max(min_seconds, min(max_seconds, self._end - self._clock()))

    def divide(self, parts: int) -> Deadline:
        """Return the deadline of the first of several parts of the remaining time, all alike."""
        return Deadline(self.left() / parts, self._clock)
