"""A message that fails again and again delays no other; a failing server makes no message a suspect."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from sac_kafka.transport.base import Failure, FailureKind, Record
from sac_kafka.transport.kafka.errors.explaining import explain
from tests.helpers.spooled import kept, spool_files, texts
from tests.unit.transport.spool.fakes import Bench, FakeTransport, number_of


def bad(*numbers: int):
    def is_bad(record: Record) -> bool:
        return number_of(record) in numbers

    return is_bad


def set_aside(directory: Path) -> list[int]:
    return [int(each.rpartition(b":")[2].rstrip(b"}")) for each in texts(kept(directory / "rejected"))]


@pytest.mark.parametrize("bad_ones", [(1,), (2,), (4,), (1, 2), (2, 3), (1, 2, 3), (1, 3)])
def test_a_record_that_fails_while_others_succeed_is_set_aside(tmp_path: Path, bad_ones: tuple[int, ...]) -> None:
    bench = Bench(tmp_path)
    bench.transport.fails_on = bad(*bad_ones)
    bench.send(*range(1, 8))
    for _ in range(60):
        bench.later(1.0)
    good = [n for n in range(1, 8) if n not in bad_ones]
    assert sorted(bench.transport.numbers) == good
    assert bench.counts == {"delivered": len(good), "rejected": len(bad_ones)}
    assert sorted(bench.outcomes) == [(n, n in good) for n in range(1, 8)]
    assert sorted(set_aside(tmp_path)) == list(bad_ones)
    assert all("this one failed again" in each for each in bench.spool.reasons)
    bench.send(8)
    bench.service(2)
    assert bench.transport.numbers[-1] == 8
    bench.spool.close(1)
    assert spool_files(tmp_path) == []


def test_no_record_is_rejected_or_overtaken_while_all_fail(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.fails_on = lambda record: True
    bench.send(*range(6))
    for _ in range(50):
        bench.later(1.0)
    assert bench.counts == {"spooled": 6}
    bench.transport.fails_on = bad()
    for _ in range(31):
        bench.later(1.0)
    assert bench.transport.numbers == list(range(6))
    assert bench.counts == {"delivered": 6}


def test_a_single_failing_record_is_kept_until_others_come(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.fails_on = bad(1)
    bench.send(1)
    for _ in range(100):
        bench.later(1.0)
    assert bench.counts == {"spooled": 1}
    bench.send(2, 3)
    for _ in range(60):
        bench.later(1.0)
    assert bench.transport.numbers == [2, 3]
    assert set_aside(tmp_path) == [1]


def test_the_next_driver_is_not_delayed_either(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.transport.fails_on = bad(1)
    first.send(1, 2)
    first.service()
    first.kill()
    second = Bench(tmp_path)
    second.transport.fails_on = bad(1)
    second.send(3)
    for _ in range(20):
        second.later(1.0)
    assert second.transport.numbers == [2, 3]
    assert set_aside(tmp_path) == [1]


# ---- transports that raise


@pytest.mark.planted
@pytest.mark.parametrize("is_late", [True, False])
def test_a_transport_that_raises_loses_nothing(tmp_path: Path, is_late: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    bench = Bench(tmp_path, transport=FakeTransport(is_late=is_late))
    bench.transport.raises_on = bad(1, 2, 3)
    bench.send(1, 2, 3)
    bench.service(3)
    bench.spool.flush(0.1)
    assert bench.spool.in_flight == 0
    bench.spool.close(0)
    assert bench.counts == {"spooled": 3}
    assert "an error in transport, the job goes on: RecursionError" in caplog.text
    assert set(bench.spool.errors) == {"transport: RecursionError"}
    assert {number for number, _ in bench.outcomes} == {1, 2, 3}
    after = Bench(tmp_path)
    after.service(3)
    assert after.transport.numbers == [1, 2, 3]


def test_the_name_of_a_transport_is_read_for_a_failure_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)

    def name(_: FakeTransport) -> str:
        raise OSError("against the contract")

    monkeypatch.setattr(type(bench.transport), "name", property(name), raising=False)
    bench.send(1, 2)
    bench.service(3)
    assert bench.transport.numbers == [1, 2]


@pytest.mark.planted
def test_records_in_flight_are_kept_when_close_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    bench.transport.hangs = True
    bench.send(1, 2)

    def close(timeout_seconds: float) -> None:
        raise MemoryError

    monkeypatch.setattr(bench.transport, "close", close)
    bench.spool.close(0)
    assert bench.counts == {"spooled": 2}
    after = Bench(tmp_path)
    after.service(3)
    assert after.transport.numbers == [1, 2]


def test_records_in_flight_are_kept_on_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    bench.transport.hangs = True
    bench.send(1, 2)

    def close(timeout_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench.transport, "close", close)
    with pytest.raises(KeyboardInterrupt):
        bench.spool.close(0)
    assert bench.counts == {"spooled": 2}


@pytest.mark.parametrize(
    ("name", "is_ambiguous"), [("UNKNOWN", True), ("UNKNOWN_SERVER_ERROR", True), ("_TRANSPORT", False)]
)
def test_kafka_errors_without_a_kind_are_ambiguous(name: str, is_ambiguous: bool) -> None:
    assert explain(name, "an unexpected error").failure.is_ambiguous == is_ambiguous


def on_trial(bench: Bench) -> None:
    bench.transport.fails_on = bad(1)
    bench.send(1, 2)
    while 2 not in bench.transport.numbers:
        bench.ticks.now += 1.0
        bench.spool.service(0)


@pytest.mark.parametrize("failure_kind", [FailureKind.TRANSIENT, FailureKind.NEEDS_ACTION])
def test_a_trial_with_a_clear_failure_rejects_nothing(tmp_path: Path, failure_kind: FailureKind) -> None:
    bench = Bench(tmp_path)
    on_trial(bench)
    bench.transport.fails_on, bench.transport.failure_kind = bad(), failure_kind
    attempts = bench.transport.attempts
    bench.later()
    assert bench.transport.attempts > attempts
    assert bench.counts == {"delivered": 1, "spooled": 1}
    bench.transport.failure_kind = None
    bench.later(600)
    assert bench.transport.numbers == [2, 1]
    assert not (tmp_path / "rejected").exists()


def test_closing_during_a_trial_rejects_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    on_trial(bench)
    bench.transport.hangs = True
    bench.later()
    assert bench.spool.in_flight == 1
    bench.transport._fail_all(Failure(FailureKind.TRANSIENT, "closed"))
    bench.spool.close(0)
    assert bench.counts == {"delivered": 1, "spooled": 1}
    after = Bench(tmp_path)
    after.service(3)
    assert after.transport.numbers[0] == 1


def test_a_transport_whose_problem_raises_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises() -> float:
        raise MemoryError

    bench = Bench(tmp_path)
    monkeypatch.setattr(bench.transport, "problem", raises)
    monkeypatch.setattr(bench.transport, "retry_after", raises)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2)
    bench.service()
    assert bench.counts == {"spooled": 2}
    assert bench.spool.problem() == "fake cannot say why: MemoryError"
