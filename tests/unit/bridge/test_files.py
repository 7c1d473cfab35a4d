"""Files of events: one per line or one per file, in directories, followed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sac_kafka.bridge.files import FilesInput
from sac_kafka.bridge.intake import Intake
from sac_kafka.errors import ConfigurationError
from tests.helpers.waiting import until


def read(path: Path) -> list[str]:
    intake = Intake(1)
    FilesInput(path).start(intake)
    found: list[str] = []
    while not intake.is_over:
        found += [text for _, text in intake.take(0.1)]
    return found


def test_lines_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n{"b": "\xff"}')
    assert read(file) == ['{"a": 1}', "", '{"b": "\ufffd"}']


def test_directory_in_the_order_of_names_and_one_event_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps({"b": 1}, indent=2), "utf-8")
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a": 2}\n', "utf-8")
    (tmp_path / "notes.txt").write_text("no event", "utf-8")
    assert [json.loads(each) for each in read(tmp_path)] == [{"a": 1}, {"a": 2}, {"b": 1}]


def test_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        FilesInput(tmp_path / "gone")


def test_followed_file_brings_whole_lines_and_new_files(tmp_path: Path) -> None:
    first = tmp_path / "a.jsonl"
    first.write_text('{"a": 1}\n{"a":', "utf-8")
    intake = Intake(0)
    files = FilesInput(tmp_path, follow=True)
    files.start(intake)
    found: list[str] = []

    def has(number: int) -> bool:
        found.extend(text for _, text in intake.take(0.1))
        return len(found) >= number

    until(lambda: has(1))
    with first.open("a", encoding="utf-8") as end:
        end.write(" 2}\n")
    (tmp_path / "b.jsonl").write_text('{"b": 1}\n', "utf-8")
    until(lambda: has(3))
    files.stop()
    assert found == ['{"a": 1}', '{"a": 2}', '{"b": 1}']


def test_binary_file_is_read_as_lines_that_are_no_events(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(gzip.compress(b'{"a": 1}\n'))
    assert not any(each.startswith("{") for each in read(tmp_path))
