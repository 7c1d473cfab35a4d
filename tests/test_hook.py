"""How a hook is attached and how it ends, without a JVM."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka
from sac_kafka import Flushed, Hook, assembly, attachment, hook, session_settings
from sac_kafka.assembly import Parts
from sac_kafka.attachment import Attachment
from sac_kafka.errors import AttachError
from sac_kafka.figures import stats_of_none
from sac_kafka.hook import Hooks
from sac_kafka.phases import OVER
from sac_kafka.plan import wire
from sac_kafka.session_settings import FoundSettings
from sac_kafka.settings import Settings
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.names import Names
from sac_kafka.transport.base import DeliveryCallback, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool import segment
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.worker import NOT_HANDLED, Worker
from tests.fake_driver import FakeDriver
from tests.spool_options import options_in

RECORD = Record("ATLAS_HOOK", b"k", (b"{}",))
BOUNDS = DriverBounds(exit_timeout_seconds=0.3, attach_timeout_seconds=0.2)
FOUND = FoundSettings(Settings(driver=BOUNDS, names=Names(namespace_is_default=False)), "a file")


class Silent(MemoryTransport):
    """Has no outcome for any record."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        pass

    def flush(self, timeout_seconds: float) -> int:
        return 1


class Listening:
    """A listener whose JVM has stopped to answer."""

    def __init__(self) -> None:
        self.polled, self.go, self.is_detached = threading.Event(), threading.Event(), False
        self.lines = ['["end"]']
        self.hangs = False

    def poll(self, wait_ms: int) -> str | None:
        self.polled.set()
        self.go.wait(20)
        return self.lines.pop(0)

    def mark(self, marker: int) -> None:
        if self.hangs:
            self.go.wait(20)

    def detach(self) -> None:
        if self.hangs:
            self.go.wait(20)
        self.is_detached = True


class Bench:
    """A hook over a JVM that has stopped to answer, whose parts take `seconds` to make."""

    def __init__(self, tmp_path: Path, seconds: float) -> None:
        self.seconds, self.error = seconds, None
        self.attachment = Attachment(SimpleNamespace(_jsc=object()))
        self.hook = Hook(self.attachment)
        self.listener = Listening()
        self.transport = Silent()
        self.spool = Spool(self.transport, options_in(tmp_path), "local-1")

    def assemble(self, driver: object, settings: object, guard: Any) -> Parts:
        time.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        application = SimpleNamespace(application_id="local-1", job="job")
        pipeline: Any = SimpleNamespace(
            counts={"executions": 3, "executions failed": 2},
            projecting_microseconds=0,
            application=application,
            remembered=None,
            processes=0,
            listener_counts={},
            message_types={},
            due=lambda: (),
            rest=lambda: (),
            run=lambda text, tell: tell(wire.read_line(text)) or (),
        )
        listener: Any = self.listener
        worker = Worker(listener, pipeline, self.spool, guard, 0.3)
        return Parts(listener=listener, pipeline=pipeline, spool=self.spool, worker=worker, exit_seconds=0.3)

    def start(self) -> Hook:
        self.attachment.start()
        return self.hook

    def ended(self) -> bool:
        """Whether it ends within 5 s."""
        deadline = time.monotonic() + 5
        while self.hook.is_active and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self.hook.is_active


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Bench]:
    """Makes benches; the last one is what `assemble` makes."""
    monkeypatch.setattr(attachment, "JvmDriver", lambda _: FakeDriver())
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: FOUND)
    monkeypatch.setattr(hook, "HERE", Hooks())

    def made(seconds: float = 0.0) -> Bench:
        bench = Bench(tmp_path, seconds)
        monkeypatch.setattr(assembly, "assemble", bench.assemble)
        return bench

    return made


def lines_at_the_end(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.getMessage().startswith("ended")]


