"""A hook over a JVM that has stopped to answer, for tests."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka import Hook
from sac_kafka.hook import assembly, attachment, hook, session_settings
from sac_kafka.hook.attachment import Attachment
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.driver_log import driver_log
from sac_kafka.hook.emitter import Emitter
from sac_kafka.hook.hook import Hooks
from sac_kafka.hook.listener_source import ListenerSource
from sac_kafka.hook.metrics.reporting import Reports
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.phases import Phase
from sac_kafka.hook.pipeline_stats import PipelineStats
from sac_kafka.hook.worker import Worker
from sac_kafka.log import Logger
from sac_kafka.plan import wire
from sac_kafka.settings import Settings
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.names import Names
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.stages.completeness import WriteCounter
from sac_kafka.transport.base import DeliveryCallback, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.spool_options import options_in
from tests.helpers.waiting import LONG_SECONDS, FakeClock, until

RECORD = Record("ATLAS_HOOK", b"k", (b"{}",))
EXIT_SECONDS = 0.3


def found(attach_seconds: float = LONG_SECONDS) -> Settings:
    """Return the settings; the attaching thread waits this long."""
    bounds = DriverBounds(exit_timeout_seconds=EXIT_SECONDS, attach_timeout_seconds=attach_seconds)
    return Settings(driver=bounds, names=Names(namespace_is_default=False), source=SettingsSource("a file"))


class Gate:
    """Hold every thread that comes to it until a test opens it with `set`."""

    def __init__(self) -> None:
        self._opened = threading.Event()
        self._came: set[int | None] = set()
        self.reached = threading.Event()

    def set(self) -> None:
        self._opened.set()

    def clear(self) -> None:
        self._opened.clear()

    def wait(self) -> None:
        self._came.add(threading.get_ident())
        self.reached.set()
        self._opened.wait()
        self._came.discard(threading.get_ident())

    def holds(self, thread: threading.Thread) -> bool:
        return not self._opened.is_set() and thread.ident in self._came


class HookClock(FakeClock):
    """A clock of hooks. Its time passes at once, but only where every thread of the hooks that could act is held by a gate.

    So a deadline is over exactly where what is waited for never comes, however slow the machine is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stands = False
        self.gates: list[Gate] = []
        self.attachments: list[Attachment] = []
        self._others = set(threading.enumerate())

    def gate(self) -> Gate:
        self.gates.append(Gate())
        return self.gates[-1]

    def attachment(self, context: Any, arguments: Any = None, spark: Any = None) -> Attachment:
        self.attachments.append(Attachment(context, arguments, self, spark))
        return self.attachments[-1]

    def threads(self) -> list[threading.Thread]:
        """Return the threads of the hooks that run."""
        return [each for each in set(threading.enumerate()) - self._others if each.name.startswith("sac-kafka")]

    def sleep(self, seconds: float) -> None:
        if self._passes():
            super().sleep(seconds)
        else:
            time.sleep(0.001)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        end = self.now + seconds
        while True:
            passes = self._passes()
            if event.is_set():
                return True
            if self.now >= end:
                return False
            if passes:
                super().sleep(end - self.now)
            else:
                event.wait(0.001)

    def seconds(self, call: Callable[[], object]) -> float:
        """Return how much of its time a call lets pass."""
        start = self.now
        call()
        return self.now - start

    def _passes(self) -> bool:
        return not self.stands and all(map(self._is_held, self.threads()))

    def _is_held(self, thread: threading.Thread) -> bool:
        if thread.name == "sac-kafka-wake":
            return True  # it ends polls, and nothing else
        if thread.name == "sac-kafka-exit" and not any(each.phases.state.phase in _ENDING for each in self.attachments):
            return True  # nothing requested yet
        return any(gate.holds(thread) for gate in self.gates)


_ENDING = {Phase.OVERDUE, Phase.KEPT, Phase.REPORTING}


class Silent(MemoryTransport):
    """Has no outcome for any record."""

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        pass

    def flush(self, timeout_seconds: float) -> int:
        return 1


