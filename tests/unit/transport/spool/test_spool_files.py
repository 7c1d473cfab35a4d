"""Files of the spool that are damaged, foreign or elsewhere: every intact message is recovered, nothing is raised.

CI damages a sample of positions of a file of ten messages; `make nightly` every byte, in every way.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import fastavro
import pytest

from sac_kafka.transport.base import FailureKind, Record
from sac_kafka.transport.spool import codec
from sac_kafka.transport.spool.codec import StoredRecord, block, blocks, first_block
from sac_kafka.transport.spool.directory import read_file_name
from tests.helpers.spooled import kept, read_file, spool_files
from tests.unit.transport.spool.fakes import Bench, Disk, FakeTransport, message

COUNT = 10


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of ten messages of different lengths, as a driver left it."""
    directory = tmp_path_factory.mktemp("good")
    bench = Bench(directory)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    for number in range(COUNT):
        padding = b'{"spooled":false,"x":"%s","message":{"n":%d}}' % (b"y" * number**3, number)
        bench.send(number, values=(padding,))
    bench.service()
    bench.spool.close(0)
    (file,) = spool_files(directory)
    return file


def spans(good: Path) -> tuple[int, list[tuple[int, int]]]:
    """Return where the head ends, and the payloads of the messages, without length and marker."""
    data = good.read_bytes()
    writer, _ = read_file_name(good.name)
    start, marker = first_block(data, writer.name, writer.destination)
    found = []
    for each in blocks(data, start, marker):
        length = len(codec.encode(each.stored))
        found.append((each.end - 16 - length, each.end - 16))
    return start, found


def recovered(data: bytes, good: Path, directory: Path) -> list[int]:
    """Return what a driver delivers that finds a file of these bytes."""
    directory.mkdir()
    (directory / good.name).write_bytes(data)
    bench = Bench(directory)
    bench.send(99)
    bench.service(3)
    bench.spool.close(0)
    assert bench.outcomes == [(99, True)]
    assert bench.transport.numbers[-1] == 99
    left = [each.name for each in directory.rglob("*") if each.is_file()]
    assert not left or (left == [good.name] and (directory / "foreign" / good.name).exists()), left
    assert bench.counts.get("replayed", 0) + bench.counts.get("dropped", 0) >= len(bench.transport.numbers) - 1
    shutil.rmtree(directory)
    return bench.transport.numbers[:-1]


def test_any_avro_tool_can_read_a_file(good: Path) -> None:
    found = read_file(good)
    assert [each["id"] for each in found] == list(range(1, COUNT + 1))
    with good.open("rb") as stream:
        reader = fastavro.reader(stream)
        assert reader.writer_schema["name"] == "sac_kafka.SpooledMessage"
        assert reader.metadata["sac_kafka.destination"] == "0123abcd"
    with good.open("rb") as stream:
        assert [each.num_records for each in fastavro.block_reader(stream)] == [1] * COUNT


def positions(size: int, nightly: bool) -> range:
    return range(size) if nightly else range(0, size, 19)


@pytest.mark.slow
@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_a_truncated_file_is_recovered(good: Path, tmp_path: Path, nightly: bool) -> None:
    data = good.read_bytes()
    _, found = spans(good)
    for end in positions(len(data) + 1, nightly):
        whole = [number for number, (_, to) in enumerate(found) if to <= end]
        assert recovered(data[:end], good, tmp_path / "x") == whole, end


@pytest.mark.slow
@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_a_wrong_byte_costs_one_message(good: Path, tmp_path: Path, nightly: bool) -> None:
    data = good.read_bytes()
    _, found = spans(good)
    dice = random.Random(6)
    for at in positions(len(data), nightly):
        flipped = bytes([data[at] ^ (1 << dice.randrange(8) if dice.random() < 0.5 else dice.randrange(1, 256))])
        intact = [number for number, (start, to) in enumerate(found) if not start <= at < to]
        assert recovered(data[:at] + flipped + data[at + 1 :], good, tmp_path / "x") == intact, at


def header_damages(head: int, nightly: bool) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
    """Yield damages of two bytes of the header, with a label: lost, added, or wrong, together or apart."""
    dice = random.Random(11)
    for at in positions(head - 1, nightly):
        yield f"two lost at {at}", lambda data, at=at: data[:at] + data[at + 2 :]
        yield f"two more at {at}", lambda data, at=at: data[:at] + b"\x02\x02" + data[at:]
        yield f"a pair wrong at {at}", lambda data, at=at: data[:at] + b"\xff\x00" + data[at + 2 :]
        one, two = sorted(dice.sample(range(head), 2))
        yield (
            f"lost at {one} and {two}",
            lambda data, one=one, two=two: data[:one] + data[one + 1 : two] + data[two + 1 :],
        )
    for at in range(head - 20, head):
        yield f"two lost at {at}", lambda data, at=at: data[:at] + data[at + 2 :]
    for lost in (1, 2, 90, head - 20, head - 16, head - 1, head):
        yield f"the first {lost} lost", lambda data, lost=lost: data[lost:]


