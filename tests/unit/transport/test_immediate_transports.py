"""Transports that need no server, and the factory that chooses among all."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.kafka import Kafka
from sac_kafka.settings.sinks import ClientType, Sinks
from sac_kafka.transport.base import Record, Transport
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.sinks.console import ConsoleTransport
from sac_kafka.transport.sinks.file import FileTransport, LineFile
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.unit.transport.outcomes import Outcomes


def record(text: str) -> Record:
    return Record("ATLAS_HOOK", None, (text.encode(),))


def settings_of(client_type: ClientType, file_path: str | None = None) -> Settings:
    return Settings(sink=Sinks(client_type=client_type, file_path=file_path))


def test_memory_keeps_records_after_close() -> None:
    transport, outcomes = MemoryTransport(), Outcomes()
    outcomes.send(transport, record('{"a": 1}'))
    assert (transport.flush(1), transport.service(1), transport.close(1)) == (0, None, None)
    assert outcomes.reported == [(b'{"a": 1}', None)]
    assert transport.messages() == [{"a": 1}]
    assert transport.problem() is None


def test_a_file_gets_one_line_a_record_at_once_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    transport, outcomes = FileTransport(path), Outcomes()
    assert not path.exists()
    outcomes.send(transport, record('{\n "a": "x\\ny"\r\n}'))
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == [{"a": "x\ny"}]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    transport.close(0)
    outcomes.send(transport, record('{"a": 2}'))
    transport.close(0)
    assert len(path.read_bytes().splitlines()) == 2
    assert outcomes.reasons == [None, None]


def test_a_file_that_cannot_be_written_is_an_outcome_and_a_problem(tmp_path: Path) -> None:
    transport, outcomes = FileTransport(tmp_path / "missing" / "out.jsonl"), Outcomes()
    outcomes.send(transport, record("{}"))
    assert outcomes.reasons[0] == transport.problem()
    assert "No such file or directory" in str(transport.problem())
    (tmp_path / "missing").mkdir()
    outcomes.send(transport, record("{}"))
    assert (outcomes.reasons[1], transport.problem()) == (None, None)
    transport.close(0)


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_rotated_file_is_created_again(tmp_path: Path, is_moved: bool) -> None:
    path, old = tmp_path / "out.jsonl", tmp_path / "out.jsonl.1"
    transport, outcomes = FileTransport(path), Outcomes()
    outcomes.send(transport, record("1"))
    outcomes.send(transport, record("2"))
    path.rename(old)
    if not is_moved:
        old.unlink()
    outcomes.send(transport, record("3"))
    first = transport.position()
    outcomes.send(transport, record("4"))
    transport.close(0)
    assert outcomes.reasons == [None] * 4
    assert path.read_bytes() == b"3\n4\n"
    assert not is_moved or old.read_bytes() == b"1\n2\n"
    assert first is not None and (first.start, first.end) == (0, 2)


def test_a_line_that_was_written_in_part_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = LineFile(tmp_path / "f")
    lines.append(b"whole")
    write = os.write

    def disk_full(descriptor: int, data: bytes) -> int:
        if len(data) < 5:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:4])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", disk_full)
        with pytest.raises(OSError, match="No space left"):
            lines.append(b"partly")
    lines.append(b"next")
    lines.close()
    assert lines.path.read_bytes() == b"whole\nnext\n"


def shown(values: Sequence[bytes], encoding: str | None) -> str:
    return f"{b''.join(values).decode()} in {str(encoding).lower()}\n"


def test_the_console_shows_to_the_stdout_of_the_moment(capsys: pytest.CaptureFixture[str]) -> None:
    transport, outcomes = ConsoleTransport(shown), Outcomes()
    outcomes.send(transport, record('{"a": "é"}'))
    assert capsys.readouterr().out == '{"a": "é"} in utf-8\n'
    assert outcomes.reported == [('{"a": "é"}'.encode(), None)]


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_closed_console_is_an_outcome(monkeypatch: pytest.MonkeyPatch, is_gone: bool) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stdout", None if is_gone else stream)
    transport, outcomes = ConsoleTransport(shown), Outcomes()
    outcomes.send(transport, record("{}"))
    assert "standard output" in str(outcomes.reasons[0])
    assert transport.problem() == outcomes.reasons[0]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (settings_of(ClientType.MEMORY), "memory"),
        (settings_of(ClientType.CONSOLE), "console"),
        (settings_of(ClientType.FILE, file_path="/tmp/y"), "file /tmp/y"),
        (Settings(kafka=Kafka(properties={"bootstrap.servers": "a:1,b:2"})), "kafka a:1,b:2 (PLAINTEXT)"),
    ],
)
def test_the_factory_makes_the_named_transport(settings: Settings, name: str) -> None:
    transport: Transport = make_transport(settings)
    assert transport.name == name
    transport.close(0)


@pytest.mark.parametrize("settings", [settings_of(ClientType.FILE), Settings()])
def test_the_factory_refuses_incomplete_settings(settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match=r"atlas\.\S+ is not set"):
        make_transport(settings)
