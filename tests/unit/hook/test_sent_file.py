"""Memory of sent entities across runs: it counts only if messages go to the same destination."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.atlas.model import AtlasObjectId, GroupToken
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.hook import sent_file
from sac_kafka.hook.sent_file import SentFile
from sac_kafka.model import Application, TableDropped
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from sac_kafka.stages.output import Position
from sac_kafka.transport import private_files
from sac_kafka.transport.spool.directory import user_name
from tests.helpers.spooled import given_to_another_user
from tests.helpers.work import assert_linear, steps
from tests.unit.atlas.flows import CONTEXT, DAY, NOW, ORDINARY, TOTALS, copy, messages_for, name, of_type, table

LOG = "cluster/ATLAS_HOOK/0"
FIRST = Position(LOG, 7, 8)


def _first_run(tmp_path: Path, position: Position | None = FIRST) -> SentFile:
    file = SentFile(tmp_path / "spool", "kafka", max_age_ms=DAY)
    remembered = file.load()
    for message in messages_for(ORDINARY, remembered):
        remembered.confirm(message.tokens, NOW)
    file.record_position(position)
    file.save()
    return file


def _columns_of_the_next_run(tmp_path: Path, position: Position | None, sink: str = "kafka") -> int:
    file = SentFile(tmp_path / "spool", sink, max_age_ms=DAY)
    remembered = file.load()
    file.record_position(position)
    return len(of_type(messages_for(ORDINARY, remembered), "spark_column"))


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
    ids=["nothing delivered yet", "a re-created log", "another cluster", "another sink"],
)
def test_another_destination_gets_everything(tmp_path: Path, position: Position | None, sink: str) -> None:
    _first_run(tmp_path)
    assert _columns_of_the_next_run(tmp_path, position, sink) > 0


def test_output_uses_the_memory_that_it_is_given_even_an_empty_one() -> None:
    remembered = Remembered(max_age_ms=DAY)
    application = Application(job="j", application_id="a", name="j", user="u")
    assert AtlasOutput(context_of(application, Names(), Content()), remembered=remembered).remembered is remembered


def test_file_is_private_and_without_values(tmp_path: Path) -> None:
    file = _first_run(tmp_path)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert "insert overwrite" not in file.path.read_text()


def test_file_of_another_user_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given_to_another_user(_first_run(tmp_path).path, monkeypatch)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) > 0


def test_without_deliveries_no_file_is_written(tmp_path: Path) -> None:
    assert not _first_run(tmp_path, None).path.exists()


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"sent":[[1]],"ends":{}}', '{"sent":[],"ends":[]}', "é"])
def test_damaged_file_only_causes_more_messages(tmp_path: Path, text: str) -> None:
    file = _first_run(tmp_path)
    file.path.write_text(text, "utf-8")
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) > 0
    _first_run(tmp_path)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 9, 10)) == 0


def test_two_drivers_do_not_lose_each_others_memory(tmp_path: Path) -> None:
    other = SentFile(tmp_path / "spool", "kafka", max_age_ms=DAY)
    other.load()
    _first_run(tmp_path)
    other.record_position(Position(LOG, 8, 9))
    other.save()
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 9, 10)) == 0


def test_directory_that_cannot_be_created_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not _first_run(tmp_path / "file").path.exists()


def test_unwritable_directory_is_replaced_like_that_of_the_spool(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file")
    assert _first_run(tmp_path).path.parent == tmp_path / f"spool-{user_name()}"
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) == 0


# ---- what another user has put there


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _link_to_zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(sent_file.MAX_BYTES + 1)


@pytest.mark.parametrize("put", [_fifo, _link_to_zero, _too_large, Path.mkdir])
def test_too_large_or_special_file_is_ignored(
    tmp_path: Path, put: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path = _first_run(tmp_path).path
    path.unlink()
    put(path)
    caplog.set_level(logging.INFO)
    assert _columns_of_the_next_run(tmp_path, Position(LOG, 8, 9)) > 0
    assert "unchanged metadata is sent again" in caplog.text


def test_default_directory_of_another_user_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sac_kafka.transport.spool.directory.tempfile.gettempdir", lambda: str(tmp_path))
    file = SentFile(None, "kafka", max_age_ms=DAY)
    file.path.parent.mkdir(mode=0o700)
    file.path.write_text("{}")
    given_to_another_user(file.path.parent, monkeypatch)
    opened: list[Path] = []
    monkeypatch.setattr(private_files, "read", lambda path, most_bytes: opened.append(path))
    assert len(file.load()) == 0
    assert opened == []


def test_symlink_in_place_of_the_temporary_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path = _first_run(tmp_path).path
    monkeypatch.setattr(private_files.secrets, "token_hex", lambda size: "0" * size)
    path.with_name(f"{path.name}.{'0' * 8}.draft").symlink_to(victim)
    _first_run(tmp_path)
    assert victim.read_text() == "mine"


def test_drafts_of_killed_drivers_are_removed_in_time(tmp_path: Path) -> None:
    path = _first_run(tmp_path).path
    old, new = path.with_name(f"{path.name}.00.draft"), path.with_name(f"{path.name}.11.draft")
    old.write_text("")
    new.write_text("")
    os.utime(old, (0, 0))
    _first_run(tmp_path)
    assert sorted(path.parent.iterdir()) == sorted([path, new])


# ---- from run to run


class Run:
    """A driver with the memory of earlier ones; `position` is that of its first message."""

    def __init__(self, tmp_path: Path, start: int = 8, log: str = LOG, now_ms: int = NOW) -> None:
        self.now_ms = now_ms
        self.file = SentFile(tmp_path / "spool", "kafka", max_age_ms=DAY, clock=lambda: self.now_ms / 1000)
        self.remembered = self.file.load()
        self.log, self.at = log, start

    def begin(self) -> Run:
        self.file.record_position(Position(self.log, self.at, self.at + 1))
        return self

    def deliver(self, outcome) -> list[str]:
        """Deliver messages and return the names of the column lineage among them."""
        self.now_ms += 1
        written = messages(outcome, context=CONTEXT, remembered=self.remembered, now_ms=self.now_ms)
        for message in written:
            self.remembered.confirm(message.tokens, self.now_ms, self.remembered.epoch)
            self.begin()
            self.at += 1
        made = [each for each in written if each.type == "ENTITY_CREATE_V2"]
        return sorted(map(name, of_type(made, "spark_column_lineage"))) if made else []

    def end(self) -> None:
        self.file.save()


STAGING = table("staging", "x")
FLOW = copy(table("source", "x"), STAGING)
ELSEWHERE = copy(table("source", "x"), TOTALS, job="elsewhere")


def test_a_table_that_one_run_drops_has_its_column_lineage_again_in_the_next(tmp_path: Path) -> None:
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.deliver(ELSEWHERE)
    first.deliver(TableDropped(table=STAGING))
    first.end()
    second = Run(tmp_path, start=20, now_ms=NOW + 1000).begin()
    assert second.deliver(ELSEWHERE) == []
    assert second.deliver(FLOW) == sent != []
    second.end()
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == []


def test_a_driver_that_began_before_a_drop_does_not_undo_it(tmp_path: Path) -> None:
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.end()
    early, dropping = Run(tmp_path, start=20).begin(), Run(tmp_path, start=20, now_ms=NOW + 1000)
    dropping.deliver(TableDropped(table=STAGING))
    dropping.end()
    early.deliver(ELSEWHERE)
    early.end()
    last = Run(tmp_path, start=40).begin()
    assert not last.remembered.has(AtlasObjectId("spark_table", "sales.staging@prod"), NOW)
    assert last.deliver(FLOW) == sent
    assert last.deliver(ELSEWHERE) == []


def test_entities_sent_before_another_drivers_drop_are_forgotten_and_later_ones_kept(tmp_path: Path) -> None:
    early = Run(tmp_path)
    sent = early.deliver(FLOW)
    dropping = Run(tmp_path, start=20, now_ms=NOW + 1000)
    dropping.deliver(TableDropped(table=STAGING))
    dropping.end()
    late = Run(tmp_path, start=30, now_ms=NOW + 2000)
    early.end()
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == sent
    assert late.deliver(FLOW) == sent
    late.end()
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == []


def test_spooled_messages_do_not_count_as_sent_in_the_next_run(tmp_path: Path) -> None:
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.end()
    second = Run(tmp_path, start=20).begin()
    second.remembered.forget(grouped_tokens(second.remembered))
    second.end()
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == sent


def grouped_tokens(remembered: Remembered) -> list[GroupToken]:
    return [GroupToken(each, "", 0, 1, 1) for each in remembered.owners("spark_process")]


def test_drop_is_saved_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.end()
    killed = Run(tmp_path, start=20).begin()
    monkeypatch.setattr(sent_file, "_SAVE_SECONDS", 0.0)
    killed.deliver(TableDropped(table=STAGING))
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == sent


def test_a_drop_that_could_not_be_delivered_counts_in_the_next_run(tmp_path: Path) -> None:
    """Count a spooled drop, because the next driver delivers it."""
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.end()
    second = Run(tmp_path, start=20)
    messages(TableDropped(table=STAGING), context=CONTEXT, remembered=second.remembered, now_ms=NOW + 5)
    second.end()
    assert Run(tmp_path, start=40).begin().deliver(FLOW) == sent


def test_entities_sent_to_another_cluster_do_not_count(tmp_path: Path) -> None:
    first = Run(tmp_path)
    sent = first.deliver(FLOW)
    first.end()
    on_another = Run(tmp_path, log="another cluster/ATLAS_HOOK/0")
    on_another.deliver(ELSEWHERE)
    on_another.end()
    next_one = Run(tmp_path, start=20, log="another cluster/ATLAS_HOOK/0").begin()
    assert next_one.deliver(ELSEWHERE) == []
    assert next_one.deliver(FLOW) == sent


def test_clock_that_was_ahead_does_not_prolong_the_memory(tmp_path: Path) -> None:
    ahead = Run(tmp_path, now_ms=NOW + 400 * DAY)
    sent = ahead.deliver(FLOW)
    ahead.end()
    for day in (0, 100, 300):
        assert Run(tmp_path, start=20, now_ms=NOW + day * DAY).begin().deliver(FLOW) == sent


def test_entries_with_future_times_are_evicted_first(tmp_path: Path) -> None:
    ahead = Run(tmp_path, now_ms=NOW + 400 * DAY)
    ahead.deliver(FLOW)
    ahead.end()
    now = Run(tmp_path, start=20)
    now.deliver(ELSEWHERE)
    now.end()
    first = now.file.path.read_text().splitlines()[1]
    assert str(NOW)[:5] in first


def test_remembered_names_are_not_parsed(tmp_path: Path) -> None:
    """Do not parse names that are never looked up, which are most of the file."""
    _reading_and_writing(tmp_path / "first", 5, 20)()  # triggers lazy imports
    few, many = (steps(_reading_and_writing(tmp_path / f"{columns}", 5, columns)) for columns in (20, 200))
    assert many == few


def test_a_large_memory_is_read_and_written_in_linear_time(tmp_path: Path) -> None:
    assert_linear(lambda groups: _reading_and_writing(tmp_path / f"{groups}", groups, 2), 100)


def _reading_and_writing(folder: Path, groups: int, columns: int) -> Callable[[], object]:
    _remember(folder, groups, columns)
    again = SentFile(folder, "kafka", max_age_ms=DAY, clock=lambda: NOW / 1000)

    def run() -> None:
        again.load()
        again.record_position(Position(LOG, 8, 9))
        again.save()
        assert len(again.remembered) == groups

    return run


def _remember(folder: Path, groups: int, columns: int) -> None:
    file = SentFile(folder, "kafka", max_age_ms=DAY, clock=lambda: NOW / 1000)
    remembered = file.load()
    names = tuple(AtlasObjectId("spark_column", f"warehouse.a_table.column_{n}@prod") for n in range(columns))
    for number in range(groups):
        owner = AtlasObjectId("spark_table", f"warehouse.table_{number}@prod")
        remembered.confirm([GroupToken(owner, "0" * 32, 0, columns, columns, names)], NOW)
    file.record_position(FIRST)
    file.save()