@pytest.mark.slow
@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_a_damaged_header_costs_no_message(good: Path, tmp_path: Path, nightly: bool) -> None:
    data = good.read_bytes()
    head, _ = spans(good)
    for label, damage in header_damages(head, nightly):
        assert recovered(damage(data), good, tmp_path / "x") == list(range(COUNT)), label


@pytest.mark.slow
@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_two_bytes_lost_or_added_cost_the_messages_that_they_are_in(good: Path, tmp_path: Path, nightly: bool) -> None:
    data = good.read_bytes()
    _, found = spans(good)
    between = {at for _, end in found for at in range(end, min(end + 22, len(data) - 1))}
    for at in sorted(between | set(positions(len(data) - 1, nightly))):
        lost = [n for n, (start, to) in enumerate(found) if not (start < at + 2 and at < to)]
        assert recovered(data[:at] + data[at + 2 :], good, tmp_path / "x") == lost, f"lost at {at}"
        added = [n for n, (start, to) in enumerate(found) if not start < at < to]
        assert recovered(data[:at] + b"\x02\x02" + data[at:], good, tmp_path / "x") == added, f"added at {at}"


@pytest.mark.slow
def test_a_damaged_header_before_one_message_costs_none(good: Path, tmp_path: Path) -> None:
    data = good.read_bytes()
    head, found = spans(good)
    end = found[0][1] + codec.MARKER_BYTES
    for label, damage in header_damages(head, nightly=False):
        assert recovered(damage(data[:end]), good, tmp_path / "x") == [0], label


@pytest.mark.parametrize(
    "tail", [b"\0" * 5000, b"\xff" * 5000, b"\x02" * 5000, b"Obj\x01" * 1000, random.Random(1).randbytes(9000)]
)
def test_a_foreign_tail_is_ignored(good: Path, tmp_path: Path, tail: bytes) -> None:
    data = good.read_bytes()
    assert recovered(data + tail, good, tmp_path / "x") == list(range(COUNT))


