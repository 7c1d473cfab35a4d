"""End of the worker: what it still processes, delivers and spools."""

from __future__ import annotations

import errno
import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.hook.worker import NOT_HANDLED
from sac_kafka.spark.listener import GoneError
from sac_kafka.transport.base import DeliveryCallback, Failure, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.in_flight import WAITS
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.messages import names
from tests.helpers.spool_options import options_in
from tests.helpers.waiting import LONG_SECONDS, FakeClock, until
from tests.helpers.workers import END, EXIT_SECONDS, Bench, Script, batch, spool_counts


def test_worker_processes_remaining_events_before_it_ends(tmp_path: Path) -> None:
    class Bus(Script):
        def mark(self, marker: int) -> None:
            super().mark(marker)
            self.texts.insert(0, batch("join"))

    bus = Bus([None])
    bench = Bench(tmp_path, bus)
    bench.worker.finish(LONG_SECONDS)

    messages = bench.run()

    assert len(names(messages, "spark_process")) == 1
    assert bus.texts[-1] == END  # it did not wait for the end of the application


def test_ending_worker_does_not_wait_for_a_missing_jvm(tmp_path: Path) -> None:
    class Dead(Script):
        def mark(self, marker: int) -> None:
            raise GoneError("mark: connection refused")

    bench = Bench(tmp_path, Dead([batch("join"), None, None]))
    bench.worker.finish(60)

    assert len(names(bench.run(), "spark_process")) == 1


def test_unprocessed_lines_are_counted(tmp_path: Path) -> None:
    script = Script(["\n".join([batch("join")] * 50)])
    bench = Bench(tmp_path, script)
    events = script.texts[0].count('["event"')
    handled: list[int] = []
    steps = bench.events._add_projection

    def until_its_time_is_over(*args: object) -> object:
        handled.append(1)
        if len(handled) == 3:
            bench.worker.finish(0)
        return steps(*args)

    bench.events._add_projection = until_its_time_is_over
    bench.worker.finish(LONG_SECONDS)
    bench.run()

    assert 3 <= len(handled) < events
    assert bench.worker.not_handled == {NOT_HANDLED: events - len(handled)}


def test_the_current_line_of_a_worker_that_hangs_counts_as_not_handled(tmp_path: Path) -> None:
    text = "\n".join([batch("join")] * 3)
    bench = Bench(tmp_path, Script([text]))
    hangs, go = threading.Event(), threading.Event()

    def hang(*_: object) -> tuple[()]:
        hangs.set()
        go.wait(2 * LONG_SECONDS)
        return ()

    bench.events._add_projection = hang
    thread = threading.Thread(target=bench.run)
    thread.start()
    assert hangs.wait(LONG_SECONDS)
    assert bench.worker.not_handled == {}
    bench.worker.finish(0)

    assert bench.worker.not_handled == {NOT_HANDLED: text.count('["event"')}
    go.set()
    thread.join()


@pytest.mark.parametrize(("answers", "expected"), [(False, {NOT_HANDLED: 1}), (True, {})])
def test_bus_that_does_not_reach_the_marker_may_have_events(
    answers: bool, expected: dict[str, int], tmp_path: Path
) -> None:
    clock = FakeClock()

    class Slow(Script):
        def poll(self, wait_ms: int) -> str | None:
            clock.sleep(wait_ms / 1000)
            return self.texts.pop(0) if len(self.texts) > 2 else None

        def mark(self, marker: int) -> None:
            if answers:
                super().mark(marker)

    bench = Bench(tmp_path, Slow([None, None]), clock=clock)
    bench.worker.finish(10)
    bench.run()
    assert answers or clock.now == pytest.approx(bench.worker.ending.at)
    bench.worker.finish(0)  # whenever it is looked at

    assert bench.worker.not_handled == expected


def test_end_of_the_application_processes_everything(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Script([batch("join")]))
    bench.run()
    bench.worker.finish(0)

    assert bench.worker.not_handled == {}


