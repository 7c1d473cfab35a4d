"""Post records to Atlas' notification endpoint over HTTP (`atlas.client.type=rest`; Atlas 2.4 or newer).

The server forwards them to its own topic, so the messages equal those for Kafka. One request at a time, in the calling
thread, each with a timeout.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from urllib.parse import quote

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.http.client import HttpServer, UnansweredError
from sac_kafka.transport.http.failures import (
    DRIVER_SETTINGS,
    HttpAttempt,
    Refusal,
    Use,
    explain_answer,
    explain_no_answer,
)
from sac_kafka.transport.http.posting import MIN_SECONDS, Posting, body_size

_PATH = "/api/atlas/v2/notification/topic/"
_BRACKET_BYTES = 1  # The closing bracket of a body; `body_size` counts the opening one.


class RestTransport(Posting):
    """Posts records in order, as many in a request as are queued.

    Args:
        servers: Servers of one Atlas; if one does not answer, the next is tried.
        body_bytes: Maximum size of a request with several records.
        timeout_seconds: Timeout of a request, for all servers together.
    """

    def __init__(
        self,
        servers: Sequence[HttpServer],
        *,
        body_bytes: int,
        timeout_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        name = f"rest {', '.join(server.address for server in servers)}"
        super().__init__(name, body_bytes=body_bytes, timeout_seconds=timeout_seconds, clock=clock)
        self._servers = deque(servers)

    def probe(self, topic: str) -> Failure | None:
        """Post an empty list of messages: it is refused for the same reasons as messages. Return None if accepted."""
        refusal = self._ask(topic, [], self._timeout)
        return refusal.failure if refusal is not None else None

    def _post(self, timeout_seconds: float) -> None:
        """Post the records at the head that fit into one body, and report their outcomes."""
        group = self._group()
        refusal = self._ask(group[0].topic, group, timeout_seconds)
        if refusal is None:
            self._note_success()
            self._settle(len(group), None)
            return
        is_rejected = refusal.failure.kind is FailureKind.REJECTED
        if (is_rejected or refusal.failure.is_ambiguous) and len(group) > 1:
            self._one_by_one = len(group)
        elif is_rejected:
            self._note(refusal)
            self._settle(1, refusal.failure)
        else:
            self._fail_all(refusal)

    def _group(self) -> list[Record]:
        topic, size = self._waiting[0][0].topic, _BRACKET_BYTES
        records: list[Record] = []
        for record, _ in self._waiting:
            size += body_size(record)
            if records and (size > self._body_bytes or record.topic != topic or self._one_by_one):
                break
            records.append(record)
        return records

    def _ask(self, topic: str, group: Sequence[Record], timeout_seconds: float) -> Refusal | None:
        """Post to the server that answered last; to the others if it does not answer and time is left."""
        deadline = self._clock() + timeout_seconds
        path = _PATH + quote(topic, safe="")
        body = b"[" + b",".join(value for record in group for value in record.values) + b"]"
        refusal: Refusal | None = None
        for _ in range(len(self._servers)):
            left = deadline - self._clock()
            if refusal is not None and left < MIN_SECONDS:
                break
            server = self._servers[0]
            attempt = HttpAttempt(use=Use.NOTIFY, server=server, names=DRIVER_SETTINGS, topic=topic)
            try:
                found = explain_answer(attempt, server.request("POST", path, body, left))
            except UnansweredError as error:
                found = explain_no_answer(attempt, error)
            if found is None or not found.other:
                return found
            refusal = _prefer_transient(refusal, found)
            self._servers.rotate(-1)
        return refusal


def _prefer_transient(one: Refusal | None, other: Refusal) -> Refusal:
    """Return the transient of two servers' failures: the passive servers of an ensemble redirect or refuse."""
    return one if one is not None and one.failure.kind is FailureKind.TRANSIENT else other
