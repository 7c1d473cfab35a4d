"""Records that another transport cannot deliver go to a private file, and their outcome says so."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path

import pytest

from sac_kafka.transport.base import Outcome, Record
from sac_kafka.transport.undelivered import UndeliveredFile, default_directory


class Failing:
    """A transport that fails every record whose value says so, at once or when it is closed."""

    name = "failing"

    def __init__(self, *, late: bool = False) -> None:
        self.late = late
        self.waiting: list[tuple[Record, Outcome]] = []
        self.calls: list[str] = []

    def send(self, record: Record, outcome: Outcome) -> None:
        self.waiting.append((record, outcome))
        if not self.late:
            self.close(0)

    def service(self, timeout_seconds: float) -> None:
        self.calls.append(f"service {timeout_seconds}")

    def flush(self, timeout_seconds: float) -> int:
        self.calls.append(f"flush {timeout_seconds}")
        return len(self.waiting)

    def close(self, timeout_seconds: float) -> None:
        for record, outcome in self.waiting:
            outcome(record, "broker down" if b"fail" in record.value else None)
        self.waiting.clear()

    def problem(self) -> str | None:
        return "broker down"


def record(text: str) -> Record:
    return Record("ATLAS_HOOK", b"k", json.dumps(text).encode())


@pytest.fixture
def told() -> list[tuple[bytes, str | None]]:
    return []


@pytest.mark.parametrize("late", [False, True])
def test_only_failed_records_are_kept(tmp_path: Path, told: list[tuple[bytes, str | None]], late: bool) -> None:
    transport = UndeliveredFile(Failing(late=late), tmp_path / "spool", "application_1_2")
    for text in ("good", "fail 1", "fail 2"):
        transport.send(record(text), lambda sent, reason: told.append((sent.value, reason)))
    transport.close(1)
    assert told == [(b'"good"', None), (b'"fail 1"', "spooled: broker down"), (b'"fail 2"', "spooled: broker down")]
    assert transport.path == tmp_path / "spool" / f"application_1_2-{os.getpid()}.jsonl"
    assert [json.loads(line) for line in transport.path.read_text().splitlines()] == ["fail 1", "fail 2"]
    assert stat.S_IMODE(transport.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(transport.path.parent.stat().st_mode) == 0o700


def test_nothing_is_made_while_all_goes_well(tmp_path: Path) -> None:
    transport = UndeliveredFile(Failing(), tmp_path / "spool", "app")
    transport.send(record("good"), lambda sent, reason: None)
    transport.close(0)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_kept_either_is_lost_with_both_reasons(
    tmp_path: Path, told: list[tuple[bytes, str | None]]
) -> None:
    (tmp_path / "spool").write_text("a file where the directory should be")
    transport = UndeliveredFile(Failing(), tmp_path / "spool", "app")
    transport.send(record("fail"), lambda sent, reason: told.append((sent.value, reason)))
    reason = str(told[0][1])
    assert reason.startswith("lost: broker down; ")
    assert str(transport.path) in reason


def test_everything_else_is_the_wrapped_transports(tmp_path: Path) -> None:
    inner = Failing()
    transport = UndeliveredFile(inner, tmp_path, "app")
    transport.service(0.5)
    assert (transport.name, transport.flush(2), transport.problem()) == ("failing", 0, "broker down")
    assert inner.calls == ["service 0.5", "flush 2"]


@pytest.mark.parametrize(("name", "file"), [("../x", "_x"), ("a/b c", "a_b_c"), ("", "unknown")])
def test_an_application_id_is_made_a_file_name(tmp_path: Path, name: str, file: str) -> None:
    assert UndeliveredFile(Failing(), tmp_path, name).path.name == f"{file}-{os.getpid()}.jsonl"


def test_the_default_directory_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "ada")
    assert default_directory() == tmp_path / "sac-kafka-ada"
    assert UndeliveredFile(Failing(), None, "app").path.parent == tmp_path / "sac-kafka-ada"


def test_a_default_directory_that_is_open_to_others_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    default_directory().mkdir(mode=0o777)
    default_directory().chmod(0o777)
    transport = UndeliveredFile(Failing(), None, "app")
    assert transport.keep(record("x"), "why") == "spooled: why"
    transport.close(0)
    assert stat.S_IMODE(default_directory().stat().st_mode) == 0o700


def test_a_default_directory_that_is_a_link_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    default_directory().symlink_to(tmp_path / "elsewhere")
    reason = UndeliveredFile(Failing(), None, "app").keep(record("x"), "why")
    assert reason.startswith("lost: why; ")
    assert "is a link or belongs to another user" in reason
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_directory_that_the_user_named_keeps_its_permissions(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    transport = UndeliveredFile(Failing(), shared, "app")
    assert transport.keep(record("x"), "why") == "spooled: why"
    transport.close(0)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_a_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    transport = UndeliveredFile(Failing(), tmp_path, "app")
    (tmp_path / "victim").write_text("")
    transport.path.symlink_to(tmp_path / "victim")
    assert transport.keep(record("x"), "why").startswith("lost: ")
    assert (tmp_path / "victim").read_text() == ""
