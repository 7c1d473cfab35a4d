"""Output in a terminal: colours, tables that fit, names unchanged; all other output is plain."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.tools.cli import progress, terminal
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.cli.output import print_masked
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.cli.styles import (
    DIFFERENCES,
    DOCTOR,
    LINEAGE,
    MAPPING,
    SETTINGS,
    TREE,
    TYPES,
    VERIFICATION,
    VIOLATIONS,
    LineStyle,
    style_line,
)
from sac_kafka.tools.cli.terminal import Table, TableColumn, plain_lines
from tests.helpers.waiting import until
from tests.unit.tools.cli.ptys import ROOT, seen

DEMO = ROOT / "tests" / "fixtures" / "demo.jsonl"
FIRST = (ROOT / "tests" / "unit" / "atlas" / "golden" / "first_sight.json").read_text("utf-8")
ESCAPE = "\x1b["
SHOWN = ("tail", str(DEMO), "-n", "2", "--columns")

InTerminal = Callable[..., str]


class _Terminal(io.StringIO):
    """A stream that claims to be a terminal, with an encoding as Python's own."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def in_terminal(monkeypatch: pytest.MonkeyPatch) -> InTerminal:
    """Return a function that runs a command in this process with a terminal of the given width, and returns its output."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(*arguments: str, columns: int = 100, status: int = 0) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = _Terminal()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            assert main([*arguments]) == status
        return stream.getvalue()

    return run


@pytest.fixture
def piped(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a command whose output is no terminal."""

    def run(*arguments: str) -> str:
        assert main([*arguments]) == 0
        return capsys.readouterr().out

    return run


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def words(text: str) -> list[str]:
    return text.split()


# ---- in a real terminal


@pytest.mark.slow
def test_terminal_has_colours_and_the_same_text(piped: Callable[..., str]) -> None:
    found = seen(*SHOWN)
    assert (found.status, found.complaint) == (0, "")
    assert ESCAPE in found.text
    assert words(found.plain) == words(piped(*SHOWN))


