"""Ends of a hook, without a JVM: at exit, by `detach`, by a signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import sac_kafka
from sac_kafka.hook import hook
from sac_kafka.hook.attachment import Attachment
from sac_kafka.hook.metrics.reporting import Reports
from sac_kafka.hook.phases import OVER
from sac_kafka.hook.worker import NOT_HANDLED
from sac_kafka.transport.spool import segment, spool, stats
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.hooks import EXIT_SECONDS, RECORD, Bench, lines_at_the_end
from tests.helpers.waiting import LONG_SECONDS, until

GRACE_SECONDS = 0.5
"""The worker's time after the exit timeout, then 2 s for spooling its records and 1 s for the report."""


def about(seconds: float) -> object:
    """Return a value equal to so many seconds of a `HookClock`, with a tolerance of a few polling steps."""
    return pytest.approx(seconds, abs=0.05)


def test_unresponsive_jvm_only_costs_the_exit_timeout(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    bench = make()
    h = bench.start()
    assert h.is_active
    assert bench.listener.polled.wait(LONG_SECONDS)
    bench.spool.send(RECORD, lambda _: None)
    caplog.clear()

    assert bench.clock.seconds(bench.attachment.drain) == about(EXIT_SECONDS + GRACE_SECONDS)
    (line,) = lines_at_the_end(caplog)
    assert line.startswith(
        "ended on local-1 (job job): 3 executions seen (2 failed), 0 flows reported, 0 messages delivered, 1 spooled "
        f"(not delivered when the interpreter ended: 1), 0 dropped, 1 event lost or cut ({NOT_HANDLED}: 1); "
        "undelivered messages are in "
    )
    assert h.stats()["listener"] == {NOT_HANDLED: 1}
    assert (h.stats()["executions"], h.stats()["failed"]) == (3, 2)
    assert not h.is_active
    bench.listener.go.set()
    assert bench.attachment.parts is not None
    assert bench.attachment.parts.worker.done.wait(LONG_SECONDS)
    assert len(lines_at_the_end(caplog)) == 1


def test_exit_does_not_wait_for_a_hanging_disk_and_spooled_records_are_reported_late(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench = make()
    h = bench.start()
    disk = bench.clock.gate()

    def append(*_: object, **__: object) -> None:
        disk.wait()
        raise OSError("gone")

    monkeypatch.setattr(segment.Segment, "append", append)
    bench.spool.send(RECORD, lambda _: None)

    assert bench.clock.seconds(bench.attachment.drain) == about(EXIT_SECONDS + GRACE_SECONDS + 2 + 1)
    assert disk.reached.is_set()
    assert not h.is_active
    assert lines_at_the_end(caplog) == []
    disk.set()
    until(lambda: lines_at_the_end(caplog))
    assert len(lines_at_the_end(caplog)) == 1
    bench.listener.go.set()


def test_a_disk_that_hangs_in_the_worker_does_not_hold_the_exit(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (stats, spool):
        monkeypatch.setattr(each, "_LOCK_SECONDS", 0.01)
    bench = make()
    h = bench.start()
    assert bench.listener.polled.wait(LONG_SECONDS)  # else it waits for the lock itself
    bench.spool.send(RECORD, lambda _: None)
    held, go = threading.Event(), threading.Event()

    def hang() -> None:
        with bench.spool._lock:
            held.set()
            go.wait()

    disk = threading.Thread(target=hang)
    disk.start()
    try:
        assert held.wait(LONG_SECONDS)
        assert bench.clock.seconds(bench.attachment.drain) == about(EXIT_SECONDS + GRACE_SECONDS)
        assert not h.is_active
    finally:
        go.set()
        disk.join()
    bench.listener.go.set()


def test_reports_records_that_are_neither_delivered_nor_spooled(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make()
    bench.start()
    monkeypatch.setattr(Spool, "abandon", lambda *_: False)
    bench.spool.send(RECORD, lambda _: None)
    bench.attachment.drain()

    assert "1 neither delivered nor kept" in lines_at_the_end(caplog)[0]
    bench.listener.go.set()


def test_hooks_that_end_together_share_one_timeout(make: Callable[..., Bench]) -> None:
    hooks = []
    for _ in range(4):
        bench = make()
        hooks.append(sac_kafka.attach(SimpleNamespace(_jsc=object())))
    assert hook.hooks() == tuple(hooks)
    assert bench.clock.seconds(hook.HERE.drain) == about(EXIT_SECONDS + GRACE_SECONDS)
    assert not any(each.is_active for each in hooks)


def test_signal_handler_waits_only_briefly(make: Callable[..., Bench]) -> None:
    bench = make(exit_seconds=2 * LONG_SECONDS)
    h = sac_kafka.attach(SimpleNamespace(_jsc=object()))
    hook.HERE.hurry()

    assert bench.clock.seconds(hook.HERE.drain) == about(0.5 + GRACE_SECONDS)
    assert not h.is_active


def test_detach_takes_at_most_one_exit_timeout(make: Callable[..., Bench]) -> None:
    bench = make()

    def attach_and_detach() -> None:
        with bench.start() as h:
            assert h is bench.hook

    assert bench.clock.seconds(attach_and_detach) == about(EXIT_SECONDS + GRACE_SECONDS)
    assert bench.listener.is_detached


def test_calls_return_within_the_timeout_while_the_jvm_hangs(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()
    bench.listener.hangs = True

    assert bench.clock.seconds(lambda: h.flush(0.2)) == about(0.2)
    assert bench.clock.seconds(h.detach) == about(EXIT_SECONDS + 0.1 + GRACE_SECONDS)  # 0.1 s to leave the bus
    assert not h.is_active
    assert not bench.listener.is_detached


def test_flush_returns_within_the_timeout_while_the_worker_hangs(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()
    answers = []

    assert bench.clock.seconds(lambda: answers.append(h.flush(0.25))) == about(0.25)
    assert not answers[0]


def test_a_signal_handler_does_not_hang_in_what_it_has_interrupted(make: Callable[..., Bench]) -> None:
    """Interrupt a thread anywhere in `flush`, `detach` or `_await_end`, many times."""
    for seconds in (0.0, 0.001, 0.01, 0.05):
        bench = make()
        h = bench.start()
        bench.clock.stands = True  # for who is interrupted
        taken = []

        def handle(*_: object, bench: Bench = bench, taken: list[float] = taken) -> None:
            bench.clock.stands = False
            taken.append(bench.clock.seconds(bench.attachment.drain))

        before = signal.signal(signal.SIGUSR1, handle)  # none that limits tests goes by
        try:
            threading.Timer(0.01 + seconds, signal.pthread_kill, (threading.get_ident(), signal.SIGUSR1)).start()
            bench.attachment.phases.wait(OVER, LONG_SECONDS)
            assert taken == [about(EXIT_SECONDS + GRACE_SECONDS)]
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert not h.is_active
        bench.listener.go.set()


def test_signal_handler_waits_for_nothing_that_holds_a_lock() -> None:
    attached = Attachment(None)
    held = {type(each) for each in (*vars(attached).values(), *vars(attached.phases).values())}
    assert not held & {threading.Event, threading.Condition, type(threading.Lock()), type(threading.RLock())}


def test_metrics_are_written_in_the_background_and_a_hanging_disk_blocks_no_user_thread(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    by: list[str] = []
    bench = make()
    disk = bench.clock.gate()

    def hang(*_: object) -> None:
        by.append(threading.current_thread().name)
        disk.wait()

    monkeypatch.setattr(Reports, "report_last", hang)
    h = bench.start()
    bench.listener.go.set()
    assert disk.reached.wait(LONG_SECONDS)

    assert bench.clock.seconds(h.detach) == about(EXIT_SECONDS + GRACE_SECONDS + 1)
    assert by == ["sac-kafka"]
    assert len(lines_at_the_end(caplog)) == 1
