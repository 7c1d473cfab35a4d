"""The end of a spool: a last try, a hanging worker, a killed driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.transport.base import FailureKind
from tests.helpers.spooled import spool_files
from tests.unit.transport.spool.fakes import Bench
from tests.unit.transport.spool.spooled_numbers import numbers_in


def test_few_records_are_sent_twice_after_a_crash(tmp_path: Path) -> None:
    first = Bench(tmp_path, batch_records=2)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(*range(10))
    first.service()
    first.transport.failure_kind, first.transport.good = None, 7
    first.later()
    assert first.transport.numbers == list(range(7))
    first.kill()

    second = Bench(tmp_path)
    second.service(3)

    assert second.transport.numbers == [7, 8, 9]


def test_spool_first_loses_nothing_when_the_driver_is_killed(tmp_path: Path) -> None:
    first = Bench(tmp_path, is_first=True)
    first.send(1, 2)
    first.service()
    first.transport.hangs = True
    first.send(3, 4)
    assert first.counts == {"delivered": 2}
    first.kill()

    second = Bench(tmp_path, is_first=True)
    second.send(5)
    second.service(3)

    assert second.transport.numbers == [3, 4, 5]
    second.spool.close(1)
    assert list(tmp_path.iterdir()) == []


def test_spool_first_leaves_nothing_when_all_is_acknowledged(tmp_path: Path) -> None:
    bench = Bench(tmp_path, is_first=True)
    for number in range(200):
        bench.send(number)
        bench.service()
    assert len(spool_files(tmp_path)) == 1
    assert b'"spooled":false' in bench.transport.arrived[-1].values[0]
    bench.spool.close(1)
    assert list(tmp_path.iterdir()) == []
    assert bench.counts == {"delivered": 200}


def test_close_tries_once_more(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2)
    bench.service()
    bench.transport.failure_kind = None
    bench.spool.close(5)
    assert bench.transport.numbers == [1, 2]
    assert bench.outcomes == [(1, True), (2, True)]
    assert list(tmp_path.iterdir()) == []


def test_close_does_not_retry_what_needs_action(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.NEEDS_ACTION
    bench.send(1, 2)
    bench.service()
    bench.spool.close(5)
    assert bench.transport.attempts == 1
    assert bench.counts == {"spooled": 2}


def test_a_transport_that_forgets_a_record_at_its_end_loses_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.hangs = True
    bench.send(1, 2)
    bench.transport.queue.clear()
    bench.spool.close(0)
    assert bench.outcomes == [(1, False), (2, False)]
    assert numbers_in(tmp_path) == [1, 2]
    assert bench.counts == {"spooled": 2}


@pytest.mark.parametrize("is_first", [False, True])
def test_records_in_flight_are_kept_when_the_worker_hangs(tmp_path: Path, is_first: bool) -> None:
    bench = Bench(tmp_path, is_first=is_first)
    bench.transport.hangs = True
    bench.send(1, 2)
    late = list(bench.transport.queue)

    bench.spool.abandon("out of time")
    bench.send(3)  # the worker returns
    late[0][1](None)

    assert bench.spool.in_flight == 0
    assert bench.outcomes == [(1, False), (2, False)]
    assert bench.counts == {"spooled": 3}
    assert numbers_in(tmp_path) == [1, 2, 3]
    assert bench.spool.reasons == {"out of time": 3}


def test_flush_waits_for_sendable_records_only(tmp_path: Path) -> None:
    bench = Bench(tmp_path, batch_records=2)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(*range(9))
    assert bench.spool.flush(5) == 0
    assert bench.counts == {"spooled": 9}
    bench.transport.failure_kind = None
    bench.ticks.now += 1
    assert bench.spool.flush(5) == 0
    assert bench.transport.numbers == list(range(9))
    bench.transport.hangs = True
    bench.send(9)
    assert bench.spool.flush(0.05) == 1
