"""The endpoint itself, by clients that are not the hook's: what it takes, and each thing that it refuses."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from typing import Any

import pytest
from confluent_kafka import KafkaError, Producer

from tests.helpers.broker import LocalBroker
from tests.helpers.waiting import until
from tests.live.event_hubs.clients import plain_config
from tests.live.event_hubs.endpoint import Endpoint, _Broker
from tests.live.event_hubs.namespace import Namespace, Tier
from tests.live.event_hubs.wire import Api, Request

pytestmark = pytest.mark.kafka

SECONDS = 60.0


class Client:
    """A producer of librdkafka that keeps its reports."""

    def __init__(self, endpoint: Endpoint, connection_string: str, **changes: Any) -> None:
        self.errors: list[KafkaError] = []
        self.delays: list[float] = []
        changed = {key.replace("_", "."): each for key, each in changes.items()}
        callbacks = {
            "error_cb": self.errors.append,
            "throttle_cb": lambda event: self.delays.append(event.throttle_time),
        }
        self.producer = Producer({**plain_config(endpoint, connection_string), **changed, **callbacks})

    def send(self, value: bytes, hub: str = "ATLAS_HOOK") -> KafkaError | None:
        """Give the outcome of a record."""
        reports: list[KafkaError | None] = []
        self.producer.produce(hub, value, on_delivery=lambda error, _: reports.append(error))
        until(lambda: self.producer.poll(0.1) is None or reports, lambda: self.errors)
        return reports[0]

    def failure(self) -> KafkaError:
        """Return the first failure of the connection."""
        self.producer.produce("ATLAS_HOOK", b"{}")
        until(lambda: self.producer.poll(0.1) is None or self.errors)
        return self.errors[0]


@pytest.fixture
def connection_string(namespace: Namespace) -> str:
    return namespace.connection_string(namespace.policy())


@pytest.mark.everyday
def test_a_record_arrives_whatever_the_case_of_its_event_hub(
    endpoint: Endpoint, broker: LocalBroker, connection_string: str
) -> None:
    before = len(broker.read_all("ATLAS_HOOK"))
    client = Client(endpoint, connection_string)
    assert client.send(b"one") is None
    assert client.send(b"two", "atlas_hook") is None
    assert broker.read_all("ATLAS_HOOK")[before:] == [b"one", b"two"]
    assert endpoint.namespace.seen.versions["PRODUCE"] == {7}
    assert endpoint.namespace.seen.versions["METADATA"] == {5}


def test_it_is_every_broker_that_clients_know(endpoint: Endpoint, connection_string: str) -> None:
    known = Client(endpoint, connection_string).producer.list_topics(timeout=SECONDS)
    assert [(each.host, each.port) for each in known.brokers.values()] == [("localhost", endpoint.port)]
    assert list(known.topics) == ["ATLAS_HOOK"]


def test_an_unknown_event_hub_is_not_made(endpoint: Endpoint, connection_string: str) -> None:
    error = Client(endpoint, connection_string, topic_metadata_propagation_max_ms=100).send(b"{}", "elsewhere")
    assert error is not None
    assert error.name() == "UNKNOWN_TOPIC_OR_PART"


def test_limits(endpoint: Endpoint, connection_string: str) -> None:
    client = Client(endpoint, connection_string, message_max_bytes=2_000_000)
    assert client.send(bytes(999_900)) is None
    error = client.send(bytes(1_000_100))
    assert error is not None
    assert error.name() == "MSG_SIZE_TOO_LARGE"
    assert endpoint.namespace.seen.counts["closed for size"] == 0
    client = Client(endpoint, connection_string, message_max_bytes=2_000_000, message_timeout_ms=3000)
    assert client.send(bytes(1_046_600)) is not None
    until(lambda: endpoint.namespace.seen.counts["closed for size"])


@pytest.mark.parametrize(
    ("tier", "codec", "name"),
    [
        (Tier.STANDARD, "gzip", "UNSUPPORTED_FOR_MESSAGE_FORMAT"),
        (Tier.PREMIUM, "gzip", None),
        (Tier.PREMIUM, "lz4", "UNSUPPORTED_FOR_MESSAGE_FORMAT"),
    ],
)
def test_compression(endpoint: Endpoint, connection_string: str, tier: Tier, codec: str, name: str | None) -> None:
    endpoint.namespace.tier = tier
    error = Client(endpoint, connection_string, compression_type=codec).send(bytes(10_000))
    assert (error.name() if error else None) == name


def test_throttling_delays_the_answer_and_then_refuses(
    endpoint: Endpoint, connection_string: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays: list[float] = []
    is_over = threading.Event()

    async def sleep(seconds: float) -> None:
        delays.append(seconds)
        while not is_over.is_set():
            await asyncio.sleep(0.01)

    passed_on_after: list[bool] = []
    pass_on = _Broker.exchange

    async def exchange(broker: _Broker, frame: bytes) -> bytes:
        if Request.read(frame).api == Api.PRODUCE:
            passed_on_after.append(is_over.is_set())
        return await pass_on(broker, frame)

    monkeypatch.setattr(_Broker, "exchange", exchange)
    endpoint.namespace.sleep = sleep
    endpoint.namespace.throttle_seconds = 0.5
    client = Client(endpoint, connection_string, request_timeout_ms=50_000)
    reports: list[KafkaError | None] = []
    client.producer.produce("ATLAS_HOOK", b"{}", on_delivery=lambda error, _: reports.append(error))
    until(lambda: client.producer.poll(0.1) is None or delays)
    is_over.set()
    until(lambda: client.producer.poll(0.1) is None or (reports and client.delays))
    assert reports == [None]
    assert passed_on_after == [True]
    assert delays == client.delays == [0.5]
    endpoint.namespace.throttle_seconds = 90
    error = client.send(b"{}")
    assert error is not None
    assert error.name() == "POLICY_VIOLATION"


def test_an_idle_connection_is_closed(endpoint: Endpoint, connection_string: str) -> None:
    client = Client(endpoint, connection_string)
    assert client.send(b"{}") is None
    endpoint.namespace.idle_seconds = 0.1  # from the next request on: to log in may take longer
    assert client.send(b"{}") is None
    until(lambda: endpoint.namespace.seen.counts["closed for idleness"])
    endpoint.namespace.idle_seconds = 60
    assert client.send(b"{}") is None
    until(endpoint.close_idle)
    assert client.send(b"{}") is None


def test_a_key_that_is_rotated_is_good_for_connections_that_are_there(endpoint: Endpoint, namespace: Namespace) -> None:
    policy = namespace.policy()
    old = namespace.connection_string(policy)
    client = Client(endpoint, old)
    assert client.send(b"{}") is None
    policy.rotate()
    assert client.send(b"{}") is None
    refused = Client(endpoint, old).failure()
    assert refused.name() == "_AUTHENTICATION"
    assert "The shared access key is not that of the policy" in refused.str()
    assert Client(endpoint, namespace.connection_string(policy)).send(b"{}") is None


@pytest.mark.parametrize(
    ("rights", "hub", "name"),
    [("Send", "", None), ("Listen", "", "TOPIC_AUTHORIZATION_FAILED"), ("Send", "other", "TOPIC_AUTHORIZATION_FAILED")],
)
def test_rights(endpoint: Endpoint, namespace: Namespace, rights: str, hub: str, name: str | None) -> None:
    client = Client(endpoint, namespace.connection_string(namespace.policy(rights=rights, hub=hub)))
    error = client.send(b"{}")
    assert (error.name() if error else None) == name


def test_the_tier_without_kafka(endpoint: Endpoint, namespace: Namespace) -> None:
    namespace.tier = Tier.BASIC
    context = ssl.create_default_context(cafile=str(endpoint.ca))
    with (
        socket.create_connection(("localhost", endpoint.port), SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=namespace.host) as secured,
    ):
        assert secured.recv(1) == b""
