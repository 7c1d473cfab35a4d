"""A circuit breaker: after a failure nothing is tried for a while, longer each time, so that no account is locked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sac_kafka.transport.base import Failure

PAUSES: Mapping[str, tuple[float, float]] = MappingProxyType({"blocked": (30.0, 600.0), "throttled": (2.0, 60.0)})
"""Seconds of the first pause and of the longest, by what it is for; each pause is twice the one before."""


class Breaker:
    """Open while `failure` gives one. `clock` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pauses = 0
        self._until = 0.0
        self._failure: Failure | None = None

    @property
    def failure(self) -> Failure | None:
        """What a record fails with at once; None where it may be tried."""
        return self._failure if self.retry_after() else None

    def retry_after(self) -> float:
        """Give the seconds until a record may be tried; 0.0 for now."""
        return max(0.0, self._until - self._clock()) if self._failure else 0.0

    def trip(self, failure: Failure, kind: str) -> None:
        """Let nothing through for the pause of this kind."""
        first, longest = PAUSES[kind]
        self._until = self._clock() + min(longest, first * 2**self._pauses)
        self._pauses = min(self._pauses + 1, 16)
        self._failure = failure

    def reset(self) -> None:
        """Let everything through; the next pause is a first one again."""
        self._pauses, self._failure = 0, None
