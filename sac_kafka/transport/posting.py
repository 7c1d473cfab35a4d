"""What transports over HTTP share: records wait in order, what a failure says of those behind it, and deadlines.

Nothing here sleeps: where a server asks for a pause, records fail at once until it is over, and are kept by whoever sends.
"""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Failure, Position, Record, Trouble
from sac_kafka.transport.breaker import Breaker

LEAST_SECONDS = 0.01
"""A request that has less is not begun."""
_AROUND = 1  # a bracket or comma for each message of a body


@dataclass(frozen=True, slots=True)
class Refusal:
    """A failure; `kind` counts it, `other` says that another address may do.

    `pause_seconds` is what the server asked for; `is_slow` says that the next request should wait a little anyway: this
    one has taken its whole time, or was one too many.
    """

    failure: Failure
    kind: str
    other: bool = False
    pause_seconds: float = 0.0
    is_slow: bool = False


class Posting(ABC):
    """Posts records in order, a request at a time, in the thread that calls. Subclasses say what a request is.

    Args:
        name: What logs call it.
        body_bytes: So much waits at most before a request is made.
        timeout_seconds: The longest a request may take.
        clock: Counts seconds and never goes back.
    """

    flush_slice_seconds = math.inf  # a request that is cut off is posted twice

    def __init__(
        self, name: str, *, body_bytes: int, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._body_bytes = body_bytes
        self._timeout = timeout_seconds
        self._clock = clock
        self._waiting: deque[tuple[Record, DeliveryCallback]] = deque()
        self._waiting_bytes = 0
        self._one_by_one = 0  # so many at the head were refused together: one of them may be to blame
        self._breaker = Breaker(clock)
        self._asked_to_wait: tuple[float, Failure] | None = None
        self._problem: str | None = None
        self._troubles: Counter[str] = Counter()
        self._is_closed = False
        self._pid = os.getpid()

    @property
    def troubles(self) -> Mapping[str, int]:
        """How often each kind of trouble came."""
        return dict(self._troubles)

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Queue the record; a full body is posted at once. Fails at once while nothing can get through."""
        failure = self._refusal()
        if failure is not None:
            outcome(failure)
            return
        self._waiting.append((record, outcome))
        self._waiting_bytes += bytes_of(record)
        if self._waiting_bytes >= self._body_bytes:
            self._post(self._timeout)

    def service(self, timeout_seconds: float) -> None:  # noqa: ARG002 (the protocol's: nothing is under way in between)
        """Post what waits, one request."""
        if self._waiting and not self._is_forked():
            self._post(self._timeout)

    def flush(self, timeout_seconds: float) -> int:
        """Post until nothing waits or the time is up."""
        deadline = self._clock() + timeout_seconds
        while self._waiting and not self._is_forked():
            left = deadline - self._clock()
            if left < LEAST_SECONDS:
                break
            self._post(min(left, self._timeout))
        return 0 if self._is_forked() else len(self._waiting)

    def close(self, timeout_seconds: float) -> None:
        """Flush, and report what is left as failed."""
        if self._is_forked() or self._is_closed:
            return
        self.flush(timeout_seconds)
        self._is_closed = True
        self._fail(
            Failure(Trouble.PASSING, f"not posted when the transport was closed; {self._problem or 'no time left'}")
        )

    def problem(self) -> str | None:
        """Give why the last request failed, None after one that did not."""
        return self._problem

    def position(self) -> Position | None:
        """Give None: the server does not tell where it put a message."""
        return None

    def retry_after(self) -> float:
        """Give the seconds for which `send` fails at once; 0.0 where it tries."""
        asked = self._asked_to_wait[0] - self._clock() if self._asked_to_wait else 0.0
        return max(0.0, asked, self._breaker.retry_after())

    # ---- for subclasses

    @abstractmethod
    def _post(self, timeout_seconds: float) -> None:
        """Make a request for the records at the head, and report what is known of them then."""

    def _gets_through(self) -> None:
        """A request was answered well."""
        self._problem = None
        self._breaker.reset()
        self._asked_to_wait = None

    def _settle(self, count: int, failure: Failure | None) -> None:
        """Report the first records."""
        for _ in range(count):
            record, outcome = self._waiting.popleft()
            self._waiting_bytes -= bytes_of(record)
            self._one_by_one = max(0, self._one_by_one - 1)
            outcome(failure)

    def _failed(self, refusal: Refusal) -> None:
        """Nothing gets through: all that waits fails, and the next attempt waits as long as it should."""
        self._note(refusal)
        if refusal.failure.trouble is Trouble.BLOCKED:
            self._breaker.trip(refusal.failure, "blocked")
        elif refusal.pause_seconds:
            self._asked_to_wait = (self._clock() + refusal.pause_seconds, refusal.failure)
        elif refusal.is_slow:
            self._breaker.trip(refusal.failure, "throttled")
        self._fail(refusal.failure)

    def _fail(self, failure: Failure) -> None:
        self._settle(len(self._waiting), failure)

    def _note(self, refusal: Refusal) -> None:
        """Count a refusal; the first of its kind is logged."""
        self._problem = refusal.failure.reason
        if not self._troubles[refusal.kind]:
            logger.warning("%s", refusal.failure.reason)
        self._troubles[refusal.kind] += 1

    def _is_forked(self) -> bool:
        return os.getpid() != self._pid

    def _refusal(self) -> Failure | None:
        if self._is_forked():
            return Failure(Trouble.PASSING, "forked child: the transport is the parent process's")
        if self._is_closed:
            return Failure(Trouble.PASSING, "the transport is closed")
        if self._asked_to_wait is not None and self._clock() < self._asked_to_wait[0]:
            return self._asked_to_wait[1]
        return self._breaker.failure


def bytes_of(record: Record) -> int:
    """What a record takes in a body."""
    return record.size + _AROUND * len(record.values)