@pytest.mark.parametrize("hole", [b"", b"\0" * 3000, random.Random(2).randbytes(3000), b"\x02\x10" * 500])
def test_messages_behind_a_hole_are_found(good: Path, tmp_path: Path, hole: bytes) -> None:
    data = good.read_bytes()
    _, found = spans(good)
    start, end = found[3][0] + 5, found[5][1] - 5
    assert recovered(data[:start] + hole + data[end:], good, tmp_path / "x") == [0, 1, 2, 6, 7, 8, 9]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_many_wrong_bytes_raise_nothing(good: Path, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    data = bytearray(good.read_bytes())
    _, found = spans(good)
    wrong = {dice.randrange(len(data)) for _ in range(dice.choice([2, 5, 50]))}
    for at in wrong:
        data[at] ^= dice.randrange(1, 256)
    some = recovered(bytes(data), good, tmp_path / "x")
    assert some == sorted(set(some))
    whole = {n for n, (start, to) in enumerate(found) if not any(start <= at < to for at in wrong)}
    assert set(some) <= whole


def test_two_damaged_messages_are_counted(good: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = bytearray(good.read_bytes())
    _, found = spans(good)
    for number in (2, 7):
        data[found[number][0] + 9] ^= 1
    (tmp_path / good.name).write_bytes(data)
    bench = Bench(tmp_path)
    bench.service(3)
    assert bench.counts == {"replayed": 8, "dropped": 2}
    assert bench.spool.reasons == {"a damaged message in a spool file": 2}
    assert "a damaged message" in caplog.text


@pytest.mark.parametrize(
    "content", [b"this is no Avro file", b"\x89PNG" * 500, b"Obj\x01garbage" * 90], ids=["text", "binary", "torn"]
)
def test_a_foreign_file_with_a_spool_name_is_moved_aside_once(
    good: Path, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    (tmp_path / good.name).write_bytes(content)
    for _ in range(2):
        bench = Bench(tmp_path)
        bench.service()
        bench.spool.close(0)
    assert (tmp_path / "foreign" / good.name).read_bytes() == content
    assert caplog.text.count("is no spool file") == 1


def test_an_avro_file_of_another_schema_is_moved_aside(good: Path, tmp_path: Path) -> None:
    with (tmp_path / good.name).open("wb") as stream:
        fastavro.writer(stream, {"type": "record", "name": "x", "fields": [{"name": "a", "type": "int"}]}, [{"a": 1}])
    Bench(tmp_path).service()
    assert [each.name for each in (tmp_path / "foreign").iterdir()] == [good.name]


def test_files_of_other_names_are_not_touched(good: Path, tmp_path: Path) -> None:
    for name in ("sent-0123.json", "notes.avro", "x.lock", "application-1.avro", f"{good.name}.bak"):
        (tmp_path / name).write_bytes(b"theirs")
    (tmp_path / "victim.avro").write_bytes(good.read_bytes())
    (tmp_path / good.name).symlink_to(tmp_path / "victim.avro")
    bench = Bench(tmp_path)
    bench.send(1)
    bench.service()
    bench.spool.close(0)
    assert bench.transport.numbers == [1]
    assert len(list(tmp_path.iterdir())) == 7


def test_a_file_with_another_head_is_read(good: Path, tmp_path: Path) -> None:
    """Another version of fastavro may write the same schema in other words."""
    records = read_file(good)
    with (tmp_path / good.name).open("wb") as stream:
        fastavro.writer(stream, dict(codec.SCHEMA), [], metadata={"more": "x" * 40}, sync_marker=b"0123456789abcdef")
        for each in blocks(good.read_bytes(), *first_block(good.read_bytes(), *parts_of(good))):
            stream.write(block(codec.encode(each.stored), b"0123456789abcdef"))
    assert read_file(tmp_path / good.name) == records
    bench = Bench(tmp_path)
    bench.service()
    assert bench.transport.numbers == list(range(COUNT))


def parts_of(file: Path) -> tuple[str, str]:
    writer, _ = read_file_name(file.name)
    return writer.name, writer.destination


@pytest.mark.parametrize("cursor", [b"", b"nonsense", b"%020d\n" % 999_999, b"%020d\n" % 700, b"\xff" * 21])
def test_an_invalid_cursor_costs_only_duplicates(good: Path, tmp_path: Path, cursor: bytes) -> None:
    shutil.copy(good, tmp_path / good.name)
    (tmp_path / f"{good.name}.ack").write_bytes(cursor)
    bench = Bench(tmp_path)
    bench.service()
    assert bench.transport.numbers == list(range(COUNT))
    bench.spool.close(0)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_record_is_restored_unchanged() -> None:
    for record in (
        message(1),
        Record("τ", None, (b"",)),
        Record("t", b"\0\xff", tuple(b"%d" % n * n for n in range(300)), created_ms=-1),
        replace(message(2), values=(os.urandom(300_000),)),
    ):
        for reason in (None, "no broker", "ü" * 300):
            assert codec.decode(codec.encode(StoredRecord(7, record, reason))) == StoredRecord(7, record, reason)


# ---- disks


@pytest.mark.parametrize("room", [0, 10, 700, 1000])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_full_disk_costs_only_undeliverable_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, is_first: bool
) -> None:
    disk = Disk(monkeypatch)
    bench = Bench(tmp_path, is_first=is_first)
    disk.left = room
    bench.send(1, 2, 3)
    bench.service()
    assert bench.counts == {"delivered": 3}  # what can be delivered needs no disk
    disk.left = room
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(*range(4, 10))
    bench.service()
    kept_now = bench.counts.get("spooled", 0)
    assert bench.counts.get("dropped", 0) == 6 - kept_now
    if kept_now < 6:
        assert any("No space left on device" in reason for reason in bench.spool.reasons)
    disk.left = None
    bench.send(10, 11)
    bench.transport.failure_kind = None
    bench.later()
    bench.spool.close(0)
    arrived = bench.transport.numbers
    assert arrived == sorted(arrived)
    assert arrived[:3] == [1, 2, 3] and arrived[-2:] == [10, 11]
    assert len(arrived) == 5 + kept_now
    assert sorted(bench.outcomes) == sorted([(n, n in arrived) for n in range(1, 12)])
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_removed_is_made_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "spool")
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2)
    bench.service()
    shutil.rmtree(tmp_path / "spool")
    bench.send(3)
    bench.service()
    assert [each["id"] for each in kept(tmp_path / "spool")] == [3]
    bench.transport.failure_kind = None
    bench.later()
    assert bench.transport.numbers == [1, 2, 3]  # the first file is gone by name only
    bench.spool.close(0)
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_file_that_is_removed_later_is_counted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, rollover_seconds=0.0)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, 2, 3)
    bench.service()
    spool_files(tmp_path)[0].unlink()
    bench.transport.failure_kind = None
    bench.later()
    assert bench.transport.numbers == [2, 3]
    assert bench.counts == {"delivered": 2, "dropped": 1}
    assert bench.outcomes == [(1, False), (2, True), (3, True)]


