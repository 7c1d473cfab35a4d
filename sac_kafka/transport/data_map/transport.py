"""A transport to the Data Map of Microsoft Purview (`atlas.client.type=purview`).

Messages are those that Kafka gets, told by requests: a message after the other, a request at a time, in the thread that
calls. What is refused of a message does not keep the rest of it back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from sac_kafka.config.secrets import mask_text
from sac_kafka.log import logger
from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.data_map.delivery import DataMapDelivery
from sac_kafka.transport.data_map.errors import explain_answer, explain_no_answer
from sac_kafka.transport.data_map.joining import Joined
from sac_kafka.transport.data_map.placing import Known
from sac_kafka.transport.data_map.requests import (
    Bulk,
    EntityName,
    LookUp,
    NotAMessageError,
    Request,
    call_of,
    requests_of,
)
from sac_kafka.transport.data_map.server import DataMapServer, NoTokenError
from sac_kafka.transport.http import Answer, UnansweredError
from sac_kafka.transport.posting import Posting, Refusal, body_size

REFUSED, DOUBTFUL = "entity refused", "entity not mentioned"
"""Kinds of trouble that count entities."""
_PARTS = (
    "the message is in parts, which the Data Map cannot put together: lower atlas.notification.message.max.length.bytes"
)
_SHOWN = 200


class DataMapTransport(Posting):
    """Tells messages to the Data Map in order.

    Args:
        server: The account's.
        collection: The id of the collection that new assets are put in; None: the root.
        body_bytes: So much waits at most before a request is made.
        timeout_seconds: The longest that a request may take.
        clock: Counts seconds and never goes back.
    """

    def __init__(
        self,
        server: DataMapServer,
        *,
        collection: str | None = None,
        body_bytes: int,
        timeout_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        name = f"purview {server.address}"
        super().__init__(name, body_bytes=body_bytes, timeout_seconds=timeout_seconds, clock=clock)
        self._server = server
        self._collection = collection
        self._known = Known()
        self._delivery: DataMapDelivery | None = None
        self._together = 1  # so many messages are told by it

    def close(self, timeout_seconds: float) -> None:
        """Flush, and report what is left as failed: a message that was told in part is told again as a whole."""
        if self._is_forked() or self._is_closed:
            return
        super().close(timeout_seconds)
        self._delivery = None
        if self._failure_counts[DOUBTFUL] > 1:
            logger.info("%s: answers did not mention %d entities in all", self.name, self._failure_counts[DOUBTFUL])

    def _post(self, timeout_seconds: float) -> None:
        """Make the next request for the message at the head."""
        delivery = self._delivery or self._begun()
        if delivery is None:
            return
        self._delivery = None
        if not delivery.is_done and not self._asked(delivery, timeout_seconds):
            return
        if delivery.is_done:
            self._report(delivery)
        else:
            self._delivery = delivery

    def _asked(self, delivery: DataMapDelivery, timeout_seconds: float) -> bool:
        """Make the delivery's next request; gives whether the delivery goes on."""
        request = delivery.next
        answer, refusal = self._ask(request, timeout_seconds)
        is_rejected = refusal is not None and refusal.failure.kind is FailureKind.REJECTED
        is_doubted = is_rejected and not isinstance(request, LookUp)
        if refusal is not None and self._together > 1 and (is_doubted or refusal.failure.is_ambiguous):
            self._one_by_one = self._together
            return False
        if answer is None or (refusal is not None and not is_rejected):
            assert refusal is not None
            self._fail_all(refusal)
            return False
        self._note_success()
        if refusal is None:
            delivery.taken(answer)
        else:
            delivery.not_taken(answer, refusal.failure.reason)
        return True

    def _begun(self) -> DataMapDelivery | None:
        """Read the message at the head, and those behind it that go into the same request; one that is none is refused."""
        try:
            requests = _read(self._waiting[0][0])
        except NotAMessageError as error:
            self._reject(f"{self._server.address}: {error}", "no message")
            return None
        self._together = 1
        if len(requests) == 1 and isinstance(requests[0], Bulk) and not self._one_by_one:
            requests = (self._joined(requests[0]),)
        return DataMapDelivery(requests, self._collection, self._known)

    def _joined(self, first: Bulk) -> Bulk:
        joined = Joined()
        if not joined.add(first):
            return first
        size = body_size(self._waiting[0][0])
        for record, _ in islice(self._waiting, 1, None):
            size += body_size(record)
            if size > self._body_bytes:
                break
            try:
                requests = _read(record)
            except NotAMessageError:
                break
            if not (len(requests) == 1 and isinstance(requests[0], Bulk) and joined.add(requests[0])):
                break
            self._together += 1
        return joined.bulk if self._together > 1 else first

    def _ask(self, request: Request, timeout_seconds: float) -> tuple[Answer | None, Refusal | None]:
        address = self._server.address
        collection = request.collection if isinstance(request, Bulk) else None
        try:
            answer = self._server.ask(call_of(request), timeout_seconds)
        except UnansweredError as error:
            return None, explain_no_answer(address, error)
        except NoTokenError as error:
            return None, Refusal(Failure(error.failure_kind, f"{address}: {error}"), "no token")
        is_of_entity = self._server.is_found and not isinstance(request, Bulk)
        return answer, explain_answer(address, answer, collection, is_of_entity=is_of_entity)

    def _report(self, delivery: DataMapDelivery) -> None:
        if delivery.doubts:
            self._doubt(delivery.doubts)
        if not delivery.refused:
            self._settle(self._together, None)
            return
        self._failure_counts[REFUSED] += len(delivery.refused)
        (name, reason), more = delivery.refused[0], len(delivery.refused) - 1
        others = f" and {more} more" if more else ""
        self._reject(f"{reason}; refused: {_shown(name)}{others} of {delivery.total} entities", "rejected")

    def _reject(self, reason: str, kind: str) -> None:
        failure = Failure(FailureKind.REJECTED, reason)
        self._note(Refusal(failure, kind))
        self._settle(1, failure)

    def _doubt(self, names: list[EntityName]) -> None:
        if not self._failure_counts[DOUBTFUL]:
            logger.warning(
                "%s: the answer does not mention %d entities, such as %s: look for it in Purview",
                self._server.address,
                len(names),
                _shown(names[0]),
            )
        self._failure_counts[DOUBTFUL] += len(names)


def _read(record: Record) -> tuple[Request, ...]:
    if len(record.values) > 1:
        raise NotAMessageError(_PARTS)
    return requests_of(record.values[0])


def _shown(name: EntityName) -> str:
    return mask_text(str(name))[:_SHOWN]
