"""Attaching a hook and its cost, without a JVM."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka
from sac_kafka.errors import AttachError
from sac_kafka.hook import assembly, hook, session_settings
from sac_kafka.hook.attachment import Attachment
from sac_kafka.hook.hook import Hooks
from sac_kafka.settings.driver import DriverBounds
from tests.helpers.hooks import Bench, found, lines_at_the_end
from tests.helpers.waiting import LONG_SECONDS, until


def test_parts_that_hang_cost_the_attach_timeout(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: found(attach_seconds=0.2))

    bench = make()
    bench.may_assemble.clear()
    assert bench.clock.seconds(bench.start) == pytest.approx(0.2)
    h = bench.hook
    assert h.stats()["disabled"] == "the driver did not answer within 0.2 seconds"
    bench.may_assemble.set()
    until(lambda: bench.listener.is_detached)  # it undoes what came too late
    assert not h.is_active
    bench.attachment.drain()
    assert h.stats()["errors"] == {}
    assert lines_at_the_end(caplog) == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_child_that_is_forked_while_another_thread_attaches_can_attach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "spark_context", lambda _: (object(), {}))
    is_inside, go = threading.Event(), threading.Event()

    def start(self: Attachment) -> None:
        is_inside.set()
        go.wait(2 * LONG_SECONDS)

    monkeypatch.setattr(Attachment, "start", start)
    monkeypatch.setattr(hook, "HERE", Hooks())
    monkeypatch.setattr("sac_kafka.hook.exits.watch", lambda *_: None)
    thread = threading.Thread(target=hook.attach, args=(None, {}))
    thread.start()
    assert is_inside.wait(LONG_SECONDS)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(LONG_SECONDS))
        status = 1
        try:
            monkeypatch.setattr(Attachment, "start", lambda _: None)
            hook.attach(None, {})
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    go.set()
    thread.join(LONG_SECONDS)

    assert os.waitstatus_to_exitcode(status) == 0


def test_settings_that_hang_cost_the_attach_timeout(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make()
    driver = bench.clock.gate()
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: driver.wait() or found())
    monkeypatch.setattr(DriverBounds, "attach_timeout_seconds", 0.2)
    taken = bench.clock.seconds(bench.start)
    h = bench.hook

    assert taken == pytest.approx(0.2)
    assert h.stats()["disabled"] == "the driver did not answer within 0.2 seconds"


def test_parts_that_fail_disable(make: Callable[..., Bench], caplog: pytest.LogCaptureFixture) -> None:
    bench = make()
    bench.error = AttachError("no")
    h = bench.start()

    assert h.stats()["disabled"] == "no"
    assert caplog.messages == ["not attached, the job runs on without lineage: no"]


def test_attach_after_an_interrupted_attach_gives_one_hook(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = make()
    slow.may_assemble.clear()
    slow.clock.stands = True
    is_assembling = threading.Event()
    assemble = slow.assemble

    def interrupted(*arguments: Any) -> Any:
        is_assembling.set()
        return assemble(*arguments)

    monkeypatch.setattr(assembly, "assemble", interrupted)
    context = SimpleNamespace(_jsc=object())

    main = threading.get_ident()

    def interrupt() -> None:
        assert is_assembling.wait(LONG_SECONDS)
        signal.pthread_kill(main, signal.SIGINT)

    ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            sac_kafka.attach(context)
    finally:
        signal.signal(signal.SIGINT, ours)
    quick = make()
    again = sac_kafka.attach(context)

    assert again.is_active
    slow.may_assemble.set()
    until(lambda: slow.listener.is_detached)
    assert not slow.listener.polled.is_set()
    assert hook.hooks() == (again,)
    quick.listener.go.set()
    quick.await_end()


def test_parts_without_the_thread_for_the_exit_disable(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "sac-kafka-exit":
            raise AttachError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    bench = make()
    h = bench.start()
    assert h.stats()["disabled"] == "can't start new thread"
    assert not h.is_active
    until(lambda: bench.listener.is_detached)
    assert not bench.listener.polled.is_set()


def test_parts_that_exit_do_not_cost_the_attach_timeout(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make()
    monkeypatch.setattr(assembly, "assemble", lambda *_: sys.exit(3))
    assert bench.clock.seconds(bench.start) == 0
    h = bench.hook
    assert h.stats()["disabled"] == "ended by SystemExit while attaching"


def test_an_automatic_hook_gives_way_to_the_settings_of_a_job(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    automatic = make()
    context = SimpleNamespace(_jsc=object())
    first = hook.attach_automatically(context)
    assert sac_kafka.attach(context) is first
    automatic.listener.mark = lambda _: automatic.listener.go.set()  # type: ignore[method-assign]
    chosen = make()
    second = sac_kafka.attach(context, job_name="orders")

    assert second is not first
    assert (first.is_active, second.is_active) == (False, True)
    until(lambda: automatic.listener.is_detached)  # by a separate thread that is joined only briefly
    assert hook.hooks() == (second,)
    assert sac_kafka.attach(context, job_name="others") is second
    assert [m for m in caplog.messages if "already attached" in m] == [
        "already attached: atlas.hook.spark.job.name has no effect; call detach first"
    ]
    chosen.listener.go.set()
    chosen.await_end()