def test_an_unwritable_place_is_reported_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file where the directory should be")
    bench = Bench(tmp_path / "spool" / "deep")
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    assert bench.counts == {"dropped": 1}
    assert any("cannot be written" in reason for reason in bench.spool.reasons)
    (tmp_path / "spool").unlink()
    bench.send(2)
    assert bench.counts == {"dropped": 1, "spooled": 1}


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir(mode=0o500)
    bench = Bench(tmp_path / "spool")
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    assert bench.spool.directory.name.startswith("spool-")
    assert len(spool_files(bench.spool.directory)) == 1


def test_the_oldest_messages_make_room(tmp_path: Path) -> None:
    first = Bench(tmp_path, max_bytes=200_000)
    first.transport.failure_kind = FailureKind.TRANSIENT
    padding = b'{"x":"%s","message":{"n":0}}' % (b"y" * 2000)
    for number in range(300):
        first.send(number, values=(padding[:-3] + b"%d}}" % number,))
    first.service()
    assert sum(each.stat().st_size for each in spool_files(tmp_path)) <= 200_000
    assert first.counts["spooled"] + first.counts["dropped"] == 300
    assert first.spool.reasons_by_kind == {
        "dropped": {
            "spool full (atlas.hook.spark.spool.max.bytes): dropped the oldest messages": first.counts["dropped"]
        },
        "rejected": {},
        "spooled": {"no broker": first.counts["spooled"]},
    }
    first.transport.failure_kind = None
    first.later()
    first.spool.flush(5)
    arrived = first.transport.numbers
    assert arrived == list(range(300 - len(arrived), 300))
    assert 50 < len(arrived) == first.counts["delivered"]
    assert sorted(first.outcomes) == [(n, n in arrived) for n in range(300)]


def test_a_message_that_is_larger_than_the_spool_is_dropped(tmp_path: Path) -> None:
    bench = Bench(tmp_path, max_bytes=100_000)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1, values=(b"x" * 200_000,))
    bench.service()
    assert bench.counts == {"dropped": 1}


def test_without_locks_files_of_others_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import fcntl

    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    caplog.set_level(logging.INFO)
    monkeypatch.setattr(fcntl, "flock", no_locks)
    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    first.send(1)
    first.spool.close(0)
    second = Bench(tmp_path)
    second.send(2)
    second.service(2)
    second.spool.close(0)
    assert second.transport.numbers == [2]
    assert caplog.text.count("are not replayed: locks are not supported") == 1
    third = Bench(tmp_path, without_locks=True)
    third.service(2)
    assert third.transport.numbers == [1]


def test_locks_of_nothing_are_removed(tmp_path: Path, good: Path) -> None:
    writer, _ = read_file_name(good.name)
    (tmp_path / writer.lock_name).touch()
    bench = Bench(tmp_path)
    bench.service()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_large_backlog_is_replayed_with_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    first = Bench(tmp_path)
    first.transport.failure_kind = FailureKind.TRANSIENT
    for number in range(600):
        first.send(number, values=(b'{"x":"%s","message":{"n":%d}}' % (b"y" * 50_000, number),))
    first.service()
    first.spool.close(0)
    assert len(spool_files(tmp_path)) >= 3

    class Counting(FakeTransport):
        def service(self, timeout_seconds: float) -> None:
            super().service(timeout_seconds)
            self.seen = [*getattr(self, "seen", []), *self.numbers]
            self.arrived.clear()

    second = Bench(tmp_path, transport=Counting())
    tracemalloc.start()
    second.spool.flush(60)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert second.transport.seen == list(range(600))
    assert peak < 48 * 1024 * 1024


@pytest.mark.parametrize(
    "put",
    [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes(b"0" * 22),
        pytest.param(
            lambda path: (path.touch(), os.chown(path, 12345, 12345)),
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user"),
        ),
    ],
    ids=["pipe", "link", "too long", "of another user"],
)
def test_a_foreign_cursor_costs_only_duplicates(good: Path, tmp_path: Path, put: Callable[[Path], object]) -> None:
    shutil.copy(good, tmp_path / good.name)
    found, marker = spans(good)[1], 16
    cursor = tmp_path / f"{good.name}.ack"
    put(cursor)
    if cursor.is_file() and cursor.stat().st_uid == 12345:
        cursor.write_bytes(b"%020d\n" % (found[-1][1] + marker))  # all of it, as a thief would have it
    bench = Bench(tmp_path)
    bench.service(4)
    assert bench.transport.numbers == list(range(COUNT))
    bench.spool.close(1)
    assert list(tmp_path.iterdir()) == []


def test_the_schema_of_files_is_stable():
    """Drivers of other versions read the files: names in them do not follow the names in the code."""
    assert hashlib.sha256(json.dumps(codec.SCHEMA).encode()).hexdigest().startswith("d58ec924691c193a")
