"""Provide the base of transports over HTTP: an ordered queue of records, deadlines, and pauses after failures.

Nothing here sleeps: while a server asks for a pause, records fail at once and the caller (the spool) keeps them.
"""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Mapping

from sac_kafka.log import logger
from sac_kafka.stages.output import Position
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.breaker import Breaker
from sac_kafka.transport.http.failures import Refusal

MIN_SECONDS = 0.01
"""A request is not started with less time than this."""
_SEPARATOR_BYTES = 1  # Each message of a body has a bracket or comma.


class Posting(ABC):
    """Send records in order, one request at a time, in the calling thread. Subclasses define the requests.

    Args:
        name: Name for logs.
        body_bytes: Size of queued records at which a request is made.
        timeout_seconds: Timeout of a request.
        clock: Returns monotonic seconds.
    """

    flush_slice_seconds = math.inf  # An interrupted request would be sent again.

    def __init__(
        self, name: str, *, body_bytes: int, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._body_bytes = body_bytes
        self._timeout = timeout_seconds
        self._clock = clock
        self._waiting: deque[tuple[Record, DeliveryCallback]] = deque()
        self._waiting_bytes = 0
        self._one_by_one = 0  # Number of records at the head to send singly, as they were refused together.
        self._breaker = Breaker(clock)
        self._problem: str | None = None
        self._failure_counts: Counter[str] = Counter()
        self._is_closed = False
        self._pid = os.getpid()

    @property
    def failure_counts(self) -> Mapping[str, int]:
        """Number of failures by kind."""
        return dict(self._failure_counts)

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Queue the record; a full body is sent at once. Fail it at once while nothing can get through."""
        failure = self._refusal()
        if failure is not None:
            outcome(failure)
            return
        self._waiting.append((record, outcome))
        self._waiting_bytes += body_size(record)
        if self._waiting_bytes >= self._body_bytes:
            self._post(self._timeout)

    def service(self, timeout_seconds: float) -> None:  # noqa: ARG002 (of the protocol: no request outlives its call)
        """Make one request for the queued records."""
        if self._waiting and not self._is_forked():
            self._post(self._timeout)

    def flush(self, timeout_seconds: float) -> int:
        """Make requests until the queue is empty or the time is up."""
        deadline = self._clock() + timeout_seconds
        while self._waiting and not self._is_forked():
            left = deadline - self._clock()
            if left < MIN_SECONDS:
                break
            self._post(min(left, self._timeout))
        return 0 if self._is_forked() else len(self._waiting)

    def close(self, timeout_seconds: float) -> None:
        """Flush, and fail the remaining records."""
        if self._is_forked() or self._is_closed:
            return
        self.flush(timeout_seconds)
        self._is_closed = True
        self._fail(
            Failure(
                FailureKind.TRANSIENT, f"not posted when the transport was closed; {self._problem or 'no time left'}"
            )
        )

    def problem(self) -> str | None:
        """Return why the last request failed, None if it succeeded."""
        return self._problem

    def position(self) -> Position | None:
        """Return None: the server does not report where it stored a message."""
        return None

    def retry_after(self) -> float:
        """Return the seconds for which `send` fails at once; 0.0 if it would try."""
        return self._breaker.retry_after()

    # ---- for subclasses

    @abstractmethod
    def _post(self, timeout_seconds: float) -> None:
        """Make a request for the records at the head, and report the outcomes that are known then."""

    def _note_success(self) -> None:
        """Clear the failure and all pauses after a successful request."""
        self._problem = None
        self._breaker.reset()

    def _settle(self, count: int, failure: Failure | None) -> None:
        """Report the outcome of the first `count` records."""
        for _ in range(count):
            record, outcome = self._waiting.popleft()
            self._waiting_bytes -= body_size(record)
            self._one_by_one = max(0, self._one_by_one - 1)
            outcome(failure)

    def _fail_all(self, refusal: Refusal) -> None:
        """Fail all queued records, and delay the next attempt if the refusal demands it."""
        self._note(refusal)
        if refusal.failure.kind is FailureKind.NEEDS_ACTION:
            self._breaker.trip(refusal.failure, "needs_action")
        elif refusal.pause_seconds:
            self._breaker.pause(refusal.failure, refusal.pause_seconds)
        elif refusal.is_slow:
            self._breaker.trip(refusal.failure, "throttled")
        self._fail(refusal.failure)

    def _fail(self, failure: Failure) -> None:
        self._settle(len(self._waiting), failure)

    def _note(self, refusal: Refusal) -> None:
        """Count a refusal; log the first of its kind."""
        self._problem = refusal.failure.reason
        if not self._failure_counts[refusal.kind]:
            logger.warning("%s", refusal.failure.reason)
        self._failure_counts[refusal.kind] += 1

    def _is_forked(self) -> bool:
        return os.getpid() != self._pid

    def _refusal(self) -> Failure | None:
        if self._is_forked():
            return Failure(FailureKind.TRANSIENT, "forked child: the transport is the parent process's")
        if self._is_closed:
            return Failure(FailureKind.TRANSIENT, "the transport is closed")
        return self._breaker.failure


def body_size(record: Record) -> int:
    """Return the bytes that a record takes in a body."""
    return record.size + _SEPARATOR_BYTES * len(record.values)
