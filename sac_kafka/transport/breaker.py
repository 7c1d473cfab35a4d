"""Provide a circuit breaker: after a failure `send` fails for a while, longer each time, so that no account is locked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sac_kafka.transport.base import Failure

PAUSES: Mapping[str, tuple[float, float]] = MappingProxyType({"needs_action": (30.0, 600.0), "throttled": (2.0, 60.0)})
"""First and longest pause in seconds, by cause; each pause is twice the previous one."""


class Breaker:
    """Circuit breaker, open while `failure` is not None. `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._trips = 0
        self._tripped: _Pause | None = None
        self._ordered: _Pause | None = None

    @property
    def failure(self) -> Failure | None:
        """Failure to report without an attempt, that of an ordered pause first; None if an attempt is allowed."""
        return next((each.failure for each in (self._ordered, self._tripped) if each and self._left(each)), None)

    def retry_after(self) -> float:
        """Return the seconds until an attempt is allowed; 0.0 for now."""
        return max(self._left(self._ordered), self._left(self._tripped))

    def trip(self, failure: Failure, kind: str) -> None:
        """Open the breaker for the next pause of this kind."""
        first, longest = PAUSES[kind]
        self._tripped = _Pause(failure, self._clock() + min(longest, first * 2**self._trips))
        self._trips = min(self._trips + 1, 16)

    def pause(self, failure: Failure, seconds: float) -> None:
        """Open the breaker for the time that a server asks for; the next pause of `trip` stays as it was."""
        self._ordered = _Pause(failure, self._clock() + seconds)

    def reset(self) -> None:
        """Close the breaker; the next pause is a first one again."""
        self._trips, self._tripped, self._ordered = 0, None, None

    def _left(self, pause: _Pause | None) -> float:
        return max(0.0, pause.until - self._clock()) if pause is not None else 0.0


class _Pause(NamedTuple):
    failure: Failure
    until: float
