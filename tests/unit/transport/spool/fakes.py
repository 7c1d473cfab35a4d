"""A transport that keeps its contract (`base.Transport`), whose broker fails as a test wants; and time that it makes."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.stages.output import Position
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.spool_options import options_in

NOW = 1_800_000_000.0


class FakeTransport:
    """Queues records; `service` delivers them to `arrived`, or fails all while `failure_kind` is set.

    After `good` more records it begins to fail. `refuses` decides which records are rejected, `fails_on` which fail
    for a vague reason, `raises_on` which make it raise. While it `hangs` nothing has an outcome.
    """

    name = "fake"

    def __init__(self, *, is_late: bool = True) -> None:
        self.is_late = is_late
        self.failure_kind: FailureKind | None = None
        self.good: int | None = None
        self.hangs = False
        self.refuses: Callable[[Record], bool] = lambda record: False
        self.fails_on: Callable[[Record], bool] = lambda record: False
        self.raises_on: Callable[[Record], bool] = lambda record: False
        self.arrived: list[Record] = []
        self.attempts = 0
        self.queue: list[tuple[Record, DeliveryCallback]] = []
        self.is_closed = False

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        assert not self.is_closed
        self.queue.append((record, outcome))
        if not self.is_late:
            self.service(0)

    def service(self, timeout_seconds: float) -> None:
        while self.queue and not self.hangs:
            if self.good == 0:
                self.failure_kind, self.good = FailureKind.TRANSIENT, None
            if self.failure_kind is not None:
                self.attempts += 1
                self._fail_all(Failure(self.failure_kind, "no broker"))
                return
            if self.raises_on(self.queue[0][0]):
                self.attempts += 1
                raise RecursionError("maximum recursion depth exceeded")
            if self.fails_on(self.queue[0][0]):
                self.attempts += 1
                self._fail_all(Failure(FailureKind.TRANSIENT, "HTTP 500", is_ambiguous=True))
                return
            record, outcome = self.queue.pop(0)
            if self.refuses(record):
                outcome(Failure(FailureKind.REJECTED, "too large"))
                continue
            if self.good is not None:
                self.good -= 1
            self.arrived.append(record)
            outcome(None)

    def flush(self, timeout_seconds: float) -> int:
        self.service(timeout_seconds)
        return len(self.queue)

    def close(self, timeout_seconds: float) -> None:
        self.service(timeout_seconds)
        self._fail_all(Failure(FailureKind.TRANSIENT, "closed"))
        self.is_closed = True

    def problem(self) -> str | None:
        return None

    flush_slice_seconds = math.inf

    def retry_after(self) -> float:
        return 0.0

    def position(self) -> Position | None:
        return None

    def _fail_all(self, failure: Failure) -> None:
        while self.queue:
            _, outcome = self.queue.pop(0)
            outcome(failure)

    @property
    def numbers(self) -> list[int]:
        return [number_of(record) for record in self.arrived]


class Ticks:
    """Seconds that pass when the test wants."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A spool over a fake transport, and the outcomes of its records."""

    def __init__(self, directory: Path, *, transport: FakeTransport | None = None, **changes: object) -> None:
        self.transport = transport or FakeTransport()
        self.ticks = Ticks()
        options = options_in(directory, **{"destination": "0123abcd", **changes})
        self.spool = Spool(self.transport, options, "application_1_2", clock=lambda: NOW, ticks=self.ticks)
        self.outcomes: list[tuple[int, bool]] = []
        self.failures: dict[int, Failure | None] = {}

    def send(self, *numbers: int, **changes: object) -> None:
        for number in numbers:
            record = replace(message(number), **changes)
            self.spool.send(record, lambda failure, number=number: self._record(number, failure))

    def _record(self, number: int, failure: Failure | None) -> None:
        self.outcomes.append((number, failure is None))
        self.failures[number] = failure

    def service(self, times: int = 1) -> None:
        for _ in range(times):
            self.spool.service(0)

    def later(self, seconds: float = 1.0) -> None:
        """Let time pass, and the spool be served."""
        self.ticks.now += seconds
        self.service(4)

    def kill(self) -> None:
        """End as a killed process does: the system closes what it had open."""
        backlog = self.spool._writer.backlog
        for lock in (backlog._workspace.lock, *(each.lock for each in backlog._orphans._adopted)):
            if lock is not None:
                lock.drop()

    @property
    def counts(self) -> dict[str, int]:
        return {kind: count for kind, count in self.spool.counts.items() if count}


class Disk:
    """os.write that fails after so many bytes, as a full disk does: with a part of the last write on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        self._write = os.write
        monkeypatch.setattr("sac_kafka.transport.spool.segment.os.write", self.write)

    def write(self, descriptor: int, data: bytes) -> int:
        if self.left is None:
            return self._write(descriptor, data)
        if self.left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(descriptor, bytes(data)[: self.left])
        self.left -= written
        return written


def message(number: int, kind: MessageKind = MessageKind.FLOW, created: float = NOW) -> Record:
    value = b'{"version":{"version":"1.0.0"},"spooled":false,"message":{"n":%d}}' % number
    return Record("ATLAS_HOOK", b"application_1_2", (value,), kind, int(created * 1000))


def number_of(record: Record) -> int:
    return int(record.values[0].rpartition(b":")[2].rstrip(b"}"))
