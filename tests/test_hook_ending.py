"""How a hook ends, without a JVM: at the exit, by `detach`, by a signal."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import sac_kafka
from sac_kafka import Hook
from sac_kafka.hook import attachment, hook
from sac_kafka.hook.attachment import Attachment
from sac_kafka.hook.phases import OVER
from sac_kafka.hook.worker import NOT_HANDLED
from sac_kafka.metrics.reporting import Reports
from sac_kafka.transport.spool import segment
from sac_kafka.transport.spool.spool import Spool
from tests.hooks import EXIT_SECONDS, RECORD, Bench, lines_at_the_end
from tests.waiting import LONG_SECONDS, least_seconds, seconds_of, until


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the threads are that keep and say what was under way, they are waited for."""
    for each in ("_KEEP_SECONDS", "_REPORT_SECONDS"):
        monkeypatch.setattr(attachment, each, LONG_SECONDS)


def test_a_jvm_that_does_not_answer_costs_the_exit_timeout_and_nothing_else(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture, patient: None
) -> None:
    benches: list[Bench] = []

    def drain() -> float:
        bench = make()
        benches.append(bench)
        assert bench.start().is_active
        assert bench.listener.polled.wait(LONG_SECONDS)
        bench.spool.send(RECORD, lambda _: None)
        caplog.clear()
        return seconds_of(bench.attachment.drain)

    assert least_seconds(drain, below=2) < 2
    bench = benches[-1]
    h = bench.hook
    (line,) = lines_at_the_end(caplog)
    assert line.startswith(
        "ended: 3 executions seen (2 failed), 0 messages delivered, 1 spooled (not delivered when the interpreter ended: 1), "
        f"0 dropped, 1 event lost or cut ({NOT_HANDLED}: 1); undelivered messages are in "
    )
    assert h.stats()["listener"] == {NOT_HANDLED: 1}
    assert (h.stats()["executions"], h.stats()["failed"]) == (3, 2)
    assert not h.is_active
    bench.listener.go.set()
    assert bench.attachment.parts is not None
    assert bench.attachment.parts.worker.done.wait(LONG_SECONDS)
    assert len(lines_at_the_end(caplog)) == 1


