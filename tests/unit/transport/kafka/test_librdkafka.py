"""LibrdkafkaClient: librdkafka's callbacks become events, nothing raises, and close does not block."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.kafka import librdkafka
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Delivered, Failed, Throttled
from sac_kafka.transport.kafka.librdkafka import LibrdkafkaClient, fault_of_certificate
from stack.certificates import CertificateName, Certificates, make_certificates
from tests.helpers.waiting import LONG_SECONDS, until

confluent_kafka = pytest.importorskip("confluent_kafka")
KafkaError = confluent_kafka.KafkaError


def polled(client: LibrdkafkaClient, is_all: Callable[[list[ClientEvent]], object]) -> list[ClientEvent]:
    """Return the events until these are all that are wanted."""
    found: list[ClientEvent] = []

    def has_come() -> object:
        found.extend(client.poll(0.1))
        return is_all(found)

    until(has_come, lambda: found)
    return found


def test_a_record_is_delivered_under_its_number(cluster: str) -> None:
    client = LibrdkafkaClient({"bootstrap.servers": cluster, "linger.ms": 0})
    assert client.name.startswith("librdkafka ")
    offsets = []
    for number in (7, 8):
        client.produce(number, "client", b"key", b"value")
        found = polled(client, lambda found: any(isinstance(each, Delivered) for each in found))
        (report,) = [each for each in found if isinstance(each, Delivered)]
        assert report.number == number
        offsets.append((report.partition, report.offset))
    assert offsets[1] == (offsets[0][0], offsets[0][1] + 1)
    assert client.cluster_id("client", LONG_SECONDS)
    client.close(1)


def test_an_immediate_refusal_is_a_report(cluster: str) -> None:
    client = LibrdkafkaClient(
        {"bootstrap.servers": cluster, "message.max.bytes": 1000, "queue.buffering.max.messages": 1, "linger.ms": 1000}
    )
    client.produce(1, "refused", None, b"x" * 2000)
    client.produce(2, "refused", None, b"x")
    client.produce(3, "refused", None, b"x")
    failed = [each for each in client.poll(0) if isinstance(each, Failed)]
    assert [(each.number, each.name) for each in failed] == [(1, "MSG_SIZE_TOO_LARGE"), (3, "_QUEUE_FULL")]
    client.close(1)


def test_connection_errors_and_log_lines_become_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(librdkafka, "_PURGE_SECONDS", LONG_SECONDS)  # a producer that ends only after it is parked
    client = LibrdkafkaClient({"bootstrap.servers": "127.0.0.1:1"})
    client.produce(1, "t", None, b"x")
    wanted = {"_TRANSPORT", "_LOG", "_ALL_BROKERS_DOWN"}
    polled(client, lambda found: wanted <= {each.name for each in found if isinstance(each, ClientError)})
    assert client.cluster_id("t", 0.1) is None
    client.close(0.5)
    # Others of this process may be parked: names are looked up for long.
    assert client._producer not in librdkafka._PARKED


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"no.such.key": "1"}, "no.such.key"),
        ({"security.protocol": "sasl_ssl", "sasl.mechanism": "GSSAPI"}, "GSSAPI"),
        ({"ssl.ca.location": "/no/such/file", "security.protocol": "ssl"}, "ssl.ca.location"),
        ({"linger.ms": object()}, "librdkafka rejects the settings"),
    ],
)
def test_settings_that_librdkafka_refuses_are_one_error(config: dict[str, object], expected: str) -> None:
    with pytest.raises(ConfigurationError, match=expected):
        LibrdkafkaClient({"bootstrap.servers": "h:1", **config})


class Misbehaving:
    """A producer that raises, or never ends."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.hangs = False
        self.flushed: list[float] = []
        """The timeouts of flushes."""

    def poll(self, timeout: float) -> int:
        raise confluent_kafka.KafkaException(KafkaError(KafkaError._FATAL, "out of order"))

    def purge(self) -> None:
        if self.hangs:
            self.go.wait()

    def flush(self, timeout: float) -> int:
        self.flushed.append(timeout)
        raise RuntimeError("Producer has been closed")


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """For how long the client has waited for its threads; a thread that does not end is waited for only shortly."""
    timeouts: list[float | None] = []

    class Thread(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            timeouts.append(timeout)
            super().join(0.01)

    monkeypatch.setattr(librdkafka, "threading", SimpleNamespace(Thread=Thread))
    return timeouts


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[LibrdkafkaClient, Misbehaving]]:
    monkeypatch.setattr(librdkafka, "_PARKED", [])
    client = LibrdkafkaClient({"bootstrap.servers": "127.0.0.1:1"})
    producer = Misbehaving()
    client._producer.close()
    client._producer = producer  # type: ignore[assignment]
    client._events.clear()
    yield client, producer
    producer.go.set()


