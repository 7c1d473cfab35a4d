"""KafkaTransport over the driver's own KafkaProducer, against the real broker: what holds for librdkafka holds for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka import transport as kafka_transport
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.transport import KafkaTransport
from stack.kafka import KafkaBroker
from stack.properties import login_module
from stack.server_properties import PLAIN_LOGIN_MODULE
from tests.helpers.broker import LocalBroker
from tests.helpers.waiting import LONG_SECONDS, FakeClock, until
from tests.live.spark.kafka_jvm import Jvm

if TYPE_CHECKING:
    from tests.helpers.broker import Broker

pytestmark = [pytest.mark.spark, pytest.mark.kafka]
pyspark = pytest.importorskip("pyspark")


Make = Callable[..., KafkaTransport]
NOBODY = "localhost:1"
"""Nobody listens there, also later."""


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jvm]:
    jvm = Jvm(tmp_path_factory.mktemp("jvm") / "log")
    yield jvm
    jvm.close()


@pytest.fixture
def make(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setattr(kafka_transport, "_CLUSTER_SECONDS", LONG_SECONDS)
    made: list[KafkaTransport] = []

    def of(kafka: Mapping[str, str], **options: Any) -> KafkaTransport:
        java = java_settings(kafka, {}, KerberosLogin())
        options.setdefault("delivery_timeout_seconds", java.delivery_timeout_seconds)
        made.append(KafkaTransport(lambda: jvm.client(java.properties), name="kafka", **options))
        return made[-1]

    yield of
    for transport in made:
        transport.close(0)


class Outcomes:
    """Outcomes of records, in the order of their reports."""

    def __init__(self) -> None:
        self.reported: list[tuple[bytes, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.reported.append((record.values[0], failure)))

    @property
    def reasons(self) -> list[str]:
        return [failure.reason for _, failure in self.reported if failure is not None]


@pytest.fixture
def outcomes() -> Outcomes:
    return Outcomes()


def records(count: int, topic: str) -> list[Record]:
    return [Record(topic, b"app", (b'{"n": %d}' % number,)) for number in range(count)]


def deliver(transport: KafkaTransport, outcomes: Outcomes, sent: list[Record]) -> None:
    """Wait for the outcomes of these: `flush` would give up a broker that is slow to answer its first client."""
    before = len(outcomes.reported)
    for record in sent:
        outcomes.send(transport, record)

    def are_reported() -> bool:
        transport.service(0.1)
        return len(outcomes.reported) == before + len(sent)

    until(are_reported, transport.problem)


def secured(broker: Broker, password: str | None = None) -> dict[str, str]:
    secure = broker.sasl_ssl
    login = {"username": secure.username, "password": secure.password if password is None else password}
    return {
        "bootstrap.servers": secure.bootstrap,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": login_module(PLAIN_LOGIN_MODULE, login),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(secure.ca_file),
    }


def test_records_arrive_in_order_with_one_outcome_each(broker: Broker, make: Make, outcomes: Outcomes) -> None:
    broker.create_topic("jvm-ordered")
    transport = make(secured(broker))
    sent = records(300, "jvm-ordered")
    deliver(transport, outcomes, sent[:1])
    for record in sent[1:]:
        outcomes.send(transport, record)
    assert transport.flush(2 * LONG_SECONDS) == 0
    assert outcomes.reported == [(record.values[0], None) for record in sent]
    assert broker.read_all("jvm-ordered") == [record.values[0] for record in sent]
    assert transport.problem() is None
    position = transport.position()
    assert position is not None
    assert (position.start, position.end) == (299, 300)
    assert position.log.endswith("/jvm-ordered/0")
    assert not position.log.startswith("/")  # the cluster's id
    transport.close(5)
    assert len(outcomes.reported) == 300


def test_a_large_record_of_parts_arrives_whole(broker: Broker, make: Make, outcomes: Outcomes) -> None:
    broker.create_topic("jvm-parts")
    transport = make({"bootstrap.servers": broker.bootstrap})
    parts = tuple(bytes([65 + number]) * 900_000 for number in range(3))
    deliver(transport, outcomes, [Record("jvm-parts", None, parts), Record("jvm-parts", b"k", ("é\t\n".encode(),))])
    assert outcomes.reasons == []
    assert broker.read_all("jvm-parts") == [*parts, "é\t\n".encode()]


def test_a_record_that_is_too_large_is_rejected_alone(broker: Broker, make: Make, outcomes: Outcomes) -> None:
    broker.create_topic("jvm-large")
    transport = make({"bootstrap.servers": broker.bootstrap, "max.request.size": "5000"})
    deliver(transport, outcomes, [Record("jvm-large", b"k", (value,)) for value in (b"before", b"x" * 6000, b"after")])
    assert [reason for reason in outcomes.reasons if "larger than" in reason] == outcomes.reasons
    assert len(outcomes.reasons) == 1
    assert broker.read_all("jvm-large") == [b"before", b"after"]


def _wrong(kind: str, broker: Broker) -> dict[str, str]:
    tls = secured(broker)
    return {
        "password": secured(broker, "not the password"),
        "CA": tls | {"ssl.truststore.location": str(Path(broker.sasl_ssl.ca_file).with_name("other_ca.pem"))},
        "port": {"bootstrap.servers": NOBODY},
        "host": {"bootstrap.servers": "no-such-host.invalid:9092"},
        "plaintext on a TLS port": {"bootstrap.servers": broker.sasl_ssl.bootstrap},
        "TLS on a plaintext port": tls | {"bootstrap.servers": broker.bootstrap},
        "topic": {"bootstrap.servers": broker.bootstrap},
        "setting": {"bootstrap.servers": broker.bootstrap, "acks": "seven"},
        "login module": tls | {"sasl.jaas.config": 'com.example.Nothing required username="u" password="secret-of-x";'},
    }[kind]


SENTENCES = {
    "password": "the broker rejects the user name or password",
    "CA": "the broker's certificate is not trusted",
    "port": "nothing listens on the broker's port",
    "host": "a broker's host name cannot be resolved",
    "plaintext on a TLS port": "wrong port or wrong protocol",
    "TLS on a plaintext port": "wrong port or wrong protocol",
    "topic": "the topic jvm-nowhere does not exist",
    "setting": "the Kafka client rejects its settings",
    "login module": "the login module is not on the driver's class path",
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_a_failure_is_reported_before_any_deadline(broker: Broker, make: Make, outcomes: Outcomes, kind: str) -> None:
    """Neither the transport's deadline nor the client's, which is minutes, has to pass before."""
    transport = make(_wrong(kind, broker) | {"delivery.timeout.ms": "2147483647"}, delivery_timeout_seconds=math.inf)
    for record in records(2, "jvm-nowhere"):
        outcomes.send(transport, record)

    def is_reported() -> bool:
        transport.service(0.1)
        return SENTENCES[kind] in (transport.problem() or "")

    until(is_reported, transport.problem)
    assert "secret-of-x" not in (transport.problem() or "")
    transport.close(0)
    assert [value for value, _ in outcomes.reported] == [b'{"n": 0}', b'{"n": 1}']
    assert all(SENTENCES[kind] in reason for reason in outcomes.reasons)


@pytest.mark.exhaustive
def test_a_restarted_broker_gets_records_sent_meanwhile(broker: Broker, make: Make, outcomes: Outcomes) -> None:
    if not isinstance(broker, LocalBroker):
        pytest.skip("an external broker is not killed")
    broker.create_topic("jvm-killed")
    transport = make(secured(broker))
    sent = records(20, "jvm-killed")
    deliver(transport, outcomes, sent[:5])
    broker.kill()
    try:
        for record in sent[5:]:
            outcomes.send(transport, record)

        def is_reported() -> bool:
            transport.service(0.1)
            return "nothing listens on the broker's port" in (transport.problem() or "")

        until(is_reported, transport.problem)
    finally:
        broker.restart()
    assert transport.flush(2 * LONG_SECONDS) == 0
    assert outcomes.reported == [(record.values[0], None) for record in sent]
    assert list(dict.fromkeys(broker.read_all("jvm-killed"))) == [record.values[0] for record in sent]
    assert transport.problem() is None


@pytest.mark.nightly
def test_a_password_changed_while_the_client_runs_is_reported(tmp_path: Path, make: Make, outcomes: Outcomes) -> None:
    broker = LocalBroker(KafkaBroker(tmp_path / "kafka").start())
    try:
        broker.create_topic("jvm-changed")
        transport = make(secured(broker))
        deliver(transport, outcomes, records(1, "jvm-changed"))
        broker.kill()
        broker.server.passwords.update(dict.fromkeys(broker.server.passwords, "another"))
        outcomes.send(transport, records(2, "jvm-changed")[1])
        broker.restart()
        assert transport.flush(2 * LONG_SECONDS) == 0
        assert len(outcomes.reasons) == 1
        assert "the broker rejects the user name or password" in outcomes.reasons[0]
    finally:
        broker.close()


def test_the_deadline_is_the_transports(make: Make, outcomes: Outcomes) -> None:
    clock = FakeClock()
    transport = make({"bootstrap.servers": NOBODY}, delivery_timeout_seconds=2.5, clock=clock)
    outcomes.send(transport, records(1, "T")[0])
    until(lambda: transport.service(0.1) or "nothing listens" in (transport.problem() or ""), transport.problem)
    clock.advance(2.4)
    transport.service(0)
    assert outcomes.reported == []
    clock.advance(0.1)
    transport.service(0)
    (reason,) = outcomes.reasons
    assert "nothing listens" in reason


def test_closing_does_not_wait_for_a_broker(make: Make, outcomes: Outcomes) -> None:
    """Nobody ever listens: who waits for a broker hangs."""
    transport = make({"bootstrap.servers": NOBODY}, delivery_timeout_seconds=math.inf)
    for record in records(10, "T"):
        outcomes.send(transport, record)
    transport.service(0.1)
    transport.close(0.2)
    assert len(outcomes.reasons) == 10


def test_kafkas_client_logs_no_password(jvm: Jvm, broker: Broker, make: Make, outcomes: Outcomes) -> None:
    broker.create_topic("jvm-secret")
    transport = make(secured(broker) | {"ssl.key.password": "secret-of-key"})
    deliver(transport, outcomes, records(1, "jvm-secret"))
    assert outcomes.reasons == []
    log = jvm.log.read_text(errors="replace")
    assert "ProducerConfig values" in log  # so that it would be there
    assert "sasl.jaas.config = [hidden]" in log
    assert broker.sasl_ssl.password not in log
    assert "secret-of" not in log


def test_a_killed_jvm_fails_records_in_flight(tmp_path: Path, outcomes: Outcomes) -> None:
    jvm = Jvm(tmp_path / "log")
    properties = java_settings({"bootstrap.servers": NOBODY}, {}, KerberosLogin()).properties
    transport = KafkaTransport(lambda: jvm.client(properties), name="kafka", delivery_timeout_seconds=math.inf)
    outcomes.send(transport, records(1, "T")[0])
    transport.service(0.1)
    jvm.kill()
    transport.service(0.1)
    outcomes.send(transport, records(2, "T")[1])
    transport.close(1)
    assert len(outcomes.reasons) == 2
    assert all("the driver's JVM is gone" in reason for reason in outcomes.reasons)