def test_earliest_of_several_deadlines_counts(tmp_path: Path) -> None:
    clock = FakeClock()
    worker = Bench(tmp_path, Script([]), clock=clock).worker
    for seconds, earliest in [(1, 1), (60, 1), (0, 0)]:
        worker.finish(seconds)
        assert worker.ending.at == clock.now + earliest


class Undelivered(MemoryTransport):
    """A transport without any outcomes; `flush` and `close` wait in vain, by a fake clock."""

    flush_slice_seconds = 1 / 16  # adds up without a rest

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock
        self.slices: list[float] = []
        self.flushed: Callable[[], None] = lambda: None

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        pass

    def flush(self, timeout_seconds: float) -> int:
        self.slices.append(timeout_seconds)
        self.clock.sleep(timeout_seconds)
        self.flushed()
        return 1

    def close(self, timeout_seconds: float) -> None:
        self.clock.sleep(timeout_seconds)


class PolledClock(FakeClock):
    """A clock whose waits poll an event repeatedly while time passes for other threads."""

    def wait(self, event: threading.Event, seconds: float) -> bool:
        return event.wait(seconds)


def test_ending_worker_does_not_wait_for_a_users_flush(tmp_path: Path) -> None:
    clock = PolledClock()
    transport = Undelivered(clock)
    script = Script([None])
    bench = Bench(tmp_path, script, transport, clock=clock)
    flushed: list[object] = []
    user = threading.Thread(target=lambda: flushed.append(bench.worker.flush(2 * LONG_SECONDS)))
    user.start()
    until(lambda: script.marks)
    script.texts.insert(0, batch("join"))

    def leave() -> None:
        if len(transport.slices) == 3:
            bench.worker.finish(1 / 4)

    transport.flushed = leave
    start = clock.now
    bench.worker.run()

    assert clock.now - start == 7 / 16
    assert transport.slices[:7] == [1 / 16] * 7
    user.join(LONG_SECONDS)
    assert flushed == [None] or flushed[0]["in_flight"] == 1  # type: ignore[index] # as the two ends meet
    assert spool_counts(bench.spool) == {"spooled": 2}  # and the message at the end


def test_flush_that_timed_out_is_not_restarted(tmp_path: Path) -> None:
    class Early(Undelivered):
        flush_slice_seconds = 1.0

        def flush(self, timeout_seconds: float) -> int:
            self.slices.append(timeout_seconds)
            return 1

    clock = FakeClock()
    transport = Early(clock)
    bench = Bench(tmp_path, Script([]), transport, clock=clock)
    bench.spool.send(Record("ATLAS_HOOK", None, (b"{}",)), lambda _: None)

    bench.worker._flush_until(clock.now + 30)
    assert len(transport.slices) == 1


def test_the_end_of_the_application_costs_one_exit_timeout(tmp_path: Path) -> None:
    clock = FakeClock()
    bench = Bench(tmp_path, Script([batch("join")]), Undelivered(clock), clock=clock)
    start = clock.now
    bench.worker.run()

    assert clock.now - start == EXIT_SECONDS


@pytest.mark.planted
def test_recording_that_cannot_be_closed_does_not_block_the_worker(tmp_path: Path) -> None:
    class Full(io.StringIO):
        def close(self) -> None:
            raise OSError(errno.ENOSPC, "no space left")

    bench = Bench(tmp_path, Script([batch("join")]), recorder=Full())
    bench.run()

    assert bench.worker.done.is_set()
    assert bench.guard.counts == {"record: OSError": 1}


def test_records_in_flight_at_the_deadline_are_spooled(tmp_path: Path) -> None:
    class Silent(MemoryTransport):
        def send(self, record: Record, outcome: DeliveryCallback) -> None:
            self.late = outcome

    transport = Silent()
    spool = Spool(transport, options_in(tmp_path), "local-1")
    settled: list[Failure | None] = []
    spool.send(Record("ATLAS_HOOK", None, (b"{}",)), settled.append)

    spool.abandon("out of time")
    transport.late(None)  # too late: it is counted once

    assert spool.in_flight == 0
    assert spool_counts(spool) == {"spooled": 1}
    assert settled == [WAITS]
