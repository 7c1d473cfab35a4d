"""A transport to Atlas' notification endpoint over HTTP (`atlas.client.type=rest`), which Atlas has since 2.4.

The server puts what is posted onto its own topic, so the messages are those that Kafka gets. One request at a time, in
the thread that calls, none longer than its timeout.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from urllib.parse import quote

from sac_kafka.transport.base import Failure, Record, Trouble
from sac_kafka.transport.http import HttpServer, UnansweredError
from sac_kafka.transport.posting import LEAST_SECONDS, Posting, Refusal, bytes_of
from sac_kafka.transport.rest_errors import of_answer, of_none

_PATH = "/api/atlas/v2/notification/topic/"
_AROUND = 1  # the brackets of a body, but for those that `bytes_of` counts


class RestTransport(Posting):
    """Posts records in order, several in a request while they wait.

    Args:
        servers: Of one Atlas; the next is asked where one does not answer.
        body_bytes: A request holds no more, unless a single record does.
        timeout_seconds: The longest a request may take, all servers together.
        clock: Counts seconds and never goes back.
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
        """Post no message at all: what would refuse messages refuses that, too. None where they would be taken."""
        refusal = self._ask(topic, [], self._timeout)
        return refusal.failure if refusal is not None else None

    def _post(self, timeout_seconds: float) -> None:
        """Post the records at the head that go into one body, and report them."""
        group = self._group()
        refusal = self._ask(group[0].topic, group, timeout_seconds)
        if refusal is None:
            self._gets_through()
            self._settle(len(group), None)
            return
        is_rejected = refusal.failure.trouble is Trouble.REJECTED
        if (is_rejected or refusal.failure.is_ambiguous) and len(group) > 1:
            self._one_by_one = len(group)
        elif is_rejected:
            self._note(refusal)
            self._settle(1, refusal.failure)
        else:
            self._failed(refusal)

    def _group(self) -> list[Record]:
        topic, size = self._waiting[0][0].topic, _AROUND
        records: list[Record] = []
        for record, _ in self._waiting:
            size += bytes_of(record)
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
            if refusal is not None and left < LEAST_SECONDS:
                break
            server = self._servers[0]
            try:
                found = of_answer(server, topic, server.ask("POST", path, body, left))
            except UnansweredError as error:
                found = of_none(server, error)
            if found is None or not found.other:
                return found
            refusal = _more_telling(refusal, found)
            self._servers.rotate(-1)
        return refusal


def _more_telling(one: Refusal | None, other: Refusal) -> Refusal:
    """Of two servers' failures that which may pass: the others of an ensemble are passive, and lead elsewhere."""
    return one if one is not None and one.failure.trouble is Trouble.PASSING else other
