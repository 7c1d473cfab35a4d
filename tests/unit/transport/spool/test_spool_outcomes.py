"""The spool as a transport: the outcome of each record, and a spool around another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.spool.in_flight import WAITS
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.transport.spool.stats import MAX_REASONS, OTHER_REASONS, OutcomeCounters
from tests.helpers.spool_options import options_in
from tests.unit.transport.spool.fakes import Bench, message, number_of


def test_each_outcome_of_a_record_has_its_reason(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.refuses = lambda record: number_of(record) == 2
    bench.send(1, 2)
    bench.service()
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(3)
    bench.service()
    assert 3 not in bench.failures  # it may still be delivered
    bench.spool.close(0)

    assert bench.failures == {1: None, 2: Failure(FailureKind.REJECTED, "too large"), 3: WAITS}


def test_a_dropped_record_delays_no_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()

    gone = bench.failures[1]
    assert gone is not None
    assert gone.kind is FailureKind.REJECTED
    assert [gone.reason] == list(bench.spool.reasons)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_record_of_a_fork_fails_with_that_reason(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    child = os.fork()
    if child == 0:
        bench.send(1)
        os._exit(0 if "fork of the driver" in str(bench.failures[1]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_flush_slices_are_the_transports_and_a_spool_hides_its_pauses(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.flush_slice_seconds = 0.25
    bench.transport.retry_after = lambda: 7.0  # type: ignore[method-assign]

    assert bench.spool.flush_slice_seconds == 0.25
    assert bench.spool.retry_after() == 0.0  # it keeps what the transport would not take
    assert Bench(tmp_path / "off", transport=bench.transport, enabled=False).spool.retry_after() == 7.0


def test_a_spool_may_wrap_a_spool(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "inner")
    outer = Spool(bench.spool, options_in(tmp_path / "outer"), "application_1_2")
    outcomes: list[Failure | None] = []
    outer.send(message(1), outcomes.append)
    outer.send(message(2), outcomes.append)
    outer.service(0)
    outer.close(1)

    assert bench.transport.numbers == [1, 2]
    assert outcomes == [None, None]
    assert outer.counts["delivered"] == 2
    assert not list(tmp_path.rglob("*.avro"))


def test_reasons_of_rejections_are_bounded_and_add_up() -> None:
    tally = OutcomeCounters()
    for number in range(3 * MAX_REASONS):
        tally.count_rejection(f"refused: table{number}")
    tally.count_rejection("refused: table0")
    assert len(tally.reasons["rejected"]) == MAX_REASONS + 1
    assert tally.reasons["rejected"]["refused: table0"] == 2
    assert tally.reasons["rejected"][OTHER_REASONS] == 2 * MAX_REASONS
    assert sum(tally.reasons["rejected"].values()) == tally.counts["rejected"] == 3 * MAX_REASONS + 1