def test_a_disk_that_hangs_does_not_hold_the_exit_and_what_it_kept_is_said_late(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench = make()
    h = bench.start()
    go, hangs = threading.Event(), threading.Event()

    def append(*_: object, **__: object) -> None:
        hangs.set()
        go.wait(2 * LONG_SECONDS)
        raise OSError("gone")

    monkeypatch.setattr(segment.Segment, "append", append)
    bench.spool.send(RECORD, lambda _: None)
    taken = seconds_of(bench.attachment.drain)

    assert hangs.wait(LONG_SECONDS)
    assert taken < LONG_SECONDS / 2
    assert not h.is_active
    assert lines_at_the_end(caplog) == []
    go.set()
    until(lambda: lines_at_the_end(caplog))
    assert len(lines_at_the_end(caplog)) == 1
    bench.listener.go.set()


def test_a_disk_that_hangs_in_the_worker_does_not_hold_the_exit(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()
    bench.spool.send(RECORD, lambda _: None)
    held, go = threading.Event(), threading.Event()

    def hang() -> None:
        with bench.spool._lock:
            held.set()
            go.wait(2 * LONG_SECONDS)

    threading.Thread(target=hang, daemon=True).start()
    assert held.wait(LONG_SECONDS)

    assert seconds_of(bench.attachment.drain) < LONG_SECONDS / 2
    assert not h.is_active
    go.set()
    bench.listener.go.set()


def test_what_is_neither_delivered_nor_kept_is_said(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, patient: None
) -> None:
    bench = make()
    bench.start()
    monkeypatch.setattr(Spool, "abandon", lambda *_: False)
    bench.spool.send(RECORD, lambda _: None)
    bench.attachment.drain()

    assert "1 neither delivered nor kept" in lines_at_the_end(caplog)[0]
    bench.listener.go.set()


def test_hooks_that_leave_together_share_one_timeout(make: Callable[..., Bench]) -> None:
    def drain() -> float:
        hooks = []
        for _ in range(4):
            make()
            hooks.append(sac_kafka.attach(SimpleNamespace(_jsc=object())))
        assert hook.hooks() == tuple(hooks)
        taken = seconds_of(hook.HERE.drain)
        assert not any(each.is_active for each in hooks)
        return taken

    longest = 2 * (EXIT_SECONDS + 0.5)  # one after the other they take twice as long as this
    assert least_seconds(drain, below=longest) < longest


def test_who_is_about_to_be_killed_waits_a_moment_only(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(exit_seconds=2 * LONG_SECONDS)
    h = sac_kafka.attach(SimpleNamespace(_jsc=object()))
    monkeypatch.setattr(hook, "_HURRY_SECONDS", 0.1)
    hook.HERE.hurry()

    assert seconds_of(hook.HERE.drain) < LONG_SECONDS / 2
    assert not h.is_active


def test_detaching_takes_one_exit_timeout(make: Callable[..., Bench]) -> None:
    def attach_and_detach() -> float:
        bench = make()
        start = time.monotonic()
        with bench.start() as h:
            assert h is bench.hook
        taken = time.monotonic() - start
        until(lambda: bench.listener.is_detached)  # by a thread of its own, for which nobody waits for long
        return taken

    longest = EXIT_SECONDS + 0.5 + 0.3
    assert least_seconds(attach_and_detach, below=longest) < longest


def test_calls_of_a_jvm_that_hangs_hold_the_user_no_longer_than_asked(make: Callable[..., Bench]) -> None:
    def hanging() -> Hook:
        bench = make()
        h = bench.start()
        bench.listener.hangs = True
        return h

    def flush() -> float:
        h = hanging()
        start = time.monotonic()
        assert not h.flush(0.2)
        return time.monotonic() - start

    assert least_seconds(flush, below=0.6) < 0.6
    longest = EXIT_SECONDS + 0.1 + 0.5 + 2 + 1 + 0.5
    assert least_seconds(lambda: seconds_of(hanging().detach), below=longest) < longest


def test_a_signal_handler_does_not_hang_in_what_it_has_interrupted(make: Callable[..., Bench]) -> None:
    """Its thread may be anywhere in `flush`, `detach` or `_await_end`, many times over."""
    for seconds in (0.0, 0.001, 0.01, 0.05):
        bench = make()
        h = bench.start()
        taken = []

        def handle(*_: object, bench: Bench = bench, taken: list[float] = taken) -> None:
            start = time.monotonic()
            bench.attachment.drain()
            taken.append(time.monotonic() - start)

        before = signal.signal(signal.SIGALRM, handle)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.01 + seconds)
            bench.attachment.phases.wait(OVER, LONG_SECONDS)
            assert taken
            assert taken[0] < LONG_SECONDS / 2
        finally:
            signal.signal(signal.SIGALRM, before)
        assert not h.is_active
        bench.listener.go.set()


def test_nothing_that_a_signal_handler_waits_for_has_a_lock() -> None:
    attached = Attachment(None)
    held = {type(each) for each in (*vars(attached).values(), *vars(attached.phases).values())}
    assert not held & {threading.Event, threading.Condition, type(threading.Lock()), type(threading.RLock())}


def test_metrics_are_written_by_no_users_thread_and_a_disk_that_hangs_there_holds_nobody(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    by: list[str] = []
    go = threading.Event()

    def hang(*_: object) -> None:
        by.append(threading.current_thread().name)
        go.wait(2 * LONG_SECONDS)

    monkeypatch.setattr(Reports, "last", hang)
    bench = make()
    h = bench.start()
    bench.listener.go.set()
    until(lambda: by)

    assert seconds_of(h.detach) < LONG_SECONDS / 2
    assert by == ["sac-kafka"]
    assert len(lines_at_the_end(caplog)) == 1
    go.set()
