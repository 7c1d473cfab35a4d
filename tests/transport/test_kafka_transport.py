"""KafkaTransport on the real librdkafka: its in-process mock cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from outcomes import Outcomes, records

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.base import Record
from sac_kafka.transport.kafka import KafkaTransport

confluent_kafka = pytest.importorskip("confluent_kafka")
ROOT = Path(__file__).parents[2]


def consumed(address: str, topic: str, count: int) -> list[tuple[bytes, bytes]]:
    consumer = confluent_kafka.Consumer({"bootstrap.servers": address, "group.id": "g", "log_level": 0})
    try:
        partitions = consumer.list_topics(topic, timeout=5).topics[topic].partitions
        begin = confluent_kafka.OFFSET_BEGINNING
        consumer.assign([confluent_kafka.TopicPartition(topic, number, begin) for number in partitions])
        found = []
        deadline = time.monotonic() + 10
        while len(found) < count and time.monotonic() < deadline:
            message = consumer.poll(0.5)
            if message is not None and message.error() is None:
                found.append((message.key(), message.value()))
        return found
    finally:
        consumer.close()


def test_records_arrive_in_order_with_one_outcome_each(cluster: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": cluster})
    sent = records(500, "ordered")
    for record in sent:
        transport.send(record, outcomes)
    assert transport.flush(10) == 0
    assert outcomes.told == [(record.value, None) for record in sent]
    assert transport.problem() is None
    transport.close(1)
    assert len(outcomes.told) == 500
    assert consumed(cluster, "ordered", 500) == [(b"app", record.value) for record in sent]


def test_service_serves_reports_and_does_not_wait_for_nothing(cluster: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": cluster})
    transport.service(5)
    transport.send(records(1, "service")[0], outcomes)
    deadline = time.monotonic() + 10
    while not outcomes.told and time.monotonic() < deadline:
        transport.service(1)
    assert outcomes.reasons == [None]
    start = time.monotonic()
    transport.service(5)
    assert time.monotonic() - start < 1
    transport.close(1)


def test_the_constructor_makes_no_connection_and_the_name_tells_where() -> None:
    start = time.monotonic()
    transport = KafkaTransport({"bootstrap.servers": "a.invalid:1,b.invalid:2"})
    assert time.monotonic() - start < 0.2
    assert transport.name == "kafka a.invalid:1,b.invalid:2 (PLAINTEXT)"
    assert (transport.flush(1), transport.problem()) == (0, None)
    transport.close(1)


def test_a_record_that_is_too_large_is_an_outcome(cluster: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": cluster, "max.request.size": "1000"})
    transport.send(Record("large", None, b"x" * 2000), outcomes)
    transport.send(Record("large", None, b"y"), outcomes)
    assert transport.flush(10) == 0
    assert "MSG_SIZE_TOO_LARGE" in str(outcomes.reasons[0])
    assert "atlas.notification.message.max.length.bytes" in str(outcomes.reasons[0])
    assert outcomes.reasons[1] is None
    transport.close(1)


def test_a_closed_transport_fails_records_and_closes_again(cluster: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": cluster})
    transport.send(records(1, "closed")[0], outcomes)
    transport.close(10)
    transport.close(10)
    transport.send(records(1, "closed")[0], outcomes)
    transport.service(1)
    assert transport.flush(1) == 0
    assert outcomes.reasons == [None, "the transport is closed"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"librdkafka.no.such.key": "1"}, "no.such.key"), ({"librdkafka.sasl.mechanism": "GSSAPI"}, "GSSAPI")],
)
def test_a_producer_that_cannot_be_made_is_an_outcome(settings: dict[str, str], said: str, outcomes: Outcomes) -> None:
    base = {"bootstrap.servers": "h:1", "security.protocol": "SASL_PLAINTEXT", "librdkafka.sasl.username": "u"}
    transport = KafkaTransport(
        {**base, "librdkafka.sasl.mechanism": "PLAIN", "librdkafka.sasl.password": "p", **settings}
    )
    for record in records(2, "t"):
        transport.send(record, outcomes)
    assert len(outcomes.told) == 2
    assert all(said in str(reason) for reason in outcomes.reasons)
    assert said in str(transport.problem())
    transport.close(1)


@pytest.mark.parametrize(("content", "said"), [(None, "No such file"), ("junk", "is no PEM file")])
def test_a_trust_store_that_cannot_be_read_is_an_error_at_once(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    store = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(path)}
    with pytest.raises(ConfigurationError, match=said) as caught:
        KafkaTransport({"bootstrap.servers": "h:1", "security.protocol": "SSL", **store})
    assert f"atlas.kafka.ssl.truststore.location = {path}" in str(caught.value)


def test_warnings_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    KafkaTransport({"bootstrap.servers": "h:1", "lingers.ms": "1"})
    assert [entry.levelname for entry in caplog.records] == ["WARNING"]
    assert "did you mean atlas.kafka.linger.ms?" in caplog.text


def test_a_forked_child_never_touches_the_producer_of_its_parent(cluster: str) -> None:
    script = f"""
        import os, sys
        from sac_kafka.transport.base import Record
        from sac_kafka.transport.kafka import KafkaTransport
        told = []
        transport = KafkaTransport({{"bootstrap.servers": "{cluster}"}})
        transport.send(Record("forked", None, b"1"), lambda record, reason: told.append(reason))
        child = os.fork()
        if child == 0:
            mine = []
            transport.send(Record("forked", None, b"2"), lambda record, reason: mine.append(reason))
            transport.service(1)
            assert transport.flush(1) == 0
            transport.close(1)
            assert mine[0].startswith("forked child"), mine
            assert told == [], told
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        transport.close(10)
        assert told == [None], told
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(command, check=True, timeout=60, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
