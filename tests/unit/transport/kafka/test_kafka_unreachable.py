"""KafkaTransport while no Kafka answers: no call exceeds its budget, and the reason is reported.

Where a call is to return early it may take forever, and records have no deadline: it hangs if it does not return early.
How long calls wait, by a clock that the test advances, is in test_kafka_deadlines.
"""

from __future__ import annotations

import contextlib
import math
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.transport.base import Failure
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from sac_kafka.transport.spool.in_flight import WAITS
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.spool_options import options_in
from tests.helpers.waiting import LONG_SECONDS, FakeClock, until
from tests.unit.transport.kafka.clients import kafka_transport
from tests.unit.transport.outcomes import Outcomes, records

pytest.importorskip("confluent_kafka")
UNREACHABLE = {"bootstrap.servers": "127.0.0.1:1"}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a flush give up on an unreachable broker sooner than for a user, so that tests are faster."""
    monkeypatch.setattr("sac_kafka.transport.kafka.transport._UNREACHABLE_FLUSH_SECONDS", 0.05)


@pytest.mark.parametrize(
    ("address", "expected"),
    [("127.0.0.1:1", "Connection refused"), ("no-such-host.invalid:9093", "Failed to resolve")],
)
def test_a_broker_that_never_answered_is_not_waited_for(address: str, expected: str, outcomes: Outcomes) -> None:
    transport = kafka_transport({"bootstrap.servers": address}, delivery_timeout_seconds=math.inf)
    for record in records(50, "t"):
        outcomes.send(transport, record)
    assert transport.flush(math.inf) == 0
    assert expected in str(transport.problem())
    assert "bootstrap.servers" in str(transport.problem())
    assert len(outcomes.reported) == 50
    transport.close(math.inf)
    assert len(outcomes.reported) == 50
    assert all(expected in str(reason) for reason in outcomes.reasons)


def test_undeliverable_records_are_spooled_after_a_flush(tmp_path: Path) -> None:
    spool = Spool(kafka_transport(UNREACHABLE), options_in(tmp_path), "app-1")
    spooled: list[Failure | None] = []
    for record in records(3, "t"):
        spool.send(record, spooled.append)
    assert spool.flush(LONG_SECONDS) == 0
    assert (spool.counts["spooled"], spool.in_flight, spool.figures["records"]) == (3, 0, 3)
    assert [*tmp_path.rglob("*.avro")]
    assert spool.flush(LONG_SECONDS) == 0
    assert spool.counts["spooled"] == 3
    assert str(spool.problem()).startswith("nothing listens on the broker's port; ")
    spool.close(3)
    assert (spool.counts["spooled"], spooled) == (3, [WAITS] * 3)


def test_a_shorter_flush_gives_nothing_up(outcomes: Outcomes) -> None:
    transport = kafka_transport(UNREACHABLE)
    outcomes.send(transport, records(1, "t")[0])
    for _ in range(5):
        assert transport.flush(0.01) == 1
    until(lambda: transport.flush(0.01) == 1 and transport.problem())
    assert transport.flush(0.01) == 1
    assert outcomes.reported == []
    transport.close(0)


def test_a_timed_out_record_reports_the_last_failure(outcomes: Outcomes) -> None:
    clock = FakeClock()
    transport = kafka_transport(UNREACHABLE, clock=clock)
    outcomes.send(transport, records(1, "t")[0])
    until(lambda: transport.service(0.1) or transport.problem())
    clock.advance(119)
    transport.service(0)
    assert outcomes.reported == []
    clock.advance(1)
    transport.service(0)
    assert str(outcomes.reasons[0]).startswith("nothing listens on the broker's port; ")
    transport.close(1)
    assert len(outcomes.reported) == 1


def test_without_waiting_records_nothing_is_given_up(outcomes: Outcomes) -> None:
    transport = kafka_transport(UNREACHABLE, is_kept=False, delivery_timeout_seconds=math.inf)
    outcomes.send(transport, records(1, "t")[0])
    assert transport.flush(math.inf) == 1
    assert outcomes.reported == []
    transport.close(0)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Yield a port that accepts connections, reads and never answers."""
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


def test_a_silent_port_delays_nothing_beyond_the_budget(silent_port: int, outcomes: Outcomes) -> None:
    """Keep the port silent until the end of the test: a call that waits for it hangs."""
    never = {"librdkafka.api.version.request.timeout.ms": "300000"}  # so that no cause is known before
    address = {"bootstrap.servers": f"127.0.0.1:{silent_port}"}
    transport = kafka_transport({**address, **never}, delivery_timeout_seconds=math.inf)
    for record in records(20, "t"):
        outcomes.send(transport, record)
    transport.close(0.1)
    assert len(outcomes.reported) == 20
    assert all("not acknowledged" in str(reason) for reason in outcomes.reasons)


def test_a_flush_reports_the_cause_of_a_silent_port(silent_port: int, outcomes: Outcomes) -> None:
    address = {"bootstrap.servers": f"127.0.0.1:{silent_port}"}
    silent_ms = int(translate(address).config["api.version.request.timeout.ms"])
    assert 0 < silent_ms < 10_000  # not measured: a flush of 10 s shows it
    less = {"librdkafka.api.version.request.timeout.ms": "100"}
    transport = kafka_transport({**address, **less}, delivery_timeout_seconds=math.inf)
    outcomes.send(transport, records(1, "t")[0])
    assert transport.flush(math.inf) == 0
    assert str(transport.problem()).startswith("the broker accepts connections, but does not answer; check the port")
    transport.close(0)


def test_tls_on_a_plaintext_port_is_a_problem(cluster: str, outcomes: Outcomes) -> None:
    settings = {"bootstrap.servers": cluster, "security.protocol": "SSL"}
    transport = kafka_transport(settings, delivery_timeout_seconds=math.inf)
    outcomes.send(transport, records(1, "t")[0])
    transport.close(math.inf)
    assert "atlas.kafka.security.protocol" in str(transport.problem())
    assert len(outcomes.reported) == 1
    assert outcomes.reasons[0] is not None