def test_a_jvm_that_does_not_answer_costs_the_exit_timeout_and_nothing_else(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    bench = make()
    h = bench.start()
    assert h.is_active
    assert bench.listener.polled.wait(5)
    bench.spool.send(RECORD, lambda _: None)
    start = time.monotonic()
    bench.attachment.drain()

    assert time.monotonic() - start < 2
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
    assert bench.attachment.parts.worker.done.wait(5)
    assert len(lines_at_the_end(caplog)) == 1


def test_a_disk_that_hangs_does_not_hold_the_exit(make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make()
    h = bench.start()
    go, hangs = threading.Event(), threading.Event()

    def append(*_: object, **__: object) -> None:
        hangs.set()
        go.wait(20)
        raise OSError("gone")

    monkeypatch.setattr(segment.Segment, "append", append)
    bench.spool.send(RECORD, lambda _: None)
    start = time.monotonic()
    bench.attachment.drain()

    assert hangs.is_set()
    assert time.monotonic() - start < 0.3 + 0.5 + 2 + 1 + 0.5
    assert not h.is_active
    go.set()
    bench.listener.go.set()


def test_a_disk_that_hangs_in_the_worker_does_not_hold_the_exit(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()
    bench.spool.send(RECORD, lambda _: None)
    held, go = threading.Event(), threading.Event()

    def hang() -> None:
        with bench.spool._lock:
            held.set()
            go.wait(30)

    threading.Thread(target=hang, daemon=True).start()
    assert held.wait(5)
    start = time.monotonic()
    bench.attachment.drain()

    assert time.monotonic() - start < 6
    assert not h.is_active
    go.set()
    bench.listener.go.set()


def test_what_is_neither_delivered_nor_kept_is_said(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make()
    bench.start()
    monkeypatch.setattr(Spool, "abandon", lambda *_: False)
    bench.spool.send(RECORD, lambda _: None)
    bench.attachment.drain()

    assert "1 neither delivered nor kept" in lines_at_the_end(caplog)[0]
    bench.listener.go.set()


def test_hooks_that_leave_together_share_one_timeout(make: Callable[..., Bench]) -> None:
    benches, hooks = [], []
    for _ in range(4):
        benches.append(make())
        hooks.append(sac_kafka.attach(SimpleNamespace(_jsc=object())))
    assert hook.hooks() == tuple(hooks)
    start = time.monotonic()
    hook.HERE.drain()

    assert time.monotonic() - start < 0.3 + 0.5 + 0.5
    assert not any(each.is_active for each in hooks)
    for each in benches:
        each.listener.go.set()


def test_detaching_takes_one_exit_timeout(make: Callable[..., Bench]) -> None:
    bench = make()
    start = time.monotonic()
    with bench.start() as h:
        assert h is bench.hook

    assert time.monotonic() - start < 0.3 + 0.5 + 0.3
    assert bench.listener.is_detached
    bench.listener.go.set()


def test_what_a_block_raises_passes(make: Callable[..., Bench]) -> None:
    bench = make()
    with pytest.raises(ZeroDivisionError), bench.start():
        1 / 0  # noqa: B018

    assert not bench.hook.is_active
    bench.listener.go.set()


def test_calls_of_a_jvm_that_hangs_hold_the_user_no_longer_than_asked(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()
    bench.listener.hangs = True
    start = time.monotonic()
    flushed = h.flush(0.2)
    taken = time.monotonic() - start
    h.detach()

    assert not flushed
    assert taken < 0.6
    assert time.monotonic() - start < 0.2 + 0.3 + 0.1 + 0.5 + 2 + 1 + 0.5
    bench.listener.go.set()


def test_parts_that_hang_cost_the_attach_timeout(make: Callable[..., Bench], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bench = make(0.6)
    start = time.monotonic()
    h = bench.start()

    assert time.monotonic() - start < 0.5
    assert h.stats()["disabled"] == "the driver did not answer within 0.2 seconds"
    deadline = time.monotonic() + 5
    while not bench.listener.is_detached and time.monotonic() < deadline:
        time.sleep(0.01)
    assert bench.listener.is_detached  # it undoes what came too late
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
        go.wait(20)

    monkeypatch.setattr(Attachment, "start", start)
    monkeypatch.setattr(hook, "HERE", Hooks())
    monkeypatch.setattr("sac_kafka.exits.watch", lambda _: None)
    thread = threading.Thread(target=hook.attach, args=(None, {}))
    thread.start()
    assert is_inside.wait(5)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(5)
        status = 1
        try:
            monkeypatch.setattr(Attachment, "start", lambda _: None)
            hook.attach(None, {})
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    go.set()
    thread.join(5)

    assert os.waitstatus_to_exitcode(status) == 0


def test_a_fork_says_that_nothing_is_attached_there(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    context = SimpleNamespace(_jsc=object())
    held = sac_kafka.attach(context)
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: -1)
        assert not held.is_active
        assert repr(held) == "<Hook disabled: this process is a fork of the driver>"
        assert str(held.flush(1).problem) == "not attached: this process is a fork of the driver"
        assert sac_kafka.attach(context) is held
    assert held.is_active
    assert repr(held).endswith(", active>")
    held.detach()


def test_settings_that_hang_cost_the_attach_timeout(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: go.wait(20) and FOUND)
    monkeypatch.setattr("sac_kafka.attempt.DriverBounds.attach_timeout_seconds", 0.2)
    bench = make()
    start = time.monotonic()
    h = bench.start()
    go.set()

    assert time.monotonic() - start < 1
    assert h.stats()["disabled"] == "the driver did not answer within 0.2 seconds"


def test_parts_that_fail_disable(make: Callable[..., Bench], caplog: pytest.LogCaptureFixture) -> None:
    bench = make()
    bench.error = AttachError("no")
    h = bench.start()

    assert h.stats()["disabled"] == "no"
    assert caplog.messages == ["not attached, the job runs on without lineage: no"]


def test_who_interrupts_attaching_and_attaches_again_has_one_hook(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = make(0.5)
    context = SimpleNamespace(_jsc=object())
    threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        sac_kafka.attach(context)
    quick = make()
    again = sac_kafka.attach(context)

    assert again.is_active
    deadline = time.monotonic() + 5
    while not slow.listener.is_detached and time.monotonic() < deadline:
        time.sleep(0.01)
    assert slow.listener.is_detached
    assert not slow.listener.polled.is_set()
    assert hook.hooks() == (again,)
    quick.listener.go.set()
    assert quick.ended


# ---- what users see


def test_a_hook_without_a_session_has_all_figures_in_plain_json(caplog: pytest.LogCaptureFixture) -> None:
    h = sac_kafka.attach(None)

    stats = h.stats()
    assert stats["problem"] is None
    assert stats["disabled"] == "attach needs a SparkSession, got None"
    assert stats["undelivered"] == stats["captured"] == stats["listener"] == {}
    assert json.loads(json.dumps(stats)) == stats
    assert (h.messages(), h.lineage()) == ([], ())
    assert h.flush() == Flushed(problem="not attached: attach needs a SparkSession, got None")
    assert caplog.messages[0] == "not attached, the job runs on without lineage: attach needs a SparkSession, got None"
    with h:
        pass


def test_figures_have_the_same_keys_always(make: Callable[..., Bench]) -> None:
    bench = make()
    attached = bench.start().stats()
    none = stats_of_none(None, {})

    assert attached.keys() == none.keys()
    assert attached["messages"].keys() == none["messages"].keys()
    assert attached["spool"].keys() == none["spool"].keys()
    assert json.loads(json.dumps(attached)) == attached
    bench.listener.go.set()


@pytest.mark.parametrize(
    ("what", "got"), [("spark", "str"), (object(), "object"), (Path("x"), "pathlib.PosixPath"), (3, "int")]
)
def test_what_is_no_session_is_named(what: object, got: str) -> None:
    assert sac_kafka.attach(what).stats()["disabled"] == f"attach needs a SparkSession, got {got}"


def test_without_hooks_nothing_is_flushed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "HERE", Hooks())

    assert not sac_kafka.flush()
    assert sac_kafka.flush().problem == "no hook is attached"


def test_a_setting_that_is_none_disables(caplog: pytest.LogCaptureFixture) -> None:
    h = sac_kafka.attach(SimpleNamespace(_jsc=object()), clent_type="console")

    assert h.stats()["disabled"] == "attach(clent_type=…): there is no such setting; did you mean client_type?"
    assert not h.is_active
    assert isinstance(h, Hook)


def test_settings_of_a_later_attach_are_said_to_have_no_effect(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    bench = make()
    context = SimpleNamespace(_jsc=object())
    first = sac_kafka.attach(context, job_name="a")
    assert sac_kafka.attach(context) is sac_kafka.attach(context, job_name="a") is first
    assert caplog.messages == []
    assert sac_kafka.attach(context, job_name="b", query_text="off") is first
    assert caplog.messages == [
        "attached already: atlas.hook.spark.job.name, atlas.hook.spark.query.text have no effect now; detach first"
    ]
    bench.listener.go.set()


def test_a_flush_tells_what_was_delivered_from_what_is_only_kept(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()

    def mark(marker: int) -> None:
        bench.listener.lines.insert(0, f'["marker",{marker}]')
        bench.listener.go.set()

    bench.listener.mark = mark  # type: ignore[method-assign]
    bench.transport.send = lambda record, outcome: outcome(None)  # type: ignore[method-assign]
    bench.spool.send(RECORD, lambda _: None)

    assert h.flush(5) == Flushed(delivered=1)
    assert bench.ended()


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
    deadline = time.monotonic() + 5
    while not bench.listener.is_detached and time.monotonic() < deadline:
        time.sleep(0.01)
    assert bench.listener.is_detached
    assert not bench.listener.polled.is_set()


def test_parts_that_exit_do_not_cost_the_attach_timeout(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = replace(FOUND.settings, driver=replace(BOUNDS, attach_timeout_seconds=20))
    bench = make()
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: FoundSettings(patient, "a file"))
    monkeypatch.setattr(assembly, "assemble", lambda *_: sys.exit(3))
    start = time.monotonic()
    h = bench.start()
    assert time.monotonic() - start < 5
    assert h.stats()["disabled"] == "ended by SystemExit while attaching"


@pytest.mark.parametrize("seconds", [None, float("inf"), 1e300, 10**400, float("nan"), "soon", -1])
def test_no_time_that_is_given_to_flush_harms_the_job(make: Callable[..., Bench], seconds: Any) -> None:
    bench = make()
    h = bench.start()
    bench.listener.lines = ['["end"]']
    bench.listener.go.set()
    assert bench.ended()
    assert h.flush(seconds).lost == 0
    assert sac_kafka.flush(seconds) is not None
    assert h.stats()["errors"] == {}


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
            bench.attachment.phases.wait(OVER, 2)
            assert taken
            assert taken[0] < 2
        finally:
            signal.signal(signal.SIGALRM, before)
        assert not h.is_active
        bench.listener.go.set()


def test_nothing_that_a_signal_handler_waits_for_has_a_lock() -> None:
    attached = Attachment(None)
    held = {type(each) for each in (*vars(attached).values(), *vars(attached.phases).values())}
    assert not held & {threading.Event, threading.Condition, type(threading.Lock()), type(threading.RLock())}


def test_empty_messages_of_a_disabled_hook_say_why(caplog: pytest.LogCaptureFixture) -> None:
    disabled = sac_kafka.attach(object())
    caplog.clear()
    assert disabled.messages() == []
    assert caplog.messages == [f"messages() and lineage() are empty: not attached: {disabled.stats()['disabled']}"]
