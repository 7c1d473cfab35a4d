"""A transport to Kafka over any `KafkaClient`: order, deadlines, retries and words for errors are made here.

At least once and in order: records go in groups (`queue`), and after the first that does not get through the
client is closed and everything behind it fails, for whoever keeps failed records.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Position, Record
from sac_kafka.transport.breaker import PAUSES, Breaker
from sac_kafka.transport.kafka.client import ClientEvent, Delivered, Failed, KafkaClient, Noticed, Throttled
from sac_kafka.transport.kafka.queue import Queue
from sac_kafka.transport.kafka.troubles import Troubles, shown

_POLL_SECONDS = 0.1
_STEP_SECONDS = 0.01
_PACE_SECONDS = 0.05  # as long as groups are acknowledged, `service` goes on for so long
_CLOSE_SECONDS = 0.5
_UNREACHABLE_FLUSH_SECONDS = 0.5
_SECOND_CHANCE_SECONDS = 2.0  # for a client that has delivered: one of several brokers may be the one in trouble
_CLUSTER_SECONDS = 2.0

_PARKED: list[KafkaClient] = []
"""Clients inherited by a fork, which must never be touched nor destroyed in the child."""


class KafkaTransport:
    """Sends records with one client, in order, at least once.

    `send` queues; records are handed over by `service` and `flush`, or when a group is full.

    Args:
        make_client: Makes a client, at the first record and after each failure; may raise.
        name: What logs call it.
        delivery_timeout_seconds: A group that the broker has not acknowledged after so long fails, with all behind it.
        is_kept: Whether something keeps what fails: then a flush gives up what cannot get through.
        queue_bytes: How much may wait; a record beyond fails, with all before it, so that something else keeps them.
        clock: Counts seconds and never goes back.
    """

    flush_slice_seconds = 1.0
    """`flush` may be called in slices of this length: nothing is begun anew by the next, and a shorter one has given up."""

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
        self._client: KafkaClient | None = None
        self._has_delivered = False  # this client
        self._was_reached = False  # any broker, ever
        self._queue = Queue(queue_bytes)
        self._troubles = Troubles(name)
        self._breaker = Breaker(clock)
        self._doubt: tuple[Failure, float] | None = None  # nothing will get through, as it seems; since when
        self._last: tuple[str, int, int, int] | None = None  # topic, partition, first and last offset
        self._cluster: str | None = None
        self._is_closed = False
        self._pid = os.getpid()

    @property
    def troubles(self) -> Mapping[str, int]:
        """How often each kind of trouble came."""
        return dict(self._troubles.counts)

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Queue the record. Fails at once while nothing can get through."""
        failure = self._refusal()
        if failure is None and not record.values:
            failure = Failure(FailureKind.REJECTED, "a message without content; nothing can be done")
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
        """Hand records over and serve reports; while they come in and more waits it goes on for up to 50 ms."""
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
        """Wait for outcomes; gives up after 0.5 s when no broker can be reached, none ever was, and it is known why.

        Where they are kept all records fail then, and the next one makes a new client.
        """
        if self._is_forked():
            return 0
        start = self._clock()
        deadline = start + timeout_seconds
        self._pump(0.0)
        while len(self._queue):
            is_hopeless = self._is_hopeless()
            if is_hopeless:
                deadline = min(deadline, start + _UNREACHABLE_FLUSH_SECONDS)
            left = deadline - self._clock()
            if left <= 0:
                self._pump(0.0)
                is_over = deadline >= start + _UNREACHABLE_FLUSH_SECONDS
                if self._is_kept and is_over and is_hopeless and self._is_hopeless():
                    self._give_up(Failure(FailureKind.TRANSIENT, self._troubles.problem or ""))
                break
            self._pump(min(_POLL_SECONDS, left))
        return len(self._queue)

    def close(self, timeout_seconds: float) -> None:
        """Flush, report what is left as failed and close the client. A record reported so may still have arrived."""
        if self._is_forked() or self._is_closed:
            return
        self.flush(timeout_seconds)
        self._is_closed = True
        if len(self._queue):
            self._troubles.suspect()
        why = f"not acknowledged when the transport was closed; {self.problem() or 'it may have arrived'}"
        self._give_up(Failure(FailureKind.TRANSIENT, why))
        if self._troubles.counts:
            logger.info("%s: troubles: %s", self.name, shown(self._troubles.counts))

    def problem(self) -> str | None:
        """Give why records do not get through, or what is suspected while some wait; None after the last one did."""
        return self._troubles.problem or (self._troubles.suspicion if len(self._queue) else None)

    def retry_after(self) -> float:
        """Give the seconds for which `send` fails at once; 0.0 where it tries."""
        return self._breaker.retry_after()

    def position(self) -> Position | None:
        """Give the offsets of the last record, in a log that is named by the cluster's id: a new cluster is a new log."""
        if self._last is None or self._is_forked() or self._client is None:
            return None
        topic, partition, start, end = self._last
        if start < 0 or end < 0:
            return None
        if self._cluster is None:
            self._cluster = self._client.cluster_id(topic, _CLUSTER_SECONDS) or ""
        return Position(f"{self._cluster}/{topic}/{partition}", start, end + 1) if self._cluster else None

    def _refusal(self) -> Failure | None:
        """Why no record can be taken."""
        if self._is_closed:
            return Failure(FailureKind.TRANSIENT, "the transport is closed")
        if self._is_forked():
            return Failure(FailureKind.TRANSIENT, "forked child: the producer is the parent process's")
        return self._breaker.failure

    def _pump(self, timeout_seconds: float) -> None:
        """Hand over what is due, take what the client tells within the time, and act on it."""
        self._hand_over()
        if self._client is None:
            return
        self._take(self._client.poll(timeout_seconds if self._queue.group else 0.0))
        self._look_at_the_clock()
        self._hand_over()

    def _hand_over(self) -> None:
        if self._queue.group is not None or not len(self._queue) or not self._open():
            return
        assert self._client is not None
        for number, record, value in self._queue.next_group(self._clock()):
            self._client.produce(number, record.topic, record.key, value)

    def _open(self) -> bool:
        if self._client is not None:
            return True
        try:
            self._client = self._make_client()
        except Exception as error:  # noqa: BLE001 (whatever is wrong with the library or its settings: no lineage, no crash)
            failure = self._troubles.broken(str(error)).failure
            self._stop(failure, "needs_action" if failure.kind is FailureKind.NEEDS_ACTION else "throttled")
            return False
        self._has_delivered = False
        self._doubt = self._cluster = None
        self._troubles.reopened()
        return True

    def _take(self, events: tuple[ClientEvent, ...]) -> None:
        """Act on events: first on those of records, so that none that got through is given up. Trouble before one is over."""
        over = max((at for at, event in enumerate(events) if isinstance(event, Delivered)), default=0)
        for event in events[:over]:
            if isinstance(event, Noticed):
                self._troubles.noticed(event, self._clock())
        for event in events:
            if isinstance(event, Delivered):
                self._delivered(event)
        stop: tuple[Failure, str] | None = None
        for event in events:
            if isinstance(event, Failed):
                stop = stop or self._failed(event)
            elif isinstance(event, Throttled):
                self._troubles.throttled(event.seconds, self._clock())
        self._queue.close_group()
        for event in events[over:]:
            if isinstance(event, Noticed) and (failure := self._troubles.noticed(event, self._clock())):
                if not self._has_delivered:
                    stop = stop or (failure, "needs_action")
                elif self._doubt is None:
                    self._doubt = (failure, self._clock())
        if stop is not None:
            self._stop(*stop)

    def _delivered(self, event: Delivered) -> None:
        topic = self._queue.topic_of(event.number)
        member = self._queue.delivered(event.number, event.offset)
        if not topic:
            return
        self._has_delivered = self._was_reached = True
        self._doubt = None
        self._breaker.reset()
        self._troubles.delivered()
        if member is not None:
            self._last = (topic, event.partition, member.first_offset, event.offset)
            _report(member.outcome, None)

    def _failed(self, event: Failed) -> tuple[Failure, str] | None:
        """Act on a record's failure; gives the failure of all, and for what the breaker is to open, if it is not its own."""
        topic = self._queue.topic_of(event.number)
        if not topic:
            return None
        explained = self._troubles.failed(event, topic)
        if explained.failure_kind is not FailureKind.REJECTED:
            return (
                explained.failure,
                "needs_action" if explained.failure_kind is FailureKind.NEEDS_ACTION else explained.kind,
            )
        member = self._queue.refused(event.number)
        if member is not None:
            _report(member.outcome, explained.failure)
        return None

    def _look_at_the_clock(self) -> None:
        now = self._clock()
        self._troubles.watch(now)
        group = self._queue.group
        if group is not None and now - group.since >= self._timeout:
            failure = self._troubles.late(self._timeout)
            self._stop(failure, failure.kind.value)
        elif self._doubt is not None and now - self._doubt[1] >= _SECOND_CHANCE_SECONDS:
            if group is not None:
                self._stop(self._doubt[0], "needs_action")
            else:
                self._give_up(self._doubt[0])  # nothing waits: the next record sees for itself

    def _stop(self, failure: Failure, kind: str) -> None:
        """Give up, and try nothing for a while if that is no use."""
        if kind in PAUSES:
            self._breaker.trip(failure, kind)
        self._give_up(failure)

    def _give_up(self, failure: Failure) -> None:
        """Close the client, never waiting for brokers, and report everything under way as failed, in order."""
        client, self._client = self._client, None
        self._doubt = None
        for each in self._queue.take_all():
            _report(each.outcome, failure)
        if client is not None:
            client.close(_CLOSE_SECONDS)

    def _is_hopeless(self) -> bool:
        return self._troubles.is_known_down and not self._was_reached

    def _is_forked(self) -> bool:
        if os.getpid() == self._pid:
            return False
        if self._client is not None:
            _PARKED.append(self._client)
            self._client = None
        self._queue.take_all()
        return True


def _report(outcome: DeliveryCallback, failure: Failure | None) -> None:
    try:
        outcome(failure)
    except Exception:  # noqa: BLE001 (the caller's bug must not cost another record's report)
        logger.exception("An outcome could not be handled")
