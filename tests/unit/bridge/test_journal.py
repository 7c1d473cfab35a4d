"""The journal keeps events until they are released, whatever happens to its process."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sac_kafka.bridge import journal as module
from sac_kafka.bridge.journal import FullError, Journal
from sac_kafka.errors import ConfigurationError


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
