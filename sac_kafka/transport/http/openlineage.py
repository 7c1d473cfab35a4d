"""Post OpenLineage events over HTTP, one per request (`atlas.client.type=openlineage`).

Source: OpenLineage, `spec/OpenLineage.yml` (POST /lineage); its clients post to `api/v1/lineage`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.http.client import HttpServer, UnansweredError
from sac_kafka.transport.http.failures import (
    EVENT_SETTINGS,
    HttpAttempt,
    Refusal,
    Use,
    explain_answer,
    explain_no_answer,
)
from sac_kafka.transport.http.posting import Posting

_QUEUED_BYTES = 1024 * 1024
"""Size of queued events at which a request is made."""


class EventTransport(Posting):
    """Posts events in order.

    Args:
        server: The receiver, with the path of its endpoint.
        timeout_seconds: Timeout of a request.
    """

    def __init__(
        self, server: HttpServer, *, timeout_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(
            f"openlineage {server.address}", body_bytes=_QUEUED_BYTES, timeout_seconds=timeout_seconds, clock=clock
        )
        self._server = server

    def _post(self, timeout_seconds: float) -> None:
        """Post the event at the head, and report its outcome."""
        body = b"".join(self._waiting[0][0].values)
        refusal = self._ask(body, timeout_seconds)
        if refusal is None:
            self._note_success()
            self._settle(1, None)
        elif refusal.failure.kind is FailureKind.REJECTED:
            self._note(refusal)
            self._settle(1, refusal.failure)
        else:
            self._fail_all(refusal)

    def probe(self, timeout_seconds: float) -> Failure | None:
        """Return why the receiver does not answer as one of events; None if it does.

        An object without content is refused for its content, which shows that the log-in and the endpoint are right.
        """
        refusal = self._ask(b"{}", timeout_seconds)
        return None if refusal is None or refusal.failure.kind is FailureKind.REJECTED else refusal.failure

    def _ask(self, body: bytes, timeout_seconds: float) -> Refusal | None:
        attempt = HttpAttempt(use=Use.EVENTS, server=self._server, names=EVENT_SETTINGS)
        try:
            return explain_answer(attempt, self._server.request("POST", "", body, timeout_seconds))
        except UnansweredError as error:
            return explain_no_answer(attempt, error)
