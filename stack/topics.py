"""Asks a running broker, over its PLAINTEXT listener: does it answer, make a topic. Imports confluent_kafka on use."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stack.errors import StackError

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition
    from confluent_kafka.admin import AdminClient

CREATE_TIMEOUT_SECONDS = 90
_ATTEMPT_SECONDS = 30
_QUIET = {"log_level": 0, "reconnect.backoff.max.ms": 200, "socket.connection.setup.timeout.ms": 2000}


def wait_until_answers(bootstrap: str, timeout_seconds: float, check: Callable[[], None] = lambda: None) -> None:
    """Return once the broker answers; `check` runs before each attempt and may raise.

    Raises:
        StackError: The deadline has passed.
    """
    from confluent_kafka import KafkaException

    deadline = time.monotonic() + timeout_seconds
    admin = _admin(bootstrap)
    while time.monotonic() < deadline:
        check()
        try:
            if admin.list_topics(timeout=0.5).brokers:
                return
        except KafkaException:  # not yet: the reason is in the broker's log
            time.sleep(0.05)
    raise StackError(f"Kafka at {bootstrap} did not answer within {timeout_seconds:.0f} s")


def create_topic(
    bootstrap: str, name: str, partitions: int = 1, settings: Mapping[str, str] | None = None, *, replicas: int = 1
) -> None:
    """Make a topic and return once each partition has a leader; an existing one is unchanged."""
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.cimpl import NewTopic

    deadline = time.monotonic() + CREATE_TIMEOUT_SECONDS
    admin = _admin(bootstrap)  # kept in a variable: a client that is collected early fails its own futures
    topic = NewTopic(name, num_partitions=partitions, replication_factor=replicas, config=dict(settings or {}))
    while True:
        try:
            creation = admin.create_topics(
                [topic], operation_timeout=_ATTEMPT_SECONDS, request_timeout=_ATTEMPT_SECONDS
            )
            creation[name].result()  # the client ends it by itself
            break
        except KafkaException as error:
            code = error.args[0].code()
            if code == KafkaError.TOPIC_ALREADY_EXISTS:
                break
            if code not in _passing() or time.monotonic() > deadline:
                raise StackError(f"topic {name!r} cannot be made at {bootstrap}: {error.args[0].str()}") from error
            time.sleep(0.1)
    _wait_for_leaders(admin, name, deadline)


def _passing() -> tuple[int, ...]:
    """Return the errors that pass: a broker does not answer, or its controller does not know it yet."""
    from confluent_kafka import KafkaError

    return (
        KafkaError._DESTROY_BROKER,
        KafkaError._TRANSPORT,
        KafkaError._TIMED_OUT,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_CONTROLLER,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.INVALID_REPLICATION_FACTOR,
    )


def progress(bootstrap: str, name: str, group: str, timeout_seconds: float = 10) -> tuple[int, int]:
    """Return how far a consumer group has read a topic of one partition: its committed offset, and the topic's end.

    Raises:
        StackError: The broker does not answer, or lacks the topic.
    """
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    settings = {"bootstrap.servers": bootstrap, "group.id": group, "enable.auto.commit": False, **_QUIET}
    consumer = Consumer(settings)
    deadline = time.monotonic() + timeout_seconds
    try:
        partition = TopicPartition(name, 0)
        _, end = consumer.get_watermark_offsets(partition, timeout=timeout_seconds)
        committed = _committed(consumer, partition, deadline)
    except KafkaException as error:
        raise StackError(f"topic {name!r} at {bootstrap}: {error.args[0].str()}") from error
    finally:
        consumer.close()
    return max(committed, 0), end


def _committed(consumer: Consumer, partition: TopicPartition, deadline: float) -> int:
    """Return the group's offset; a broker that has just started may not know yet who coordinates the group."""
    from confluent_kafka import KafkaError, KafkaException

    while True:
        try:
            return int(consumer.committed([partition], timeout=max(0.1, deadline - time.monotonic()))[0].offset)
        except KafkaException as error:  # noqa: PERF203 each answer may be the last
            coming = (
                KafkaError.NOT_COORDINATOR,
                KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
                KafkaError.COORDINATOR_NOT_AVAILABLE,
            )
            if error.args[0].code() not in coming or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def wait_for_leader(bootstrap: str, name: str) -> None:
    """Return once this node knows the leader of each partition: one that was not asked to make a topic learns it later.

    Raises:
        StackError: It does not learn it within the time.
    """
    _wait_for_leaders(_admin(bootstrap), name, time.monotonic() + CREATE_TIMEOUT_SECONDS)


def leader(bootstrap: str, name: str) -> int:
    """Return the number of the node that leads the first partition of a topic; -1 without a leader.

    Raises:
        StackError: The broker does not answer.
    """
    from confluent_kafka import KafkaException

    admin = _admin(bootstrap)
    try:
        partitions = admin.list_topics(name, timeout=_ATTEMPT_SECONDS).topics[name].partitions
    except KafkaException as error:
        raise StackError(f"topic {name!r} at {bootstrap}: {error.args[0].str()}") from error
    return partitions[0].leader if partitions else -1


def _wait_for_leaders(admin: AdminClient, name: str, deadline: float) -> None:
    from confluent_kafka import KafkaException

    while time.monotonic() < deadline:
        try:
            partitions = admin.list_topics(name, timeout=5).topics[name].partitions
        except KafkaException:  # of a cluster that has only just started
            partitions = {}
        if partitions and all(partition.leader >= 0 for partition in partitions.values()):
            return
        time.sleep(0.05)
    raise StackError(f"topic {name!r} has no leader after {CREATE_TIMEOUT_SECONDS} s")


def _admin(bootstrap: str) -> AdminClient:
    try:
        from confluent_kafka.admin import AdminClient
    except ImportError as error:
        raise StackError("confluent_kafka is not installed in this Python: pip install confluent-kafka") from error
    return AdminClient({"bootstrap.servers": bootstrap, **_QUIET})