class Listening:
    """A listener whose JVM has stopped to answer."""

    compiled_because = None

    def __init__(self, go: Gate) -> None:
        self.go, self.polled, self.is_detached = go, go.reached, False
        self.lines = ['["end"]']
        self.hangs = False

    def poll(self, wait_ms: int) -> str | None:
        self.go.wait()
        return self.lines.pop(0)

    def confirm(self, number: int, needed: Sequence[int]) -> None:
        pass

    def wake(self) -> None:
        if self.hangs:
            self.go.wait()

    def mark(self, marker: int) -> None:
        if self.hangs:
            self.go.wait()

    def note(self, kind: str, text: str, dataset: Any = None) -> None:
        pass

    def note_rdd(self, kind: str, rdd: Any, dataset: Any) -> None:
        pass

    def note_checkpoint(self, kind: str, made: Any, dataset: Any) -> None:
        pass

    def note_rows(self, kind: str, rdd: Any, text: str = "") -> None:
        pass

    def literals(self, dataset: Any) -> tuple[str, ...]:
        return ()

    def remember(self, dataset: Any, text: str) -> None:
        pass

    def answer(self, question: int, text: str) -> None:
        pass

    def register(self, text: str) -> None:
        pass

    def own(self, session: Any) -> bool:
        return False

    def others(self) -> tuple[str, ...]:
        if self.hangs:
            self.go.wait()
        return ()

    def release(self) -> None:
        pass

    def detach(self) -> None:
        if self.hangs:
            self.go.wait()
        self.is_detached = True


class Bench:
    """A hook over a JVM that no longer answers; its parts are made once `may_assemble` is set."""

    def __init__(self, folder: Path, exit_seconds: float, clock: HookClock) -> None:
        self.exit_seconds, self.error, self.clock = exit_seconds, None, clock
        self.may_assemble = clock.gate()
        self.may_assemble.set()
        self.attachment = clock.attachment(SimpleNamespace(_jsc=object()))
        self.hook = Hook(self.attachment)
        self.listener = Listening(clock.gate())
        self.transport = Silent()
        self.spool = Spool(self.transport, options_in(folder), "local-1", ticks=clock)

    def assemble(self, driver: object, settings: object, guard: Any) -> Parts:
        self.may_assemble.wait()
        if self.error is not None:
            raise self.error
        application = SimpleNamespace(application_id="local-1", job="job")
        pipeline: Any = SimpleNamespace(
            counts={},
            application=application,
            stats=PipelineStats(),
            is_holding=False,
            due=lambda: (),
            drain=lambda: (),
        )
        events: Any = SimpleNamespace(
            has_served_failed=False,
            counts={"executions": 3, "executions failed": 2},
            stats=PipelineStats(),
            pending=frozenset(),
            end=lambda **_: (),
            run=lambda text, handle: handle(wire.read_line(text)) or (),
        )
        listener: Any = self.listener
        seconds = self.exit_seconds
        output: Any = SimpleNamespace(
            counts={},
            at_the_end=lambda *_: (),
            delayed=lambda *_, **__: (),
            delivered=lambda _: None,
            close=lambda: None,
        )
        emitter = Emitter(output, WriteCounter(), guard, lambda: 0)
        destinations = (Destination(emitter, self.spool, "ATLAS_HOOK", guard, lambda: 0),)
        source = ListenerSource(listener, events, guard)
        worker = Worker(source, pipeline, destinations, guard, seconds, clock=self.clock)
        calls = Instrumentor(guard)
        return Parts(
            listener=listener,
            pipeline=pipeline,
            destinations=destinations,
            worker=worker,
            calls=calls,
            exit_seconds=seconds,
            reports=Reports(),
            log=driver_log(FakeDriver(), FakeDriver().session(), application, found(), self.spool.name),
        )

    def start(self) -> Hook:
        self.attachment.start()
        return self.hook

    def await_end(self) -> None:
        """Wait until it has ended."""
        until(lambda: not self.hook.is_active)


def lines_at_the_end(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.getMessage().startswith("ended on ")]


@contextlib.contextmanager
def maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Bench]]:
    """Yield what makes benches; the last one is what `assemble` makes. At the end none of their threads is left."""
    monkeypatch.setattr(attachment, "JvmDriver", lambda _: FakeDriver())
    monkeypatch.setattr(session_settings, "read_settings", lambda *_: found())
    monkeypatch.setattr(hook, "HERE", Hooks())
    clock = HookClock()
    monkeypatch.setattr(hook, "Attachment", clock.attachment)
    # Until the settings are read, who attaches waits for the default.
    monkeypatch.setattr(DriverBounds, "attach_timeout_seconds", LONG_SECONDS)
    benches: list[Bench] = []

    def made(exit_seconds: float = EXIT_SECONDS) -> Bench:
        bench = Bench(tmp_path / str(len(benches)), exit_seconds, clock)
        benches.append(bench)
        monkeypatch.setattr(assembly, "assemble", bench.assemble)
        monkeypatch.setattr(attachment, "logger", Logger("sac_kafka"))  # one that has logged nothing so far
        return bench

    yield made
    for gate in clock.gates:  # their remaining log lines belong to this test, not to a later one
        gate.set()
    until(lambda: not clock.threads())
