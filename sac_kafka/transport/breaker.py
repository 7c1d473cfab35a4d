"""Provide a circuit breaker: after a failure `send` fails for a while, longer each time, so that no account is locked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sac_kafka.transport.base import Failure

PAUSES: Mapping[str, tuple[float, float]] = MappingProxyType({"needs_action": (30.0, 600.0), "throttled": (2.0, 60.0)})
"""First and longest pause in seconds, by cause; each pause is twice the previous one."""


class Breaker:
    """Circuit breaker, open while `failure` is not None. `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pauses = 0
        self._until = 0.0
        self._failure: Failure | None = None

    @property
    def failure(self) -> Failure | None:
        """Failure to report without an attempt; None if an attempt is allowed."""
        return self._failure if self.retry_after() else None

    def retry_after(self) -> float:
        """Return the seconds until an attempt is allowed; 0.0 for now."""
        return max(0.0, self._until - self._clock()) if self._failure else 0.0

    def trip(self, failure: Failure, kind: str) -> None:
        """Open the breaker for the next pause of this kind."""
        first, longest = PAUSES[kind]
        self._until = self._clock() + min(longest, first * 2**self._pauses)
        self._pauses = min(self._pauses + 1, 16)
        self._failure = failure

    def reset(self) -> None:
        """Close the breaker; the next pause is a first one again."""
        self._pauses, self._failure = 0, None
