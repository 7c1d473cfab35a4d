"""A cluster of three: it goes on without any one of them, refuses when two are away, and has them back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, Message, Producer

from stack.cluster import KafkaCluster

pytestmark = [pytest.mark.kafka, pytest.mark.nightly]

DELIVERED = ["delivered"] * 10


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with KafkaCluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def send(cluster: KafkaCluster, topic: str, seconds: float) -> list[str]:
    """What became of ten messages that all copies in sync had to acknowledge: the names of errors."""
    settings = {
        "bootstrap.servers": cluster.bootstrap(),
        "acks": "all",
        "message.timeout.ms": int(seconds * 1000),
        "reconnect.backoff.max.ms": 200,
        "log_level": 0,
    }
    outcomes: list[str] = []

    def note(error: KafkaError | None, _: Message) -> None:
        outcomes.append("delivered" if error is None else error.name())

    producer = Producer(settings)
    for number in range(10):
        producer.produce(topic, str(number), on_delivery=note)
    producer.flush(seconds + 15)
    return outcomes


def test_one_may_be_away_and_not_two(cluster: KafkaCluster) -> None:
    cluster.create_topic("copied")
    assert len(cluster.followers("copied")) == 2
    assert send(cluster, "copied", 20) == DELIVERED

    first = cluster.leader("copied")
    first.kill()

    second = cluster.leader("copied")
    assert second is not first
    assert send(cluster, "copied", 30) == DELIVERED

    second.kill()

    refused = send(cluster, "copied", 4)
    assert len(refused) == 10
    assert "delivered" not in refused

    first.start()
    second.start()

    assert len(cluster.followers("copied")) == 2
    assert send(cluster, "copied", 30) == DELIVERED
