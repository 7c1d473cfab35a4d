"""Several drivers and one directory: files of living and dead drivers, of forks, and of other destinations."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path

import pytest

from sac_kafka.transport.base import FailureKind
from tests.helpers.spooled import spool_files
from tests.unit.transport.spool.fakes import Bench
from tests.unit.transport.spool.spooled_numbers import numbers_in


def test_a_living_driver_keeps_its_files_for_another_destination(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1)
    first.service()
    caplog.set_level(logging.WARNING)
    caplog.clear()
    other = Bench(tmp_path, destination="ffffffff")
    other.send(2)
    other.service()
    assert caplog.text == ""
    first.spool.close(0)


def test_files_for_another_destination_are_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1)
    first.spool.close(1)

    caplog.set_level(logging.WARNING)
    other = Bench(tmp_path, destination="ffffffff")
    other.send(2)
    other.service()
    other.spool.close(1)
    assert "holds messages for another destination" in caplog.text
    assert caplog.text.count("sac-kafka spool replay --any-destination") == 1
    assert re.search(r"the oldest (less than an hour|1 hour|\d+ (hours|days)) old", caplog.text)
    anyone = Bench(tmp_path, destination=None)
    anyone.service(2)

    assert other.transport.numbers == [2]
    assert anyone.transport.numbers == [1]


def test_files_of_a_living_writer_are_never_touched(tmp_path: Path) -> None:
    first, second = Bench(tmp_path), Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1)
    first.service()
    second.send(2)
    second.service(2)
    assert second.transport.numbers == [2]
    second.spool.close(1)

    first.transport.failure_kind = None
    first.later()
    assert first.transport.numbers == [1]


def test_two_drivers_never_replay_the_same_file(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1, 2)
    first.spool.close(1)

    second, third = Bench(tmp_path), Bench(tmp_path)
    second.transport.hangs = True
    second.service()
    third.service(2)
    second.transport.hangs = False
    second.service(2)

    assert (second.transport.numbers, third.transport.numbers) == ([1, 2], [])


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_fork_writes_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    before = [file.read_bytes() for file in spool_files(tmp_path)]
    child = os.fork()
    if child == 0:
        bench.send(2)
        bench.spool.abandon("fork")
        bench.spool.close(1)
        os._exit(0 if bench.outcomes == [(2, False)] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [file.read_bytes() for file in spool_files(tmp_path)] == before
    bench.send(3)
    bench.spool.close(1)
    assert numbers_in(tmp_path) == [1, 3]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_does_not_hold_the_lock_of_its_dead_parent(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    bench.kill()
    after = Bench(tmp_path)
    after.service(2)
    os.write(go[1], b"x")
    os.waitpid(child, 0)
    assert after.transport.numbers == [1]
