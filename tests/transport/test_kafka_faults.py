"""What KafkaTransport makes of a producer that misbehaves, shown with one that does so on demand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.transport import kafka
from sac_kafka.transport.base import Record
from sac_kafka.transport.kafka import KafkaTransport

confluent_kafka = pytest.importorskip("confluent_kafka")
KafkaError = confluent_kafka.KafkaError


class FakeProducer:
    """Queues records and reports them when told to; `left` is what flush gives after a purge."""

    made: list[FakeProducer]

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.queue: list[Callable[[Any, Any], None]] = []
        self.calls: list[str] = []
        self.raising: list[BaseException] = []
        self.full = False
        self.left = 0
        FakeProducer.made.append(self)

    def produce(self, topic: str, *, value: bytes, key: bytes | None, on_delivery: Callable[[Any, Any], None]) -> None:
        if self.full:
            raise BufferError("Local: Queue full")
        self.queue.append(on_delivery)

    def report(self, error: Any = None) -> None:
        reports, self.queue = self.queue, []
        for on_delivery in reports:
            on_delivery(error, None)

    def poll(self, timeout: float) -> int:
        return self._serve("poll")

    def flush(self, timeout: float) -> int:
        self._serve("flush")
        return self.left if "purge" in self.calls else len(self.queue)

    def _serve(self, name: str) -> int:
        self.calls.append(name)
        if self.raising:
            raise self.raising.pop()
        return 0

    def purge(self) -> None:
        self.calls.append("purge")

    def close(self) -> None:
        self.calls.append("close")
        self.report(KafkaError(KafkaError._PURGE_QUEUE))


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeProducer]:
    FakeProducer.made = []
    monkeypatch.setattr(confluent_kafka, "Producer", FakeProducer)
    monkeypatch.setattr(kafka, "_PARKED", [])
    monkeypatch.setattr(kafka, "_QUEUE_WAIT_SECONDS", 0.05)
    return FakeProducer


@pytest.fixture
def told() -> list[str | None]:
    return []


@pytest.fixture
def transport() -> KafkaTransport:
    return KafkaTransport({"bootstrap.servers": "h:1"})


def send(transport: KafkaTransport, told: list[str | None]) -> FakeProducer:
    transport.send(Record("t", None, b"{}"), lambda record, reason: told.append(reason))
    return FakeProducer.made[-1]


def test_reports_of_the_purge_are_no_second_outcome(transport: KafkaTransport, told: list[str | None]) -> None:
    producer = send(transport, told)
    send(transport, told)
    transport.close(0.01)
    assert len(told) == 2
    assert all(str(reason).startswith("not acknowledged when the transport was closed") for reason in told)
    assert producer.calls[-3:] == ["purge", "flush", "close"]


def test_a_producer_that_cannot_be_emptied_is_parked_instead_of_closed(
    transport: KafkaTransport, told: list[str | None]
) -> None:
    producer = send(transport, told)
    producer.left = 1
    transport.close(0.01)
    assert "close" not in producer.calls
    assert [producer] == kafka._PARKED
    assert len(told) == 1


def test_a_full_queue_is_waited_for_and_then_an_outcome(transport: KafkaTransport, told: list[str | None]) -> None:
    producer = send(transport, told)
    producer.full = True
    start = time.monotonic()
    send(transport, told)
    assert time.monotonic() - start < 2
    assert "poll" in producer.calls
    assert told == ["the producer's queue is full; the broker is too slow"]
    assert transport.flush(0) == 1


def test_a_full_queue_is_not_waited_for_while_brokers_are_down(
    transport: KafkaTransport, told: list[str | None]
) -> None:
    producer = send(transport, told)
    producer.config["error_cb"](KafkaError(KafkaError._TRANSPORT, "Connection refused"))
    producer.full = True
    send(transport, told)
    assert "poll" not in producer.calls
    assert "Connection refused" in str(told[0])


def test_an_exception_from_poll_gives_all_records_their_outcome(
    transport: KafkaTransport, told: list[str | None]
) -> None:
    producer = send(transport, told)
    producer.raising = [confluent_kafka.KafkaException(KafkaError(KafkaError._FATAL, "out of order"))]
    transport.service(1)
    assert len(told) == 1
    assert "out of order" in str(told[0])
    assert "out of order" in str(transport.problem())
    assert producer.calls[-1] == "close"
    send(transport, told)
    assert "out of order" in str(told[1])
    assert len(FakeProducer.made) == 1


def test_a_failed_producer_is_made_anew_after_a_while(
    transport: KafkaTransport, told: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka, "_REOPEN_SECONDS", 0.0)
    send(transport, told).raising = [RuntimeError("broken")]
    assert transport.flush(5) == 0
    second = send(transport, told)
    assert len(FakeProducer.made) == 2
    second.report()
    assert told[1] is None
    assert transport.problem() is None


def test_an_outcome_that_raises_costs_no_other_report(
    transport: KafkaTransport, told: list[str | None], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(record: Record, reason: str | None) -> None:
        raise ValueError("a bug")

    transport.send(Record("t", None, b"{}"), broken)
    producer = send(transport, told)
    producer.report()
    assert told == [None]
    assert "An outcome could not be handled" in caplog.text


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("_AUTHENTICATION", "SASL authentication error: Invalid username or password", "authentication failed: SASL"),
        ("_SSL", "SSL handshake failed: certificate verify failed", "TLS failed: SSL handshake"),
        ("_TRANSPORT", "SSL handshake failed: error:0A000086: certificate verify failed", "TLS failed: SSL handshake"),
        ("_TRANSPORT", "SaslAuthenticateRequest failed: transport failure", "authentication failed: Sasl"),
        ("_TRANSPORT", "Connect failed: Connection refused (after 0ms in state CONNECT)", "refused; check"),
        ("_RESOLVE", "Failed to resolve 'h:1'", "no connection: Failed to resolve"),
        ("_ALL_BROKERS_DOWN", "1/1 brokers are down", "atlas.kafka.security.protocol"),
    ],
)
def test_trouble_is_a_problem_until_the_next_delivery(
    transport: KafkaTransport, told: list[str | None], code: str, text: str, said: str
) -> None:
    producer = send(transport, told)
    producer.config["error_cb"](KafkaError(getattr(KafkaError, code), text))
    assert said in str(transport.problem())
    producer.config["error_cb"](KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert said in str(transport.problem())
    producer.report(KafkaError(KafkaError._MSG_TIMED_OUT))
    assert said in str(told[0])
    send(transport, told)
    producer.report()
    assert transport.problem() is None


def test_errors_of_no_connection_are_no_problem(transport: KafkaTransport, told: list[str | None]) -> None:
    producer = send(transport, told)
    producer.config["error_cb"](KafkaError(KafkaError._TIMED_OUT, "one request"))
    assert transport.problem() is None


def test_a_problem_shows_no_secret_and_is_one_line(transport: KafkaTransport, told: list[str | None]) -> None:
    producer = send(transport, told)
    producer.config["error_cb"](KafkaError(KafkaError._AUTHENTICATION, "denied:\n password=hunter2"))
    assert "hunter2" not in str(transport.problem())
    assert "\n" not in str(transport.problem())


def test_the_last_log_line_explains_brokers_that_are_down(transport: KafkaTransport, told: list[str | None]) -> None:
    producer = send(transport, told)
    producer.config["logger"].log(30, "%s %s %s", "FAIL", "[thrd:x]", "Connection setup timed out in state CONNECT")
    producer.config["error_cb"](KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert "Connection setup timed out" in str(transport.problem())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("UNKNOWN_TOPIC_OR_PART", "create the topic"),
        ("TOPIC_AUTHORIZATION_FAILED", "allow the user"),
        ("MSG_SIZE_TOO_LARGE", "max.message.bytes"),
        ("REQUEST_TIMED_OUT", "REQUEST_TIMED_OUT: "),
    ],
)
def test_a_refused_record_tells_the_cure(
    transport: KafkaTransport, told: list[str | None], code: str, said: str
) -> None:
    send(transport, told).report(KafkaError(getattr(KafkaError, code)))
    assert said in str(told[0])
    assert transport.problem() is None


@pytest.mark.parametrize("callback", ["error_cb", "throttle_cb"])
def test_callbacks_never_raise(transport: KafkaTransport, told: list[str | None], callback: str) -> None:
    producer = send(transport, told)
    producer.config[callback](object())
    producer.config["logger"].log(30, "%s %d", "text", object(), 3)
    producer.config["logger"].log(30, None)
