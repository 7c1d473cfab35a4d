"""Send messages to the Data Map of Microsoft Purview (`atlas.client.type=purview`).

The messages equal those for Kafka. They are translated to requests, which are made one at a time in the calling thread.
A refused part of a message does not hold back the rest of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from sac_kafka.log import logger
from sac_kafka.masking import mask_text
from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.http.data_map.delivery import DataMapDelivery, KnownAssets
from sac_kafka.transport.http.data_map.division import JoinedBulk
from sac_kafka.transport.http.data_map.requests import (
    Bulk,
    EntityName,
    LookUp,
    NotAMessageError,
    Request,
    call_of,
    requests_of,
)
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.failures import Refusal
from sac_kafka.transport.http.posting import Posting, body_size

REFUSED, UNMENTIONED = "entity refused", "entity not mentioned"
"""Keys of `failure_counts` that count entities, not requests."""
_PARTS = "the message is in parts, which the Data Map cannot join: lower atlas.notification.message.max.length.bytes"
_MAX_SHOWN = 200


class DataMapTransport(Posting):
    """Sends messages to the Data Map in order; `collection` is the id of that of new assets, None for the root collection."""

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
        self._known = KnownAssets()
        self._delivery: DataMapDelivery | None = None
        self._joined_count = 1  # Number of messages in the current delivery.

    def close(self, timeout_seconds: float) -> None:
        """Flush, and fail the remaining records: a partially sent message will be sent again completely."""
        if self._is_forked() or self._is_closed:
            return
        super().close(timeout_seconds)
        self._delivery = None
        if self._failure_counts[UNMENTIONED] > 1:
            logger.info(
                "%s: responses did not mention %d entities in all", self.name, self._failure_counts[UNMENTIONED]
            )

    def _post(self, timeout_seconds: float) -> None:
        """Make the next request for the message at the head."""
        delivery = self._delivery or self._start_delivery()
        if delivery is None:
            return
        self._delivery = None
        if not delivery.is_done and not self._make_request(delivery, timeout_seconds):
            return
        if delivery.is_done:
            self._report(delivery)
        else:
            self._delivery = delivery

    def _make_request(self, delivery: DataMapDelivery, timeout_seconds: float) -> bool:
        """Make the delivery's next request. Return whether the delivery continues."""
        request = delivery.next
        collection, is_of_entity = (request.collection, False) if isinstance(request, Bulk) else (None, True)
        answer, refusal = self._server.ask(call_of(request), timeout_seconds, collection, is_of_entity=is_of_entity)
        is_rejected = refusal is not None and refusal.failure.kind is FailureKind.REJECTED
        is_content_refused = is_rejected and not isinstance(request, LookUp)
        if refusal is not None and self._joined_count > 1 and (is_content_refused or refusal.failure.is_ambiguous):
            self._one_by_one = self._joined_count
            return False
        if answer is None or (refusal is not None and not is_rejected):
            assert refusal is not None
            self._fail_all(refusal)
            return False
        self._note_success()
        if refusal is None:
            delivery.on_success(answer)
        else:
            delivery.on_refusal(answer, refusal.failure.reason)
        return True

    def _start_delivery(self) -> DataMapDelivery | None:
        """Translate the message at the head, joined with the next ones if possible; reject it if it is invalid."""
        try:
            requests = _read(self._waiting[0][0])
        except NotAMessageError as error:
            self._reject(f"{self._server.address}: {error}", "no message")
            return None
        self._joined_count = 1
        if len(requests) == 1 and isinstance(requests[0], Bulk) and not self._one_by_one:
            requests = (self._join(requests[0]),)
        return DataMapDelivery(requests, self._collection, self._known)

    def _join(self, first: Bulk) -> Bulk:
        joined = JoinedBulk()
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
            self._joined_count += 1
        return joined.bulk if self._joined_count > 1 else first

    def _report(self, delivery: DataMapDelivery) -> None:
        if delivery.unmentioned:
            self._warn_of_missing(delivery.unmentioned)
        if not delivery.refused:
            self._settle(self._joined_count, None)
            return
        self._failure_counts[REFUSED] += len(delivery.refused)
        (name, reason), more = delivery.refused[0], len(delivery.refused) - 1
        others = f" and {more} more" if more else ""
        self._reject(f"{reason}; refused: {_mask(name)}{others} of {delivery.total} entities", "rejected")

    def _reject(self, reason: str, kind: str) -> None:
        failure = Failure(FailureKind.REJECTED, reason)
        self._note(Refusal(failure, kind))
        self._settle(1, failure)

    def _warn_of_missing(self, names: list[EntityName]) -> None:
        if not self._failure_counts[UNMENTIONED]:
            logger.warning(
                "%s: the response does not mention %d entities, such as %s: look for it in Purview",
                self._server.address,
                len(names),
                _mask(names[0]),
            )
        self._failure_counts[UNMENTIONED] += len(names)


def _read(record: Record) -> tuple[Request, ...]:
    if len(record.values) > 1:
        raise NotAMessageError(_PARTS)
    return requests_of(record.values[0])


def _mask(name: EntityName) -> str:
    return mask_text(str(name))[:_MAX_SHOWN]
