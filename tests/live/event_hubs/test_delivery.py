"""The hook's transport before the endpoint: the outcome and the sentence for each limit of the service."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.choosing import choose_client
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings
from sac_kafka.transport.kafka.transport import KafkaTransport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from stack.properties import atlas_properties
from tests.helpers.broker import LocalBroker
from tests.helpers.waiting import FakeClock, until
from tests.live.event_hubs.clients import await_outcomes, file_of, transport
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace, Policy, Tier

pytestmark = pytest.mark.kafka

SECONDS = 60.0
VALUE = b'{"n": 0}'


@pytest.fixture
def policy(namespace: Namespace) -> Policy:
    return namespace.policy()


@pytest.fixture
def connection_string(namespace: Namespace, policy: Policy) -> str:
    return namespace.connection_string(policy)


@pytest.fixture
def arrived(endpoint: Endpoint, broker: LocalBroker) -> Callable[[], list[bytes]]:
    """Return what has arrived since the test began."""
    before = len(broker.read_all("ATLAS_HOOK"))
    return lambda: broker.read_all("ATLAS_HOOK")[before:]


@pytest.fixture
def alarms(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """Return the hook's log lines that need attention."""
    caplog.set_level(logging.INFO)
    yield lambda: [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


def outcome(to: Transport, sentence: str, value: bytes, hub: str) -> Failure | None:
    """Send one record that does not get through; return its outcome, at the latest once the problem has this sentence."""
    outcomes: list[Failure | None] = []
    to.send(Record(hub, b"app", (value,)), outcomes.append)
    until(lambda: to.service(0.1) or outcomes or sentence in (to.problem() or ""), to.problem)
    if not outcomes:
        to.close(0.1)
    (failure,) = outcomes
    return failure


def delivered(to: Transport, value: bytes = VALUE, hub: str = "ATLAS_HOOK") -> bool:
    """Send one record; return whether it gets through, whatever fails on the way."""
    outcomes: list[Failure | None] = []
    to.send(Record(hub, b"app", (value,)), outcomes.append)
    await_outcomes(to, outcomes, 1)
    return outcomes == [None]


# ---- each limit


@dataclass(frozen=True, kw_only=True)
class Case:
    """A fault of namespace, file or record; its kind, and what its sentence must have and name."""

    kind: str
    sentence: str
    names: str
    prepare: Callable[[Namespace], object] = lambda namespace: None
    rights: str = "Send"
    own_hub: str = ""
    hub: str = "ATLAS_HOOK"
    other: str = "contoso"
    kafka: tuple[tuple[str, str], ...] = ()
    value: bytes = VALUE


def setting(**changes: object) -> Callable[[Namespace], object]:
    return lambda namespace: [setattr(namespace, name, each) for name, each in changes.items()]


CASES = {
    "the key is another": Case(
        kind="needs_action",
        sentence="the broker rejects the user name or password",
        names="The shared access key",
        prepare=lambda namespace: namespace.policies[0].rotate(),
    ),
    "another namespace's string": Case(
        kind="needs_action",
        sentence="the broker rejects the user name or password",
        names="not this namespace",
        other="fabrikam",
    ),
    "no such event hub": Case(
        kind="needs_action",
        sentence="the topic elsewhere does not exist",
        names="atlas.notification.hook.topic.name",
        hub="elsewhere",
        kafka=(("librdkafka_topic_metadata_propagation_max_ms", "500"),),
    ),
    "another event hub's string": Case(
        kind="needs_action", sentence="the user may not write to the topic ATLAS_HOOK", names="Send", own_hub="other"
    ),
    "no right to send": Case(
        kind="needs_action", sentence="the user may not write to the topic ATLAS_HOOK", names="Send", rights="Listen"
    ),
    "the firewall": Case(
        kind="needs_action",
        sentence="the service's firewall refuses this machine",
        names="Networking",
        prepare=setting(has_firewall=True),
    ),
    "tier Basic": Case(
        kind="transient", sentence="no broker answers as Kafka", names="tier Basic", prepare=setting(tier=Tier.BASIC)
    ),
    "gzip in tier Standard": Case(
        kind="needs_action",
        sentence="the broker does not accept batches of this format",
        names="atlas.kafka.compression.type",
        kafka=(("compression_type", "gzip"),),
        value=bytes(2000),
    ),
    "more than 256 KB": Case(
        kind="rejected",
        sentence="the message is larger than the topic or the client allows",
        names="atlas.notification.message.max.length.bytes",
        prepare=setting(publication_bytes=262_144),
        value=bytes(300_000),
    ),
    "more than 1 MB, which is not even sent": Case(
        kind="rejected",
        sentence="the message is larger than the topic or the client allows",
        names="atlas.notification.message.max.length.bytes",
        kafka=(("max_request_size", "5000000"),),
        value=bytes(1_046_500),
    ),
    "throttled for longer than a request may take": Case(
        kind="transient",
        sentence="the service is throttling",
        names="throughput units",
        prepare=setting(throttle_seconds=90.0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_refusal_has_its_outcome_and_sentence(
    name: str, endpoint: Endpoint, namespace: Namespace, arrived: Callable[[], list[bytes]]
) -> None:
    case = CASES[name]
    string = namespace.connection_string(namespace.policy(rights=case.rights, hub=case.own_hub))
    case.prepare(namespace)
    to = transport(endpoint, string.replace("contoso", case.other), **dict(case.kafka))
    failure = outcome(to, case.sentence, case.value, case.hub)
    to.close(0.1)
    assert failure is not None
    assert failure.kind.value == case.kind
    assert case.sentence in failure.reason
    assert case.names in failure.reason
    assert "SharedAccessKey=" not in failure.reason
    assert arrived() == []
    assert namespace.seen.counts["log-ins refused"] <= 1, "an account is not to be locked"
    assert namespace.seen.counts["closed for size"] == 0
    assert namespace.seen.counts["requests to create event hubs"] == 0


# ---- what must not be noticed


def test_records_arrive_in_order_whatever_the_case_of_the_event_hub(
    endpoint: Endpoint, connection_string: str, arrived: Callable[[], list[bytes]], alarms: Callable[[], list[str]]
) -> None:
    to = transport(endpoint, connection_string)
    for number, hub in enumerate(["ATLAS_HOOK", "atlas_hook", "Atlas_Hook"]):
        assert delivered(to, b'{"n": %d}' % number, hub)
    to.close(1)
    assert arrived() == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']
    assert alarms() == []


def test_the_longest_record_passes(
    endpoint: Endpoint, connection_string: str, arrived: Callable[[], list[bytes]], namespace: Namespace
) -> None:
    to = transport(endpoint, connection_string)
    assert delivered(to, bytes(995_904))
    to.close(1)
    assert [len(each) for each in arrived()] == [995_904]
    assert max(namespace.seen.publications) < 1_000_000


def test_many_records_are_batches_that_the_service_accepts(
    endpoint: Endpoint, connection_string: str, arrived: Callable[[], list[bytes]], namespace: Namespace
) -> None:
    to, outcomes = transport(endpoint, connection_string), []
    values = [b'{"n": %d, "%s": 1}' % (number, b"x" * 90_000) for number in range(40)]
    for value in values:
        to.send(Record("ATLAS_HOOK", b"app", (value,)), outcomes.append)
    await_outcomes(to, outcomes, 40)
    to.close(1)
    assert outcomes == [None] * 40
    assert arrived() == values
    assert max(namespace.seen.publications) < 1_000_000


def test_a_connection_closed_for_idleness_loses_nothing_and_logs_no_alarm(
    endpoint: Endpoint,
    namespace: Namespace,
    connection_string: str,
    arrived: Callable[[], list[bytes]],
    alarms: Callable[[], list[str]],
) -> None:
    chosen = choose_client(Settings.read(file_of(endpoint, connection_string), "test"), None)
    to = KafkaTransport(chosen.make, name=chosen.place, clock=FakeClock())  # all this happens in a moment
    counts = namespace.seen.counts
    for number in range(3):
        assert delivered(to, b'{"n": %d}' % number)
        until(endpoint.close_idle)
        # The client closes its side, and the worker goes on while there is nothing to send.
        until(lambda: to.service(0.05) or counts["connections ended"] >= counts["closed for idleness"])
        to.service(0.05)
    to.close(1)
    assert arrived() == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']
    assert (alarms(), to.problem()) == ([], None)


def test_throttling_loses_nothing_and_keeps_the_order(
    endpoint: Endpoint, namespace: Namespace, connection_string: str, arrived: Callable[[], list[bytes]]
) -> None:
    to, outcomes = transport(endpoint, connection_string), []
    values = [b'{"n": %d}' % number for number in range(200)]
    for number, value in enumerate(values):
        namespace.throttle_seconds = 0.3 if number >= 50 else 0.0
        to.send(Record("ATLAS_HOOK", b"app", (value,)), outcomes.append)
        to.service(0)
    await_outcomes(to, outcomes, 200)
    to.close(1)
    assert outcomes == [None] * 200
    assert arrived() == values
    assert namespace.seen.counts["throttled"] > 0


# ---- with the spool


def spool_of(endpoint: Endpoint, connection_string: str, folder: Path, name: str, **changes: str) -> Spool:
    file = {**file_of(endpoint, connection_string, **changes), "atlas.hook.spool.dir": str(folder)}
    settings = Settings.read(file, "test")
    return Spool(make_transport(settings), options_of(settings), name)


def sent(spool: Spool, *numbers: int) -> None:
    for number in numbers:
        value = json.dumps({"version": {"version": "1.0.0"}, "spooled": False, "message": number})
        spool.send(Record("ATLAS_HOOK", b"app", (value.encode(),), created_ms=1), lambda failure: None)


def numbers_of(values: list[bytes]) -> list[int]:
    return [json.loads(value)["message"] for value in values]


def test_a_rotated_key_costs_no_message(
    endpoint: Endpoint,
    namespace: Namespace,
    policy: Policy,
    tmp_path: Path,
    arrived: Callable[[], list[bytes]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An existing connection goes on, a new one is refused, kept records go out with the new key, in order."""
    old, folder = namespace.connection_string(policy), tmp_path / "spool"
    spool = spool_of(endpoint, old, folder, "first")
    sent(spool, 0)
    assert spool.flush(SECONDS) == 0
    policy.rotate()
    sent(spool, 1)
    assert spool.flush(SECONDS) == 0
    spool.close(1)
    spool = spool_of(endpoint, old, folder, "second")
    sent(spool, 2, 3)
    spool.flush(SECONDS)
    assert "the broker rejects the user name or password" in (spool.problem() or "")
    spool.close(1)
    assert numbers_of(arrived()) == [0, 1]
    new = tmp_path / "new.properties"
    new.write_text(
        atlas_properties(
            {**file_of(endpoint, namespace.connection_string(policy)), "atlas.hook.spool.dir": str(folder)}
        )
    )
    assert main(["spool", "replay", "--conf-file", str(new)]) == 0, capsys.readouterr()
    assert numbers_of(arrived()) == [0, 1, 2, 3]


def test_records_refused_for_their_compression_are_kept_and_sent_without_it(
    endpoint: Endpoint, connection_string: str, tmp_path: Path, arrived: Callable[[], list[bytes]]
) -> None:
    spool = spool_of(endpoint, connection_string, tmp_path / "spool", "first", compression_type="gzip")
    sent(spool, *range(20))
    spool.flush(SECONDS)
    spool.close(1)
    assert spool.counts["rejected"] == 0
    spool = spool_of(endpoint, connection_string, tmp_path / "spool", "second")
    sent(spool, 20)
    assert spool.flush(SECONDS) == 0
    spool.close(1)
    assert numbers_of(arrived()) == list(range(21))


# ---- settings recommended on the service's page

RECOMMENDED = {
    "metadata.max.age.ms": "180000",
    "topic.metadata.refresh.interval.ms": "180000",
    "connections.max.idle.ms": "180000",
    "socket.keepalive.enable": "true",
    "message.max.bytes": "1000000",
    "request.timeout.ms": "60000",
}


def test_recommended_settings_of_the_service_are_used(endpoint: Endpoint, connection_string: str) -> None:
    """librdkafka returns its own configuration; the transport bounds the time of a message."""
    from confluent_kafka import Producer

    settings = Settings.read(file_of(endpoint, connection_string), "test")
    translation = librdkafka_settings(settings, None)
    assert {key: translation.config.get(key) for key in RECOMMENDED} == RECOMMENDED
    assert translation.config.get("compression.type", "none") == "none"
    assert translation.delivery_timeout_seconds == 120
    Producer({**translation.client_config(), "log_level": 0})  # takes all of them