def test_a_fatal_error_becomes_an_event(broken: tuple[LibrdkafkaClient, Misbehaving]) -> None:
    client, _ = broken
    assert ClientError("_FATAL", "out of order") in client.poll(0)
    client.produce(1, "t", None, b"x")
    assert [type(each) for each in client.poll(0)] == [Failed]
    assert client.cluster_id("t", 0.1) is None
    client.close(0.1)
    assert librdkafka._PARKED == []


@pytest.mark.parametrize(("budget", "waited"), [(0.1, 0.5), (3, 3)])
def test_a_producer_that_does_not_end_is_left_behind(
    budget: float, waited: float, broken: tuple[LibrdkafkaClient, Misbehaving], joined: list[float | None]
) -> None:
    client, producer = broken
    producer.hangs = True
    client.close(budget)
    assert [producer] == librdkafka._PARKED
    assert joined == [waited]
    producer.go.set()
    until(lambda: not librdkafka._PARKED)
    assert producer.flushed == [0.5]


def test_a_producer_that_keeps_its_records_is_never_destroyed(
    broken: tuple[LibrdkafkaClient, Misbehaving], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, producer = broken
    monkeypatch.setattr(producer, "flush", lambda timeout: 1)
    client.close(0.1)
    assert [producer] == librdkafka._PARKED


@pytest.mark.parametrize("what", [object(), None, 7])
def test_callbacks_never_raise(what: object) -> None:
    client = LibrdkafkaClient({"bootstrap.servers": "127.0.0.1:1"})
    client._callback_events._on_error(what)
    client._callback_events._on_throttle(what)
    librdkafka._Log(client._events).log(30, "%s %d", "text", what, 3)
    librdkafka._Log(client._events).log(30, what)
    client.close(1)


def test_throttling_is_reported_in_seconds() -> None:
    client = LibrdkafkaClient({"bootstrap.servers": "127.0.0.1:1"})
    client._callback_events._on_throttle(confluent_kafka.ThrottleEvent("h:1", 1, 0.25))
    assert Throttled(0.25) in client.poll(0)
    client.close(1)


# ---- what is wrong with a certificate


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def tls_port(request: pytest.FixtureRequest, certificates: Certificates) -> Iterator[int]:
    """Yield a port that shows the certificate named by the parameter."""
    name: CertificateName = request.param
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.key_store(name))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(LONG_SECONDS)
                        with contextlib.suppress(OSError):  # the client did not like it
                            context.wrap_socket(connection, server_side=True).close()
            except OSError:
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.parametrize(
    ("tls_port", "ca", "more", "expected"),
    [
        ("broker", "ca", {}, None),
        ("broker", "other_ca", {}, "self-signed certificate in certificate chain"),
        ("wrong_host", "ca", {}, "Hostname mismatch"),
        ("wrong_host", "ca", {"ssl.endpoint.identification.algorithm": "none"}, None),
        ("expired", "ca", {}, "certificate has expired"),
    ],
    indirect=["tls_port"],
)
def test_the_fault_of_a_certificate_is_reported(
    tls_port: int,
    ca: str,
    more: dict[str, str],
    expected: str | None,
    certificates: Certificates,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(librdkafka, "_CERTIFICATE_SECONDS", LONG_SECONDS)
    path: Path = getattr(certificates, ca)
    text = f"ssl://localhost:{tls_port}/bootstrap: SSL handshake failed: certificate verify failed"
    for config in ({"ssl.ca.location": str(path)}, {"ssl.ca.pem": path.read_text()}):
        fault = fault_of_certificate(text, {**config, **more})
        if expected is None:
            assert fault is None
        else:
            assert str(fault).startswith(f"ssl://localhost:{tls_port}: certificate verify failed: {expected}")


@pytest.mark.parametrize("text", ["no address", "ssl://localhost:1/bootstrap: certificate verify failed"])
def test_an_unknown_fault_is_none(text: str) -> None:
    assert fault_of_certificate(text, {}) is None


def test_an_invalid_trust_store_does_not_crash(certificates: Certificates) -> None:
    assert fault_of_certificate("ssl://localhost:1/b", {"ssl.ca.pem": "junk"}) is None
    assert fault_of_certificate("ssl://localhost:1/b", {"ssl.ca.location": "/no/such"}) is None
