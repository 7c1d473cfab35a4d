"""Failures in the log, each once, and the suspected cause while none is known."""

from __future__ import annotations

import logging

import pytest

from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.kafka.client import Throttled
from tests.unit.transport.kafka.clients import Bench
from tests.unit.transport.kafka.sending import Sender, record, send


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [entry.getMessage() for entry in caplog.records if entry.levelno == logging.WARNING]


def test_each_kind_of_failure_is_logged_once_and_then_counted(sender: Sender, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    send(bench, sender)
    for port in range(5):
        bench.client.notice("_TRANSPORT", f"Connect to ipv4#127.0.0.1:{port} failed: Connection refused")
        bench.client.notice("_RESOLVE", "Failed to resolve 'h:1'")
        bench.transport.service(0)
    assert len(warnings(caplog)) == 2
    assert "kafka h:1 (PLAINTEXT): nothing listens on the broker's port" in warnings(caplog)[0]
    assert bench.transport.troubles == {"refused": 5, "unknown host": 5}


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (
            None,
            "wrong port or wrong protocol; check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.prot",
        ),
        ("Connect to ipv4#127.0.0.1:1 failed: Connection refused", "nothing listens on the broker's port"),
    ],
)
def test_a_job_that_ends_before_the_cause_is_known_names_the_suspected_one(
    cause: str | None, expected: str, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, sender)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    if cause:
        bench.client.notice("_TRANSPORT", cause)
    bench.transport.close(0.1)
    assert sender.reasons[0].startswith("not acknowledged when the transport was closed; ")
    assert expected in sender.reasons[0]
    assert len(warnings(caplog)) == 1


def test_a_job_that_ends_early_without_failures_suspects_nothing(
    sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, sender)
    bench.transport.close(0.1)
    assert sender.reasons == ["not acknowledged when the transport was closed; it may have arrived"]
    assert warnings(caplog) == []


def test_brokers_down_for_an_unknown_reason_are_reported_after_three_seconds(
    sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, sender)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    bench.transport.service(2.9)
    assert warnings(caplog) == []
    bench.transport.service(0.2)
    assert "wrong port or wrong protocol" in str(bench.transport.problem())
    assert len(warnings(caplog)) == 1
    bench.client.notice(
        "_LOG", "FAIL [thrd:h:1/bootstrap]: Connection setup timed out in state SSL_HANDSHAKE (after 2022ms)"
    )
    bench.transport.service(0)
    assert "accepts connections, but does not answer" in str(bench.transport.problem())


def test_a_cause_is_not_hidden_by_its_consequences(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender)
    bench.client.notice("_SSL", "SSL handshake failed: some new fault")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    bench.transport.service(1)
    bench.transport.service(9)
    assert "the TLS handshake failed" in str(bench.transport.problem())


@pytest.mark.parametrize("name", ["_TRANSPORT", "_AUTHENTICATION"])
@pytest.mark.parametrize("is_before", [True, False])
def test_a_delivery_ends_a_failure_reported_in_the_same_poll(name: str, is_before: bool, sender: Sender) -> None:
    bench = Bench()
    send(bench, sender)
    bench.transport.service(0)
    if is_before:
        bench.client.notice(name, "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
        bench.client.deliver()
    else:
        bench.client.deliver()
        bench.client.notice(name, "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    bench.transport.service(0)
    assert sender.kinds == ["delivered"]
    assert (bench.transport.problem() is None) == is_before
    assert sum(bench.transport.troubles.values()) == 1  # it is counted in any case


def test_a_reason_shows_no_secret_and_is_one_line(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender)
    bench.client.notice("_AUTHENTICATION", "denied:\n password=hunter2 SharedAccessKey=abc=")
    bench.transport.service(0)
    assert "hunter2" not in sender.reasons[0]
    assert "abc=" not in sender.reasons[0]
    assert "\n" not in sender.reasons[0]


def test_throttling_is_logged_once_a_minute_with_its_sum(sender: Sender, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    for _ in range(130):
        send(bench, sender)
        bench.client.events.append(Throttled(0.5))
        bench.client.deliver()
        bench.transport.service(0)
        bench.clock.now += 1
    assert len(warnings(caplog)) == 2
    assert "30.0 s" in warnings(caplog)[0]
    assert set(sender.kinds) == {"delivered"}


def test_an_outcome_that_raises_does_not_stop_other_reports(sender: Sender, caplog: pytest.LogCaptureFixture) -> None:
    def broken(record: Record, failure: Failure | None) -> None:
        raise ValueError("a bug")

    bench = Bench()
    bench.transport.send(record("a"), broken)
    sender.send(bench.transport, record("b"))
    bench.transport.service(0)
    bench.client.deliver()
    bench.transport.service(0)
    assert sender.all == [(b"b", None)]
    assert "A delivery callback failed" in caplog.text
