"""KafkaTransport where no Kafka answers: nobody waits beyond the budget, and the reason is told."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from outcomes import Outcomes, records

from sac_kafka.transport.kafka import KafkaTransport
from sac_kafka.transport.undelivered import UndeliveredFile

pytest.importorskip("confluent_kafka")
UNREACHABLE = {"bootstrap.servers": "127.0.0.1:1"}


@pytest.mark.parametrize(
    ("address", "said"),
    [("127.0.0.1:1", "Connection refused"), ("no-such-host.invalid:9093", "Failed to resolve")],
)
def test_nobody_is_waited_for_who_never_was_there(address: str, said: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": address})
    for record in records(50, "t"):
        transport.send(record, outcomes)
    start = time.monotonic()
    assert transport.flush(30) == 50
    assert time.monotonic() - start < 2
    assert said in str(transport.problem())
    assert "bootstrap.servers" in str(transport.problem())
    assert outcomes.told == []
    transport.close(30)
    assert time.monotonic() - start < 4
    assert len(outcomes.told) == 50
    assert all(said in str(reason) for reason in outcomes.reasons)


def test_a_timed_out_record_tells_the_trouble_before_it(outcomes: Outcomes) -> None:
    transport = KafkaTransport({**UNREACHABLE, "delivery.timeout.ms": "300", "linger.ms": "0"})
    transport.send(records(1, "t")[0], outcomes)
    deadline = time.monotonic() + 10
    while not outcomes.told and time.monotonic() < deadline:
        transport.service(0.5)
    reason = str(outcomes.reasons[0])
    assert reason.startswith("_MSG_TIMED_OUT: ")
    assert "Connection refused" in reason
    transport.close(1)
    assert len(outcomes.told) == 1


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections, reads and never answers."""
    server = socket.create_server(("127.0.0.1", 0))
    taken = []

    def accept() -> None:
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                taken.append(server.accept()[0])

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield server.getsockname()[1]
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)
    for connection in taken:
        connection.close()


def test_a_port_that_never_answers_holds_nobody_beyond_the_budget(silent_port: int, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": f"127.0.0.1:{silent_port}"})
    for record in records(20, "t"):
        transport.send(record, outcomes)
    start = time.monotonic()
    transport.close(1)
    assert time.monotonic() - start < 3
    assert len(outcomes.told) == 20
    assert all("not acknowledged" in str(reason) for reason in outcomes.reasons)


def test_tls_on_a_plaintext_port_is_told_as_a_problem(cluster: str, outcomes: Outcomes) -> None:
    transport = KafkaTransport({"bootstrap.servers": cluster, "security.protocol": "SSL"})
    transport.send(records(1, "t")[0], outcomes)
    start = time.monotonic()
    transport.close(20)
    assert time.monotonic() - start < 15
    assert "atlas.kafka.security.protocol" in str(transport.problem())
    assert len(outcomes.told) == 1
    assert outcomes.reasons[0] is not None


def test_what_is_not_delivered_at_the_end_goes_to_the_file(tmp_path: Path, outcomes: Outcomes) -> None:
    transport = UndeliveredFile(KafkaTransport(UNREACHABLE), tmp_path, "app")
    sent = records(5, "t")
    for record in sent:
        transport.send(record, outcomes)
    transport.close(0.2)
    assert [str(reason)[:9] for reason in outcomes.reasons] == ["spooled: "] * 5
    assert transport.path.read_bytes().splitlines() == [record.value for record in sent]
