"""The command itself: version and help."""

from __future__ import annotations

import argparse
import functools
import re
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import _COMMANDS, _subparsers, main, parser
from sac_kafka.tools.cli.output import Parser
from sac_kafka.version import __version__
from tests.project.docs.commands import own_commands, wrong
from tests.unit.tools.cli.conftest import Cli

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_is_that_of_the_project(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"sac-kafka {__version__}\n")


def test_version_is_defined_once() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'dynamic = ["version"]' in project
    assert '[tool.hatch.version]\npath = "sac_kafka/version.py"\n' in project
    newest = re.search(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert newest is not None
    assert newest[1] == __version__


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    output = cli().text(0)
    assert output.startswith("usage: sac-kafka ")
    groups = {each.splitlines()[0]: each for each in output.split("\n\n")}
    assert [*groups][2:-1] == ["run a job:", "look at lineage:", "check:", "operate:", "options:"]
    listed = [line.split()[0] for title in [*groups][2:6] for line in groups[title].splitlines()[1:] if line[2] != " "]
    assert sorted(listed) == sorted(next(_subparsers(parser())).choices)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("shwo x", "sac-kafka: unknown command 'shwo' (did you mean show?); see sac-kafka --help"),
        ("wombat", "sac-kafka: unknown command 'wombat'; see sac-kafka --help"),
        ("spool lst", "sac-kafka spool: unknown action 'lst' (did you mean list?); see sac-kafka spool --help"),
        ("show x --colum y", "sac-kafka show: unrecognized arguments: --colum y (did you mean --column?); see"),
        ("spool list --jsn", "sac-kafka spool list: unrecognized arguments: --jsn (did you mean --json?); see"),
        ("cost x --to=3", "sac-kafka cost: unrecognized arguments: --to=3 (did you mean --top?); see"),
        ("view x --format htm", "sac-kafka view: argument --format: invalid choice: 'htm'; must be one of html, "),
    ],
)
def test_the_nearest_name_is_suggested(arguments: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(error)


def test_no_option_can_be_abbreviated() -> None:
    assert [each.prog for each in _parsers(parser()) if each.allow_abbrev] == []


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    parsed = argparse.Namespace(run=interrupt, is_job=False, program="sac-kafka show")
    monkeypatch.setattr(Parser, "parse_args", lambda *_: parsed)
    assert main(["show", "x"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("command", "actions"), [("spool", ("list", "replay")), ("types", ("print", "apply"))])
def test_without_an_action_its_help_is_shown(command: str, actions: tuple[str, ...], cli: Cli) -> None:
    output = cli(command).text(0)
    assert output.startswith(f"usage: sac-kafka {command} ")
    for action in actions:
        assert f"\n    {action} " in output


def test_every_command_has_a_description() -> None:
    assert [each.prog for each in _parsers(parser()) if not each.description] == []


def _parsers(of: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    below = [each for action in of._actions if isinstance(action.choices, dict) for each in action.choices.values()]
    return [of, *(found for each in below for found in _parsers(each))]


WITHOUT_JSON = {
    "run": "what it writes is the job's",
    "types print": "writes JSON anyway",
    "spool show": "writes JSON anyway",
    "databricks job": "writes JSON anyway",
    "databricks bundle": "writes a file of YAML",
    "databricks policy": "writes JSON anyway",
    "databricks init-script": "writes a script",
    "databricks notebook": "writes a notebook",
    "map import": "writes a file of TOML",
}


@functools.cache
def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands by their words."""
    return {
        each.prog.removeprefix("sac-kafka "): each
        for each in _parsers(parser())
        if not any(isinstance(action, argparse._SubParsersAction) for action in each._actions)
    }


def test_every_command_has_json_or_a_reason() -> None:
    without = {name for name, each in commands().items() if "--json" not in each._option_string_actions}
    assert without - set(WITHOUT_JSON) == set(), "add --json or a reason in WITHOUT_JSON"
    assert set(WITHOUT_JSON) - without == set(), "it has --json, or is gone: remove it from WITHOUT_JSON"


SPARKS = "run"
"""The command that takes the options of spark-submit."""
OF_TWO_KINDS = {"--format"}
"""For `view` the format of its output, for `map explain` that of Spark's reader."""


def test_option_has_the_same_kind_of_value_in_every_command() -> None:
    kinds: dict[str, set[object]] = {}
    for name, each in commands().items():
        for option, action in each._option_string_actions.items() if name != SPARKS else ():
            kinds.setdefault(option, set()).add((action.metavar, action.nargs))
    assert {option for option, found in kinds.items() if len(found) > 1} == OF_TWO_KINDS


def test_the_source_is_the_first_argument_of_every_command_that_reads_messages() -> None:
    words = {name: [a.metavar for a in each._actions if not a.option_strings] for name, each in commands().items()}
    reading = {name: found for name, found in words.items() if "SOURCE" in found}
    assert len(reading) >= 8
    assert [name for name, found in reading.items() if found[0] != "SOURCE"] == []


def test_options_of_the_connection_are_last_in_every_help() -> None:
    texts = {
        name: each.format_help() for name, each in commands().items() if "--conf-file" in each._option_string_actions
    }
    assert len(texts) >= 15
    for name, text in texts.items():
        usage, options = text.partition("\n\n")[0], re.findall(r"^  (?:-\w(?: \w+)?, )?(--[\w-]+)", text, re.MULTILINE)
        connection = options[options.index("--conf-dir") :]
        own = set(options) - set(connection)
        assert {"--conf-file", "--conf"} <= set(connection) <= CONNECTION, name
        last = max((usage.find(f"[{each}") for each in own), default=0)
        assert last < usage.index("--conf-dir"), name


CONNECTION = {
    "--timeout",
    "--conf-dir",
    "--conf-file",
    "--conf",
    "--destination",
    "--user",
    "--password-file",
    "--ca-file",
}


def test_the_page_names_the_commands_without_json() -> None:
    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("Without `--json`"))
    assert [name for name in WITHOUT_JSON if f"`{name}`" not in line] == [], "name it there, in docs/tools.md"


WIDE = {"databricks bundle", "databricks job", "databricks policy", "replay", "run", "runner"}
"""Commands whose help has lines to copy, or words too long for a narrow terminal."""


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_help_has_a_valid_example(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    above, _, shown = commands()[name].format_help().partition("for example:\n")
    _, _, below_the_usage = above.partition("\n\n")  # a usage does not wrap its options that exclude each other
    assert max(map(len, below_the_usage.splitlines())) <= 60 or name in WIDE
    lines = re.sub(r"\\\n\s*", "", shown).strip("\n").splitlines()
    assert lines[0].startswith(f"  sac-kafka {name}")
    for each in lines:
        for words in own_commands(each.strip()):
            assert wrong(words) is None


def test_no_help_has_marks_of_code() -> None:
    helps = [each.format_help() for each in _parsers(parser())]
    assert len(helps) > 10
    assert not [text for text in helps if "`" in text]


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    table = page.partition("| command | purpose |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[1:]))
    assert sorted(set(_COMMANDS) - set(named)) == [], "add a row to docs/tools.md"
    assert sorted(set(named) - set(_COMMANDS)) == [], "there is no such command: remove its row from docs/tools.md"


def test_every_module_of_a_command_is_in_the_list() -> None:
    files = (ROOT / "sac_kafka" / "tools" / "cli").glob("*.py")
    modules = {file.stem for file in files if "\ndef add_to(" in file.read_text("utf-8")}
    assert sorted(modules - set(_COMMANDS)) == [], "add it to _COMMANDS in sac_kafka/tools/cli/main.py"
    assert sorted(set(_COMMANDS) - modules) == [], "add its module, with add_to, to sac_kafka/tools/cli"


TESTED_IN = {
    "diff": "tests/unit/tools/cli/test_impact_command.py",
    "run": "tests/unit/launch/test_python_jobs.py",
    "runner": "tests/unit/launch/test_runner_live.py",
    "verify": "tests/unit/tools/cli/test_verify_topic.py",
}
"""The test files of commands without one of their name."""


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_has_a_file_of_tests(name: str) -> None:
    file = TESTED_IN.get(name, f"tests/unit/tools/cli/test_{name}_command.py")
    assert (ROOT / file).is_file(), f"add {file}"
