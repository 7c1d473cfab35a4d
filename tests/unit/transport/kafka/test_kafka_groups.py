"""Records go in groups, one at a time; where one of a group may be to blame they are tried alone."""

from __future__ import annotations

import pytest

from sac_kafka.transport.base import Record
from sac_kafka.transport.kafka.client import Delivered
from tests.unit.transport.kafka.clients import Bench
from tests.unit.transport.kafka.sending import Sender, record, send
from tests.unit.transport.outcomes import records


def test_one_group_is_in_flight_at_a_time(sender: Sender) -> None:
    bench = Bench()
    sent = send(bench, sender, 200)
    assert len(bench.client.produced) == 64
    bench.client.deliver(63)
    bench.transport.service(0)
    assert len(bench.client.produced) == 64
    while len(sender.all) < 200:
        bench.client.deliver()
        bench.transport.service(0)
    assert [value for value, _ in sender.all] == [each.values[0] for each in sent] == bench.client.values
    assert set(sender.kinds) == {"delivered"}


def test_a_group_is_bounded_in_bytes_but_one_record_always_goes(sender: Sender) -> None:
    bench = Bench()
    for size in (300_000, 300_000, 2_000_000):
        sender.send(bench.transport, Record("t", None, (b"x" * size,)))
    bench.transport.service(0)
    assert [len(value) for value in bench.client.values] == [300_000]
    bench.client.deliver()
    bench.transport.service(0)
    bench.client.deliver()
    bench.transport.service(0)
    assert [len(value) for value in bench.client.values] == [300_000, 300_000, 2_000_000]


def test_a_full_group_does_not_wait_for_service(sender: Sender) -> None:
    bench = Bench()
    for each in records(64):
        sender.send(bench.transport, each)
    assert len(bench.client.produced) == 64


def test_service_goes_on_while_the_broker_does(sender: Sender) -> None:
    bench = Bench(lambda client: setattr(client, "answer", lambda client, number, value: Delivered(number, 0, number)))
    send(bench, sender, 1000)
    assert len(sender.all) == 1000


def test_service_waits_for_the_first_outcome_only(sender: Sender) -> None:
    bench = Bench()
    send(bench, sender, 1)
    start = bench.clock.now
    bench.transport.service(7)
    assert bench.clock.now == pytest.approx(start + 7)
    bench.client.deliver()
    bench.transport.service(7)
    assert bench.clock.now < start + 7.1
    bench.transport.service(7)
    assert bench.clock.now < start + 7.1


def test_records_of_a_group_that_is_too_large_are_tried_singly(sender: Sender) -> None:
    bench = Bench()
    for text in "abcd":
        sender.send(bench.transport, record(text))
    bench.transport.service(0)
    for _ in "abcd":
        bench.client.fail("MSG_SIZE_TOO_LARGE", "Broker: Message size too large")
    sender.send(bench.transport, record("e"))
    bench.transport.service(0)
    assert sender.all == []
    for text in "abcd":
        assert bench.client.values[-1] == text.encode()
        if text == "c":
            bench.client.fail("MSG_SIZE_TOO_LARGE", "Broker: Message size too large")
        else:
            bench.client.deliver()
        bench.transport.service(0)
    assert sender.kinds == ["delivered", "delivered", "rejected", "delivered"]
    assert "atlas.notification.message.max.length.bytes" in sender.reasons[2]
    assert bench.client.values[-1] == b"e"
    bench.client.deliver()
    bench.transport.service(0)
    assert sender.kinds[-1] == "delivered"
    assert not bench.client.is_closed
    assert bench.transport.problem() is None


def test_a_failure_of_all_while_records_are_tried_alone_keeps_their_order(sender: Sender) -> None:
    bench = Bench()
    for text in "abc":
        sender.send(bench.transport, record(text))
    bench.transport.service(0)
    for _ in "abc":
        bench.client.fail("RecordTooLargeException")
    sender.send(bench.transport, record("d"))
    bench.transport.service(0)
    bench.client.fail("NotEnoughReplicasException")
    bench.transport.service(0)
    assert [value for value, _ in sender.all] == [b"a", b"b", b"c", b"d"]
    assert sender.kinds == ["transient"] * 4


def test_parts_of_a_record_are_one_outcome_and_are_sent_again_from_the_first(sender: Sender) -> None:
    bench = Bench()
    sender.send(bench.transport, record("p0", "p1", "p2"))
    sender.send(bench.transport, record("next"))
    bench.transport.service(0)
    assert bench.client.values == [b"p0", b"p1", b"p2", b"next"]
    bench.client.deliver(1)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.client.deliver()
    bench.transport.service(0)
    assert sender.kinds == ["delivered"]  # the next one; the first is tried again, a part at a time
    for part in (b"p0", b"p1", b"p2"):
        assert bench.client.values[-1] == part
        bench.client.deliver()
        bench.transport.service(0)
    assert sender.all[-1] == (b"p0", None)
    assert bench.transport.flush(0) == 0
    position = bench.transport.position()
    assert position is not None
    assert (position.start, position.end) == (5, 8)


def test_records_of_several_parts_are_tried_one_after_the_other(sender: Sender) -> None:
    bench = Bench()
    for text in "ab":
        sender.send(bench.transport, record(f"{text}0", f"{text}1"))
    bench.transport.service(0)
    for _ in range(4):
        bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.transport.service(0)
    for _ in range(4):
        bench.client.deliver()
        bench.transport.service(0)
    assert bench.client.values[4:] == [b"a0", b"a1", b"b0", b"b1"]
    assert sender.all == [(b"a0", None), (b"b0", None)]


def test_delivered_records_make_room(sender: Sender) -> None:
    bench = Bench(queue_bytes=20)
    sender.send(bench.transport, record("1234567890"))
    for _ in range(10):
        bench.transport.service(0)
        sender.send(bench.transport, record("1234567890"))
        bench.client.deliver()
        bench.transport.service(0)
    assert sender.kinds == ["delivered"] * 10
    assert bench.transport.flush(0) == 1


def test_one_part_that_is_too_large_rejects_the_record(sender: Sender) -> None:
    bench = Bench()
    sender.send(bench.transport, record("p0", "p1"))
    bench.transport.service(0)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.client.deliver()
    bench.transport.service(0)
    bench.client.fail("MSG_SIZE_TOO_LARGE")
    bench.transport.service(0)
    assert sender.kinds == ["rejected"]
    assert bench.transport.flush(0) == 0


def test_a_message_without_content_is_rejected(sender: Sender) -> None:
    bench = Bench()
    sender.send(bench.transport, Record("t", None, ()))
    assert sender.kinds == ["rejected"]
    send(bench, sender)
    bench.client.deliver()
    bench.transport.service(0)
    assert sender.kinds == ["rejected", "delivered"]
