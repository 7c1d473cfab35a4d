"""Files of earlier drivers: many of them, those of other users, and whose room is used when it is short."""

from __future__ import annotations

import gc
import logging
import os
import tempfile
import threading
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.transport.base import FailureKind, MessageKind, Record
from sac_kafka.transport.spool import locks, orphans
from sac_kafka.transport.spool.backlog import REJECTED_REMOVED
from sac_kafka.transport.spool.directory import default_directory
from sac_kafka.transport.spool.inspection import FileState, inspect, messages
from sac_kafka.transport.spool.locks import LocksUnsupportedError
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.outcomes import SpoolPhase
from sac_kafka.transport.spool.segment import Segment
from tests.helpers.spooled import given_to_another_user, kept, spool_files
from tests.helpers.waiting import LONG_SECONDS
from tests.unit.transport.spool.fakes import NOW, Bench, number_of


def leave(directory: Path | None, *numbers: int, size: int = 0, **changes: object) -> Path:
    """Return the file of a driver that has ended."""
    bench = Bench(directory, **changes)
    bench.spool._lifecycle.phase = SpoolPhase.OPEN  # it takes nothing over
    bench.transport.failure_kind = FailureKind.TRANSIENT
    for number in numbers:
        bench.send(number, values=(long(number, size),))
    bench.service()
    bench.spool.close(0)
    return spool_files(bench.spool.directory)[-1]


def long(number: int, size: int) -> bytes:
    return b'{"spooled":false,"x":"%s","message":{"n":%d}}' % (b"y" * size, number)


def open_files() -> int:
    gc.collect()  # what other tests have left open
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "MAX_WRITERS", 2)


# ---- many earlier drivers


