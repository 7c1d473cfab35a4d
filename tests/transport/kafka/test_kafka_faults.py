"""What the transport makes of a client's reports, troubles and silence; shown with a client that does what it is told."""

from __future__ import annotations

import logging
import random
from functools import partial

import pytest

from sac_kafka.transport.base import Failure, Record, Transport, Trouble
from sac_kafka.transport.kafka.client import ClientEvent, Delivered, Failed, Throttled
from tests.transport.kafka.clients import Bench, FakeClient
from tests.transport.outcomes import records


class Told:
    """What records were told, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[bytes, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.all.append((b"".join(record.values[:1]), failure)))

    @property
    def troubles(self) -> list[str]:
        return ["delivered" if failure is None else failure.trouble.value for _, failure in self.all]

    @property
    def reasons(self) -> list[str]:
        return [str(failure) for _, failure in self.all]


@pytest.fixture
def told() -> Told:
    return Told()


def send(bench: Bench, told: Told, count: int = 1, **options: object) -> list[Record]:
    sent = records(count)
    for record in sent:
        told.send(bench.transport, record)
    bench.transport.service(0)
    return sent


def record(text: str, *more: str) -> Record:
    return Record("ATLAS_HOOK", b"app", tuple(each.encode() for each in (text, *more)))


# ---- order and groups


def test_one_group_is_under_way_at_a_time(told: Told) -> None:
    bench = Bench()
    sent = send(bench, told, 200)
    assert len(bench.client.produced) == 64
    bench.client.deliver(63)
    bench.transport.service(0)
    assert len(bench.client.produced) == 64
    while len(told.all) < 200:
        bench.client.deliver()
        bench.transport.service(0)
    assert [value for value, _ in told.all] == [each.values[0] for each in sent] == bench.client.values
    assert set(told.troubles) == {"delivered"}


def test_a_group_is_bounded_in_bytes_but_one_record_always_goes(told: Told) -> None:
    bench = Bench()
    for size in (300_000, 300_000, 2_000_000):
        told.send(bench.transport, Record("t", None, (b"x" * size,)))
    bench.transport.service(0)
    assert [len(value) for value in bench.client.values] == [300_000]
    bench.client.deliver()
    bench.transport.service(0)
    bench.client.deliver()
    bench.transport.service(0)
    assert [len(value) for value in bench.client.values] == [300_000, 300_000, 2_000_000]


def test_a_full_group_does_not_wait_for_service(told: Told) -> None:
    bench = Bench()
    for each in records(64):
        told.send(bench.transport, each)
    assert len(bench.client.produced) == 64


def test_service_goes_on_while_the_broker_does(told: Told) -> None:
    bench = Bench(lambda client: setattr(client, "answer", lambda client, number, value: Delivered(number, 0, number)))
    send(bench, told, 1000)
    assert len(told.all) == 1000


def test_service_waits_for_the_first_outcome_only(told: Told) -> None:
    bench = Bench()
    send(bench, told, 1)
    start = bench.clock.now
    bench.transport.service(7)
    assert bench.clock.now == pytest.approx(start + 7)
    bench.client.deliver()
    bench.transport.service(7)
    assert bench.clock.now < start + 7.1
    bench.transport.service(7)
    assert bench.clock.now < start + 7.1


# ---- a failure stops everything


@pytest.mark.parametrize("name", ["NOT_ENOUGH_REPLICAS", "_FATAL", "SOMETHING_NEW", "NetworkException"])
def test_after_a_passing_failure_all_that_follow_fail_in_order_and_another_client_is_made(
    name: str, told: Told
) -> None:
    bench = Bench()
    sent = send(bench, told, 100)
    bench.client.deliver(3)
    bench.client.fail(name, "said")
    bench.transport.service(0)
    assert [value for value, _ in told.all] == [each.values[0] for each in sent]
    assert told.troubles == ["delivered"] * 3 + ["passing"] * 97
    assert bench.client.is_closed
    send(bench, told, 1)
    assert len(bench.clients) == 2
    bench.client.deliver()
    bench.transport.service(0)
    assert told.troubles[-1] == "delivered"
    assert bench.transport.problem() is None


def test_what_arrived_with_the_failure_is_delivered(told: Told) -> None:
    bench = Bench()
    send(bench, told, 2)
    bench.client.notice("_AUTHENTICATION", "Invalid username or password")
    bench.client.deliver(1)
    bench.client.fail("_MSG_TIMED_OUT")
    bench.transport.service(0)
    assert told.troubles[0] == "delivered"
    assert told.troubles[1] != "delivered"


def test_reports_of_a_closed_client_are_no_second_outcome(told: Told) -> None:
    bench = Bench()
    send(bench, told, 2)
    old = bench.client
    old.fail("_TRANSPORT")
    bench.transport.service(0)
    assert len(told.all) == 2
    send(bench, told, 2)
    assert {number for number, _ in old.produced}.isdisjoint(number for number, _ in bench.client.produced)


@pytest.mark.parametrize("first", [False, True])
def test_a_record_beyond_the_queue_fails_behind_all_before_it(first: bool, told: Told) -> None:
    bench = Bench(queue_bytes=20)
    sent = [record("1234567890"), record("abcdefghij"), record("x")]
    if first:
        told.send(bench.transport, record("larger than the whole queue"))
        assert told.all == []
    for each in sent:
        told.send(bench.transport, each)
    assert [value for value, _ in told.all][-3:] == [each.values[0] for each in sent][-3:] or first
    assert all("the queue is full" in reason for reason in told.reasons)
    assert set(told.troubles) == {"passing"}
    told.send(bench.transport, record("y"))
    assert told.all[-1][0] != b"y"


# ---- what may be one record's


def test_of_a_group_that_is_too_large_each_is_tried_alone(told: Told) -> None:
    bench = Bench()
    for text in "abcd":
        told.send(bench.transport, record(text))
    bench.transport.service(0)
    for _ in "abcd":
        bench.client.fail("MSG_SIZE_TOO_LARGE", "Broker: Message size too large")
    told.send(bench.transport, record("e"))
    bench.transport.service(0)
    assert told.all == []
    for text in "abcd":
        assert bench.client.values[-1] == text.encode()
        if text == "c":
            bench.client.fail("MSG_SIZE_TOO_LARGE", "Broker: Message size too large")
        else:
            bench.client.deliver()
        bench.transport.service(0)
    assert told.troubles == ["delivered", "delivered", "rejected", "delivered"]
    assert "atlas.notification.message.max.length.bytes" in told.reasons[2]
    assert bench.client.values[-1] == b"e"
    bench.client.deliver()
    bench.transport.service(0)
    assert told.troubles[-1] == "delivered"
    assert not bench.client.is_closed
    assert bench.transport.problem() is None


def test_a_failure_of_all_while_records_are_tried_alone_keeps_their_order(told: Told) -> None:
    bench = Bench()
    for text in "abc":
        told.send(bench.transport, record(text))
    bench.transport.service(0)
    for _ in "abc":
        bench.client.fail("RecordTooLargeException")
    told.send(bench.transport, record("d"))
    bench.transport.service(0)
    bench.client.fail("NotEnoughReplicasException")
    bench.transport.service(0)
    assert [value for value, _ in told.all] == [b"a", b"b", b"c", b"d"]
    assert told.troubles == ["passing"] * 4


def test_parts_of_a_record_are_one_outcome_and_are_sent_again_from_the_first(told: Told) -> None:
    bench = Bench()
    told.send(bench.transport, record("p0", "p1", "p2"))
    told.send(bench.transport, record("next"))
    bench.transport.service(0)
    assert bench.client.values == [b"p0", b"p1", b"p2", b"next"]
    bench.client.deliver(1)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.client.deliver()
    bench.transport.service(0)
    assert told.troubles == ["delivered"]  # the next one; the first is tried again, a part at a time
    for part in (b"p0", b"p1", b"p2"):
        assert bench.client.values[-1] == part
        bench.client.deliver()
        bench.transport.service(0)
    assert told.all[-1] == (b"p0", None)
    assert bench.transport.flush(0) == 0
    position = bench.transport.position()
    assert position is not None
    assert (position.start, position.end) == (5, 8)


def test_records_of_several_parts_are_tried_one_after_the_other(told: Told) -> None:
    bench = Bench()
    for text in "ab":
        told.send(bench.transport, record(f"{text}0", f"{text}1"))
    bench.transport.service(0)
    for _ in range(4):
        bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.transport.service(0)
    for _ in range(4):
        bench.client.deliver()
        bench.transport.service(0)
    assert bench.client.values[4:] == [b"a0", b"a1", b"b0", b"b1"]
    assert told.all == [(b"a0", None), (b"b0", None)]


def test_what_was_delivered_makes_room(told: Told) -> None:
    bench = Bench(queue_bytes=20)
    told.send(bench.transport, record("1234567890"))
    for _ in range(10):
        bench.transport.service(0)
        told.send(bench.transport, record("1234567890"))
        bench.client.deliver()
        bench.transport.service(0)
    assert told.troubles == ["delivered"] * 10
    assert bench.transport.flush(0) == 1


def test_one_part_that_is_too_large_rejects_the_record(told: Told) -> None:
    bench = Bench()
    told.send(bench.transport, record("p0", "p1"))
    bench.transport.service(0)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.client.deliver()
    bench.transport.service(0)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.transport.service(0)
    assert told.troubles == ["rejected"]
    assert bench.transport.flush(0) == 0


# ---- deadlines


def test_a_group_without_reports_fails_at_the_deadline_with_the_trouble_before_it(told: Told) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, told, 70)
    bench.client.notice(
        "_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms in state CONNECT)"
    )
    bench.transport.service(9.9)
    assert told.all == []
    bench.transport.service(1)
    assert told.troubles == ["passing"] * 70
    assert all("nothing listens on the broker's port" in reason for reason in told.reasons)
    assert bench.client.is_closed


def test_a_deadline_without_any_trouble_says_so(told: Told) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, told)
    bench.transport.service(11)
    assert (
        "the broker did not acknowledge in time; messages are kept; check the broker and the network path to it (waited 10 s)"
        in told.reasons[0]
    )


def test_the_deadline_is_of_the_group_not_of_those_that_wait(told: Told) -> None:
    bench = Bench(delivery_timeout_seconds=10)
    send(bench, told, 128)
    bench.transport.service(9)
    bench.client.deliver()
    bench.transport.service(0)
    bench.transport.service(9)
    assert told.troubles == ["delivered"] * 64
    bench.transport.service(2)
    assert told.troubles[64:] == ["passing"] * 64


def test_flush_gives_up_early_only_where_no_broker_ever_was(told: Told) -> None:
    bench = Bench(is_kept=False)
    send(bench, told)
    bench.client.notice("_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(30) == 1
    assert bench.clock.now - start < 1
    bench.client.deliver()
    assert bench.transport.flush(30) == 0
    send(bench, told)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(30) == 1
    assert bench.clock.now - start == pytest.approx(30, abs=0.2)


def test_what_is_kept_fails_when_a_flush_gives_up(told: Told) -> None:
    bench = Bench()
    send(bench, told, 3)
    bench.client.notice("_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    assert bench.transport.flush(0.4) == 3
    assert bench.transport.flush(30) == 0
    assert told.troubles == ["passing"] * 3
    assert told.reasons[0].startswith("nothing listens on the broker's port; ")
    assert bench.client.is_closed


def test_flush_waits_for_the_cause_before_it_gives_up(told: Told) -> None:
    bench = Bench(is_kept=False)
    send(bench, told)
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
def test_a_flush_that_knows_no_cause_says_what_is_suspected(seconds: float, waited: float, told: Told) -> None:
    bench = Bench(is_kept=False)
    send(bench, told)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    start = bench.clock.now
    assert bench.transport.flush(seconds) == 1
    assert bench.clock.now - start == pytest.approx(waited, abs=0.2)
    assert "wrong port or wrong protocol" in str(bench.transport.problem())
    bench.client.deliver()
    assert (bench.transport.flush(1), bench.transport.problem()) == (0, None)


def test_close_tells_everybody_within_its_time(told: Told) -> None:
    bench = Bench()
    send(bench, told, 100)
    start = bench.clock.now
    bench.transport.close(3)
    assert bench.clock.now - start == pytest.approx(3, abs=0.2)
    assert told.troubles == ["passing"] * 100
    assert all(reason.startswith("not acknowledged when the transport was closed; ") for reason in told.reasons)
    bench.transport.close(3)
    send(bench, told)
    assert told.reasons[-1] == "the transport is closed"
    assert bench.client.is_closed


# ---- nothing will get through


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
def test_a_connection_that_a_person_must_mend_is_given_up_at_once(name: str, text: str, told: Told) -> None:
    bench = Bench()
    send(bench, told, 3)
    bench.client.notice(name, text)
    bench.transport.service(0)
    assert told.troubles == ["blocked"] * 3
    assert bench.client.is_closed
    assert bench.transport.problem() == told.reasons[0]


def test_it_is_tried_again_seldom_and_a_delivery_ends_that(told: Told) -> None:
    bench = Bench(lambda client: client.notice("_AUTHENTICATION", "Invalid username or password"))
    opened = []
    for _ in range(3600):
        made = len(bench.clients)
        send(bench, told)
        if len(bench.clients) > made:
            opened.append(round(bench.clock.now - 1000))
        assert told.troubles[-1] == "blocked"
        bench.clock.now += 1
    assert opened == [0, 30, 90, 210, 450, 930, 1530, 2130, 2730, 3330]
    bench.prepare = lambda client: setattr(client, "answer", lambda client, number, value: Delivered(number, 0, 1))
    bench.clock.now += 600
    send(bench, told)
    assert told.troubles[-1] == "delivered"
    assert bench.transport.retry_after() == 0
    bench.client.answer = None
    send(bench, told)
    bench.client.fail("TOPIC_AUTHORIZATION_FAILED", "Broker: Topic authorization failed")
    bench.transport.service(0)
    assert bench.transport.retry_after() == 30


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("UNKNOWN_TOPIC_OR_PART", "the topic ATLAS_HOOK does not exist"),
        ("TOPIC_AUTHORIZATION_FAILED", "may not write to the topic ATLAS_HOOK"),
        ("ClusterAuthorizationException", "lacks a permission on the Kafka cluster"),
        ("JvmGone", "the driver's JVM is gone"),
    ],
)
def test_a_record_that_a_person_must_help_blocks_the_rest(name: str, said: str, told: Told) -> None:
    bench = Bench()
    send(bench, told, 2)
    bench.client.fail(name)
    bench.transport.service(0)
    send(bench, told)
    assert told.troubles == ["blocked"] * 3
    assert all(said in reason for reason in told.reasons)
    assert len(bench.clients) == 1


def test_one_bad_broker_of_several_is_not_the_end(told: Told) -> None:
    bench = Bench()
    send(bench, told)
    bench.client.deliver()
    bench.transport.service(0)
    send(bench, told, 2)
    bench.client.notice("_SSL", "certificate verify failed")
    bench.transport.service(1)
    bench.transport.service(0.5)
    bench.client.deliver(1)
    bench.transport.service(0)
    bench.transport.service(5)
    assert told.troubles == ["delivered"] * 2
    bench.client.notice("_SSL", "certificate verify failed")
    bench.transport.service(0)
    bench.transport.service(2.1)
    assert told.troubles == ["delivered"] * 2 + ["blocked"]


def test_a_log_in_that_breaks_off_thrice_is_refused(told: Told) -> None:
    bench = Bench()
    send(bench, told)
    for _ in range(3):
        assert told.all == []
        bench.client.notice("_TRANSPORT", "SaslAuthenticateRequest failed: Local: Broker transport failure")
        bench.transport.service(0)
    assert told.troubles == ["blocked"]


def test_a_delivery_in_between_says_that_logging_in_works(told: Told) -> None:
    bench = Bench()
    for _ in range(2):
        send(bench, told)
        for _ in range(2):
            bench.client.notice("_TRANSPORT", "SaslAuthenticateRequest failed: Local: Broker transport failure")
        bench.transport.service(3)
        bench.transport.service(3)
        bench.client.deliver()
        bench.transport.service(0)
    assert told.troubles == ["delivered"] * 2


@pytest.mark.parametrize("name", ["POLICY_VIOLATION", "THROTTLING_QUOTA_EXCEEDED", "ThrottlingQuotaExceededException"])
def test_a_service_that_throttles_is_left_alone_for_a_while(name: str, told: Told) -> None:
    pauses = []
    bench = Bench()
    for _ in range(7):
        send(bench, told)
        bench.client.fail(name)
        bench.transport.service(0)
        pauses.append(bench.transport.retry_after())
        bench.clock.now += pauses[-1]
    assert pauses == [2, 4, 8, 16, 32, 60, 60]
    assert set(told.troubles) == {"passing"}


def test_a_client_that_cannot_be_made_blocks(told: Told) -> None:
    def broken(client: FakeClient) -> None:
        raise RuntimeError('no provider for "X"')

    bench = Bench(broken)
    send(bench, told, 2)
    assert told.troubles == ["blocked"] * 2
    assert 'no provider for "X"' in told.reasons[0]
    assert bench.transport.retry_after() == 30


# ---- what is told of trouble


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [entry.getMessage() for entry in caplog.records if entry.levelno == logging.WARNING]


def test_each_kind_of_trouble_is_logged_once_and_then_counted(told: Told, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    send(bench, told)
    for port in range(5):
        bench.client.notice("_TRANSPORT", f"Connect to ipv4#127.0.0.1:{port} failed: Connection refused")
        bench.client.notice("_RESOLVE", "Failed to resolve 'h:1'")
        bench.transport.service(0)
    assert len(warnings(caplog)) == 2
    assert "kafka h:1 (PLAINTEXT): nothing listens on the broker's port" in warnings(caplog)[0]
    assert bench.transport.troubles == {"refused": 5, "unknown host": 5}


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (
            None,
            "wrong port or wrong protocol; check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.prot",
        ),
        ("Connect to ipv4#127.0.0.1:1 failed: Connection refused", "nothing listens on the broker's port"),
    ],
)
def test_a_job_that_ends_before_the_cause_is_known_says_what_is_suspected(
    cause: str | None, said: str, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, told)
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    if cause:
        bench.client.notice("_TRANSPORT", cause)
    bench.transport.close(0.1)
    assert told.reasons[0].startswith("not acknowledged when the transport was closed; ")
    assert said in told.reasons[0]
    assert len(warnings(caplog)) == 1


def test_a_job_that_ends_early_and_has_no_trouble_suspects_nothing(
    told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, told)
    bench.transport.close(0.1)
    assert told.reasons == ["not acknowledged when the transport was closed; it may have arrived"]
    assert warnings(caplog) == []


def test_brokers_that_are_down_for_no_known_reason_are_told_after_three_seconds(
    told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    send(bench, told)
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


def test_a_cause_is_not_hidden_by_what_follows_from_it(told: Told) -> None:
    bench = Bench()
    send(bench, told)
    bench.client.notice("_SSL", "SSL handshake failed: some new fault")
    bench.client.notice("_ALL_BROKERS_DOWN", "1/1 brokers are down")
    bench.transport.service(1)
    bench.transport.service(9)
    assert "the TLS handshake failed" in str(bench.transport.problem())


def test_a_reason_shows_no_secret_and_is_one_line(told: Told) -> None:
    bench = Bench()
    send(bench, told)
    bench.client.notice("_AUTHENTICATION", "denied:\n password=hunter2 SharedAccessKey=abc=")
    bench.transport.service(0)
    assert "hunter2" not in told.reasons[0]
    assert "abc=" not in told.reasons[0]
    assert "\n" not in told.reasons[0]


def test_throttling_is_told_once_a_minute_with_its_sum(told: Told, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    for _ in range(130):
        send(bench, told)
        bench.client.events.append(Throttled(0.5))
        bench.client.deliver()
        bench.transport.service(0)
        bench.clock.now += 1
    assert len(warnings(caplog)) == 2
    assert "30.0 s" in warnings(caplog)[0]
    assert set(told.troubles) == {"delivered"}


def test_an_outcome_that_raises_costs_no_other_report(told: Told, caplog: pytest.LogCaptureFixture) -> None:
    def broken(record: Record, failure: Failure | None) -> None:
        raise ValueError("a bug")

    bench = Bench()
    bench.transport.send(record("a"), broken)
    told.send(bench.transport, record("b"))
    bench.transport.service(0)
    bench.client.deliver()
    bench.transport.service(0)
    assert told.all == [(b"b", None)]
    assert "An outcome could not be handled" in caplog.text


# ---- all of it at random


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_each_record_has_one_outcome_and_first_arrivals_are_in_order(seed: int) -> None:
    """A client and a keeper of failed records, who sends them again in order, against a broker that fails at random."""
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
        if failure is not None and failure.trouble is not Trouble.REJECTED:
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


def test_a_message_without_content_is_rejected(told: Told) -> None:
    bench = Bench()
    told.send(bench.transport, Record("t", None, ()))
    assert told.troubles == ["rejected"]
    send(bench, told)
    bench.client.deliver()
    bench.transport.service(0)
    assert told.troubles == ["rejected", "delivered"]
