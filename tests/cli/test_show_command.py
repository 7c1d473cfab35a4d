"""`sac-kafka show`: messages of a file or a pipe, drawn."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sac_kafka.cli.main import main

GOLDEN = Path(__file__).parents[1] / "atlas" / "golden"
FIRST = json.loads((GOLDEN / "first_sight.json").read_text())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two messages, one a line."""
    file = tmp_path / "lineage.jsonl"
    paths = json.loads((GOLDEN / "between_paths.json").read_text())
    file.write_text(f"{json.dumps(FIRST)}\n\n{json.dumps(paths)}\n")
    return file


def test_a_file_of_messages_is_drawn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "sales.orders ──▶ hdfs://nn1/data/totals\n" in shown
    assert "file:/in ──▶ file:/out\n    x ◀─ in.x\n" in shown


@pytest.mark.parametrize("column", ["hdfs://nn1/data/totals.total", "totals.total", "data/totals.total", "total"])
def test_where_a_column_comes_from(file: Path, capsys: pytest.CaptureFixture[str], column: str) -> None:
    assert main(["show", str(file), "--column", column]) == 0
    assert capsys.readouterr().out == "hdfs://nn1/data/totals.total\n    ◀─ sales.orders.amount   sum(amount)\n"


def test_a_column_that_nobody_tells_of_is_named_with_what_is_there(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(file), "--column", "sales.total"]) == 2
    assert "--column sales.total: no message says where it comes from; there is hdfs://nn1/data/totals.total" in (
        capsys.readouterr().err
    )


def test_standard_input_takes_what_spool_show_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = json.dumps({"file": "x", "reason": None, "values": [FIRST]})
    monkeypatch.setattr("sys.stdin", io.StringIO(kept + "\n"))
    assert main(["show", "-"]) == 0
    assert capsys.readouterr().out.startswith("sales.orders ──▶ hdfs://nn1/data/totals\n")


def test_lines_that_are_no_messages_are_counted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("INFO nothing\n" + file.read_text())
    assert main(["show", str(file)]) == 0
    assert "1 message of" in (said := capsys.readouterr().err) and "line 1: the message is not JSON" in said


def test_no_lineage_and_no_file_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_text("")
    assert main(["show", str(tmp_path / "empty")]) == 1
    assert "tells of no lineage" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "absent")]) == 2
    assert "absent: No such file or directory; name a file of messages" in capsys.readouterr().err


def test_standard_input_is_called_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("no message\n"))
    assert main(["show", "-"]) == 1
    said = capsys.readouterr().err
    assert "standard input tells of no lineage" in said
    assert "1 message of standard input could not be read" in said
