"""Questions to a broker through librdkafka, none of which leaves a message: of a topic, its limits, and what lies in it.

Where `librdkafka` sends, this asks: for `sac-kafka doctor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sac_kafka.deadlines import Deadline
from sac_kafka.transport.kafka.client import ClientEvent, Failed
from sac_kafka.transport.kafka.consumer import OF_A_GROUP
from sac_kafka.transport.kafka.librdkafka import Heard, error_of, making
from sac_kafka.transport.kafka.topic_size import NOT_TOLD

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

_ASK_SECONDS = 1.0
_NO_ANSWER_YET = frozenset({"_TIMED_OUT", "_TRANSPORT", "_ALL_BROKERS_DOWN"})
_LONGEST = "max.message.bytes"
_GRACE_SECONDS = 0.5
"""So much longer than the request itself, which says more of why there is no answer."""


class TopicProbe:
    """Asks a broker about a topic, which leaves no message: connects and logs in as the producer does.

    Args:
        config: librdkafka's settings of the producer.
        topic: The topic.
        timeout_seconds: After how long the broker counts as silent.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str, timeout_seconds: float) -> None:
        self._heard = Heard(config)
        self._topic = topic
        with making():
            from confluent_kafka import TopicCollection
            from confluent_kafka.admin import AdminClient

            callbacks = dict(self._heard.callbacks)
            self._admin = AdminClient({**config, "error_cb": callbacks["error_cb"]}, logger=callbacks["logger"])
            self._asked = self._admin.describe_topics(
                TopicCollection([topic]), include_authorized_operations=True, request_timeout=timeout_seconds
            )[topic]

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Give what has happened, waiting for the first at most this long."""
        self._admin.poll(timeout_seconds)
        return self._heard.take()

    def answer(self) -> Described | Failed | None:
        """Give what the broker tells of the topic, None as long as it has not."""
        if not self._asked.done():
            return None
        error = self._asked.exception()
        if error is not None:
            return Failed(0, *error_of(error))
        found = self._asked.result()
        may = found.authorized_operations
        return Described(len(found.partitions), any(each.name == "WRITE" for each in may) if may else None)

    def longest(self, timeout_seconds: float) -> int | Failed:
        """Give the bytes of the longest batch that the topic takes, or why that is not known."""
        from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined]  # as its docs have it

        topic = ConfigResource(ConfigResource.Type.TOPIC, self._topic)
        try:
            (asked,) = self._admin.describe_configs([topic], request_timeout=timeout_seconds).values()
            told = asked.result(timeout_seconds + _GRACE_SECONDS).get(_LONGEST)
            return int(told.value) if told is not None and told.value is not None else NOT_TOLD
        except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts, and what waiting for it raises)
            return Failed(0, *error_of(error))


class ListedTopic:
    """Asks a broker about a topic as a producer does: no request goes without the topic's name.

    Event Hubs hangs up on who asks for brokers alone, where he has a role on one event hub only (people report); and it
    tells of no permission anyway.

    Args:
        config: librdkafka's settings of the producer.
        topic: The topic.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str) -> None:
        self._heard = Heard(config)
        self._topic = topic
        self._answer: Described | Failed | None = None
        with making():
            from confluent_kafka import Producer

            self._producer: Producer = Producer({**config, **self._heard.callbacks})

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Give what has happened; without any news the broker is asked again, for up to a second."""
        self._producer.poll(timeout_seconds)
        if self._answer is None and not self._heard.events:
            self._answer = self._asked()
        return self._heard.take()

    def answer(self) -> Described | Failed | None:
        """Give what the broker tells of the topic, None as long as it has not."""
        return self._answer

    def _asked(self) -> Described | Failed | None:
        try:
            (found,) = self._producer.list_topics(self._topic, timeout=_ASK_SECONDS).topics.values()
        except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
            name, text = error_of(error)
            return None if name in _NO_ANSWER_YET else Failed(0, name, text)
        if found.error is not None:
            return Failed(0, found.error.name(), found.error.str())
        return Described(len(found.partitions), None)


@dataclass(frozen=True, slots=True)
class Described:
    """What a broker tells of a topic; `may_write` is None where it does not tell (as Event Hubs does not)."""

    partitions: int
    may_write: bool | None


@dataclass(frozen=True, slots=True)
class RecordThere:
    """A record that a topic has: its value, and when the broker wrote it, None where the time is its sender's."""

    value: bytes
    written_ms: int | None


def read_back(
    config: Mapping[str, Any], topic: str, partition: int, offset: int, timeout_seconds: float
) -> RecordThere | Failed | None:
    """Give the record at an offset, None where it did not come in time. Commits nothing, and joins no group.

    Args:
        config: librdkafka's settings of the producer.
        topic: The topic.
        partition: Its partition.
        offset: Of the record.
        timeout_seconds: The longest wait.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """
    heard = Heard(config)
    with making():
        from confluent_kafka import Consumer, TopicPartition

        own = {"group.id": "sac-kafka-doctor", "enable.auto.commit": False, "auto.offset.reset": "error"}
        # What only producers take is warned of in librdkafka's log, which `Heard` passes over.
        consumer = Consumer({**config, **heard.callbacks, **own})
        consumer.assign([TopicPartition(topic, partition, offset)])
    try:
        return _first(consumer, Deadline(timeout_seconds))
    except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
        return Failed(0, *error_of(error))
    finally:
        consumer.close()


def _first(consumer: Consumer, deadline: Deadline) -> RecordThere | Failed | None:
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME

    while (message := consumer.poll(deadline.left(least=0))) is not None:
        if (error := message.error()) is None:
            kind, written_ms = message.timestamp()
            return RecordThere(message.value() or b"", written_ms if kind == TIMESTAMP_LOG_APPEND_TIME else None)
        if error.name() != OF_A_GROUP:
            return Failed(0, error.name(), error.str())
    return None
