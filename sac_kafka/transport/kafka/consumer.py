"""Read a topic for commands: all partitions, without committing offsets or joining a consumer group.

The hook itself never reads. Imports confluent_kafka, like `librdkafka`, and only when a topic is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.kafka.client import ClientError
from sac_kafka.transport.kafka.error_tracker import ErrorTracker
from sac_kafka.transport.kafka.errors.explaining import explain_reading
from sac_kafka.transport.kafka.librdkafka import CallbackEvents, creating_client, error_of

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

_CONSUMER_CONFIG = {
    "group.id": "sac-kafka-reader",  # required by librdkafka; not sent to brokers without subscription or commits
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "auto.offset.reset": "earliest",
    "allow.auto.create.topics": "false",
    "enable.partition.eof": "true",  # the last offsets may have no record: compacted, or a transaction marker
    "isolation.level": "read_uncommitted",  # like Atlas' own consumer
}
_BATCH_RECORDS = 500
_POLL_SECONDS = 0.2
_REQUEST_SECONDS = 1.0
_END_OF_PARTITION = "_PARTITION_EOF"
GROUP_ERROR = "GROUP_AUTHORIZATION_FAILED"
"""Ignored: librdkafka looks up the group coordinator although no group is joined, and reading needs no group permission."""
_FINAL = frozenset({"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "TOPIC_AUTHORIZATION_FAILED", "TOPIC_EXCEPTION"})
"""Errors that are not retried; all others are retried until the timeout."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Consumed:
    """A record of a topic; `time_ms` is its timestamp in epoch milliseconds, None if it has none."""

    partition: int
    offset: int
    time_ms: int | None
    key: bytes | None
    value: bytes


class TopicReader:
    """Reader of all partitions of a topic; use it as a context manager.

    Args:
        config: librdkafka's producer settings; settings that only producers have are ignored.
        topic: The topic.
        place: Name of the broker in errors.
        timeout_seconds: Maximum time to wait for a response.
        clock: Monotonic clock in seconds.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        topic: str,
        place: str,
        timeout_seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._callback_events = CallbackEvents(config)
        self._errors = ErrorTracker(place, explain_reading)
        self._topic = topic
        self._timeout = timeout_seconds
        self._clock = clock
        with creating_client():
            from confluent_kafka import Consumer

            self._consumer: Consumer = Consumer({**config, **_CONSUMER_CONFIG, **self._callback_events.callbacks})

    def __enter__(self) -> TopicReader:
        """Return the reader."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the consumer."""
        self._consumer.close()

    def read(
        self,
        since_ms: int | None = None,
        *,
        last: int | None = None,
        follow: bool = False,
        waiting: Callable[[], None] | None = None,
    ) -> Iterator[Consumed]:
        """Yield records from a time on, up to the current end of the topic or forever.

        Args:
            since_ms: Timestamp of the first record, epoch milliseconds; None for the beginning of the topic.
            last: Maximum number of newest records per partition; None for all.
            follow: Whether to wait for new records. Connection failures are then waited out instead of raised.
            waiting: Called a few times per second; may raise to stop reading.

        Raises:
            SacKafkaError: The topic cannot be read, or the broker did not respond within the timeout.
        """
        ends = {number: self._ends(number) for number in self._partitions()}
        starts = self._starts(ends, since_ms)
        if last is not None:
            starts = {number: max(start, ends[number][1] - last) for number, start in starts.items()}
        left = {number for number, (_, end) in ends.items() if starts[number] < end}
        self._consumer.assign([self._partition(number, start) for number, start in starts.items()])
        last_progress = self._clock()
        while follow or left:
            for message in self._consumer.consume(_BATCH_RECORDS, _POLL_SECONDS):
                error = message.error()
                if error is not None and error.name() == GROUP_ERROR:
                    continue
                if error is not None and error.name() != _END_OF_PARTITION:
                    raise SacKafkaError(self._explain(error.name(), error.str()))
                last_progress = self._clock()
                number, offset = message.partition() or 0, message.offset() or 0
                if error is not None:
                    left.discard(number)
                    continue
                if offset + 1 >= ends[number][1]:
                    left.discard(number)
                    if not follow and offset >= ends[number][1]:
                        continue
                kind, stamp = message.timestamp()
                value = message.value()
                if value is not None:
                    yield Consumed(number, offset, stamp if kind else None, _bytes(message.key()), _bytes(value) or b"")
            self._check_events()
            if waiting is not None:
                waiting()
            if not follow and left and self._clock() - last_progress > self._timeout:
                raise SacKafkaError(self._timeout_reason())

    def _partitions(self) -> tuple[int, ...]:
        def request() -> tuple[int, ...]:
            (found,) = self._consumer.list_topics(self._topic, timeout=_REQUEST_SECONDS).topics.values()
            if found.error is None:
                return tuple(found.partitions)
            if found.error.name() in _FINAL:
                raise SacKafkaError(self._explain(found.error.name(), found.error.str()))
            raise RuntimeError(found.error)

        return self._retry(request)

    def _ends(self, number: int) -> tuple[int, int]:
        partition = self._partition(number, 0)
        return self._retry(lambda: self._consumer.get_watermark_offsets(partition, timeout=_REQUEST_SECONDS))

    def _starts(self, ends: Mapping[int, tuple[int, int]], since_ms: int | None) -> dict[int, int]:
        if since_ms is None:
            return {number: low for number, (low, _) in ends.items()}
        partitions = [self._partition(number, since_ms) for number in ends]
        found = self._retry(lambda: self._consumer.offsets_for_times(partitions, timeout=_REQUEST_SECONDS))
        return {each.partition: each.offset if each.offset >= 0 else ends[each.partition][1] for each in found}

    def _retry(self, request: Callable[[], _T]) -> _T:
        """Repeat a request with short timeouts, so that Ctrl-C and connection errors are handled in between.

        Raises:
            SacKafkaError: There was no response within the timeout, or the error is final.
        """
        end = self._clock() + self._timeout
        while self._clock() < end:
            try:
                return request()
            except SacKafkaError:
                raise
            except Exception as error:  # noqa: BLE001 (KafkaException, decided by its error name)
                name, text = error_of(error)
                if name in _FINAL:
                    raise SacKafkaError(self._explain(name, text)) from None
            self._consumer.poll(0)
            self._check_events()
        raise SacKafkaError(self._timeout_reason())

    def _timeout_reason(self) -> str:
        """Return why there was no response: the known connection error, else a timeout."""
        return self._errors.problem or self._explain("_TIMED_OUT", f"waited {self._timeout:g} s")

    def _partition(self, number: int, offset: int) -> TopicPartition:
        from confluent_kafka import TopicPartition

        return TopicPartition(self._topic, number, offset)

    def _check_events(self) -> None:
        """Process the client's events.

        Raises:
            SacKafkaError: An error means that no request can succeed, such as a rejected login.
        """
        for event in self._callback_events.take():
            failure = self._errors.client_error(event, self._clock()) if isinstance(event, ClientError) else None
            if failure is not None:
                raise SacKafkaError(failure.reason)

    def _explain(self, name: str, text: str) -> str:
        return explain_reading(name, text, self._topic).sentence


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


