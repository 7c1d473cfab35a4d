"""Commands that read messages, with no input, unreadable input or closed output: one line and no traceback."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sac_kafka.hook.recording import recorded_application
from sac_kafka.tools.cli.main import main
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.mock_topics import configured

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST = json.loads((GOLDEN / "first_sight.json").read_text())
WHERE = "WHERE"
COMMANDS = {
    "cost": ["cost", WHERE],
    "coverage": ["coverage", WHERE],
    "diff": ["diff", WHERE, WHERE],
    "impact": ["impact", WHERE, "größen"],
    "replay": ["replay", WHERE],
    "show": ["show", WHERE],
    "tail": ["tail", WHERE],
    "validate": ["validate", WHERE],
}
FORMS = {
    **COMMANDS,
    **{
        f"{name} json": [*COMMANDS[name], "--json"]
        for name in ("cost", "coverage", "diff", "impact", "tail", "validate")
    },
}


def arguments_of(command: str, where: Path | str) -> list[str]:
    return [str(where) if each == WHERE else each for each in FORMS[command]]


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    """Write a file of a message with non-ASCII names."""
    file = tmp_path / "größen.jsonl"
    file.write_text(f"{json.dumps(FIRST).replace('orders', json.dumps('größen')[1:-1])}\n", "utf-8")
    return file


NOTHING = {
    "cost": (1, "has no messages"),
    "coverage": (2, "has no flows; --allow-empty accepts that"),
    "diff": (2, "has no lineage; --allow-empty accepts that"),
    "impact": (2, "has no lineage"),
    "show": (1, "has no lineage"),
    "tail": (1, "has no messages"),
    "validate": (2, "has no messages; --allow-empty accepts that"),
}
"""The exit status and the message for a readable source without messages."""


def checked(status: int, command: str, err: str) -> None:
    """Check that one line names the program and the problem."""
    expected, message = NOTHING[command.partition(" ")[0]]
    assert status == expected
    assert err.startswith("sac-kafka") is bool(message)
    assert err.count("\n") == bool(message)
    assert err.endswith(f"{message}\n" if message else "")


@pytest.mark.parametrize("command", [each for each in FORMS if each != "replay"])
def test_empty_or_unreadable_input(command: str, tmp_path: Path, cli: Cli) -> None:
    empty, broken, folder = tmp_path / "ä", tmp_path / "broken", tmp_path / "spool"
    empty.write_text("")
    broken.write_text('{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entit')
    folder.mkdir()
    for where in (empty, folder):
        status, out, err = cli(*arguments_of(command, where))
        checked(status, command, err)
        assert out == "" or command.endswith("json")
    status, _, err = cli(*arguments_of(command, broken))
    if command.startswith("validate"):
        assert status == 1
    else:
        assert status == 2
        assert err.startswith(
            f"sac-kafka {command.split()[0]}: {broken} has no readable messages; line 1: the message is not JSON"
        )


@pytest.mark.parametrize("command", FORMS)
@pytest.mark.parametrize("where", ["missing", "-"])
def test_missing_input(command: str, where: str, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as `<&-` leaves it
    result = cli(*arguments_of(command, where))
    why = "standard input: closed" if where == "-" else "missing: No such file or directory"
    why = "standard input can be read once only" if (command[:4], where) == ("diff", "-") else why
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith(f"sac-kafka {command.split()[0]}: {why}; name a file")


def test_compressed_file_or_folder_is_reported_with_a_fix(messages: Path, tmp_path: Path, cli: Cli) -> None:
    packed = tmp_path / "a b.gz"
    packed.write_bytes(gzip.compress(messages.read_bytes()))
    fix = f"gzip-compressed; decompress it: gunzip -c '{packed}' | sac-kafka COMMAND -\n"
    cli("show", packed).check(2, "", f"sac-kafka show: {packed}: {fix}")
    fix = f"not a spool directory; name a file of messages, such as {tmp_path}/"
    cli("show", tmp_path).check(2, "", f"sac-kafka show: {tmp_path}: {fix}")


@pytest.mark.kafka
@pytest.mark.parametrize("command", [each for each in FORMS if each != "replay"])
def test_an_empty_topic(command: str, cluster: str, tmp_path: Path, cli: Cli) -> None:
    import confluent_kafka

    producer = confluent_kafka.Producer({"bootstrap.servers": cluster})
    producer.list_topics("EMPTY", timeout=60)  # the mock makes it
    producer.close()
    status, _, err = cli(*arguments_of(command, "topic"), *configured(tmp_path, cluster, "EMPTY"))
    checked(status, command, err)


@pytest.mark.parametrize("command", [each for each in FORMS if each != "replay"])
def test_a_narrow_output_without_these_letters(
    command: str, messages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for key, value in {"COLUMNS": "60", "NO_COLOR": "1", "LANG": "C", "TERM": "dumb"}.items():
        monkeypatch.setenv(key, value)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii", write_through=True))
    assert main(arguments_of(command, messages)) == 0
    out = written.getvalue()
    assert b"\x1b" not in out
    assert b"Traceback" not in capsys.readouterr().err.encode()
    if command not in ("diff", "diff json", "cost json", "validate json", "validate", "coverage", "coverage json"):
        assert b"gr??en" in out or b"gr\\u00f6\\u00dfen" in out


def closed_pipe() -> int:
    """Return the writing end of a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


OUTPUTS = {
    "no reader": (closed_pipe, 141, ""),  # 141: as `cat` ends, for a shell
    "full": (
        lambda: os.open("/dev/full", os.O_WRONLY),
        2,
        ": cannot write the output: No space left on device\n",
    ),
}
NAMED = {"types": "types print", "map": "map explain"}
PRINTING = {
    **{name: words for name, words in COMMANDS.items() if name != "replay"},
    "validate": FORMS["validate json"],  # for valid messages it prints no lines
    "replay": ["replay", "batch.txt", "--json"],
    "types": ["types", "print"],
    "config": ["config", "--template"],
    "map": ["map", "explain", *(f"s3a://b/{number}" for number in range(40))],
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize("output", OUTPUTS)
def test_output_that_cannot_be_written(
    command: str, messages: Path, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(messages.parent)
    batch = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
    Path("batch.txt").write_text(f"{recorded_application(APPLICATION)}\n{batch}", "utf-8")
    opened, status, message = OUTPUTS[output]
    # Closing the stream flushes it, as an interpreter does at its end.
    with os.fdopen(opened(), "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        assert main([str(messages) if each == WHERE else each for each in PRINTING[command]]) == status
    assert capsys.readouterr().err == (message and f"sac-kafka {NAMED.get(command, command)}{message}")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("output", OUTPUTS)
def test_interpreter_exits_without_further_output(output: str, messages: Path) -> None:
    opened, status, message = OUTPUTS[output]
    line = [sys.executable, "-m", "sac_kafka.tools.cli.main", "show", str(messages)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    taken = opened()
    pipe = subprocess.PIPE
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=taken, stderr=pipe, text=True, env=environment)
    os.close(taken)
    assert (done.returncode, done.stderr) == (status, message and f"sac-kafka show{message}")
