"""Decide when the next attempt after a failure is due: soon if it is transient, rarely if a person must act."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.transport.base import FailureKind

FIRST_SECONDS = 1.0
NEEDS_ACTION_FIRST_SECONDS = 30.0
NEEDS_ACTION_MAX_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Delays:
    """First and longest delay in seconds; each is twice the previous one."""

    first: float
    longest: float


class Retries:
    """Delays of consecutive failed attempts.

    Args:
        max_seconds: Longest delay after a transient failure (`atlas.hook.spool.destination.retry.ms`).
        clock: Returns monotonic seconds.
    """

    def __init__(self, max_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._delays = {
            FailureKind.TRANSIENT: Delays(min(FIRST_SECONDS, max_seconds), max_seconds),
            FailureKind.NEEDS_ACTION: Delays(NEEDS_ACTION_FIRST_SECONDS, NEEDS_ACTION_MAX_SECONDS),
        }
        self._clock = clock
        self._delay = 0.0
        self._due_at = 0.0
        self.failure_kind: FailureKind | None = None

    def note_failure(self, failure_kind: FailureKind, min_seconds: float = 0.0) -> None:
        """Note a failed attempt: the next one is due after the next delay, and not before `min_seconds`."""
        delays = self._delays[failure_kind]
        self._delay = delays.first if failure_kind is not self.failure_kind else min(self._delay * 2, delays.longest)
        self.failure_kind = failure_kind
        self._due_at = self._clock() + max(self._delay, min_seconds)

    def note_success(self) -> None:
        """Note a delivery: delivery no longer fails."""
        self.failure_kind = None
        self._delay = self._due_at = 0.0

    def retry_now(self) -> None:
        """Make the next attempt due now, for the last attempt of a process."""
        self._due_at = 0.0

    @property
    def is_due(self) -> bool:
        """True if an attempt may be made now."""
        return self._clock() >= self._due_at
