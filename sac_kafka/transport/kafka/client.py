"""Define the interface of Kafka clients, implemented by librdkafka and by the driver's KafkaProducer.

A client only sends records to a broker and reports events. Order, deadlines, retries and the explanation of errors are
implemented by the transport (`transport`, `errors`). All methods are called from one thread and never raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Delivered:
    """The broker acknowledged the record with this number; `offset` is -1 if the client does not report it."""

    number: int
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The client gave up the record with this number, or the broker rejected it.

    `name` is the name of librdkafka's error (`TOPIC_AUTHORIZATION_FAILED`) or of Kafka's Java exception
    (`TopicAuthorizationException`), `text` its message, which may contain secrets.
    """

    number: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ClientError:
    """An error that does not concern a single record, such as a refused connection; fields as in `Failed`."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """The broker delayed its responses by this many seconds."""

    seconds: float


ClientEvent = Delivered | Failed | ClientError | Throttled


class KafkaClient(Protocol):
    """A producer; it connects when the first record is sent."""

    @property
    def name(self) -> str:
        """Name and version of the library, for logs: `librdkafka 2.16.0`, `kafka-clients 3.9.1`."""

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Send a record. A later `poll` returns exactly one `Delivered` or `Failed` with this number."""

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events, waiting for the first one up to the timeout."""

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:
        """Return the id of the topic's cluster, None if it is not known within the timeout."""

    def close(self, timeout_seconds: float) -> None:
        """Release all resources within the timeout without waiting for records, which may or may not be delivered."""
