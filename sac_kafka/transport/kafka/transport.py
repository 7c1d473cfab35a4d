"""Deliver records to Kafka over any `KafkaClient`, with ordering, deadlines, retries and explained errors.

Delivery is at least once and in order. Records are sent in groups (`queue`). After the first failure the client is closed
and all following records fail as well, so that the spool can store them in order.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sac_kafka.guard import describe
from sac_kafka.log import logger
from sac_kafka.stages.output import Position
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.breaker import PAUSES, Breaker
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Delivered, Failed, KafkaClient, Throttled
from sac_kafka.transport.kafka.error_tracker import ErrorTracker, format_counts
from sac_kafka.transport.kafka.queue import Queue

_POLL_SECONDS = 0.1
_STEP_SECONDS = 0.01
_PACE_SECONDS = 0.05  # maximum time that `service` continues while groups are acknowledged
_CLOSE_SECONDS = 0.5
_UNREACHABLE_FLUSH_SECONDS = 0.5
_SECOND_CHANCE_SECONDS = 2.0  # for a client that has delivered before: only one of several brokers may be failing
_CLUSTER_SECONDS = 2.0

_PARKED: list[KafkaClient] = []
"""Clients inherited by a forked child, which must neither use nor garbage-collect them."""


@dataclass(slots=True, eq=False)
class _Session:
    """A client, and what has happened since it was created.

    Attributes:
        suspected: A failure that may affect all records, and since when.
        cluster: The cluster's id once it was requested.
    """

    client: KafkaClient
    has_delivered: bool = False
    suspected: tuple[Failure, float] | None = None
    cluster: str | None = None


class KafkaTransport:
    """Transport that sends records with one client at a time, in order, at least once.

    `send` only queues records; `service` and `flush` send them, also `send` once a group is full.

    Args:
        make_client: Creates a client, at the first record and after each failure; may raise.
        name: Name of the transport in logs.
        delivery_timeout_seconds: Time after which an unacknowledged group and all records behind it fail.
        is_kept: Whether failed records are stored by the caller; if so, a flush gives up undeliverable records.
        queue_bytes: Maximum size of the queue; a record that does not fit fails together with all queued records.
        clock: Monotonic clock in seconds.
    """

    flush_slice_seconds = 1.0
    """`flush` may be called repeatedly with this timeout without restarting any wait; it returns earlier if it gave up."""

    def __init__(
        self,
        make_client: Callable[[], KafkaClient],
        *,
        name: str,
        delivery_timeout_seconds: float = 120.0,
        is_kept: bool = True,
        queue_bytes: int = 32 * 1024 * 1024,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._make_client = make_client
        self._timeout = delivery_timeout_seconds
        self._is_kept = is_kept
        self._clock = clock
        self._session: _Session | None = None
        self._queue = Queue(queue_bytes)
        self._errors = ErrorTracker(name)
        self._breaker = Breaker(clock)
        self._last: tuple[str, int, int, int] | None = None  # topic, partition, first and last offset
        self._is_closed = False
        self._pid = os.getpid()

    @property
    def troubles(self) -> Mapping[str, int]:
        """Number of errors by kind."""
        return dict(self._errors.counts)

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Queue the record; it fails immediately while the circuit breaker is open."""
        failure = self._refusal()
        if failure is None and not record.values:
            failure = Failure(FailureKind.REJECTED, "the message is empty; it cannot be delivered")
        if failure is None and not self._queue.has_room(record):
            failure = Failure(FailureKind.TRANSIENT, f"the queue is full; {self.problem() or 'the broker is too slow'}")
            self._give_up(failure)
        if failure is not None:
            _report(outcome, failure)
            return
        self._queue.add(record, outcome)
        if self._queue.is_group_full:
            self._pump(0.0)

    def service(self, timeout_seconds: float) -> None:
        """Send queued records and process reports; continue for up to 50 ms while groups are acknowledged."""
        if self._is_forked():
            return
        before = len(self._queue)
        self._pump(0.0)
        if len(self._queue) == before and timeout_seconds > 0:
            self._pump(timeout_seconds)
        end = self._clock() + _PACE_SECONDS
        while 0 < len(self._queue) < before and self._clock() < end:
            before = len(self._queue)
            self._pump(_STEP_SECONDS)

    def flush(self, timeout_seconds: float) -> int:
        """Wait until all records have an outcome or the timeout passes; return the number of records left.

        Gives up after 0.5 s if all brokers are down for a known reason and none has been reached before. If failed records
        are stored by the caller, all records then fail, and the next record creates a new client.
        """
        if self._is_forked():
            return 0
        start = self._clock()
        deadline = start + timeout_seconds
        self._pump(0.0)
        while len(self._queue):
            is_hopeless = self._errors.is_hopeless
            if is_hopeless:
                deadline = min(deadline, start + _UNREACHABLE_FLUSH_SECONDS)
            left = deadline - self._clock()
            if left <= 0:
                self._pump(0.0)
                is_over = deadline >= start + _UNREACHABLE_FLUSH_SECONDS
                if self._is_kept and is_over and is_hopeless and self._errors.is_hopeless:
                    self._give_up(Failure(FailureKind.TRANSIENT, self._errors.problem or ""))
                break
            self._pump(min(_POLL_SECONDS, left))
        return len(self._queue)

    def close(self, timeout_seconds: float) -> None:
        """Flush, fail the remaining records and close the client. These records may have been delivered nevertheless."""
        if self._is_forked() or self._is_closed:
            return
        self.flush(timeout_seconds)
        self._is_closed = True
        if len(self._queue):
            self._errors.suspect()
        reason = f"not acknowledged when the transport was closed; {self.problem() or 'it may have arrived'}"
        self._give_up(Failure(FailureKind.TRANSIENT, reason))
        if self._errors.counts:
            logger.info("%s: errors: %s", self.name, format_counts(self._errors.counts))

    def problem(self) -> str | None:
        """Return why records are not delivered, or the probable reason while some are queued; None after a delivery."""
        return self._errors.problem or (self._errors.suspicion if len(self._queue) else None)

    def retry_after(self) -> float:
        """Return the remaining circuit-breaker time in seconds; 0.0 if `send` would try."""
        return self._breaker.retry_after()

    def position(self) -> Position | None:
        """Return the offsets of the last record, in a log named by cluster id, topic and partition."""
        if self._last is None or self._is_forked() or self._session is None:
            return None
        topic, partition, start, end = self._last
        if start < 0 or end < 0:
            return None
        session = self._session
        if session.cluster is None:
            session.cluster = session.client.cluster_id(topic, _CLUSTER_SECONDS) or ""
        return Position(f"{session.cluster}/{topic}/{partition}", start, end + 1) if session.cluster else None

    def _refusal(self) -> Failure | None:
        """Return why no record is accepted, None if records are accepted."""
        if self._is_closed:
            return Failure(FailureKind.TRANSIENT, "the transport is closed")
        if self._is_forked():
            return Failure(FailureKind.TRANSIENT, "forked child: the producer belongs to the parent process")
        return self._breaker.failure

    def _pump(self, timeout_seconds: float) -> None:
        """Send the next group, poll the client up to the timeout and process its events and the deadlines."""
        self._send_next_group()
        if self._session is None:
            return
        self._process(self._session, self._session.client.poll(timeout_seconds if self._queue.group else 0.0))
        self._check_deadlines()
        self._send_next_group()

    def _send_next_group(self) -> None:
        if self._queue.group is not None or not len(self._queue):
            return
        session = self._session or self._open()
        if session is not None:
            for number, record, value in self._queue.next_group(self._clock()):
                session.client.produce(number, record.topic, record.key, value)

    def _open(self) -> _Session | None:
        try:
            self._session = _Session(self._make_client())
        except Exception as error:  # noqa: BLE001 (any error of the library or its settings must not affect the job)
            failure = self._errors.explain_no_client(str(error)).failure
            self._stop(failure, "needs_action" if failure.kind is FailureKind.NEEDS_ACTION else "throttled")
            return None
        self._errors.reopen()
        return self._session

    def _process(self, session: _Session, events: tuple[ClientEvent, ...]) -> None:
        """Process events: first deliveries, so that no delivered record fails. Client errors before a delivery are over."""
        last_delivery = max((at for at, event in enumerate(events) if isinstance(event, Delivered)), default=0)
        for event in events[:last_delivery]:
            if isinstance(event, ClientError):
                self._errors.client_error(event, self._clock())
        for event in events:
            if isinstance(event, Delivered):
                self._on_delivery(session, event)
        stop: tuple[Failure, str] | None = None
        for event in events:
            if isinstance(event, Failed):
                stop = stop or self._on_failure(event)
            elif isinstance(event, Throttled):
                self._errors.note_throttling(event.seconds, self._clock())
        self._queue.close_group()
        for event in events[last_delivery:]:
            if isinstance(event, ClientError) and (failure := self._errors.client_error(event, self._clock())):
                if not session.has_delivered:
                    stop = stop or (failure, "needs_action")
                elif session.suspected is None:
                    session.suspected = (failure, self._clock())
        if stop is not None:
            self._stop(*stop)

    def _on_delivery(self, session: _Session, event: Delivered) -> None:
        topic = self._queue.topic_of(event.number)
        member = self._queue.confirm(event.number, event.offset)
        if not topic:
            return
        session.has_delivered, session.suspected = True, None
        self._breaker.reset()
        self._errors.note_delivery()
        if member is not None:
            self._last = (topic, event.partition, member.first_offset, event.offset)
            _report(member.outcome, None)

    def _on_failure(self, event: Failed) -> tuple[Failure, str] | None:
        """Process the failure of a record; if it affects all records, return it and the kind for the circuit breaker."""
        topic = self._queue.topic_of(event.number)
        if not topic:
            return None
        explained = self._errors.explain_failure(event, topic)
        if explained.failure_kind is not FailureKind.REJECTED:
            return (
                explained.failure,
                "needs_action" if explained.failure_kind is FailureKind.NEEDS_ACTION else explained.kind,
            )
        member = self._queue.reject(event.number)
        if member is not None:
            _report(member.outcome, explained.failure)
        return None

    def _check_deadlines(self) -> None:
        now = self._clock()
        self._errors.watch(now)
        group = self._queue.group
        suspected = self._session.suspected if self._session is not None else None
        if group is not None and now - group.since >= self._timeout:
            failure = self._errors.timed_out(self._timeout)
            self._stop(failure, failure.kind.value)
        elif suspected is not None and now - suspected[1] >= _SECOND_CHANCE_SECONDS:
            if group is not None:
                self._stop(suspected[0], "needs_action")
            else:
                self._give_up(suspected[0])  # no record is in flight: the next one tries again

    def _stop(self, failure: Failure, kind: str) -> None:
        """Fail all records, and open the circuit breaker if retrying soon is useless."""
        if kind in PAUSES:
            self._breaker.trip(failure, kind)
        self._give_up(failure)

    def _give_up(self, failure: Failure) -> None:
        """Fail all queued records in order and close the client without waiting for brokers."""
        session, self._session = self._session, None
        for record in self._queue.take_all():
            _report(record.outcome, failure)
        if session is not None:
            session.client.close(_CLOSE_SECONDS)

    def _is_forked(self) -> bool:
        if os.getpid() == self._pid:
            return False
        if self._session is not None:
            _PARKED.append(self._session.client)
            self._session = None
        self._queue.take_all()
        return True


def _report(outcome: DeliveryCallback, failure: Failure | None) -> None:
    try:
        outcome(failure)
    except Exception as e:  # noqa: BLE001 (a faulty callback must not affect other records)
        logger.error("A delivery callback failed: %s", describe(e))
