"""Each fault on the way to a broker has its own sentence, logged once, and no account is locked.

One broker with a listener for each kind of security; the clients are made by the settings that a user would write.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.client import KafkaClient
from sac_kafka.transport.kafka.transport import KafkaTransport
from sac_kafka.transport.spool.in_flight import WAITS
from sac_kafka.transport.spool.spool import Spool
from stack.certificates import CertificateName, Certificates
from stack.kafka import KafkaBroker
from stack.listeners import LOGIN, MUTUAL, SECURE_LOGIN, TLS, Listener
from stack.proxy import Mode, Proxy
from tests.helpers.broker import Broker
from tests.helpers.spool_options import options_in
from tests.helpers.waiting import FakeClock, until

pytestmark = pytest.mark.kafka

EVERYDAY = ("wrong password, SCRAM", "unknown topic", "no ACL")
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
USERS = {"alice": "right-of-alice", "mallory": "right-of-mallory"}
TOPIC, SMALL = "SENTENCES", "SMALL"


def _with_certificate(name: str, certificate: CertificateName, certificates: Certificates) -> Listener:
    store = {"ssl.keystore.location": str(certificates.key_store(certificate)), "ssl.keystore.type": "PEM"}
    return Listener(name=name, protocol="SSL", properties=store)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    work = tmp_path_factory.mktemp("sentences")
    certificates = Certificates(work / "certificates")
    listeners = (
        TLS,
        MUTUAL,
        LOGIN,
        SECURE_LOGIN,
        Listener(name="PLAIN_ONLY", protocol="SASL_PLAINTEXT", mechanisms=("PLAIN",)),
        _with_certificate("ELSEWHERE", "wrong_host", certificates),
        _with_certificate("EXPIRED", "expired", certificates),
    )
    with KafkaBroker(work, passwords=USERS, listeners=listeners, refused=["mallory"]) as broker:
        broker.create_topic(TOPIC)
        broker.create_topic(SMALL, settings={"max.message.bytes": "2000"})
        yield broker


def _jaas(module: str, user: str = "alice", password: str = USERS["alice"]) -> str:
    return f'{module} required username="{user}" password="{password}";'


@dataclass(frozen=True)
class Case:
    """A fault (keys without `atlas.kafka.`), and the expected sentence."""

    expected: str
    protocol: str
    listener: str
    more: dict[str, str] = field(default_factory=dict)
    topic: str = TOPIC
    ca: str = "ca"
    value: bytes = b"{}"
    servers: Callable[[KafkaBroker], str] | None = None
    """Another address than the broker's."""
    is_deaf: bool = False
    """Whether nothing listens there."""
    is_refused: bool = False
    """Whether it is the messages that are wrong, and each of them is refused."""


def _login(module: str, mechanism: str, user: str = "alice", password: str = USERS["alice"]) -> dict[str, str]:
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": _jaas(module, user, password)}


