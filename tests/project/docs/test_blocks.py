"""Every block of a page is checked: a test runs it, a parser reads it, or the page gives the reason why not."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from sac_kafka.settings import describe
from sac_kafka.settings.declarations.values import nearest
from sac_kafka.settings.files.unknown_keys import WITHOUT_EFFECT
from sac_kafka.tools.cli.main import main
from tests.helpers.every_row import every_row
from tests.project.docs.blocks import (
    LANGUAGES,
    NEED_A_MARK,
    PAGES,
    ROOT,
    Block,
    Mark,
    all_blocks,
    blocks,
    inline_commands,
)
from tests.project.docs.commands import own_commands, shown, wrong

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BLOCKS = all_blocks()
FIX = "see CONTRIBUTING.md, Examples in pages"
KNOWN = frozenset(key for setting in describe() for key in setting.keys)
OF_OTHERS = frozenset(
    (
        "atlas.conf",  # of the JVM, as the next one
        "atlas.properties",
        "atlas.hook.spool.hivemetastore.name",  # of Atlas' Hive hook
        "atlas.notification.authorize.using.message.user",  # of the server, as the next one
        "atlas.notification.parallel.processing.enabled",
    )
)
"""Settings that pages name, and that are not the hook's."""
TARGETS = frozenset(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def ids(block: Block) -> str:
    return block.place


@every_row("page", PAGES, label=lambda page: str(page.relative_to(ROOT)))
def test_every_block_has_a_mark(page: Path) -> None:
    _check_marks(page)


def _check_marks(page: Path) -> None:
    assert page.read_text("utf-8").count("```") == 2 * len([*blocks(page)]), f"{page}: a fence begins its line"
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: the language of a block is one of {LANGUAGES}; {FIX}"
        if block.language in NEED_A_MARK:
            assert block.mark is not None, f"{block.place}: no comment on how it is run; {FIX}"
        if block.mark is not None:
            assert bool(block.mark.argument) or block.mark.kind.startswith("runs"), (
                f"{block.place}: no reason, or no name"
            )


@every_row("block", [b for b in BLOCKS if b.mark and b.mark.kind == "runs" and b.mark.argument], label=ids)
def test_the_test_that_runs_a_block_names_its_page(block: Block) -> None:
    assert block.mark is not None
    for name in block.mark.argument.split(", "):
        test = ROOT / name
        assert test.is_file(), f"{block.place}: there is no {name}"
        assert block.page.name in test.read_text("utf-8"), f"{name} does not name {block.page.name}"


@pytest.mark.parametrize("block", of("python"), ids=ids)
def test_python_compiles(block: Block) -> None:
    ast.parse(block.text, block.place)


@pytest.mark.parametrize("block", of("toml", "json", "yaml"), ids=ids)
def test_data_is_parsed(block: Block) -> None:
    {"toml": tomllib.loads, "json": json.loads, "yaml": yaml.safe_load}[block.language](block.text)


@every_row("block", of("sh", "console"), label=ids)
def test_commands_exist(block: Block) -> None:
    for each in shown(block.text, is_console=block.language == "console"):
        _check(each.command, block.place)


@pytest.mark.parametrize("block", of("yaml"), ids=ids)
def test_commands_of_pipelines_exist(block: Block) -> None:
    for line in block.text.splitlines():
        if line.strip().startswith("sac-kafka "):
            _check(line.strip(), block.place)


@every_row("page", PAGES, label=lambda page: str(page.relative_to(ROOT)))
def test_settings_in_sentences_exist(page: Path) -> None:
    named = (
        set(re.findall(r"`(?:spark\.)?(atlas\.[A-Za-z][\w.]*\w)", page.read_text("utf-8"))) - OF_OTHERS - WITHOUT_EFFECT
    )
    ours = {name for name in named if not re.match(r"atlas\.(kafka|jaas)\b", name)}
    assert {
        name for name in ours if name not in KNOWN and not any(key.startswith(f"{name}.") for key in KNOWN)
    } == set()


@every_row("page", PAGES, label=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_sentences_exist(page: Path) -> None:
    for command in inline_commands(page):
        if re.search(r"[^A-Z][A-Z]{3,}|…", command) or re.fullmatch(r"sac-kafka( [a-z-]+)*", command):
            command += " …"  # names in capitals stand for something; a command alone is not all of it
        _check(command, page.name)


def _check(command: str, place: str) -> None:
    for arguments in own_commands(command):
        assert wrong(arguments) is None, f"{place}: {command}: {wrong(arguments)}"
    if made := re.match(r"make (?:-s )?([a-z-]+)", command):
        assert made[1] in TARGETS, f"{place}: there is no make {made[1]}"
    for module in re.findall(r"python3? -m ([\w.]+)", command):
        assert module in {"venv", "pip", "pytest"} or importlib.util.find_spec(module), f"{place}: {module}"
    for key in re.findall(r"--conf '?spark\.(atlas\.[\w.]+)", command):
        assert key in KNOWN or key.startswith("atlas.kafka."), f"{place}: {key}: {nearest(key, KNOWN)}"


@pytest.mark.parametrize("block", of("properties"), ids=ids)
def test_properties_are_settings(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read by the command that people read theirs with; what only a driver or another machine has may be missing."""
    for name in re.findall(r"\$\{env:(\w+)\}", block.text):
        monkeypatch.setenv(
            name, "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=e"
        )
    file = tmp_path / "atlas-application.properties"
    goes = "" if re.search(r"bootstrap\.servers|client\.type", block.text) else "\natlas.client.type=memory\n"
    file.write_text(block.text + goes, "utf-8")

    status = main(["config", "--conf-file", str(file)])

    printed = capsys.readouterr()
    assert status == 0 or _NOT_HERE.search(printed.err), printed.err
    assert not re.search(r"unknown|has no effect|hardly", printed.out + printed.err), printed.out + printed.err


_NOT_HERE = re.compile(r"needs a Spark driver|No such file|only a driver")


@pytest.mark.parametrize(
    ("command", "is_right"),
    [
        ("sac-kafka config --all > x.txt  # the job's", True),
        ("SAC_KAFKA_AUTO=1 spark-submit $(sac-kafka runner) --class com.example.Main job.jar", True),
        ("sac-kafka config [--conf-file FILE | --conf-dir DIR] [--all]", True),
        ("sac-kafka config --al", False),  # no abbreviations
        ("sac-kafka config --every", False),
        ("sac-kafka config [--every]", False),
        ("sac-kafka cnofig …", False),
        ("sac-kafka spool replai …", False),
        ("make no-such-target", False),
        ("spark-submit --conf spark.atlas.clinet.type=console job.py", False),
        ("python -m dev.no_such_module", False),
    ],
)
def test_an_unknown_command_is_found(command: str, is_right: bool) -> None:
    if is_right:
        _check(_of_a_block(command), "here")
    else:
        with pytest.raises(AssertionError):
            _check(_of_a_block(command), "here")


def _of_a_block(command: str) -> str:
    (only,) = shown(command, is_console=False)
    return only.command


def test_a_mark_is_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "* text\n\n  <!-- not run: needs an account -->\n  ```sh\n  sac-kafka doctor\n  ```\n\n```python\nx\n```\n"
    page.write_text(text, "utf-8")
    first, second = blocks(page)
    assert (first.line, first.text, first.mark) == (4, "sac-kafka doctor\n", Mark("not run", "needs an account"))
    assert (second.language, second.mark) == ("python", None)
    with pytest.raises(AssertionError, match="no comment on how it is run"):
        _check_marks(page)
