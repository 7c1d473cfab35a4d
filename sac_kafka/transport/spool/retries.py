"""When the next attempt is due after a failure: soon where trouble passes, seldom where a person has to do something."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.transport.base import FailureKind

FIRST_SECONDS = 1.0
BLOCKED_FIRST_SECONDS = 30.0
BLOCKED_MAX_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Range:
    """The first wait and the longest, in seconds; each is twice the one before."""

    first: float
    most: float


class Retries:
    """Counts attempts that failed in a row.

    Args:
        most_seconds: The longest wait while trouble passes (`atlas.hook.spool.destination.retry.ms`).
        clock: Seconds that only grow.
    """

    def __init__(self, most_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._ranges = {
            FailureKind.TRANSIENT: Range(min(FIRST_SECONDS, most_seconds), most_seconds),
            FailureKind.NEEDS_ACTION: Range(BLOCKED_FIRST_SECONDS, BLOCKED_MAX_SECONDS),
        }
        self._clock = clock
        self._waited = 0.0
        self._due_at = 0.0
        self.failure_kind: FailureKind | None = None

    def failed(self, failure_kind: FailureKind, least_seconds: float = 0.0) -> None:
        """An attempt failed: the next one is due later, and not before `least_seconds`."""
        allowed = self._ranges[failure_kind]
        self._waited = allowed.first if failure_kind is not self.failure_kind else min(self._waited * 2, allowed.most)
        self.failure_kind = failure_kind
        self._due_at = self._clock() + max(self._waited, least_seconds)

    def succeeded(self) -> None:
        """Something got through: there is no trouble any more."""
        self.failure_kind = None
        self._waited = self._due_at = 0.0

    def hurry(self) -> None:
        """The next attempt is due now: there may be no later one."""
        self._due_at = 0.0

    @property
    def is_due(self) -> bool:
        """True if an attempt may be made now."""
        return self._clock() >= self._due_at
