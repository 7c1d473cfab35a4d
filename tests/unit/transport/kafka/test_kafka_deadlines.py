"""Time limits of the Kafka transport: of a group, of a flush, and at its end."""

from __future__ import annotations

import pytest

from sac_kafka.transport.kafka.client import ClientEvent
from tests.unit.transport.kafka.clients import Bench
from tests.unit.transport.kafka.sending import Sender, send


def test_a_group_without_reports_fails_at_the_deadline_with_the_last_failure(sender: Sender) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, sender, 70)
    bench.client.notice(
        "_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms in state CONNECT)"
    )
    bench.transport.service(9.9)
    assert sender.all == []
    bench.transport.service(1)
    assert sender.kinds == ["transient"] * 70
    assert all("nothing listens on the broker's port" in reason for reason in sender.reasons)
    assert bench.client.is_closed


def test_a_deadline_without_a_known_failure_is_stated(sender: Sender) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, sender)
    bench.transport.service(11)
    assert (
        "the broker did not acknowledge in time; messages are kept; check the broker and the network path to it (waited 10 s)"
        in sender.reasons[0]
    )


def test_the_deadline_covers_the_group_not_waiting_records(sender: Sender) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, sender, 128)
    bench.transport.service(9)
    bench.client.deliver()
    bench.transport.service(0)
    bench.transport.service(9)
    assert sender.kinds == ["delivered"] * 64
    bench.transport.service(2)
    assert sender.kinds[64:] == ["transient"] * 64


def test_flush_gives_up_early_only_if_no_broker_ever_answered(sender: Sender) -> None:
    bench = Bench(is_kept=False)
    send(bench, sender)
    bench.client.notice("_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(30) == 1
    assert bench.clock.now - start < 1
    bench.client.deliver()
    assert bench.transport.flush(30) == 0
    send(bench, sender)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(30) == 1
    assert bench.clock.now - start == pytest.approx(30, abs=0.2)


def test_waiting_records_fail_when_a_flush_gives_up(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 3)
    bench.client.notice("_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    assert bench.transport.flush(0.4) == 3
    assert bench.transport.flush(30) == 0
    assert sender.kinds == ["transient"] * 3
    assert sender.reasons[0].startswith("nothing listens on the broker's port; ")
    assert bench.client.is_closed


def test_flush_waits_for_the_cause_before_it_gives_up(sender: Sender) -> None:
    bench = Bench(is_kept=False)
    send(bench, sender)
    client = bench.client
    client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start, poll = bench.clock.now, client.poll

    def poll_with_the_cause_later(timeout_seconds: float) -> tuple[ClientEvent, ...]:
        if 1.0 < bench.clock.now - start < 1.2:
            client.notice("_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
        return poll(timeout_seconds)

    client.poll = poll_with_the_cause_later  # type: ignore[method-assign]
    assert bench.transport.flush(30) == 1
    assert "nothing listens on the broker's port" in str(bench.transport.problem())
    assert bench.clock.now - start < 1.5


@pytest.mark.parametrize(("seconds", "waited"), [(30, 3.1), (1, 1)])
def test_a_flush_without_a_known_cause_names_the_suspected_one(seconds: float, waited: float, sender: Sender) -> None:
    bench = Bench(is_kept=False)
    send(bench, sender)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(seconds) == 1
    assert bench.clock.now - start == pytest.approx(waited, abs=0.2)
    assert "wrong port or wrong protocol" in str(bench.transport.problem())
    bench.client.deliver()
    assert (bench.transport.flush(1), bench.transport.problem()) == (0, None)


def test_close_reports_every_outcome_within_its_timeout(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 100)
    start = bench.clock.now
    bench.transport.close(3)
    assert bench.clock.now - start == pytest.approx(3, abs=0.2)
    assert bench.client.closed_within == 0.5
    assert sender.kinds == ["transient"] * 100
    assert all(reason.startswith("not acknowledged when the transport was closed; ") for reason in sender.reasons)
    bench.transport.close(3)
    send(bench, sender)
    assert sender.reasons[-1] == "the transport is closed"
    assert bench.client.is_closed
