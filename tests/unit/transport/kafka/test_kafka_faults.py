"""Failures of a client: all records behind one fail, and those that need action are retried rarely."""

from __future__ import annotations

import random
from functools import partial

import pytest

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.kafka.client import ClientEvent, Delivered, Failed
from tests.unit.transport.kafka.clients import Bench, FakeClient
from tests.unit.transport.kafka.sending import Sender, record, send


@pytest.mark.parametrize("name", ["NOT_ENOUGH_REPLICAS", "_FATAL", "SOMETHING_NEW", "NetworkException"])
def test_a_transient_failure_fails_all_following_records_and_replaces_the_client(name: str, sender: Sender) -> None:
    bench = Bench()
    sent = send(bench, sender, 100)
    bench.client.deliver(3)
    bench.client.fail(name, "text")
    bench.transport.service(0)
    assert [value for value, _ in sender.all] == [each.values[0] for each in sent]
    assert sender.kinds == ["delivered"] * 3 + ["transient"] * 97
    assert bench.client.is_closed
    send(bench, sender, 1)
    assert len(bench.clients) == 2
    bench.client.deliver()
    bench.transport.service(0)
    assert sender.kinds[-1] == "delivered"
    assert bench.transport.problem() is None


def test_records_delivered_with_the_failure_count(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 2)
    bench.client.notice("_AUTHENTICATION", "Invalid username or password")
    bench.client.deliver(1)
    bench.client.fail("_MSG_TIMED_OUT")
    bench.transport.service(0)
    assert sender.kinds[0] == "delivered"
    assert sender.kinds[1] != "delivered"


def test_reports_of_a_closed_client_give_no_second_outcome(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 2)
    old = bench.client
    old.fail("_TRANSPORT")
    bench.transport.service(0)
    assert len(sender.all) == 2
    send(bench, sender, 2)
    assert {number for number, _ in old.produced}.isdisjoint(number for number, _ in bench.client.produced)


@pytest.mark.parametrize("first", [False, True])
def test_a_record_beyond_the_queue_fails_behind_all_before_it(first: bool, sender: Sender) -> None:
    bench = Bench(queue_bytes=20)
    sent = [record("1234567890"), record("abcdefghij"), record("x")]
    if first:
        sender.send(bench.transport, record("larger than the whole queue"))
        assert sender.all == []
    for each in sent:
        sender.send(bench.transport, each)
    assert [value for value, _ in sender.all][-3:] == [each.values[0] for each in sent][-3:] or first
    assert all("the queue is full" in reason for reason in sender.reasons)
    assert set(sender.kinds) == {"transient"}
    sender.send(bench.transport, record("y"))
    assert sender.all[-1][0] != b"y"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_AUTHENTICATION", "SASL authentication error: Authentication failed: Invalid username or password"),
        ("SaslAuthenticationException", "Authentication failed: Invalid username or password"),
        ("_SSL", "SSL handshake failed: error:0A000086:SSL routines::certificate verify failed"),
        (
            "SslAuthenticationException",
            "SSL handshake failed; caused by SSLHandshakeException: PKIX path building failed",
        ),
        (
            "_TRANSPORT",
            "Receive failed: error:0A000412:SSL routines::ssl/tls alert bad certificate: SSL alert number 42",
        ),
    ],
)
def test_a_connection_that_needs_action_fails_at_once(name: str, text: str, sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 3)
    bench.client.notice(name, text)
    bench.transport.service(0)
    assert sender.kinds == ["needs_action"] * 3
    assert bench.client.is_closed
    assert bench.transport.problem() == sender.reasons[0]


def test_a_failure_that_needs_action_is_retried_rarely_until_a_delivery(sender: Sender) -> None:
    bench = Bench(lambda client: client.notice("_AUTHENTICATION", "Invalid username or password"))
    send(bench, sender)
    for tries, pause in enumerate([30, 60, 120, 240, 480, 600, 600, 600], start=1):
        bench.clock.advance(pause - 1)
        send(bench, sender)
        assert len(bench.clients) == tries
        bench.clock.advance(1)
        send(bench, sender)
        assert len(bench.clients) == tries + 1
    assert set(sender.kinds) == {"needs_action"}
    bench.prepare = lambda client: setattr(client, "answer", lambda client, number, value: Delivered(number, 0, 1))
    bench.clock.advance(600)
    send(bench, sender)
    assert sender.kinds[-1] == "delivered"
    assert bench.transport.retry_after() == 0
    bench.client.answer = None
    send(bench, sender)
    bench.client.fail("TOPIC_AUTHORIZATION_FAILED", "Broker: Topic authorization failed")
    bench.transport.service(0)
    assert bench.transport.retry_after() == 30


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("UNKNOWN_TOPIC_OR_PART", "the topic ATLAS_HOOK does not exist"),
        ("TOPIC_AUTHORIZATION_FAILED", "may not write to the topic ATLAS_HOOK"),
        ("ClusterAuthorizationException", "lacks a permission on the Kafka cluster"),
        ("JvmGone", "the driver's JVM is gone"),
    ],
)
def test_a_record_that_needs_action_blocks_the_rest(name: str, expected: str, sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 2)
    bench.client.fail(name)
    bench.transport.service(0)
    send(bench, sender)
    assert sender.kinds == ["needs_action"] * 3
    assert all(expected in reason for reason in sender.reasons)
    assert len(bench.clients) == 1


