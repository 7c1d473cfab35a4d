"""Query a broker through librdkafka without sending a message: a topic, its limits, a stored record.

Used by `sac-kafka doctor`, which compares the hook's maximum message size with the topic's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sac_kafka.deadlines import Deadline
from sac_kafka.masking import mask_text
from sac_kafka.settings import Settings
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.kafka.client import ClientEvent, Failed
from sac_kafka.transport.kafka.consumer import GROUP_ERROR
from sac_kafka.transport.kafka.librdkafka import CallbackEvents, creating_client, error_of
from sac_kafka.transport.kafka.settings.event_hubs import RECORD_BYTES

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

_LIMIT = "atlas.notification.message.max.length.bytes"
_MIN_LIMIT = 10_000
"""Minimum of that setting."""
_OVERHEAD_BYTES = 1024
"""Size of a batch with one record without its value (Kafka's headers, the key)."""
NOT_REPORTED = Failed(0, "NOT_REPORTED", "")
"""The broker responded without `max.message.bytes`."""

_DENIED = (
    Verdict.SKIPPED,
    "the topic's limit is unknown, because this user may not query it: only this check needs DescribeConfigs on the topic",
)
_TIMED_OUT = (
    Verdict.DOUBT,
    "the topic's limit is unknown, because the broker did not respond in time: run it again, or increase --timeout",
)
_UNSUPPORTED = (
    Verdict.SKIPPED,
    "the topic's limit is unknown, because this broker does not report it: check max.message.bytes of the topic there",
)
_DELETED = (Verdict.WRONG, "the topic {topic} does not exist any more: create it")
_REASONS = {
    "TOPIC_AUTHORIZATION_FAILED": _DENIED,
    "CLUSTER_AUTHORIZATION_FAILED": _DENIED,
    "_TIMED_OUT": _TIMED_OUT,
    "REQUEST_TIMED_OUT": _TIMED_OUT,
    "TimeoutError": _TIMED_OUT,
    "_TRANSPORT": _TIMED_OUT,
    "_ALL_BROKERS_DOWN": _TIMED_OUT,
    "_UNSUPPORTED_FEATURE": _UNSUPPORTED,
    "UNSUPPORTED_VERSION": _UNSUPPORTED,
    "INVALID_REQUEST": _UNSUPPORTED,
    NOT_REPORTED.name: _UNSUPPORTED,
    "UNKNOWN_TOPIC_OR_PART": _DELETED,
}
"""Verdict and text by the name of librdkafka's error or of the exception raised while waiting for the response."""
_OTHER = (Verdict.DOUBT, "the topic's limit is unknown: {error}")
_REQUEST_SECONDS = 1.0
_NO_RESPONSE = frozenset({"_TIMED_OUT", "_TRANSPORT", "_ALL_BROKERS_DOWN"})
_MAX_MESSAGE_BYTES = "max.message.bytes"
_GRACE_SECONDS = 0.5
"""Time to wait beyond the request's own timeout, whose error is more specific."""


def size(settings: Settings, topic_bytes: int | Failed) -> Finding:
    """Compare the hook's maximum message size with the topic's `max.message.bytes`, or the reason why that is not known."""
    max_bytes = settings.content.message_max_bytes
    own = f"messages have up to {max_bytes:,} bytes"
    if isinstance(topic_bytes, Failed):
        verdict, reason = _REASONS.get(topic_bytes.name, _OTHER)
        error = mask_text(f"{topic_bytes.name} {topic_bytes.text}".strip())
        return Finding(verdict, "size", f"{own}; {reason.format(topic=settings.sink.topic, error=error)}")
    if topic_bytes < max_bytes + _OVERHEAD_BYTES:
        fitting = topic_bytes - _OVERHEAD_BYTES
        text = (
            f"{own}, but the topic {settings.sink.topic} accepts only {topic_bytes:,}: longer ones are rejected; raise its "
            "max.message.bytes"
        )
        lower = f", or set {_LIMIT} = {fitting}" if fitting >= _MIN_LIMIT else ""
        return Finding(Verdict.WRONG, "size", text + lower)
    return Finding(Verdict.GOOD, "size", f"{own}, the topic accepts {topic_bytes:,}")


def event_hubs_size(settings: Settings) -> Finding:
    """Report the fixed limit of Event Hubs, which cannot be queried."""
    max_bytes = min(settings.content.message_max_bytes, RECORD_BYTES)
    text = f"messages have up to {max_bytes:,} bytes; Event Hubs accepts 1 MB (tier Basic, without Kafka: 256 kB)"
    return Finding(Verdict.GOOD, "size", text)


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """A broker's description of a topic; `may_write` is None if the broker does not report it (like Event Hubs)."""

    partitions: int
    may_write: bool | None


@dataclass(frozen=True, slots=True)
class FetchedRecord:
    """A record in a topic; `written_ms` is the time set by the broker, None if the producer set the timestamp."""

    value: bytes
    written_ms: int | None


class TopicProbe:
    """Query of a topic's description by an admin client, which connects and logs in with a producer's settings.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str, timeout_seconds: float) -> None:
        self._callback_events = CallbackEvents(config)
        self._topic = topic
        with creating_client():
            from confluent_kafka import TopicCollection
            from confluent_kafka.admin import AdminClient

            callbacks = dict(self._callback_events.callbacks)
            self._admin = AdminClient({**config, "error_cb": callbacks["error_cb"]}, logger=callbacks["logger"])
            self._request = self._admin.describe_topics(
                TopicCollection([topic]), include_authorized_operations=True, request_timeout=timeout_seconds
            )[topic]

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events, waiting for the first one up to the timeout."""
        self._admin.poll(timeout_seconds)
        return self._callback_events.take()

    def answer(self) -> TopicDescription | Failed | None:
        """Return the description of the topic or the error; None while there is no response."""
        if not self._request.done():
            return None
        error = self._request.exception()
        if error is not None:
            return Failed(0, *error_of(error))
        found = self._request.result()
        allowed = found.authorized_operations
        may_write = any(each.name == "WRITE" for each in allowed) if allowed else None
        return TopicDescription(len(found.partitions), may_write)

    def max_message_bytes(self, timeout_seconds: float) -> int | Failed:
        """Return the topic's `max.message.bytes`, or why it is not known."""
        from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined]  # missing in its stubs

        topic = ConfigResource(ConfigResource.Type.TOPIC, self._topic)
        try:
            (request,) = self._admin.describe_configs([topic], request_timeout=timeout_seconds).values()
            found = request.result(timeout_seconds + _GRACE_SECONDS).get(_MAX_MESSAGE_BYTES)
            return int(found.value) if found is not None and found.value is not None else NOT_REPORTED
        except Exception as error:  # noqa: BLE001 (KafkaException, and errors of waiting for the result)
            return Failed(0, *error_of(error))