@pytest.mark.usefixtures("two_at_a_time")
@pytest.mark.parametrize("good", [None, 3, 4, 5])
def test_many_files_are_adopted_a_few_at_a_time_and_sent_before_the_own(tmp_path: Path, good: int | None) -> None:
    for number in range(7):
        leave(tmp_path, 2 * number, 2 * number + 1)
    bench = Bench(tmp_path, batch_records=3)
    bench.transport.hangs = True
    bench.send(100, 101)
    figures = bench.spool.figures
    assert (figures["files"], figures["records"]) == (8, 16)
    assert len(bench.spool._writer.backlog._orphans._adopted) == 2
    bench.transport.hangs, bench.transport.good = False, good
    bench.service(2)
    bench.send(102)
    bench.transport.failure_kind = bench.transport.good = None
    for _ in range(30):
        left = bench.spool.figures["records"]
        assert left == 17 - len(bench.transport.numbers)
        assert len(bench.spool._writer.backlog._orphans._adopted) <= 2
        bench.later()
    assert bench.transport.numbers == [*range(14), 100, 101, 102]
    assert bench.counts == {"delivered": 3, "replayed": 14}
    bench.spool.close(1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are counted in /proc")
def test_many_earlier_drivers_do_not_exhaust_file_descriptors(tmp_path: Path) -> None:
    for number in range(80):
        leave(tmp_path, number)
    before = open_files()
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.service()
    assert open_files() - before <= orphans.MAX_WRITERS
    assert bench.spool.figures["records"] == 80
    bench.spool.close(0)
    assert open_files() == before
    assert len(spool_files(tmp_path)) == 80


@pytest.mark.usefixtures("two_at_a_time")
def test_files_adopted_by_another_driver_are_left_to_it(tmp_path: Path) -> None:
    for number in range(5):
        leave(tmp_path, number)
    first = Bench(tmp_path)
    first.transport.hangs = True
    first.service()
    first.send(9)
    second = Bench(tmp_path)
    second.service(5)
    assert second.transport.numbers == [2, 3, 4]
    first.transport.hangs = False
    first.service(5)
    assert first.transport.numbers == [0, 1, 9]
    assert first.spool.figures["records"] == 0


@pytest.mark.usefixtures("two_at_a_time")
def test_the_oldest_files_make_room_before_their_turn(tmp_path: Path) -> None:
    for number in range(5):
        leave(tmp_path, number, size=15_000)
    bench = Bench(tmp_path, max_bytes=80_000)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.service()
    for number in range(9, 12):
        bench.send(number, values=(long(number, 15_000),))
    assert bench.counts == {"dropped": 3, "spooled": 3}
    bench.transport.failure_kind = None
    bench.later()
    bench.spool.flush(1)
    assert bench.transport.numbers == [3, 4, 9, 10, 11]
    assert bench.spool.figures["records"] == 0


@pytest.mark.usefixtures("two_at_a_time")
def test_locks_are_released_when_a_later_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        leave(tmp_path, number)
    known = iter((True, True, False))
    try_lock = locks.try_lock

    def sometimes(path: Path) -> locks.Lock | None:
        if not next(known):
            raise LocksUnsupportedError(37, "no locks", str(path))
        return try_lock(path)

    with monkeypatch.context() as patch:
        patch.setattr(orphans, "try_lock", sometimes)
        bench = Bench(tmp_path)
        bench.service()
        assert bench.spool.figures["records"] == 0
    after = Bench(tmp_path)
    after.service(4)
    assert after.transport.numbers == [0, 1, 2]


# ---- other users


def test_a_file_of_another_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    file = leave(tmp_path, 1)
    given_to_another_user(file, monkeypatch)
    bench = Bench(tmp_path)
    bench.send(2)
    bench.service(3)
    assert bench.transport.numbers == [2]
    assert file.exists()
    assert "it belongs to another user" in caplog.text
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # only root may adopt them
    of_root = Bench(tmp_path, of_anyone=True)
    of_root.service(3)
    assert of_root.transport.numbers == [1]


def test_only_root_sees_files_of_other_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = leave(tmp_path, 1)
    given_to_another_user(file, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    (found,) = inspect(tmp_path)
    assert (found.state, found.messages, list(messages(found))) == (FileState.UNREADABLE, 0, [])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (found,) = inspect(tmp_path)
    assert (found.state, len(list(messages(found)))) == (FileState.WAITING, 1)


@pytest.mark.parametrize("is_named", [False, True])
def test_nothing_is_adopted_from_a_directory_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_named: bool
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    named = tmp_path / "spool" if is_named else None
    if named:
        named.write_text("not a directory: <directory>-<user> is used")
    file = leave(named, 1)
    given_to_another_user(file.parent, monkeypatch)
    assert is_named or file.parent == default_directory()
    bench = Bench(named)
    bench.send(2)
    bench.service(3)
    assert bench.transport.numbers == [2]
    assert file.exists()
    assert "is a link or belongs to another user" in caplog.text


# ---- room


def test_rejected_messages_take_no_room_from_waiting_ones(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(tmp_path, max_bytes=80_000)
    bench.transport.refuses = lambda record: number_of(record) < 100
    for number in range(30):
        bench.send(number, values=(long(number, 2000),))
        bench.service()
    assert bench.counts == {"rejected": 30}
    assert sum(each.stat().st_size for each in spool_files(tmp_path / "rejected")) <= 10_000 + 3000
    left = [each["id"] for each in kept(tmp_path / "rejected")]
    assert left == list(range(31 - len(left), 31))
    assert bench.spool.reasons == {"too large": 30, REJECTED_REMOVED: 30 - len(left)}
    assert caplog.text.count("rejected messages are deleted") == 1
    bench.transport.failure_kind = FailureKind.TRANSIENT
    for number in range(100, 130):
        bench.send(number, values=(long(number, 2000),))
    bench.service()
    assert bench.counts == {"rejected": 30, "spooled": 30}
    bench.send(130, values=(long(130, 12_000),))
    assert bench.counts == {"rejected": 30, "spooled": 31}
    assert spool_files(tmp_path / "rejected") == []  # it goes before anything that waits
    assert bench.spool.reasons[REJECTED_REMOVED] == 30


def test_a_rejected_message_drops_no_waiting_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, max_bytes=80_000, batch_records=1)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    for number in range(4):
        bench.send(number, values=(long(number, 18_000),))
    bench.service()
    assert bench.counts == {"spooled": 4}
    bench.transport.failure_kind = None
    bench.transport.refuses = lambda record: number_of(record) == 0
    bench.later()
    assert bench.transport.numbers == [1, 2, 3]
    assert bench.counts == {"delivered": 3, "rejected": 1}
    assert any("reach atlas.hook.spark.spool.max.bytes" in each for each in bench.spool.reasons)


def test_a_message_longer_than_the_spool_costs_no_other(tmp_path: Path) -> None:
    leave(tmp_path, 1, 2)
    bench = Bench(tmp_path, max_bytes=100_000)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(3)
    bench.send(4, values=(long(4, 100_000),))
    bench.service()
    assert bench.counts == {"dropped": 1, "spooled": 1}
    assert bench.spool.figures["records"] == 3
    assert any("the message is longer than" in each for each in bench.spool.reasons)


def test_a_living_writers_files_are_not_even_opened_to_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = Bench(tmp_path, destination="ffffffff")
    living.transport.failure_kind = FailureKind.TRANSIENT
    living.send(1, values=(long(1, 60_000),))
    living.service()
    bench = Bench(tmp_path, max_bytes=100_000)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    opened: list[Path] = []
    monkeypatch.setattr(Segment, "open", lambda self, **_: opened.append(self.path))
    bench.send(2, values=(long(2, 60_000),))
    bench.service()
    assert bench.counts == {"dropped": 1}
    assert opened == []


# ---- descriptors, windows, clocks, disks that hang


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are counted in /proc")
def test_foreign_files_are_closed(tmp_path: Path) -> None:
    for number in range(8):
        leave(tmp_path, number).write_bytes(b"garbage" * 99)
    before = open_files()
    bench = Bench(tmp_path)
    bench.service()
    assert len(list((tmp_path / "foreign").iterdir())) == 8
    bench.spool.close(0)
    assert open_files() == before


@pytest.mark.parametrize("window_bytes", [0, 1])
def test_a_window_that_is_too_narrow_lets_one_through(tmp_path: Path, window_bytes: int) -> None:
    bench = Bench(tmp_path, window_bytes=window_bytes)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2, 3)
    bench.service()
    bench.transport.failure_kind = None
    bench.later()
    bench.spool.flush(1)
    assert bench.transport.numbers == [1, 2, 3]


@pytest.mark.parametrize("memory", ["0", "1", "2"])
def test_the_window_is_never_empty(memory: str) -> None:
    assert options_of(Settings.read({"atlas.kafka.buffer.memory": memory}, "test")).window_bytes == 1


@pytest.mark.parametrize(("seconds", "numbers"), [(60, [1, 2]), (599, [1, 2]), (601, [2]), (86_400, [2])])
def test_definitions_from_the_future_are_not_replayed(tmp_path: Path, seconds: int, numbers: list[int]) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    ahead = int((NOW + seconds) * 1000)
    first.send(1, kind=MessageKind.CATALOG, created_ms=ahead)
    first.send(2, created_ms=ahead)
    first.spool.close(0)
    second = Bench(tmp_path)
    second.service(3)
    assert second.transport.numbers == numbers
    assert second.counts.get("dropped", 0) == 2 - len(numbers)


def test_queries_of_the_spool_return_while_the_disk_hangs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.hangs = True
    bench.send(1, 2)
    held, over = threading.Event(), threading.Event()

    def hang() -> None:
        with bench.spool._lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    try:
        assert held.wait(LONG_SECONDS)
        # Each call returns while the other thread still holds the lock.
        assert bench.counts == {}
        assert bench.spool.reasons == {}
        assert bench.spool.figures["records"] == 0
        assert not bench.spool.abandon("out of time")
    finally:
        over.set()
        thread.join()
    assert bench.spool.abandon("out of time")
    assert bench.counts == {"spooled": 2}


def test_abandon_reports_messages_that_could_not_be_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path, max_bytes=100_000)
    bench.transport.hangs = True
    bench.send(1)
    bench.spool.send(Record("t", None, (b"x" * 200_000,)), lambda _: None)
    bench.send(2, 3)
    assert not bench.spool.abandon("out of time")
    assert bench.counts == {"spooled": 3, "dropped": 1}
