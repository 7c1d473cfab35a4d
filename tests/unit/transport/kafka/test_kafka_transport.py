"""KafkaTransport on the real librdkafka: its in-process mock cluster."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sac_kafka.transport.base import Record
from tests.helpers.processes import environment
from tests.helpers.waiting import LONG_SECONDS, until
from tests.unit.transport.kafka import clients
from tests.unit.transport.kafka.clients import kafka_transport
from tests.unit.transport.outcomes import Outcomes, records

confluent_kafka = pytest.importorskip("confluent_kafka")
ROOT = Path(__file__).parents[4]


def consumed(address: str, topic: str, count: int) -> list[tuple[bytes, bytes]]:
    consumer = confluent_kafka.Consumer({"bootstrap.servers": address, "group.id": "g", "log_level": 0})
    try:
        partitions = consumer.list_topics(topic, timeout=60).topics[topic].partitions
        begin = confluent_kafka.OFFSET_BEGINNING
        consumer.assign([confluent_kafka.TopicPartition(topic, number, begin) for number in partitions])
        found = []

        def are_all_read() -> bool:
            messages = consumer.consume(count - len(found), 0.1)
            found.extend((each.key(), each.value()) for each in messages if each.error() is None)
            return len(found) >= count

        until(are_all_read, lambda: found)
        return found
    finally:
        consumer.close()


def test_records_arrive_in_order_with_one_outcome_each(cluster: str, outcomes: Outcomes) -> None:
    transport = kafka_transport({"bootstrap.servers": cluster})
    sent = records(500, "ordered")
    for record in sent:
        outcomes.send(transport, record)
    assert transport.flush(LONG_SECONDS) == 0
    assert outcomes.reported == [(record.values[0], None) for record in sent]
    assert transport.problem() is None
    transport.close(1)
    assert len(outcomes.reported) == 500
    assert consumed(cluster, "ordered", 500) == [(b"app", record.values[0]) for record in sent]


def test_parts_of_a_record_arrive_one_after_the_other(
    cluster: str, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sac_kafka.transport.kafka.transport._CLUSTER_SECONDS", LONG_SECONDS)
    transport = kafka_transport({"bootstrap.servers": cluster})
    large = [bytes([65 + number]) * 900_000 for number in range(3)]
    outcomes.send(transport, Record("parts", b"app", tuple(large)))
    outcomes.send(transport, Record("parts", b"app", (b"after",)))
    assert transport.flush(LONG_SECONDS) == 0
    assert outcomes.reasons == [None, None]
    assert [value for _, value in consumed(cluster, "parts", 4)] == [*large, b"after"]
    position = transport.position()
    assert position is not None
    assert (position.start, position.end) == (3, 4)
    transport.close(1)


def test_service_handles_reports_and_does_not_wait_without_records(cluster: str, outcomes: Outcomes) -> None:
    transport = kafka_transport({"bootstrap.servers": cluster})
    transport.service(5)
    outcomes.send(transport, records(1, "service")[0])

    def has_outcome() -> bool:
        transport.service(1)
        return bool(outcomes.reported)

    until(has_outcome)
    assert outcomes.reasons == [None]
    transport.service(1_000_000)  # hangs if it waits for nothing
    transport.close(1)


def test_the_constructor_makes_no_connection_and_the_name_has_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    waited_for: list[object] = []
    monkeypatch.setattr(clients, "LibrdkafkaClient", waited_for.append)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **_: waited_for.append(arguments))
    transport = kafka_transport({"bootstrap.servers": "a.invalid:1,b.invalid:2"})
    assert transport.name == "kafka a.invalid:1,b.invalid:2 (PLAINTEXT)"
    assert (transport.flush(1), transport.problem()) == (0, None)
    transport.close(1)
    assert waited_for == []


def test_a_record_that_is_too_large_is_rejected_and_others_pass(cluster: str, outcomes: Outcomes) -> None:
    transport = kafka_transport({"bootstrap.servers": cluster, "max.request.size": "1000"})
    for value in (b"x", b"y" * 2000, b"z"):
        outcomes.send(transport, Record("large", None, (value,)))
    assert transport.flush(LONG_SECONDS) == 0
    reasons = dict(outcomes.reported)
    assert (reasons[b"x"], reasons[b"z"]) == (None, None)
    assert str(reasons[b"y" * 2000]).startswith("the message is larger than the topic or the client allows; ")
    transport.close(1)


def test_a_closed_transport_fails_records_and_closes_again(cluster: str, outcomes: Outcomes) -> None:
    transport = kafka_transport({"bootstrap.servers": cluster})
    outcomes.send(transport, records(1, "closed")[0])
    transport.close(LONG_SECONDS)
    transport.close(LONG_SECONDS)
    outcomes.send(transport, records(1, "closed")[0])
    transport.service(1)
    assert transport.flush(1) == 0
    assert outcomes.reasons == [None, "the transport is closed"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"librdkafka.no.such.key": "1"}, "no.such.key"), ({"librdkafka.sasl.mechanism": "GSSAPI"}, "GSSAPI")],
)
def test_a_producer_that_cannot_be_made_is_an_outcome(
    settings: dict[str, str], expected: str, outcomes: Outcomes
) -> None:
    base = {"bootstrap.servers": "h:1", "security.protocol": "SASL_PLAINTEXT", "librdkafka.sasl.username": "u"}
    transport = kafka_transport(
        {**base, "librdkafka.sasl.mechanism": "PLAIN", "librdkafka.sasl.password": "p", **settings}
    )
    for record in records(2, "t"):
        outcomes.send(transport, record)
    transport.service(0)
    assert len(outcomes.reported) == 2
    assert all(expected in str(reason) for reason in outcomes.reasons)
    assert expected in str(transport.problem())
    transport.close(1)


def test_a_forked_child_never_touches_the_producer_of_its_parent(cluster: str) -> None:
    script = f"""
        import os
        from tests.unit.transport.kafka.clients import kafka_transport
        from sac_kafka.transport.base import Record
        delivered = []
        transport = kafka_transport({{"bootstrap.servers": "{cluster}"}})
        transport.send(Record("forked", None, (b"1",)), delivered.append)
        transport.service(0)
        child = os.fork()
        if child == 0:
            mine = []
            transport.send(Record("forked", None, (b"2",)), lambda failure: mine.append(str(failure)))
            transport.service(1)
            assert transport.flush(1) == 0
            transport.close(1)
            assert mine[0].startswith("forked child"), mine
            assert delivered == [], delivered
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        transport.close(60)
        assert delivered == [None], delivered
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(command, check=True, timeout=3 * LONG_SECONDS, env=environment())
