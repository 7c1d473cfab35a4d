"""The journal keeps events until they are released, whatever happens to its process."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.bridge import journal as module
from sac_kafka.bridge.journal import FullError, Journal
from sac_kafka.errors import ConfigurationError
from sac_kafka.transport import private_files


def texts(journal: Journal, number: int = 100) -> list[str]:
    return [each.event for each in journal.read(number)]


def test_events_are_read_in_order_and_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 10_000)
    assert texts(journal) == []
    journal.append(["a", "b"])
    assert texts(journal, 1) == ["a"]
    journal.append(["c"])
    assert texts(journal) == ["b", "c"]
    assert texts(journal) == []


def test_next_process_reads_what_was_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEGMENT_BYTES", 4)
    journal = Journal(tmp_path, 10_000)
    for text in ("aaaa", "bbbb", "cccc"):
        journal.append([text])
    places = {each.event: each.place for each in journal.read(100)}
    journal.release(places["bbbb"])
    journal.close()
    following = Journal(tmp_path, 10_000)
    assert texts(following) == ["bbbb", "cccc"]
    following.append(["dddd"])
    assert texts(following) == ["dddd"]
    following.rotate()
    assert texts(following) == []
    following.release(following.current)
    assert following.bytes == 0
    following.append(["eeee"])
    assert texts(following) == ["eeee"]


def test_line_that_was_torn_by_a_kill_is_left_out(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["whole"])
    journal.close()
    (file,) = tmp_path.glob("*.events")
    with file.open("ab") as end:
        end.write(b'{"torn')
    following = Journal(tmp_path, 10_000)
    following.append(["next"])
    assert texts(following) == ["whole", "next"]


def test_limit_is_an_error_and_keeps_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 10)
    journal.append(["12345"])
    with pytest.raises(FullError, match="10 bytes"):
        journal.append(["12345"])
    assert texts(journal) == ["12345"]


def test_one_bridge_has_a_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 10_000)
    with pytest.raises(ConfigurationError, match="another bridge"):
        Journal(tmp_path, 10_000)
    journal.close()
    Journal(tmp_path, 10_000).close()


def test_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="spool"):
        Journal(tmp_path / "file", 10_000)


@pytest.mark.slow
def test_threads_append_while_another_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEGMENT_BYTES", 200)
    journal = Journal(tmp_path, 10_000_000)
    threads = [
        threading.Thread(target=lambda n=n: [journal.append([f"{n}-{at}"]) for at in range(50)]) for n in range(4)
    ]
    for each in threads:
        each.start()
    found: list[str] = []
    while any(each.is_alive() for each in threads):
        found += texts(journal, 7)
        journal.release(journal.current)
    found += texts(journal, 1_000)
    assert sorted(found) == sorted(f"{n}-{at}" for n in range(4) for at in range(50))
    assert [each for each in found if each.startswith("2-")] == [f"2-{at}" for at in range(50)]


def test_few_large_events_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_READ_BYTES", 10)
    journal = Journal(tmp_path, 10_000)
    journal.append(["x" * 8, "y" * 8, "z" * 30])
    assert [len(texts(journal)) for _ in range(4)] == [2, 1, 0, 0]


def fail(number: int) -> Callable[..., Any]:
    """Return a system call that fails."""

    def call(*_: object) -> Any:
        raise OSError(number, os.strerror(number))

    return call


def next_process(journal: Journal, folder: Path) -> list[str]:
    """Return what a journal leaves to the next one, which ends."""
    journal.close()
    following = Journal(folder, 10_000)
    found = texts(following)
    following.close()
    return found


def test_write_that_fails_midway_while_the_worker_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    assert texts(journal) == ["first"]
    real, lines, is_partial = os.write, journal._lines, iter([True])

    def read_lines(*arguments: Any) -> Any:
        """Read as the worker does that is slower than a write of another thread."""
        read_meanwhile = []

        def write(descriptor: int, data: bytes) -> int:
            if next(is_partial, False):
                return real(descriptor, data[:20])
            read_meanwhile.append(lines(*arguments))
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write)
            with pytest.raises(FullError, match="No space"):
                journal.append(["refused-1", "refused-2", "refused-3"])
        return read_meanwhile[0]

    with monkeypatch.context() as patch:
        patch.setattr(journal, "_lines", read_lines)
        assert texts(journal) == []
    journal.append(["confirmed"])
    assert texts(journal) == ["confirmed"]
    assert next_process(journal, tmp_path) == ["first", "confirmed"]


@pytest.mark.parametrize("fresh_bytes", [0, 10_000])
def test_events_are_not_read_before_the_disk_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_bytes: int
) -> None:
    monkeypatch.setattr(module, "_FRESH_BYTES", fresh_bytes)
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    read_meanwhile: list[str] = []
    real = os.fsync

    def sync(descriptor: int) -> None:
        read_meanwhile.extend(texts(journal))
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        journal.append(["second"])
    assert read_meanwhile == ["first"]
    assert texts(journal) == ["second"]


@pytest.mark.parametrize("fresh_bytes", [0, 10_000])
def test_sync_that_fails_keeps_nothing_and_the_next_event_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_bytes: int
) -> None:
    monkeypatch.setattr(module, "_FRESH_BYTES", fresh_bytes)
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail(errno.EIO))
            with pytest.raises(module.UnwritableError, match="Input/output"):
                journal.append(["refused"])
    assert journal.bytes == len("first\n")
    journal.append(["confirmed"])
    assert texts(journal) == ["first", "confirmed"]
    assert next_process(journal, tmp_path) == ["first", "confirmed"]


def test_sync_that_fails_when_a_new_file_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    assert texts(journal) == ["first"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail(errno.EIO))
        journal.rotate()
    for number in range(3):
        journal.append([f"confirmed-{number}"])
    assert texts(journal) == [f"confirmed-{number}" for number in range(3)]
    journal.release(journal.current)
    assert [file.stem for file in tmp_path.glob("*.events")] == ["00000002"]


def test_sync_that_fails_for_another_thread_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The events of a thread are written; before it waits for the disk, the worker begins a new file, whose sync fails."""
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    wait = journal._wait

    def rotate_first(*arguments: Any) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail(errno.EIO))
            journal.rotate()
        wait(*arguments)

    monkeypatch.setattr(journal, "_wait", rotate_first)
    with pytest.raises(FullError, match="Input/output"):
        journal.append(["refused"])
    monkeypatch.setattr(journal, "_wait", wait)
    journal.append(["confirmed"])
    assert texts(journal) == ["first", "confirmed"]
    assert next_process(journal, tmp_path) == ["first", "confirmed"]


