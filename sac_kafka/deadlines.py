"""Waits with a deadline.

Calls that may hang are made by a thread of their own, so that whoever asks waits no longer than it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sac_kafka.errors import LateError

T = TypeVar("T")

_DEFAULT_SECONDS = 10.0
_LONGEST_SECONDS = (
    threading.TIMEOUT_MAX / 2
)  # a deadline is rounded: what is left may be longer than the time that was given


def waitable(seconds: object) -> float:
    """A user's time-out as a wait takes it: None is for ever, and what is no time is ten seconds.

    >>> waitable(2), waitable(-1), waitable("soon"), waitable(None) == waitable(float("inf"))
    (2.0, 0.0, 10.0, True)
    """
    try:
        wanted = math.inf if seconds is None else float(seconds)  # type: ignore[arg-type] # what is none raises
    except (TypeError, ValueError, OverflowError):
        return _DEFAULT_SECONDS
    return _DEFAULT_SECONDS if math.isnan(wanted) else min(max(0.0, wanted), _LONGEST_SECONDS)


class Clock:
    """Count seconds that never go back, and wait for them; a test passes one whose time it moves."""

    def __call__(self) -> float:
        """Return the seconds since some moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait so long."""
        time.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait for an event at most so long; return whether it is set."""
        return event.wait(seconds)


MONOTONIC = Clock()


class Call(Generic[T]):
    """A call that a thread of its own has begun to make; it goes on behind our back where nobody waits any more."""

    def __init__(self, call: Callable[[], T], clock: Clock = MONOTONIC) -> None:
        self._call = call
        self._clock = clock
        self._result: list[T] = []
        self._failed: list[Exception] = []
        self._done = threading.Event()
        self._has_begun = True
        try:
            threading.Thread(target=self._run, name="sac-kafka-call", daemon=True).start()
        except RuntimeError:
            self._has_begun = False

    def _run(self) -> None:
        try:
            self._result.append(self._call())
        except Exception as e:  # noqa: BLE001 raised again in the thread that waits
            self._failed.append(e)
        except SystemExit:  # who waits is told that there is no result
            pass
        finally:
            self._done.set()

    def result(self, seconds: float) -> T:
        """Give what it gives, or raise what it raises, if it is over in time.

        Raises:
            LateError: The time was up, or the interpreter exits and starts no threads any more.
        """
        if not self._has_begun:
            raise LateError("the interpreter exits")
        if not self._clock.wait(self._done, seconds):
            raise LateError(f"no answer within {seconds:g} seconds")
        if self._failed:
            raise self._failed[0]
        if not self._result:
            raise LateError("the call has ended its thread")
        return self._result[0]


def within(seconds: float, call: Callable[[], T], clock: Clock = MONOTONIC) -> T:
    """Give what `call` gives, or raise what it raises, if it is over in time.

    Raises:
        LateError: As `Call.result`.
    """
    return Call(call, clock).result(seconds)


class Deadline:
    """The moment by which several steps are to be over, one after the other.

    Args:
        seconds: From now.
        clock: Counts seconds and never goes back.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self, most: float = math.inf, least: float = 0.1) -> float:
        """Give the seconds that a step may take: what is left, but no more than `most` and no less than `least`."""
        return max(least, min(most, self._end - self._clock()))
