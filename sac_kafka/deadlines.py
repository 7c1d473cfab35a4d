"""Waits with a deadline.

Calls that may hang are made by a thread of their own, so that whoever asks waits no longer than it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TypeVar

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


def within(seconds: float, call: Callable[[], T]) -> T:
    """Give what `call` gives, or raise what it raises, if it is over in time; else it goes on behind our back.

    Raises:
        LateError: The time was up, or the interpreter exits and starts no threads any more.
    """
    result: list[T] = []
    failed: list[Exception] = []
    done = threading.Event()

    def run() -> None:
        try:
            result.append(call())
        except Exception as e:  # noqa: BLE001 raised again below, in the thread that waits
            failed.append(e)
        finally:
            done.set()

    try:
        threading.Thread(target=run, name="sac-kafka-call", daemon=True).start()
    except RuntimeError as e:
        raise LateError("the interpreter exits") from e
    if not done.wait(seconds):
        raise LateError(f"no answer within {seconds:g} seconds")
    if failed:
        raise failed[0]
    return result[0]