CASES = {
    "wrong password": Case(
        "the broker rejects the user name or password",
        "SASL_PLAINTEXT",
        "LOGIN",
        _login(PLAIN, "PLAIN", password="wrong-for-plain"),
    ),
    "wrong password over TLS": Case(
        "the broker rejects the user name or password",
        "SASL_SSL",
        "SECURE_LOGIN",
        _login(PLAIN, "PLAIN", password="wrong-for-tls"),
    ),
    "wrong password, SCRAM": Case(
        "the broker rejects the user name or password",
        "SASL_SSL",
        "SECURE_LOGIN",
        _login(SCRAM, "SCRAM-SHA-512", password="wrong-for-scram"),
    ),
    "unknown user, SCRAM": Case(
        "the broker rejects the user name or password",
        "SASL_PLAINTEXT",
        "LOGIN",
        _login(SCRAM, "SCRAM-SHA-256", user="unknown"),
    ),
    "mechanism not enabled": Case(
        "does not offer this SASL mechanism", "SASL_PLAINTEXT", "PLAIN_ONLY", _login(SCRAM, "SCRAM-SHA-256")
    ),
    "wrong CA": Case("the broker's certificate is not trusted", "SSL", "TLS", ca="other_ca"),
    "certificate of another host": Case("the broker's certificate is for another host", "SSL", "ELSEWHERE"),
    "expired certificate": Case("the broker's certificate has expired", "SSL", "EXPIRED"),
    "no client certificate": Case("rejects this client's certificate, or requires one", "SSL", "MUTUAL"),
    "nothing listens": Case("nothing listens on the broker's port", "PLAINTEXT", "", is_deaf=True),
    "unknown host": Case(
        "a broker's host name cannot be resolved", "PLAINTEXT", "", servers=lambda _: "no-such-host.invalid:9092"
    ),
    "TLS on a plaintext port": Case("the port does not speak TLS", "SSL", "PLAINTEXT"),
    "TLS and log-in on a plaintext port": Case(
        "the port does not speak TLS", "SASL_SSL", "LOGIN", _login(PLAIN, "PLAIN")
    ),
    "plaintext on a TLS port": Case("wrong port or wrong protocol", "PLAINTEXT", "TLS"),
    "log-in in the clear on a TLS port": Case(
        "wrong port or wrong protocol", "SASL_PLAINTEXT", "SECURE_LOGIN", _login(PLAIN, "PLAIN")
    ),
    "no log-in where one is wanted": Case("wrong port or wrong protocol", "PLAINTEXT", "LOGIN"),
    "log-in where none is wanted": Case(
        "the port does not expect a SASL log-in", "SASL_PLAINTEXT", "PLAINTEXT", _login(PLAIN, "PLAIN")
    ),
    "unknown topic": Case(
        "the topic NO_SUCH_TOPIC does not exist",
        "PLAINTEXT",
        "PLAINTEXT",
        {"librdkafka.topic.metadata.propagation.max.ms": "500"},  # so long librdkafka waits for it to be made
        topic="NO_SUCH_TOPIC",
    ),
    "bad topic name": Case(
        "Kafka does not allow the topic name no such topic", "PLAINTEXT", "PLAINTEXT", topic="no such topic"
    ),
    "no ACL": Case(
        "may not write to the topic SENTENCES",
        "SASL_PLAINTEXT",
        "LOGIN",
        _login(PLAIN, "PLAIN", "mallory", USERS["mallory"]),
    ),
    "over the broker's limit": Case(
        "the message is larger than the topic or the client allows",
        "PLAINTEXT",
        "PLAINTEXT",
        topic=SMALL,
        value=b'"' + b"x" * 3000 + b'"',
        is_refused=True,
    ),
}


def _settings(case: Case, broker: KafkaBroker) -> Settings:
    servers = case.servers(broker) if case.servers else broker.bootstrap(case.listener)
    kafka = {"bootstrap.servers": servers, "security.protocol": case.protocol, **case.more}
    if case.protocol.endswith("SSL"):
        trusted = broker.certificates.folder / f"{case.ca}.pem"
        kafka |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(trusted)}
    properties = {f"atlas.kafka.{key}": text for key, text in kafka.items()}
    return Settings.read({**properties, "atlas.metadata.namespace": "test"}, "test")


def _spool(case: Case, broker: KafkaBroker, folder: Path) -> Spool:
    return Spool(make_transport(_settings(case, broker)), options_in(folder), "app")


def _send(spool: Spool, case: Case, settled: list[Failure | None]) -> None:
    spool.send(Record(case.topic, b"app", (case.value,)), settled.append)


def _reported_problem(spool: Spool) -> str:
    return f"{spool.problem()} {spool.reasons}"