def test_one_bad_broker_of_several_is_not_the_end(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender)
    bench.client.deliver()
    bench.transport.service(0)
    send(bench, sender, 2)
    bench.client.notice("_SSL", "certificate verify failed")
    bench.transport.service(1)
    bench.transport.service(0.5)
    bench.client.deliver(1)
    bench.transport.service(0)
    bench.transport.service(5)
    assert sender.kinds == ["delivered"] * 2
    bench.client.notice("_SSL", "certificate verify failed")
    bench.transport.service(0)
    bench.transport.service(2.1)
    assert sender.kinds == ["delivered"] * 2 + ["needs_action"]


def test_a_login_cut_off_three_times_counts_as_refused(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender)
    for _ in range(3):
        assert sender.all == []
        bench.client.notice("_TRANSPORT", "SaslAuthenticateRequest failed: Local: Broker transport failure")
        bench.transport.service(0)
    assert sender.kinds == ["needs_action"]


def test_a_delivery_in_between_shows_that_the_login_works(sender: Sender) -> None:
    bench = Bench()
    for _ in range(2):
        send(bench, sender)
        for _ in range(2):
            bench.client.notice("_TRANSPORT", "SaslAuthenticateRequest failed: Local: Broker transport failure")
        bench.transport.service(3)
        bench.transport.service(3)
        bench.client.deliver()
        bench.transport.service(0)
    assert sender.kinds == ["delivered"] * 2


@pytest.mark.parametrize("name", ["POLICY_VIOLATION", "THROTTLING_QUOTA_EXCEEDED", "ThrottlingQuotaExceededException"])
def test_a_throttling_service_is_paused(name: str, sender: Sender) -> None:
    pauses = []
    bench = Bench()
    for _ in range(7):
        send(bench, sender)
        bench.client.fail(name)
        bench.transport.service(0)
        pauses.append(bench.transport.retry_after())
        bench.clock.now += pauses[-1]
    assert pauses == [2, 4, 8, 16, 32, 60, 60]
    assert set(sender.kinds) == {"transient"}


def test_a_client_that_cannot_be_created_blocks(sender: Sender) -> None:
    def broken(client: FakeClient) -> None:
        raise RuntimeError('no provider for "X"')

    bench = Bench(broken)
    send(bench, sender, 2)
    assert sender.kinds == ["needs_action"] * 2
    assert 'no provider for "X"' in sender.reasons[0]
    assert bench.transport.retry_after() == 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_faults_give_each_record_one_outcome_in_order(seed: int) -> None:
    """Send failed records again in order, against a broker that fails at random."""
    chance = random.Random(seed)
    arrived: list[bytes] = []

    def answer(client: FakeClient, number: int, value: bytes) -> ClientEvent | None:
        fate = chance.random()
        if b"bad" in value:
            return Failed(number, "INVALID_RECORD", "")
        if client.is_broken or fate < 0.02:
            if fate < 0.01 and not client.is_broken:
                arrived.append(value)  # the answer was lost
            client.is_broken = True  # nothing that follows arrives
            return None if chance.random() < 0.5 else Failed(number, "_TRANSPORT", "Connection reset by peer")
        arrived.append(value)
        return Delivered(number, 0, len(arrived))

    bench = Bench(lambda client: setattr(client, "answer", answer), delivery_timeout_seconds=5)
    sent = [record(f"{n:04}-bad" if chance.random() < 0.02 else f"{n:04}") for n in range(400)]
    outcomes: dict[bytes, list[Failure | None]] = {each.values[0]: [] for each in sent}
    kept: list[Record] = []

    def outcome(record: Record, failure: Failure | None) -> None:
        outcomes[record.values[0]].append(failure)
        if failure is not None and failure.kind is not FailureKind.REJECTED:
            kept.append(record)

    todo = list(sent)
    while todo or bench.transport.flush(1) or kept:
        if kept:
            bench.transport.flush(100)
            todo = [*kept, *todo]
            kept.clear()
        for _ in range(chance.randint(1, 90)):
            if todo and not kept:
                bench.transport.send(each := todo.pop(0), partial(outcome, each))
        bench.transport.service(chance.choice([0, 0.5, 3]))
    good = [each.values[0] for each in sent if b"bad" not in each.values[0]]
    assert list(dict.fromkeys(arrived)) == good
    for value, failures in outcomes.items():
        last = failures[-1]
        assert (last is None) == (b"bad" not in value)
        assert failures.count(None) <= 1
