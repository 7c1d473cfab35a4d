"""What was sent is kept for the next run, and counts only where messages go to the same place."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from spooled import given_to_another_user

from sac_kafka.atlas.memory import Remembered
from sac_kafka.lineage.model import Application
from sac_kafka.pipeline import Pipeline, atlas_context
from sac_kafka.remembering import SentFile
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Position
from tests.atlas.flows import DAY, NOW, ORDINARY, of_type, say

LOG = "cluster/ATLAS_HOOK/0"
FIRST = Position(LOG, 7, 8)


def _first_run(tmp_path: Path, position: Position | None = FIRST) -> SentFile:
    file = SentFile(tmp_path / "spool", "kafka", max_age_ms=DAY)
    remembered = file.load()
    for message in say(ORDINARY, remembered):
        remembered.confirm(message.tokens, NOW)
    file.delivered(position)
    file.save()
    return file


def _columns_of_the_next_run(tmp_path: Path, position: Position | None, sink: str = "kafka") -> int:
    file = SentFile(tmp_path / "spool", sink, max_age_ms=DAY)
    remembered = file.load()
    file.delivered(position)
    return len(of_type(say(ORDINARY, remembered), "spark_column"))


def test_next_run_does_not_send_columns_again(tmp_path: Path) -> None:
    _first_run(tmp_path)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) == 0


@pytest.mark.parametrize(
    ("position", "sink"),
    [
        (None, "kafka"),
        (Position(LOG, 3, 4), "kafka"),
        (Position("another cluster/ATLAS_HOOK/0", 8, 9), "kafka"),
        (Position(LOG, 8, 9), "another topic"),
    ],
    ids=["nothing delivered yet", "a log that was made anew", "another cluster", "another sink"],
)
def test_place_that_is_not_the_same_is_told_everything(tmp_path: Path, position: Position | None, sink: str) -> None:
    _first_run(tmp_path)
    assert _columns_of_the_next_run(tmp_path, position, sink) > 0


def test_pipeline_uses_the_memory_that_it_is_given_even_an_empty_one() -> None:
    remembered = Remembered(max_age_ms=DAY)
    settings = Settings()
    application = Application(job="j", application_id="a", name="j", user="u")
    assert Pipeline(application, atlas_context(settings, application), settings, remembered).remembered is remembered


def test_file_is_private_and_without_values(tmp_path: Path) -> None:
    file = _first_run(tmp_path)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert "insert overwrite" not in file.path.read_text()


def test_file_of_another_user_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given_to_another_user(_first_run(tmp_path).path, monkeypatch)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) > 0


def test_nothing_is_written_where_nothing_was_delivered(tmp_path: Path) -> None:
    assert not _first_run(tmp_path, None).path.exists()


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"sent":[[1]],"ends":{}}', '{"sent":[],"ends":[]}', "é"])
def test_damaged_file_costs_nothing_but_more_messages(tmp_path: Path, text: str) -> None:
    file = _first_run(tmp_path)
    file.path.write_text(text, "utf-8")
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) > 0
    _first_run(tmp_path)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 9, 10)) == 0


def test_two_drivers_do_not_lose_each_others_memory(tmp_path: Path) -> None:
    other = SentFile(tmp_path / "spool", "kafka", max_age_ms=DAY)
    other.load()
    _first_run(tmp_path)
    other.delivered(Position(LOG, 8, 9))
    other.save()
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 9, 10)) == 0


def test_directory_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file")
    assert not _first_run(tmp_path).path.is_file()
