"""The Kafka of the tests: an external one that the environment names, a container's, or a local process.

`acquire_broker` is called by a session fixture. Where no broker can be had it raises: the run fails, it does not skip.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Message, TopicPartition

from stack import topics
from stack.container import ContainerBroker, has_engine
from stack.errors import StackError
from stack.kafka import KafkaBroker
from tests.helpers.waiting import until

EXTERNAL_BOOTSTRAP = "SAC_KAFKA_TEST_BOOTSTRAP"
EXTERNAL_SASL_SSL = (
    "SAC_KAFKA_TEST_SASL_SSL_BOOTSTRAP",
    "SAC_KAFKA_TEST_USERNAME",
    "SAC_KAFKA_TEST_PASSWORD",
    "SAC_KAFKA_TEST_CA",
)
EXTERNAL_TIMEOUT_SECONDS = 15
_POLL_SECONDS = 0.5


class BrokerUnavailableError(Exception):
    """The broker that the tests need is unavailable; the message has the reason."""


@dataclass(frozen=True, slots=True)
class SaslSsl:
    """How a client reaches the SASL_SSL listener (mechanism PLAIN)."""

    bootstrap: str
    username: str
    password: str
    ca_file: Path


class Broker:
    """What a test sees of a broker, wherever it runs."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    @property
    def sasl_ssl(self) -> SaslSsl:
        raise NotImplementedError

    def kill(self) -> None:
        raise NotImplementedError

    def restart(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """End what was started for the tests."""

    def create_topic(self, name: str) -> None:
        topics.create_topic(self.bootstrap, name)

    def read_all(self, topic: str, timeout: float = 60) -> list[bytes]:
        """Return the value of every message that the topic holds now; ends as soon as the last one is read.

        Fails where no other one comes for `timeout` seconds.
        """
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": f"read-{uuid.uuid4()}", "log_level": 0})
        try:
            unread = _ends(consumer, topic, timeout)
            consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in unread])
            values: list[bytes] = []

            def are_read() -> bool:
                while unread and (message := consumer.poll(_POLL_SECONDS)) is not None:
                    _take(message, unread, values)
                return not unread

            until(
                are_read,
                lambda: f"{topic}: {len(values)} messages read, none for {timeout} s, unread up to {unread}",
                timeout,
                lambda: len(values),
            )
            return values
        finally:
            consumer.close()


class LocalBroker(Broker):
    """A broker that was started for the tests, as a process or in a container."""

    def __init__(self, server: KafkaBroker | ContainerBroker) -> None:
        super().__init__(server.bootstrap("PLAINTEXT"))
        self.server = server

    @property
    def sasl_ssl(self) -> SaslSsl:
        return SaslSsl(self.server.bootstrap("SASL_SSL"), *self.server.credentials, self.server.ca_file)

    def kill(self) -> None:
        self.server.kill()

    def restart(self) -> None:
        self.server.restart()

    def close(self) -> None:
        self.server.stop()


class ExternalBroker(Broker):
    """A broker that the environment names; it is neither killed nor ended."""

    @property
    def sasl_ssl(self) -> SaslSsl:
        missing = [name for name in EXTERNAL_SASL_SSL if not os.environ.get(name)]
        if missing:
            raise BrokerUnavailableError(
                f"{EXTERNAL_BOOTSTRAP} names an external broker; the SASL_SSL tests need {', '.join(missing)} too"
            )
        bootstrap, username, password, ca_file = (os.environ[name] for name in EXTERNAL_SASL_SSL)
        return SaslSsl(bootstrap, username, password, Path(ca_file))

    def kill(self) -> None:
        raise BrokerUnavailableError(f"an external broker is not killed: unset {EXTERNAL_BOOTSTRAP} for this test")

    restart = kill


def acquire_broker(work: Path) -> Broker:
    """Return a broker that answers; a started one keeps its things in the work folder until `close`."""
    external = os.environ.get(EXTERNAL_BOOTSTRAP)
    if external:
        try:
            topics.wait_until_answers(external, EXTERNAL_TIMEOUT_SECONDS)
        except StackError as error:
            raise BrokerUnavailableError(f"{EXTERNAL_BOOTSTRAP}={external}: {error}") from error
        return ExternalBroker(external)
    failures = []
    if has_engine():
        try:
            return LocalBroker(ContainerBroker(work / "container").start())
        except StackError as error:
            failures.append(f"in a container: {error}")
    try:
        return LocalBroker(KafkaBroker(work / "process").start())
    except StackError as error:
        failures.append(f"as a local process: {error}")
    raise BrokerUnavailableError("no Kafka for the tests:\n" + "\n".join(failures))


def _ends(consumer: Consumer, topic: str, timeout: float) -> dict[int, int]:
    """Return for each partition that holds something the offset after its last message."""
    known = consumer.list_topics(topic, timeout=timeout).topics[topic]
    if known.error is not None:
        raise KafkaException(known.error)
    ends = {}
    for partition in known.partitions:
        low, high = _watermarks(consumer, TopicPartition(topic, partition), timeout)
        if high > low:
            ends[partition] = high
    return ends


def _watermarks(consumer: Consumer, partition: TopicPartition, timeout: float) -> tuple[int, int]:
    """Return the first and the next offset; a topic that was created a moment ago may not have a leader yet."""
    found: list[tuple[int, int]] = []

    def are_known() -> bool:
        with suppress(KafkaException):
            found.append(consumer.get_watermark_offsets(partition, timeout=timeout))
        return bool(found)

    until(are_known, lambda: f"{partition} does not answer")
    return found[0]


def _take(message: Message, unread: dict[int, int], values: list[bytes]) -> None:
    error = message.error()
    if error is not None:
        if error.fatal():
            raise KafkaException(error)
        return  # the client tries again by itself; the deadline counts
    partition, offset = message.partition(), message.offset()
    if partition not in unread or offset is None:
        return  # came after the watermark was taken
    if offset < unread[partition]:
        values.append(message.value() or b"")
    if offset >= unread[partition] - 1:
        del unread[partition]
