"""What the Kafka transport asks of a Kafka client, so that librdkafka and the driver's own KafkaProducer are one to it.

A client only hands records to a broker and tells what it sees. Order, deadlines, what to try again and what to say of
an error are the transport's (`transport`, `errors`). All methods are called from one thread, and none of them raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Delivered:
    """The broker has the record of this number; `offset` is -1 where the client does not tell."""

    number: int
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The record of this number was given up by the client or refused by the broker.

    `name` is that of librdkafka's error (`TOPIC_AUTHORIZATION_FAILED`) or of Kafka's Java exception
    (`TopicAuthorizationException`), `text` what it says, which may hold secrets.
    """

    number: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """Trouble of the client that concerns no single record, such as a connection that was refused; as in `Failed`."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """The broker delays its answers by so many seconds."""

    seconds: float


ClientEvent = Delivered | Failed | Noticed | Throttled


class KafkaClient(Protocol):
    """A producer, made with its settings; it connects at the first record."""

    @property
    def name(self) -> str:
        """The library, for logs: `librdkafka 2.16.0`, `kafka-clients 3.9.1`."""

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Hand a record over. Its one report, `Delivered` or `Failed` under this number, comes from a later `poll`."""

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Give what has happened, waiting for the first at most this long."""

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:
        """Give the id of the cluster that has the topic, None if nobody tells within the time."""

    def close(self, timeout_seconds: float) -> None:
        """Let go of everything within the time, without waiting for records; they may or may not arrive."""
