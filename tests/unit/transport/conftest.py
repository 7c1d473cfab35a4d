"""Shared by the tests of transports: remembered outcomes and a Kafka mock cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.transport.outcomes import Outcomes


@pytest.fixture
def outcomes() -> Outcomes:
    return Outcomes()


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Yield the address of a mock cluster, which lives as long as the producer that owns it."""
    confluent_kafka = pytest.importorskip("confluent_kafka")
    owner = confluent_kafka.Producer({"bootstrap.servers": "x:1", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = owner.list_topics(timeout=60).brokers.values()
    yield ",".join(f"{broker.host}:{broker.port}" for broker in brokers)
    owner.close()
