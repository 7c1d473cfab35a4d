"""A real broker: both listeners deliver, wrong clients are refused, data survives a crash, and errors are clear."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, Producer

from stack import topics
from stack.errors import StackError
from stack.kafka import KafkaBroker, choose_ports
from stack.server_properties import Ports
from tests import broker as test_broker
from tests.broker import Broker, BrokerUnavailableError, ExternalBroker, LocalBroker, SaslSsl, acquire_broker
from tests.waiting import LONG_SECONDS, until

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with KafkaBroker(tmp_path_factory.mktemp("kafka")) as started:
        yield started


@pytest.fixture(scope="module")
def kafka(server: KafkaBroker) -> Broker:
    return LocalBroker(server)


def secure(to: SaslSsl, **other: str) -> dict[str, str]:
    return {
        "bootstrap.servers": to.bootstrap,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": to.username,
        "sasl.password": to.password,
        "ssl.ca.location": str(to.ca_file),
        **other,
    }


def send(settings: dict[str, str], topic: str, *values: bytes) -> None:
    """Produce and wait for the acknowledgements."""
    failures: list[object] = []
    producer = Producer({"acks": "all", "message.timeout.ms": 60000, "log_level": 0, **settings})
    for value in values:
        producer.produce(topic, value, on_delivery=lambda error, _message: failures.append(error) if error else None)
    assert producer.flush(2 * LONG_SECONDS) == 0
    assert failures == []


def assert_refused(settings: dict[str, str], reason: str) -> None:
    """Wait until a client reports an error with that reason; others may come first (a refused IPv6 address)."""
    errors: list[KafkaError] = []
    producer = Producer({"log_level": 0, "error_cb": errors.append, **settings})
    until(lambda: producer.poll(0.1) is None or any(reason in each.str() for each in errors), lambda: errors)


def test_plaintext_delivers(kafka: Broker) -> None:
    kafka.create_topic("plaintext")
    assert kafka.read_all("plaintext") == []
    send({"bootstrap.servers": kafka.bootstrap}, "plaintext", b"one", b"two")
    assert kafka.read_all("plaintext") == [b"one", b"two"]


def test_every_user_delivers_over_sasl_ssl(server: KafkaBroker, kafka: Broker) -> None:
    kafka.create_topic("secure")
    assert list(server.passwords) == ["$ConnectionString", "alice"]
    for user, password in server.passwords.items():
        to = SaslSsl(kafka.sasl_ssl.bootstrap, user, password, server.ca_file)
        send(secure(to), "secure", user.encode())
    assert kafka.read_all("secure") == [b"$ConnectionString", b"alice"]


def test_a_wrong_password_and_a_wrong_ca_are_refused(server: KafkaBroker, kafka: Broker) -> None:
    wrong_password = {"sasl.password": "wrong"}
    assert_refused(secure(kafka.sasl_ssl, **wrong_password), "Invalid username or password")
    wrong_ca = {"ssl.ca.location": str(server.certificates.other_ca)}
    assert_refused(secure(kafka.sasl_ssl, **wrong_ca), "certificate verify failed")


def test_topics_are_not_made_by_themselves(kafka: Broker) -> None:
    settings = {"bootstrap.servers": kafka.bootstrap, "topic.metadata.propagation.max.ms": "500"}
    with pytest.raises(AssertionError, match="UNKNOWN_TOPIC"):
        send(settings, "never_made", b"x")


def test_all_partitions_are_read_and_an_existing_topic_is_kept(server: KafkaBroker, kafka: Broker) -> None:
    server.create_topic("partitioned", partitions=3)
    values = [f"value {number}".encode() for number in range(300)]
    send({"bootstrap.servers": kafka.bootstrap, "partitioner": "random"}, "partitioned", *values)
    kafka.create_topic("partitioned")
    assert sorted(kafka.read_all("partitioned")) == sorted(values)


def test_data_and_ports_survive_a_crash(server: KafkaBroker, kafka: Broker) -> None:
    kafka.create_topic("crash")
    values = [str(number).encode() for number in range(500)]
    send({"bootstrap.servers": kafka.bootstrap}, "crash", *values)
    kafka.kill()
    assert server.pid is None
    # Started from a thread that ends at once: the broker must not end with it.
    server.certificate = "wrong_host"
    thread = threading.Thread(target=kafka.restart)
    thread.start()
    thread.join()
    assert kafka.read_all("crash") == values
    assert_refused(secure(kafka.sasl_ssl), "certificate verify failed")
    server.certificate = "broker"
    kafka.restart()
    send(secure(kafka.sasl_ssl), "crash", b"more")
    assert kafka.read_all("crash") == [*values, b"more"]


def test_the_settings_are_private_and_a_broker_starts_once(server: KafkaBroker) -> None:
    assert (server.work / "server.properties").stat().st_mode & 0o777 == 0o600
    with pytest.raises(StackError, match="runs already"):
        server.start()


def test_a_port_in_use_is_one_clear_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        broker = KafkaBroker(tmp_path, ports=Ports(choose_ports().plaintext, port, choose_ports().controller))
        with pytest.raises(StackError, match=rf"^in use on 127\.0\.0\.1: port {port} \(SASL_SSL\)\. Stop what"):
            broker.start()


def test_a_broker_that_does_not_come_up_quotes_its_log(tmp_path: Path) -> None:
    broken = KafkaBroker(tmp_path, properties={"num.io.threads": "none"})
    with pytest.raises(StackError, match=r"(?s)The end of .*format\.log.*num\.io\.threads"):
        broken.start()


def test_an_external_broker_is_used_and_asks_for_its_sasl_ssl_settings(
    kafka: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(test_broker.EXTERNAL_BOOTSTRAP, kafka.bootstrap)
    for name in test_broker.EXTERNAL_SASL_SSL:
        monkeypatch.delenv(name, raising=False)
    external = acquire_broker(tmp_path)
    assert isinstance(external, ExternalBroker)
    external.create_topic("external")
    assert external.read_all("external") == []
    with pytest.raises(BrokerUnavailableError, match="SAC_KAFKA_TEST_CA"):
        _ = external.sasl_ssl
    for name, value in zip(test_broker.EXTERNAL_SASL_SSL, ("h:1", "user", "password", "/ca.pem"), strict=True):
        monkeypatch.setenv(name, value)
    assert external.sasl_ssl == SaslSsl("h:1", "user", "password", Path("/ca.pem"))
    with pytest.raises(BrokerUnavailableError, match="not killed"):
        external.kill()


def test_where_no_broker_can_be_had_the_tests_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_java: Path
) -> None:
    monkeypatch.delenv(test_broker.EXTERNAL_BOOTSTRAP, raising=False)
    monkeypatch.setattr(test_broker, "has_engine", lambda: False)
    with pytest.raises(BrokerUnavailableError, match="as a local process: No Java 17"):
        acquire_broker(tmp_path)


def test_a_broker_that_stands_still_for_a_moment_leads_its_topics_on(tmp_path: Path) -> None:
    with KafkaBroker(tmp_path) as broker:
        broker.create_topic("led")
        assert broker.pid is not None
        os.kill(broker.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(broker.pid, signal.SIGCONT)
        assert {topics.leader(broker.bootstrap(), "led") for _ in range(20)} == {1}
        broker.create_topic("made-at-once")