class TopicListing:
    """Query of a topic's description by a producer, for Event Hubs: every request contains the topic's name.

    Event Hubs reportedly closes connections that request only the brokers, if the user has a role on a single event hub.
    It does not report permissions in any case.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str) -> None:
        self._callback_events = CallbackEvents(config)
        self._topic = topic
        self._answer: TopicDescription | Failed | None = None
        with creating_client():
            from confluent_kafka import Producer

            self._producer: Producer = Producer({**config, **self._callback_events.callbacks})

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events; without any, repeat the request for up to one second."""
        self._producer.poll(timeout_seconds)
        if self._answer is None and not self._callback_events.events:
            self._answer = self._request()
        return self._callback_events.take()

    def answer(self) -> TopicDescription | Failed | None:
        """Return the description of the topic or the error; None while there is no response."""
        return self._answer

    def _request(self) -> TopicDescription | Failed | None:
        try:
            (found,) = self._producer.list_topics(self._topic, timeout=_REQUEST_SECONDS).topics.values()
        except Exception as error:  # noqa: BLE001 (KafkaException, decided by its error name)
            name, text = error_of(error)
            return None if name in _NO_RESPONSE else Failed(0, name, text)
        if found.error is not None:
            return Failed(0, found.error.name(), found.error.str())
        return TopicDescription(len(found.partitions), None)


def read_back(
    config: Mapping[str, Any], topic: str, partition: int, offset: int, timeout_seconds: float
) -> FetchedRecord | Failed | None:
    """Read the record at an offset with a producer's settings, without committing or joining a group; None at the timeout.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """
    callback_events = CallbackEvents(config)
    with creating_client():
        from confluent_kafka import Consumer, TopicPartition

        own = {"group.id": "sac-kafka-doctor", "enable.auto.commit": False, "auto.offset.reset": "error"}
        # librdkafka logs warnings about producer settings, which `CallbackEvents` ignores.
        consumer = Consumer({**config, **callback_events.callbacks, **own})
        consumer.assign([TopicPartition(topic, partition, offset)])
    try:
        return _first_record(consumer, Deadline(timeout_seconds))
    except Exception as error:  # noqa: BLE001 (KafkaException, reported by its error name)
        return Failed(0, *error_of(error))
    finally:
        consumer.close()


def _first_record(consumer: Consumer, deadline: Deadline) -> FetchedRecord | Failed | None:
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME

    while (message := consumer.poll(deadline.left(min_seconds=0))) is not None:
        if (error := message.error()) is None:
            kind, written_ms = message.timestamp()
            return FetchedRecord(message.value() or b"", written_ms if kind == TIMESTAMP_LOG_APPEND_TIME else None)
        if error.name() != GROUP_ERROR:
            return Failed(0, error.name(), error.str())
    return None
