"""The spool over a failing transport: what it keeps, what it sends when and in which order, and the outcomes."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from sac_kafka.transport.base import FailureKind, MessageKind
from sac_kafka.transport.spool import in_flight, segment
from sac_kafka.transport.spool import spool as spool_module
from sac_kafka.transport.spool.schedule import OUTDATED
from tests.helpers.spooled import kept, spool_files
from tests.unit.transport.spool.fakes import NOW, Bench, FakeTransport, number_of
from tests.unit.transport.spool.spooled_numbers import numbers_in


def test_no_files_are_made_while_all_is_delivered(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "spool")
    bench.send(1, 2, 3)
    bench.service()
    bench.spool.close(1)

    assert bench.outcomes == [(1, True), (2, True), (3, True)]
    assert bench.counts == {"delivered": 3}
    assert list(tmp_path.iterdir()) == []
    assert b'"spooled":false' in bench.transport.arrived[0].values[0]


@pytest.mark.parametrize("is_late", [True, False])
def test_failed_records_are_kept_and_sent_in_order_when_the_broker_is_back(tmp_path: Path, is_late: bool) -> None:
    bench = Bench(tmp_path / "spool", transport=FakeTransport(is_late=is_late))
    bench.transport.good = 1
    bench.send(1, 2, 3)
    bench.service()
    bench.send(4)
    assert bench.counts == {"delivered": 1, "spooled": 3}
    assert bench.spool.reasons == {"no broker": 3}
    assert numbers_in(tmp_path / "spool") == [2, 3, 4]

    bench.transport.failure_kind = None
    bench.send(5)
    bench.later(0.5)
    assert bench.transport.numbers == [1]  # it is not time yet
    bench.later(0.5)

    assert bench.transport.numbers == [1, 2, 3, 4, 5]
    assert bench.outcomes == [(n, True) for n in (1, 2, 3, 4, 5)]
    assert bench.counts == {"delivered": 5}
    assert all(b'"spooled":true' in each.values[0] for each in bench.transport.arrived[1:])
    assert spool_files(tmp_path / "spool") == []
    bench.send(6)
    bench.service()
    bench.spool.close(1)
    assert bench.transport.numbers[-1] == 6
    assert list((tmp_path / "spool").iterdir()) == []


def test_files_are_private_and_named_by_their_application(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "spool")
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()

    (file,) = spool_files(tmp_path / "spool")
    assert file.name.startswith(f"application_1_2-{os.getpid()}-")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    (record,) = kept(file.parent)
    assert (record["topic"], record["key"], record["kind"]) == ("ATLAS_HOOK", b"application_1_2", "flow")
    assert (record["created_ms"], record["reason"]) == (int(NOW * 1000), "no broker")


def test_the_next_driver_sends_what_is_left(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1, 2)
    first.spool.close(1)
    assert first.outcomes == [(1, False), (2, False)]
    assert first.counts == {"spooled": 2}

    second = Bench(tmp_path)
    second.send(3)
    second.service(3)

    assert second.transport.numbers == [1, 2, 3]
    assert second.counts == {"delivered": 1, "replayed": 2}
    assert second.outcomes == [(3, True)]
    second.spool.close(1)
    assert list(tmp_path.iterdir()) == []


def test_replay_tries_one_record_first_then_windows(tmp_path: Path) -> None:
    bench = Bench(tmp_path, batch_records=3)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(*range(8))
    bench.service()
    bench.transport.failure_kind, bench.transport.hangs = None, True
    bench.later()
    assert len(bench.transport.queue) == 1
    bench.transport.hangs = False
    bench.transport.service(0)
    bench.transport.hangs = True
    bench.service()
    assert len(bench.transport.queue) == 3
    bench.transport.hangs = False
    bench.service(4)
    assert bench.transport.numbers == list(range(8))


@pytest.mark.parametrize(
    ("failure_kind", "waits"),
    [
        (FailureKind.TRANSIENT, [1, 2, 4, 8, 16, 30, 30]),
        (FailureKind.NEEDS_ACTION, [30, 60, 120, 240, 480, 600, 600]),
    ],
)
def test_attempts_become_rarer(tmp_path: Path, failure_kind: FailureKind, waits: list[float]) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = failure_kind
    bench.send(*range(5))
    bench.service()
    assert bench.transport.attempts == 1
    for number, wait in enumerate(waits, start=1):
        bench.later(wait - 0.5)
        assert bench.transport.attempts == number
        bench.later(0.5)
        assert bench.transport.attempts == number + 1
    bench.transport.failure_kind = None
    bench.later(600)
    assert bench.transport.numbers == list(range(5))
    bench.transport.failure_kind = failure_kind
    bench.send(5)
    bench.service()
    bench.transport.failure_kind = None
    bench.later(waits[0])
    assert bench.transport.numbers[-1] == 5  # a success makes the next wait short again


def test_an_attempt_is_not_before_the_transport_would_make_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.retry_after = lambda: 7.0
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    bench.later(6.9)
    assert bench.transport.attempts == 1
    bench.later(0.2)
    assert bench.transport.attempts == 2


def test_a_rejected_record_is_set_aside_and_others_go_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.refuses = lambda record: number_of(record) == 2
    bench.send(1, 2, 3)
    bench.service()

    assert bench.transport.numbers == [1, 3]
    assert bench.outcomes == [(1, True), (2, False), (3, True)]
    assert bench.counts == {"delivered": 2, "rejected": 1}
    assert bench.spool.reasons == {"too large": 1}
    assert numbers_in(tmp_path / "rejected") == [2]
    assert kept(tmp_path / "rejected")[0]["reason"] == "too large"
    bench.spool.close(1)
    assert Bench(tmp_path).spool.flush(1) == 0
    again = Bench(tmp_path, with_rejected=True)
    again.service(2)
    assert again.transport.numbers == [2]
    again.spool.close(1)
    assert spool_files(tmp_path / "rejected") == []


def test_a_rejected_record_of_the_backlog_does_not_delay_others(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2, 3)
    bench.service()
    bench.transport.failure_kind = None
    bench.transport.refuses = lambda record: number_of(record) == 1
    bench.later()
    assert bench.transport.numbers == [2, 3]
    assert bench.counts == {"delivered": 2, "rejected": 1}


def test_old_definitions_are_not_replayed_but_flows_are(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    old = int((NOW - 3601) * 1000)
    first.send(1, kind=MessageKind.CATALOG, created_ms=old)
    first.send(2, created_ms=old)
    first.send(3, kind=MessageKind.CATALOG)
    first.spool.close(1)

    second = Bench(tmp_path)
    second.service(3)

    assert second.transport.numbers == [2, 3]
    assert second.counts == {"replayed": 2, "dropped": 1}
    assert list(second.spool.reasons) == [OUTDATED]


def test_parts_of_a_message_stay_together_and_unchanged(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    parts = tuple(b'{"msgSplitIdx":%d,"spooled":false,"message":"x"}' % n for n in range(3))
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, values=parts)
    bench.service()
    bench.transport.failure_kind = None
    bench.later()
    assert [each.values for each in bench.transport.arrived] == [parts]


def test_a_late_delivery_after_a_failure_is_not_sent_again(tmp_path: Path) -> None:
    """A transport must not report late, but nothing may be lost or doubled by it."""
    bench = Bench(tmp_path)
    bench.transport.hangs = True
    bench.send(1, 2, 3)
    queue = bench.transport.queue
    _, outcome = queue.pop(0)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    outcome(spool_module.Failure(FailureKind.TRANSIENT, "no broker"))
    bench.send(4)
    _, outcome = queue.pop(0)
    outcome(None)
    _, outcome = queue.pop(0)
    outcome(spool_module.Failure(FailureKind.TRANSIENT, "no broker"))
    bench.transport.hangs, bench.transport.failure_kind = False, None
    bench.later()
    assert bench.transport.numbers == [1, 3, 4]
    assert sorted(bench.outcomes) == [(n, True) for n in (1, 2, 3, 4)]
    assert bench.counts == {"delivered": 4}


def test_records_in_flight_are_bounded(tmp_path: Path) -> None:
    bench = Bench(tmp_path, window_bytes=300)
    bench.transport.hangs = True
    bench.send(*range(50))
    assert sum(each.size for each, _ in bench.transport.queue) <= 300 + 70
    bench.transport.hangs = False
    bench.service(60)
    assert bench.transport.numbers == list(range(50))
    assert bench.counts == {"delivered": 50}


def test_callbacks_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "MAX_PENDING", 2)
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2, 3, 4)
    bench.service()
    assert bench.outcomes == [(3, False), (4, False)]
    bench.transport.failure_kind = None
    bench.later()
    assert bench.outcomes[2:] == [(1, True), (2, True)]
    assert bench.counts == {"delivered": 4}


def test_a_disabled_spool_drops_and_counts(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False)
    bench.transport.good = 1
    bench.send(1, 2, 3)
    bench.service()
    bench.transport.failure_kind = None
    bench.send(4)
    bench.spool.close(1)
    assert bench.transport.numbers == [1, 4]
    assert bench.counts == {"delivered": 2, "dropped": 2}
    assert list(bench.spool.reasons) == ["no broker; not kept: atlas.hook.spool.enabled = false"]
    assert list(tmp_path.iterdir()) == []


def test_fsync_writes_each_message_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(segment, "_sync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    bench = Bench(tmp_path, is_first=True, sync=True)
    sizes = []
    for number in range(3):
        bench.send(number)
        sizes.append(spool_files(tmp_path)[0].stat().st_size)
    assert synced == sizes
    assert sorted(set(sizes)) == sizes


def test_delivered_files_are_archived_if_configured(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    for number in range(5):
        bench = Bench(tmp_path / "spool", archive_dir=str(archive), archive_max_files=3)
        bench.transport.failure_kind = FailureKind.TRANSIENT
        bench.send(number)
        bench.service()
        bench.transport.failure_kind = None
        bench.later()
        bench.spool.close(1)
    assert numbers_in(archive) == [2, 3, 4]
    assert list((tmp_path / "spool").iterdir()) == []


def test_the_fate_of_messages_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(*range(20))
    bench.later()
    bench.transport.failure_kind = None
    bench.later(30)
    assert [each.levelname for each in caplog.records] == ["WARNING", "INFO"]
    assert f"messages are kept in {tmp_path} until fake accepts them: no broker" in caplog.text
    assert "messages are delivered again to fake" in caplog.text
