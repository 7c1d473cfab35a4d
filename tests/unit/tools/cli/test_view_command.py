"""`sac-kafka view`: the written file, its place, and the output."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import main
from sac_kafka.transport.private_files import is_root
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.view.graphs import DEMO


def test_page_is_written_and_its_path_printed(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("no browser was requested"))
    assert cli("view", DEMO) == (0, f"{tmp_path / 'lineage.html'}\n", "")
    assert "<title>demo.jsonl · lineage</title>" in (tmp_path / "lineage.html").read_text("utf-8")


@pytest.mark.skipif(not is_root(), reason="only root can give a link to another user")
def test_a_link_of_another_user_in_a_common_directory_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common").chmod(0o1777)
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "common" / "lineage.html").symlink_to(tmp_path / "victim")
    os.chown(tmp_path / "common" / "lineage.html", 12345, 12345, follow_symlinks=False)
    monkeypatch.chdir(tmp_path / "common")
    cli("view", DEMO).check(2, "", "lineage.html is a link of another user")
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("a.HTML", b"<!DOCTYPE html>"),
        ("a.mmd", b"flowchart LR"),
        ("a.dot", b"digraph "),
        ("a.gv", b"digraph "),
    ],
)
def test_suffix_selects_the_format(tmp_path: Path, name: str, begin: bytes) -> None:
    assert main(["view", str(DEMO), "--output", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("options", "err"),
    [
        ("--output a.jpg", "unknown suffix; use one of .htm .html"),
        ("--output gone/a.html", "gone/a.html: No such file or directory; name a file that can be written"),
        ("--output - --json", "sac-kafka view: "),
    ],
)
def test_unwritable_output_is_reported(
    options: str, err: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("view", DEMO, *options.split()).check(2, "", err)


def test_format_option_overrides_the_suffix(tmp_path: Path, cli: Cli) -> None:
    cli("view", DEMO, "--output", tmp_path / "a.jpg", "--format", "dot").check(0, f"{tmp_path / 'a.jpg'}\n")


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["view", str(DEMO), "--output", "-", "--format", "mermaid"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"flowchart LR\n    d0[/")


def test_json_names_the_written_file(tmp_path: Path, cli: Cli) -> None:
    assert cli("view", DEMO, "--json", "--output", tmp_path / "a.dot").json(0) == {
        "path": str(tmp_path / "a.dot"),
        "format": "dot",
        "datasets": 12,
        "processes": 8,
        "column_edges": 30,
    }


def test_without_lineage_the_page_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], cli: Cli) -> None:
    empty, words, out = tmp_path / "empty.jsonl", tmp_path / "words.txt", tmp_path / "a.html"
    empty.write_text("")
    words.write_text("hello\n")
    assert main(["view", str(DEMO), "--output", str(out)]) == 0
    page = out.read_bytes()
    capsys.readouterr()
    assert main(["view", str(empty), "--output", str(out)]) == 1
    assert capsys.readouterr().err == f"sac-kafka view: {empty} has no lineage, {out} not written\n"
    cli("view", words, "--output", out).check(2, "", f"{words} has no readable messages; line 1: ")
    assert out.read_bytes() == page


def test_browser_is_opened_on_request_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)))
    assert main(["view", str(DEMO), "--output", str(tmp_path / "a b.dot"), "--open", "--title", "x"]) == 0
    assert opened == [f"file://{tmp_path}/a%20b.dot"]
    assert "cannot start a browser; open" in capsys.readouterr().err
