"""How a hook is attached and how it ends, without a JVM."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka import attaching, hook
from sac_kafka.errors import AttachError
from sac_kafka.hook import Hook
from sac_kafka.transport.base import Outcome, Record
from sac_kafka.transport.memory import MemoryTransport
from sac_kafka.transport.spool import segment
from sac_kafka.transport.spool.options import Options
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.worker import NOT_HANDLED, Worker

RECORD = Record("ATLAS_HOOK", b"k", (b"{}",))
SETTINGS = SimpleNamespace(enabled=True, exit_timeout_seconds=0.3, attach_timeout_seconds=0.2)


class Silent(MemoryTransport):
    """Has no outcome for any record."""

    def send(self, record: Record, outcome: Outcome) -> None:
        pass

    def flush(self, timeout_seconds: float) -> int:
        return 1


class Listening:
    """A listener whose JVM has stopped to answer."""

    def __init__(self) -> None:
        self.polled, self.go, self.is_detached = threading.Event(), threading.Event(), False

    def poll(self, wait_ms: int) -> str | None:
        self.polled.set()
        self.go.wait(20)
        return '["end"]'

    def mark(self, marker: int) -> None:
        pass

    def detach(self) -> None:
        self.is_detached = True


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Hook]:
    """Makes hooks that are attached to a JVM that has stopped to answer, and whose parts take their time."""
    monkeypatch.setattr(hook, "JvmDriver", lambda _: None)
    monkeypatch.setattr(attaching, "read_settings", lambda _: (SETTINGS, "a file"))
    monkeypatch.setattr(attaching, "warn", lambda _: None)

    def made(seconds: float = 0.0) -> Hook:
        h = Hook(object())
        application = SimpleNamespace(application_id="local-1", job="job")
        pipeline = SimpleNamespace(
            counts={}, projecting_microseconds=0, application=application, held=lambda: (), due=lambda _: ()
        )

        def assemble(*_: object) -> Worker:
            time.sleep(seconds)
            h._listener, h._pipeline = Listening(), pipeline  # type: ignore[assignment]
            h._spool = Spool(Silent(), Options(directory=tmp_path), "local-1")
            parts: Any = (h._listener, pipeline, h._spool, h._guard, "ATLAS_HOOK", 0.3)
            threading.Thread(target=h._stand_by, daemon=True).start()
            return Worker(*parts)

        monkeypatch.setattr(h, "_assemble", assemble)
        return h

    return made


def ended(h: Hook, caplog: pytest.LogCaptureFixture) -> str:
    """The one line at the end."""
    lines = [r.getMessage() for r in caplog.records if r.getMessage().startswith("sac_kafka: ended")]
    assert len(lines) == 1
    assert h._ended.is_set()
    return lines[0]


def test_a_jvm_that_does_not_answer_costs_the_exit_timeout_and_nothing_else(
    make: Callable[..., Hook], caplog: pytest.LogCaptureFixture
) -> None:
    h = make()
    h.start()
    assert h.is_active
    assert h._listener.polled.wait(5)
    h._spool.send(RECORD, lambda _: None)
    start = time.monotonic()
    h.drain()

    assert time.monotonic() - start < 2
    line = ended(h, caplog)
    assert "1 spooled, 0 dropped" in line
    assert f"{NOT_HANDLED}: 1" in line
    assert h.stats()["listener"] == {NOT_HANDLED: 1}
    h._listener.go.set()
    assert h._worker.done.wait(5)
    ended(h, caplog)  # still one


def test_a_disk_that_hangs_does_not_hold_the_exit(
    make: Callable[..., Hook], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    h = make()
    h.start()
    go, hangs = threading.Event(), threading.Event()

    def append(*_: object, **__: object) -> None:
        hangs.set()
        go.wait(20)
        raise OSError("gone")

    monkeypatch.setattr(segment.Segment, "append", append)
    h._spool.send(RECORD, lambda _: None)
    start = time.monotonic()
    h.drain()

    assert hangs.is_set()
    assert time.monotonic() - start < 0.3 + 0.5 + 2 + 1 + 0.5
    assert h._ended.is_set()
    go.set()
    h._listener.go.set()


def test_a_disk_that_hangs_in_the_worker_does_not_hold_the_exit(make: Callable[..., Hook]) -> None:
    h = make()
    h.start()
    h._spool.send(RECORD, lambda _: None)
    held, go = threading.Event(), threading.Event()

    def hang() -> None:
        with h._spool._lock:
            held.set()
            go.wait(30)

    threading.Thread(target=hang, daemon=True).start()
    assert held.wait(5)
    start = time.monotonic()
    h.drain()

    assert time.monotonic() - start < 6
    assert h._ended.is_set()
    go.set()
    h._listener.go.set()


def test_what_is_neither_delivered_nor_kept_is_said(
    make: Callable[..., Hook], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    h = make()
    h.start()
    monkeypatch.setattr(Spool, "abandon", lambda *_: False)
    h._spool.send(RECORD, lambda _: None)
    h.drain()

    assert "1 neither delivered nor kept" in ended(h, caplog)
    h._listener.go.set()


def test_hooks_that_leave_together_share_one_timeout(
    make: Callable[..., Hook], monkeypatch: pytest.MonkeyPatch
) -> None:
    several = [make() for _ in range(4)]
    for h in several:
        h.start()
    monkeypatch.setattr(hook, "_hooks", several)
    start = time.monotonic()
    hook._drain_all()

    assert time.monotonic() - start < 0.3 + 0.5 + 0.5
    assert all(h._ended.is_set() for h in several)
    for h in several:
        h._listener.go.set()


def test_detaching_takes_one_exit_timeout(make: Callable[..., Hook]) -> None:
    h = make()
    h.start()
    start = time.monotonic()
    h.detach()

    assert time.monotonic() - start < 0.3 + 0.5 + 0.3
    assert h._listener.is_detached
    h._listener.go.set()


def test_parts_that_hang_cost_the_attach_timeout(make: Callable[..., Hook], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    h = make(0.6)
    start = time.monotonic()
    h.start()

    assert time.monotonic() - start < 0.5
    assert h.stats()["disabled"] == "the driver did not answer within 0.2 seconds"
    assert h._ended.wait(5)  # it undoes what came too late
    assert h._listener.is_detached
    assert not h.is_active
    h.drain()
    h._report()
    assert h.stats()["errors"] == {}
    assert "sac_kafka: ended" not in caplog.text


def test_parts_that_fail_are_undone(make: Callable[..., Hook], monkeypatch: pytest.MonkeyPatch) -> None:
    h = make()
    listening = Listening()

    def assemble(*_: object) -> Worker:
        h._listener = listening  # type: ignore[assignment]
        raise AttachError("no")

    monkeypatch.setattr(h, "_assemble", assemble)
    h.start()

    assert h.stats()["disabled"] == "no"
    assert listening.is_detached
