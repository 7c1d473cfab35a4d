"""Wake-up of the worker: a request to end interrupts its current poll and needs no call to the JVM."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sac_kafka.hook.listener_source import Waker
from sac_kafka.hook.worker import IDLE_POLL_MS, POLL_MS
from sac_kafka.spark.listener import GoneError
from sac_kafka.transport.base import DeliveryCallback, Failure, FailureKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.helpers.waiting import LONG_SECONDS, until
from tests.helpers.workers import Bench, Script, batch


class Waiting(Script):
    """A listener that blocks in a poll until it is woken, or for a minute."""

    def __init__(self) -> None:
        super().__init__([])
        self.polled = threading.Event()

    def poll(self, wait_ms: int) -> str | None:
        self.polled.set()
        if not self.marks:
            assert self.woken.wait(2 * LONG_SECONDS)
            return None
        return super().poll(wait_ms)


def test_request_to_end_interrupts_the_poll(tmp_path: Path) -> None:
    script = Waiting()
    bench = Bench(tmp_path, script)
    thread = threading.Thread(target=bench.run)
    thread.start()
    assert script.polled.wait(LONG_SECONDS)

    bench.worker.finish(2 * LONG_SECONDS)

    assert bench.worker.done.wait(LONG_SECONDS)
    assert script.marks
    assert bench.worker.not_handled == {}
    thread.join()


def test_its_thread_ends_with_the_worker(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    Bench(tmp_path, Script([])).run()

    until(lambda: not [each for each in set(threading.enumerate()) - before if each.name == "sac-kafka-wake"])


def test_missing_jvm_is_no_error() -> None:
    class Gone(Script):
        def wake(self) -> None:
            super().wake()
            raise GoneError("wake: connection refused")

    script = Gone([])
    waker = Waker(script)
    for _ in range(2):
        waker.ask()
    waker.end()

    waker._run()

    assert script.woken.is_set()


class Slow(MemoryTransport):
    """A transport that reports the outcome of a record two services later."""

    def __init__(self, failure: Failure | None) -> None:
        super().__init__()
        self.failure = failure
        self.waiting: list[tuple[int, DeliveryCallback]] = []

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        self.waiting.append((2, outcome))

    def service(self, timeout_seconds: float) -> None:
        del timeout_seconds
        due = [outcome for left, outcome in self.waiting if not left]
        self.waiting = [(left - 1, outcome) for left, outcome in self.waiting if left]
        for outcome in due:
            outcome(self.failure)


@pytest.mark.parametrize(
    ("failure", "then"), [(None, IDLE_POLL_MS), (Failure(FailureKind.TRANSIENT, "no broker"), POLL_MS)]
)
def test_poll_is_short_while_records_are_in_flight_or_fail(failure: Failure | None, then: int, tmp_path: Path) -> None:
    script = Script([None, batch("ctas"), None, None, None])
    bench = Bench(tmp_path, script, Slow(failure))

    bench.worker.run()

    assert script.waits[:3] == [IDLE_POLL_MS, IDLE_POLL_MS, POLL_MS]
    assert script.waits[4:] == [then] * (len(script.waits) - 4)