@pytest.mark.parametrize("disabled_by", ["NO_COLOR", "TERM", "without rich"])
def test_plain_text_equals_that_of_a_pipe(
    disabled_by: str, in_terminal: InTerminal, piped: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = piped(*SHOWN)
    if disabled_by == "without rich":
        for name in {"rich", *(each for each in sys.modules if each.startswith("rich."))}:
            monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.setattr(terminal, "_has_rich", terminal._has_rich.__wrapped__)
    else:
        monkeypatch.setenv(disabled_by, "dumb")
    monkeypatch.setattr(sys, "stderr", screen := _Terminal())
    assert in_terminal(*SHOWN, columns=60) == plain
    assert screen.getvalue() == ""


@pytest.mark.parametrize("arguments", [("cost", str(DEMO)), ("spool", "list", "--dir", "/")])
def test_a_pipe_has_no_colours_though_standard_error_is_a_terminal(
    arguments: tuple[str, ...], piped: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = piped(*arguments)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", screen := _Terminal())
    assert piped(*arguments) == plain
    assert ESCAPE not in plain
    assert screen.getvalue() == ""


def test_json_is_json_in_a_terminal_too(in_terminal: InTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal())
    text = in_terminal("cost", str(DEMO), "--json", columns=40)
    assert ESCAPE not in text
    assert json.loads(text)["all"]["messages"] == 10


# ---- appearance


def test_markup_in_names_is_text(tmp_path: Path, in_terminal: InTerminal) -> None:
    name = "sales.[red]o[/red][/] :boom: [link=file:/x]y"
    (tmp_path / "x.jsonl").write_text(json.dumps(json.loads(FIRST.replace("sales.orders", name))))
    for command in (("show",), ("tail", "--columns"), ("cost",)):
        shown = without_colours(in_terminal(command[0], str(tmp_path / "x.jsonl"), *command[1:]))
        assert "[red]o[/red][/]" in shown
        assert ":boom: [link=file:/x]y" in " ".join(shown.split())


def test_a_name_steers_no_terminal(tmp_path: Path, in_terminal: InTerminal) -> None:
    document = json.loads(FIRST.replace("sales.orders", "sales.\\u001b[2Jorders\\u202e"))
    (tmp_path / "x.jsonl").write_text(json.dumps(document))
    for command in ("show", "cost"):
        shown = in_terminal(command, str(tmp_path / "x.jsonl"))
        assert "\\x1b[2Jorders\\u202e" in without_colours(shown)
        assert "\x1b[2J" not in shown


@pytest.mark.parametrize("columns", [100, 30])
@pytest.mark.parametrize(
    "arguments",
    [
        ("show", str(DEMO)),
        ("tail", str(DEMO), "--columns"),
        ("impact", str(DEMO), "sales.products"),
        ("diff", str(DEMO), os.devnull, "--allow-empty"),
        ("cost", str(DEMO)),
    ],
    ids=lambda arguments: arguments[0],
)
def test_lines_equal_those_of_a_pipe_at_every_width(
    columns: int, arguments: tuple[str, ...], in_terminal: InTerminal, piped: Callable[..., str]
) -> None:
    assert without_colours(in_terminal(*arguments, columns=columns)) == piped(*arguments)


def test_steps_of_the_doctor_are_coloured_and_masked(tmp_path: Path, in_terminal: InTerminal) -> None:
    conf = tmp_path / "x.properties"
    conf.write_text("atlas.client.type=rest\natlas.rest.address=http://127.0.0.1:9\n")
    shown = in_terminal("doctor", "--conf-file", str(conf), columns=60, status=1)
    assert "\x1b[32mok\x1b[0m    \x1b[1mjava\x1b[0m" in shown
    assert "\x1b[1;31mFAIL\x1b[0m  \x1b[1mtcp\x1b[0m" in shown
    conf.write_text("atlas.client.type=rest\natlas.rest.address=http://bob:the-terminals-own@127.0.0.1:9\n")
    assert "the-terminals-own" not in in_terminal("doctor", "--conf-file", str(conf), status=1)


def test_the_plain_table_is_one_line_a_row() -> None:
    table = Table((TableColumn("figure"), TableColumn("name", is_right=False)), (("1,000", "x"),), ("2,000", "all"))
    assert [*plain_lines(table)] == ["figure  name", " 1,000  x", " 2,000  all"]


@pytest.mark.parametrize(
    ("line", "look", "styles"),
    [
        ("warn  clock          late", DOCTOR, {"warn": "yellow", "clock": "bold"}),
        ("-     types          not asked", DOCTOR, {"-": "dim", "types": "bold"}),
        ("    a.b ─┤", LINEAGE, {"─┤": "dim"}),
        ("a ──▶ b   (rows written 3)", LINEAGE, {"──▶": "dim", "b": "bold", "   (rows written 3)": "dim"}),
        ("a ──▶ b   (failed: X)", LINEAGE, {"──▶": "dim", "b": "bold", "   (failed: X)": "bold red"}),
        ("    x ◀─ a.y   sum(y)", LINEAGE, {"◀─": "dim", "   sum(y)": "cyan"}),
        ("defined table a.b: columns x", LINEAGE, {"defined": "green", "a.b": "bold", ": columns x": "dim"}),
        ("dropped table a.b", LINEAGE, {"dropped": "red", "a.b": "bold"}),
        ("└─▶ a.b   by job: a -> b", TREE, {"└─▶": "dim", "   by job: a -> b": "dim"}),
        ("  - a.b", DIFFERENCES, {"- a.b": "red"}),
        ("  + a.b", DIFFERENCES, {"+ a.b": "green"}),
        ("  ~ a.b: x is now y", DIFFERENCES, {"~": "yellow", "a.b": "bold", "x": "red", " is now ": "dim", "y": "green"}),
        ("rejected  hdfs_path /x: why", VERIFICATION, {"rejected": "bold red", "/x": "bold"}),
        ("pending  hdfs_path /x: why", VERIFICATION, {"pending": "yellow", "/x": "bold"}),
        ("wrong  line 1: what; fix", VIOLATIONS, {"wrong": "bold red", "line 1": "bold"}),
        ("hdfs_path: missing  (apply creates it)", TYPES, {"hdfs_path": "bold", "  (apply creates it)": "dim"}),
        ("  a.b = c    [line 1]", SETTINGS, {"a.b": "bold", " = ": "dim", "    [line 1]": "dim"}),
        ("Warning: a key", SETTINGS, {"Warning:": "yellow"}),
        ("  resource set   yes", MAPPING, {"resource set   ": "dim"}),
    ],
)  # fmt: skip
def test_styles_of_a_line(line: str, look: LineStyle, styles: dict[str, str]) -> None:
    assert {line[mark.start : mark.end]: mark.style for mark in style_line(line, look)} == styles


# ---- progress


def _slow(output: Path, *arguments: str) -> tuple[str, str]:
    """Let a command read messages from a pipe that pauses until the terminal shows their number.

    Return the text of the terminal, and of the file.
    """
    reading, writing = os.pipe()
    is_counted = threading.Event()

    def feed() -> None:
        lines = DEMO.read_bytes().splitlines(keepends=True)
        os.write(writing, b"".join(lines[:4]))
        is_counted.wait()
        os.write(writing, lines[4])
        os.close(writing)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        found = seen(
            *arguments,
            is_stderr_too=True,
            output=output,
            stdin=reading,
            watching=lambda text, _: is_counted.set() if "4 messages" in text else None,
        )
    finally:
        is_counted.set()
        thread.join()
        os.close(reading)
    return found.text, output.read_text("utf-8")


@pytest.mark.slow
def test_progress_is_shown_and_erased(tmp_path: Path, piped: Callable[..., str]) -> None:
    text, written = _slow(tmp_path / "out", "cost", "-")
    assert "reading standard input" in text
    assert "4 messages" in text
    assert "\x1b[?25h" in text.rpartition("\x1b[?25l")[2]  # the cursor is back
    assert text.rstrip().endswith("\x1b[2K")  # and the line empty
    (tmp_path / "five").write_bytes(b"".join(DEMO.read_bytes().splitlines(keepends=True)[:5]))
    assert written == piped("cost", str(tmp_path / "five"))


@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_restores_the_terminal() -> None:
    reading, writing = os.pipe()
    sent: list[int] = []

    def interrupt(text: str, process: int) -> None:
        if "reading" in text and not sent:
            sent.append(process)
            os.kill(process, signal.SIGINT)

    try:
        found = seen("show", "-", is_stderr_too=True, stdin=reading, watching=interrupt)
    finally:
        os.close(writing)
        os.close(reading)
    assert (found.status, len(sent)) == (130, 1)
    assert "\x1b[?25h" in found.text.rpartition("\x1b[?25l")[2]
    assert "Traceback" not in found.text


@pytest.mark.parametrize(
    ("output", "variable", "is_seen"),
    [
        ("terminal", "", True),
        ("file", "", True),
        ("terminal", "NO_COLOR", False),
        ("file", "TERM", False),
        ("pipe", "", False),  # the reader may use the same terminal
        ("closed", "", False),
    ],
)
def test_progress_is_shown_only_without_other_output(
    output: str, variable: str, is_seen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    if variable:
        monkeypatch.setenv(variable, "dumb")
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as pipe, (tmp_path / "out").open("w") as file:
        stream = {"terminal": _Terminal(), "file": file, "pipe": pipe, "closed": None}[output]
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            patched.setattr(sys, "stderr", _Terminal())
            with show_progress("reading") as shown:
                assert shown.is_visible is is_seen


def on_screen(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Make a terminal with 60 columns both outputs of this process, and return it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    screen = _Terminal()
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, screen)
    return screen


def test_counted_progress_shows_its_percentage_and_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with show_progress("[red]delivering[/red] to a place with a long name", "message", 3) as shown:
        shown.add()
        until(lambda: "1 of 3 messages" in screen.getvalue(), screen.getvalue)
        print_masked("a line")
        assert screen.getvalue().endswith("\x1b[2Ka line\n")
    assert "[red]delivering" in screen.getvalue()
    assert all(len(without_colours(each)) <= 60 for each in re.split(r"[\r\n]+", screen.getvalue().split("a line")[0]))


@pytest.mark.parametrize(("seconds", "is_seen"), [(1_000.0, False), (0.0, True)])
def test_progress_is_shown_after_some_work_only(seconds: float, is_seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_HIDDEN_SECONDS", seconds)
    screen = on_screen(monkeypatch)
    with show_progress("checking"):
        if is_seen:
            until(lambda: "checking" in screen.getvalue(), screen.getvalue)
    with show_progress("reading", "message") as shown:
        shown.add()
    assert bool(screen.getvalue()) is is_seen


def test_a_closed_standard_error_is_no_error(piped: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)  # as `2>&-` leaves it
    assert piped("cost", str(DEMO)).startswith("entities")