@contextlib.contextmanager
def _closed_port() -> Iterator[str]:
    """Yield a reserved address on which nothing listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{holder.getsockname()[1]}"


def _until(spool: Spool, is_over: Callable[[], object]) -> None:
    """Serve the spool, as the worker does, until something is so."""
    until(lambda: is_over() or spool.service(0.1), lambda: _reported_problem(spool))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.everyday] if name in EVERYDAY else []) for name in CASES]
)
def test_each_failure_has_its_own_sentence_and_the_messages_are_kept(
    name: str, secured: KafkaBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    case, settled = CASES[name], []
    with contextlib.ExitStack() as open_:
        if case.is_deaf:
            address = open_.enter_context(_closed_port())
            case = replace(case, servers=lambda _: address)
        spool = _spool(case, secured, tmp_path)
        for _ in range(3):
            _send(spool, case, settled)
        _until(spool, lambda: case.expected in _reported_problem(spool) and (len(settled) == 3 or not case.is_refused))
        problem = _reported_problem(spool)
        spool.close(0.1)

    assert case.expected in problem
    assert len(settled) == 3
    assert None not in settled
    if case.is_refused:
        assert spool.counts["rejected"] == 3
    else:
        assert (spool.counts["spooled"], spool.figures["records"]) == (3, 3)
    logged = [each.getMessage() for each in caplog.records if each.name.startswith("sac_kafka")]
    assert sum(case.expected in each for each in logged) == 1
    assert all(spool.name in each or "see above" in each for each in logged)
    warnings = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    secrets = {*USERS.values(), "wrong-for-plain", "wrong-for-tls", "wrong-for-scram"}
    assert not any(secret in text for secret in secrets for text in (*warnings, problem))


RIGHT = (
    Case("", "SASL_SSL", "SECURE_LOGIN", _login(PLAIN, "PLAIN")),
    Case("", "SASL_SSL", "SECURE_LOGIN", _login(SCRAM, "SCRAM-SHA-512")),
    Case("", "SSL", "TLS"),
)


@pytest.mark.everyday
def test_right_settings_log_nothing(secured: KafkaBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settled: list[Failure | None] = []
    for case in RIGHT:
        spool = _spool(case, secured, tmp_path)
        before = len(settled)
        _send(spool, case, settled)
        _until(spool, lambda before=before: len(settled) > before)
        assert spool.problem() is None
        spool.close(1)
    assert settled == [None] * len(RIGHT)
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


def test_messages_that_are_too_large_only_together_arrive_in_order(secured: KafkaBroker, tmp_path: Path) -> None:
    secured.create_topic("TOGETHER", settings={"max.message.bytes": "50000"})
    case = Case("", "PLAINTEXT", "PLAINTEXT", topic="TOGETHER")
    spool, settled = _spool(case, secured, tmp_path), []
    values = [f'"{number:02}{"x" * (60_000 if number == 7 else 30_000)}"'.encode() for number in range(20)]
    for value in values:
        spool.send(Record("TOGETHER", b"app", (value,)), settled.append)
    _until(spool, lambda: len(settled) == len(values))
    assert spool.counts["rejected"] == 1
    spool.close(1)
    assert sum(failure is None for failure in settled) == len(settled) - 1 == 19
    assert Broker(secured.bootstrap()).read_all("TOGETHER") == values[:7] + values[8:]


def test_a_wrong_password_locks_no_account(secured: KafkaBroker, tmp_path: Path) -> None:
    """Connections are counted: each is one log-in. The job goes on for ten minutes and sends a message every 5 seconds."""
    wrong, settled = CASES["wrong password"], []
    # A thread that does not come to its turn cannot stop a client, which would try again by itself meanwhile. The first
    # pause is as long as is set only if the machine has been running for longer than that.
    alone = {f"librdkafka.reconnect.backoff.{each}": "60000" for each in ("ms", "max.ms")}
    port = int(secured.bootstrap("LOGIN").rpartition(":")[2])
    clock, log_ins = FakeClock(), []
    start = clock.now
    with Proxy(port) as proxy:
        case = replace(wrong, more=wrong.more | alone, servers=lambda _: f"localhost:{proxy.port}")
        chosen = choose_client(_settings(case, secured), None)

        def make() -> KafkaClient:
            log_ins.append(clock.now - start)
            return chosen.make()

        transport = KafkaTransport(make, name=chosen.place, clock=clock)
        spool = Spool(transport, options_in(tmp_path), "app", ticks=clock)
        while clock.now < start + 600:
            _send(spool, case, settled)
            _until(spool, transport.retry_after)  # the client of this turn, if there is one, is refused
            clock.advance(5)
        spool.close(0)
        assert log_ins == [0, 30, 90, 210, 450]
        assert proxy.connections == len(log_ins)
    assert wrong.expected in _reported_problem(spool)
    assert settled == [WAITS] * 120
    assert spool.figures["records"] == len(settled)


@pytest.mark.parametrize("mode", [Mode.HOLE, Mode.RESET, Mode.CUT, Mode.REFUSE], ids=lambda mode: mode.value)
def test_a_connection_blocked_from_the_start_is_reported_and_used_later(
    mode: Mode, secured: KafkaBroker, tmp_path: Path
) -> None:
    port = int(secured.bootstrap("LOGIN").rpartition(":")[2])
    settled: list[Failure | None] = []
    with Proxy(port) as proxy:
        proxy.set(mode)
        more = {**_login(PLAIN, "PLAIN"), "socket.connection.setup.timeout.ms": "3000"}
        case = Case("", "SASL_PLAINTEXT", "", more, servers=lambda _: f"localhost:{proxy.port}")
        spool = _spool(case, secured, tmp_path)
        _send(spool, case, settled)
        _until(spool, spool.problem)
        assert settled == []  # it may come back at any moment
        proxy.set(Mode.PASS)
        _until(spool, lambda: settled)
        assert settled == [None]
        assert spool.problem() is None
        spool.close(0.1)
