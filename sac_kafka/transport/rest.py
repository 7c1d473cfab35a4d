"""A transport to Atlas' notification endpoint over HTTP (`atlas.client.type=rest`), which Atlas has since 2.4.

The server puts what is posted onto its own topic, so the messages are those that Kafka gets. One request at a time, in
the thread that calls, none longer than its timeout.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote

from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Failure, Position, Record, Trouble
from sac_kafka.transport.breaker import Breaker
from sac_kafka.transport.http import HttpServer, UnansweredError
from sac_kafka.transport.rest_errors import Refusal, of_answer, of_none

_PATH = "/api/atlas/v2/notification/topic/"
_AROUND = 1  # a bracket or comma for each message of a body
_LEAST_SECONDS = 0.01  # a request that has less is not begun


class RestTransport:
    """Posts records in order, several in a request while they wait.

    Args:
        servers: Of one Atlas; the next is asked where one does not answer.
        body_bytes: A request holds no more, unless a single record does.
        timeout_seconds: The longest a request may take, all servers together.
        clock: Counts seconds and never goes back.
    """

    flush_slice_seconds = math.inf  # a request that is cut off is posted twice

    def __init__(
        self,
        servers: Sequence[HttpServer],
        *,
        body_bytes: int,
        timeout_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._servers = deque(servers)
        self._body_bytes = body_bytes
        self._timeout = timeout_seconds
        self._clock = clock
        self.name = f"rest {', '.join(server.address for server in servers)}"
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
        self._waiting_bytes += _bytes(record)
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
            if left < _LEAST_SECONDS:
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

    def probe(self, topic: str) -> Failure | None:
        """Post no message at all: what would refuse messages refuses that, too. None where they would be taken."""
        refusal = self._ask(topic, [], self._timeout)
        return refusal.failure if refusal is not None else None

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

    def _refusal(self) -> Failure | None:
        if self._is_forked():
            return Failure(Trouble.PASSING, "forked child: the transport is the parent process's")
        if self._is_closed:
            return Failure(Trouble.PASSING, "the transport is closed")
        if self._asked_to_wait is not None and self._clock() < self._asked_to_wait[0]:
            return self._asked_to_wait[1]
        return self._breaker.failure

    def _post(self, timeout_seconds: float) -> None:
        """Post the records at the head that go into one body, and report them."""
        group = self._group()
        refusal = self._ask(group[0].topic, group, timeout_seconds)
        if refusal is None:
            self._problem = None
            self._breaker.reset()
            self._asked_to_wait = None
            self._settle(len(group), None)
            return
        if (refusal.failure.trouble is Trouble.REJECTED or refusal.failure.is_vague) and len(group) > 1:
            self._one_by_one = len(group)
            return
        self._note(refusal)
        if refusal.failure.trouble is Trouble.REJECTED:
            self._settle(1, refusal.failure)
            return
        if refusal.failure.trouble is Trouble.BLOCKED:
            self._breaker.trip(refusal.failure, "blocked")
        elif refusal.pause_seconds:
            self._asked_to_wait = (self._clock() + refusal.pause_seconds, refusal.failure)
        elif refusal.is_slow:
            self._breaker.trip(refusal.failure, "throttled")
        self._fail(refusal.failure)

    def _group(self) -> list[Record]:
        topic, size = self._waiting[0][0].topic, _AROUND
        records: list[Record] = []
        for record, _ in self._waiting:
            size += _bytes(record)
            if records and (size > self._body_bytes or record.topic != topic or self._one_by_one):
                break
            records.append(record)
        return records

    def _ask(self, topic: str, group: Sequence[Record], timeout_seconds: float) -> Refusal | None:
        """Post to the server that answered last, and to the others where it does not answer and time is left."""
        deadline = self._clock() + timeout_seconds
        path = _PATH + quote(topic, safe="")
        body = b"[" + b",".join(value for record in group for value in record.values) + b"]"
        refusal: Refusal | None = None
        for _ in range(len(self._servers)):
            left = deadline - self._clock()
            if refusal is not None and left < _LEAST_SECONDS:
                break
            server = self._servers[0]
            try:
                found = of_answer(server.address, topic, server.ask("POST", path, body, left))
            except UnansweredError as error:
                found = of_none(server.address, error)
            if found is None or not found.other:
                return found
            refusal = _more_telling(refusal, found)
            self._servers.rotate(-1)
        return refusal

    def _settle(self, count: int, failure: Failure | None) -> None:
        for _ in range(count):
            record, outcome = self._waiting.popleft()
            self._waiting_bytes -= _bytes(record)
            self._one_by_one = max(0, self._one_by_one - 1)
            outcome(failure)

    def _fail(self, failure: Failure) -> None:
        self._settle(len(self._waiting), failure)

    def _note(self, refusal: Refusal) -> None:
        self._problem = refusal.failure.reason
        if not self._troubles[refusal.kind]:
            logger.warning("%s", refusal.failure.reason)
        self._troubles[refusal.kind] += 1

    def _is_forked(self) -> bool:
        return os.getpid() != self._pid


def _more_telling(one: Refusal | None, other: Refusal) -> Refusal:
    """Of two servers' failures that which may pass: the others of an ensemble are passive, and lead elsewhere."""
    return one if one is not None and one.failure.trouble is Trouble.PASSING else other


def _bytes(record: Record) -> int:
    return record.size + _AROUND * len(record.values)
