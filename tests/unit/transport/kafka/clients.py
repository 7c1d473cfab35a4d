"""Kafka clients for tests of the transport: a scripted one, and the real one with settings as users write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Delivered, Failed
from sac_kafka.transport.kafka.librdkafka import LibrdkafkaClient
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from sac_kafka.transport.kafka.transport import KafkaTransport
from tests.helpers.waiting import FakeClock


class FakeClient:
    """Keep records until `deliver`, `fail` or `notice` make events; waiting moves the clock."""

    name = "fake"

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.produced: list[tuple[int, bytes]] = []
        self.open: list[int] = []
        self.events: list[ClientEvent] = []
        self.answer: Callable[[FakeClient, int, bytes], ClientEvent | None] | None = None
        self.is_closed = False
        self.closed_within: float | None = None
        self.is_broken = False  # for the answering function
        self.cluster: str | None = "c1"

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        assert not self.is_closed
        self.produced.append((number, value))
        event = self.answer(self, number, value) if self.answer else None
        if event is not None:
            self.events.append(event)
        else:
            self.open.append(number)

    def deliver(self, count: int | None = None) -> None:
        """Deliver the first so many records, all by default."""
        done = self.open[:count]
        del self.open[: len(done)]
        self.events += [Delivered(number, 0, number) for number in done]

    def fail(self, name: str, text: str = "") -> None:
        """Fail the first open record."""
        self.events.append(Failed(self.open.pop(0), name, text))

    def notice(self, name: str, text: str = "") -> None:
        self.events.append(ClientError(name, text))

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        assert not self.is_closed
        events, self.events = tuple(self.events), []
        if not events:
            self.clock.advance(timeout_seconds)
        return events

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:
        return self.cluster

    def close(self, timeout_seconds: float) -> None:
        self.is_closed = True
        self.closed_within = timeout_seconds

    @property
    def values(self) -> list[bytes]:
        return [value for _, value in self.produced]


class Bench:
    """A transport over fake clients; `clients` are those that it has made, `prepare` is done to each new one."""

    def __init__(self, prepare: Callable[[FakeClient], None] = lambda client: None, **options: Any) -> None:
        self.clock = FakeClock()
        self.clients: list[FakeClient] = []
        self.prepare = prepare
        self.transport = KafkaTransport(self._make, name="kafka h:1 (PLAINTEXT)", clock=self.clock, **options)

    @property
    def client(self) -> FakeClient:
        return self.clients[-1]

    def _make(self) -> FakeClient:
        client = FakeClient(self.clock)
        self.prepare(client)
        self.clients.append(client)
        return client


def kafka_transport(settings: Mapping[str, str], **options: Any) -> KafkaTransport:
    """Return the transport over librdkafka with Kafka's settings as in the file, prefix stripped."""
    config = translate(settings).config
    name = f"kafka {config['bootstrap.servers']} ({config['security.protocol'].upper()})"
    return KafkaTransport(lambda: LibrdkafkaClient(config), name=name, **options)
