"""Kafka's Java client before the endpoint, as the driver has it: order, names, and reports of refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("pyspark")

from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.transport import KafkaTransport
from tests.helpers.broker import LocalBroker
from tests.helpers.waiting import until
from tests.live.event_hubs.clients import await_outcomes, file_of
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace
from tests.live.spark.kafka_jvm import Jvm

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.exhaustive]

Make = Callable[..., Transport]


@pytest.fixture(scope="module")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jvm]:
    jvm = Jvm(tmp_path_factory.mktemp("jvm") / "log")
    yield jvm
    jvm.close()


@pytest.fixture
def make(jvm: Jvm, endpoint: Endpoint) -> Iterator[Make]:
    """Makes transports; the settings are those for the namespace's name, and only the address is that of the tests."""
    made: list[Transport] = []

    def of(connection_string: str, **changes: str) -> Transport:
        file = file_of(endpoint, connection_string, ssl_truststore_type="PEM", **changes)
        kafka = {key.removeprefix("atlas.kafka."): text for key, text in file.items() if key.startswith("atlas.kafka.")}
        java = java_settings(kafka, {}, KerberosLogin(), message_bytes=900_000)
        properties = {**java.properties, "bootstrap.servers": f"localhost:{endpoint.port}"}
        made.append(KafkaTransport(lambda: jvm.client(properties), name="kafka", delivery_timeout_seconds=120))
        return made[-1]

    yield of
    for each in made:
        each.close(0)


def problem(to: Transport, value: bytes = b"{}", hub: str = "ATLAS_HOOK") -> str:
    """Send a record that does not get through; gives why."""
    outcomes: list[Failure | None] = []
    to.send(Record(hub, b"app", (value,)), outcomes.append)
    until(lambda: to.service(0.1) or outcomes or to.problem())
    return to.problem() or (str(outcomes[0].reason) if outcomes and outcomes[0] else "")


def test_records_arrive_in_order_while_the_service_throttles_and_closes_idle_connections(
    endpoint: Endpoint, namespace: Namespace, broker: LocalBroker, make: Make
) -> None:
    before = len(broker.read_all("ATLAS_HOOK"))
    to, outcomes = make(namespace.connection_string(namespace.policy())), list[Failure | None]()
    values = [b'{"n": %d}' % number for number in range(60)]
    for number, value in enumerate(values):
        namespace.throttle_seconds = 0.2 if number >= 20 else 0.0
        to.send(Record("atlas_hook", b"app", (value,)), outcomes.append)
        to.service(0)
        if number in (15, 45):
            await_outcomes(to, outcomes, number + 1)
            assert endpoint.close_idle() >= 1
    await_outcomes(to, outcomes, 60)
    assert outcomes == [None] * 60
    assert broker.read_all("ATLAS_HOOK")[before:] == values
    assert namespace.seen.counts["throttled"] >= 1
    assert to.problem() is None


def test_a_wrong_connection_string_is_one_of_the_suspected_causes(
    endpoint: Endpoint, namespace: Namespace, make: Make
) -> None:
    """Kafka's client loses the service's text: it fails on a field of that answer without bytes."""
    policy = namespace.policy()
    old = namespace.connection_string(policy)
    policy.rotate()
    reported = problem(make(old))
    assert "the connection string" in reported
    assert policy.key not in reported


@pytest.mark.parametrize(
    ("rights", "changes", "value", "sentence"),
    [
        ("Listen", {}, b"{}", "the user may not write to the topic ATLAS_HOOK"),
        ("Send", {"compression_type": "gzip"}, bytes(2000), "the broker does not accept batches of this format"),
        ("Send", {}, bytes(1_000_100), "the message is larger than the topic or the client allows"),
    ],
)
def test_a_refusal_has_its_sentence(
    namespace: Namespace, make: Make, rights: str, changes: dict[str, str], value: bytes, sentence: str
) -> None:
    to = make(namespace.connection_string(namespace.policy(rights=rights)), **changes)
    outcomes: list[Failure | None] = []
    to.send(Record("ATLAS_HOOK", b"app", (value,)), outcomes.append)
    await_outcomes(to, outcomes, 1)
    (failure,) = outcomes
    assert failure is not None
    assert sentence in failure.reason