class GroupReader:
    """Reader of a topic as a member of a consumer group, whose offsets are committed on request.

    Args:
        config: As for `TopicReader`.
        topic: The topic.
        group: The id of the group.
        member: The name of this member: a process that replaces another one of this name has its partitions at once.
        place: Name of the broker in errors.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str, group: str, member: str, place: str) -> None:
        self._callback_events = CallbackEvents(config)
        self._errors = ErrorTracker(place, explain_reading)
        self._topic = topic
        own = {
            **_CONSUMER_CONFIG,
            "group.id": group,
            "group.instance.id": member,
            "enable.partition.eof": "false",
            "isolation.level": "read_committed",
        }
        with creating_client():
            from confluent_kafka import Consumer

            self._consumer: Consumer = Consumer({**config, **own, **self._callback_events.callbacks})
        self._consumer.subscribe([topic])

    def read(self, wait_seconds: float) -> tuple[list[Consumed], str | None]:
        """Return new records, waiting for the first, and why there may be none, or None."""
        found, problem = [], None
        for message in self._consumer.consume(_BATCH_RECORDS, wait_seconds):
            error = message.error()
            if error is not None:
                problem = explain_reading(error.name(), error.str(), self._topic).sentence
                continue
            kind, stamp = message.timestamp()
            place = message.partition() or 0, message.offset() or 0
            value = _bytes(message.value()) or b""
            found.append(Consumed(*place, stamp if kind else None, _bytes(message.key()), value))
        for event in self._callback_events.take():
            failure = self._errors.client_error(event, time.monotonic()) if isinstance(event, ClientError) else None
            problem = problem or (failure.reason if failure is not None else None)
        return found, problem

    def commit(self, consumed: Iterable[Consumed]) -> None:
        """Commit that these records, and all before them, are processed.

        Raises:
            SacKafkaError: The broker has not confirmed it: the records are read again.
        """
        from confluent_kafka import KafkaException, TopicPartition

        last: dict[int, int] = {}
        for each in consumed:
            last[each.partition] = max(each.offset, last.get(each.partition, 0))
        offsets = [TopicPartition(self._topic, number, offset + 1) for number, offset in last.items()]
        try:
            if offsets:
                self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            name, text = error_of(error)
            raise SacKafkaError(explain_reading(name, text, self._topic).sentence) from None

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()