def test_event_that_is_confirmed_read_and_released_before_its_thread_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, 10_000)
    wait = journal._wait

    def read_first(*arguments: Any) -> None:
        journal.rotate()
        assert texts(journal) == ["confirmed"]
        journal.release(journal.current)
        wait(*arguments)

    monkeypatch.setattr(journal, "_wait", read_first)
    journal.append(["confirmed"])


def test_errors_of_the_disk_leave_no_open_or_empty_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    before = len([*Path("/proc/self/fd").iterdir()])
    monkeypatch.setattr(os, "fsync", fail(errno.EIO))
    for _ in range(5):
        with pytest.raises(FullError):
            journal.append(["refused"])
    assert len([*Path("/proc/self/fd").iterdir()]) <= before
    assert len([*tmp_path.glob("*.events")]) == 1


def test_refused_events_that_cannot_be_removed_are_removed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail(errno.EIO))
        patch.setattr(os, "ftruncate", fail(errno.EIO))
        with pytest.raises(FullError):
            journal.append(["refused"])
    assert next_process(journal, tmp_path) == ["first"]


def test_partial_write_that_cannot_be_removed_is_removed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[:4]) if data == b"refused\n" else fail(errno.ENOSPC)()

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        patch.setattr(os, "ftruncate", fail(errno.EIO))
        for _ in range(2):
            with pytest.raises(FullError):
                journal.append(["refused"])
    journal.append(["confirmed"])
    assert texts(journal) == ["first", "confirmed"]
    assert next_process(journal, tmp_path) == ["first", "confirmed"]


def test_name_of_a_new_file_is_on_disk_before_its_events_are_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, 10_000)
    synced: list[str] = []
    real = os.fsync

    def sync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    journal.append(["a"])
    journal.append(["b"])
    assert synced == [tmp_path.name, "00000001.events", "00000001.events"]


def test_name_of_a_new_file_that_the_disk_cannot_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 10_000)
    with monkeypatch.context() as patch:
        patch.setattr(private_files, "sync_directory", fail(errno.EIO))
        with pytest.raises(FullError):
            journal.append(["refused"])
    journal.append(["confirmed"])
    assert texts(journal) == ["confirmed"]
    assert next_process(journal, tmp_path) == ["confirmed"]


def test_event_that_arrives_when_the_journal_is_closed_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["confirmed"])
    journal.close()
    following = Journal(tmp_path, 10_000)
    with pytest.raises(FullError, match="has ended"):
        journal.append(["refused"])
    following.append(["next"])
    assert texts(following) == ["confirmed", "next"]
