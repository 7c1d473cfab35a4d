"""Runs that wait for long are on disk, and come back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sac_kafka.bridge.spill import SpillFile
from sac_kafka.openlineage import open_runs
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import OpenRuns, Store
from tests.unit.openlineage.small_events import dataset, event, schema

LIMIT = 1_000_000


def pages(store: SpillFile) -> int:
    assert store._database is not None
    ((number,),) = store._database.execute("PRAGMA page_count").fetchall()
    return int(number)


def test_room_is_used_again(tmp_path: Path) -> None:
    store = SpillFile(tmp_path, LIMIT)
    numbers = {data: store.put(data) for data in (b"a" * 300, b"", b"b" * 5_000)}
    size = pages(store)
    for _ in range(100):
        store.free(numbers.pop(b"a" * 300))
        numbers[b"a" * 300] = store.put(b"a" * 300)
    assert all(store.get(number) == data for data, number in numbers.items())
    assert pages(store) == size
    assert [*tmp_path.iterdir()] == []
    store.close()


def test_file_is_bounded_and_becomes_empty(tmp_path: Path) -> None:
    store = SpillFile(tmp_path, 50_000)
    store.free(store.put(b"a"))
    empty = pages(store)
    for length, number in ((100, 300), (1_000, 30), (30_000, 1)):  # room is used again whatever the sizes
        numbers = [store.put(b"a" * length) for _ in range(number)]
        for number in numbers:
            store.free(number)
        assert pages(store) == empty
    kept = store.put(b"b" * 30_000)
    with pytest.raises(OSError, match="full"):
        store.put(b"c" * 30_000)
    assert store.get(kept) == b"b" * 30_000
    assert store.get(store.put(b"d" * 100)) == b"d" * 100
    store.close()


def test_bytes_that_are_not_there_are_an_error(tmp_path: Path) -> None:
    store = SpillFile(tmp_path, LIMIT)
    number = store.put(b"a")
    store.free(number)
    with pytest.raises(OSError, match="open runs"):
        store.get(number)
    store.close()


def test_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        SpillFile(tmp_path / "gone", LIMIT).put(b"a")


class FullStore:
    """A store without room."""

    def put(self, data: bytes) -> int:
        raise OSError(28, "no space left on device")

    def get(self, number: int) -> bytes:
        raise AssertionError(number)

    free = get

    def close(self) -> None:
        pass


def events(second: int, state: str, **sides: Any) -> list[Any]:
    return [event(state, run=f"r{number}", job=f"j{number}", second=second, **sides) for number in range(5)]


@pytest.mark.parametrize("has_room", [True, False])
def test_runs_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_room: bool) -> None:
    starts = events(1, "START", inputs=[dataset("raw.a", schema=schema("x"))])
    ends = events(2, "COMPLETE", outputs=[dataset("mart.b", schema=schema("x"))])
    whole = OpenRuns()
    monkeypatch.setattr(open_runs, "MAX_UNPACKED", 1)
    store: Store = SpillFile(tmp_path, LIMIT) if has_room else FullStore()
    stored = OpenRuns(store=store)
    for value in (*starts, *ends, *reversed(starts)):
        whole.add(read_event(value), 0.0)
        stored.add(read_event(value), 0.0)
    assert [*stored.due(100.0)] == [*whole.due(100.0)]
    for value in events(3, "COMPLETE", outputs=[dataset("mart.c")]):  # late: the runs are reported again, whole
        whole.add(read_event(value), 101.0)
        stored.add(read_event(value), 101.0)
    late = [*stored.due(200.0)]
    assert late == [*whole.due(200.0)]
    assert len(late) == 5
    store.close()
