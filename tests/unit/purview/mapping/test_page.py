"""Examples in docs/purview/names.md show the actual output of the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.purview.mapping.dataset_fields import FIELDS, GUARANTEED_FIELDS
from sac_kafka.purview.mapping.loading import load_rules
from sac_kafka.tools.cli.main import main
from tests.project.docs.blocks import ROOT, blocks
from tests.project.docs.commands import Shown, missing, own_commands, shown

PATH = ROOT / "docs" / "purview" / "names.md"
PAGE = PATH.read_text("utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILES = {"toml": "mapping.toml", "json": "OlToPurviewMappings.json"}


def commands() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the name and text of the file before a command, the command, and its expected lines."""
    file, text = "", ""
    for found in _BLOCK.finditer(PAGE):
        language, block = found.groups()
        if language in _FILES:
            file, text = _FILES[language], block
        elif language == "console":
            for example in block.split("$ ")[1:]:
                command, *lines = example.splitlines()
                yield file, text, command, lines


COMMANDS = list(commands())


@pytest.mark.parametrize(("file", "text", "command", "lines"), COMMANDS, ids=[each[2] for each in COMMANDS])
def test_example_shows_the_output_of_the_command(
    file: str,
    text: str,
    command: str,
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path(file).write_text(text, "utf-8")
    program, *arguments = shlex.split(command)
    assert program == "sac-kafka"
    assert main(arguments) == (1 if "Not converted" in "".join(lines) else 0)
    output = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    assert missing(Shown(command, tuple(lines)), output) == []


def test_commands_at_the_top_are_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path("mapping.toml").write_text(COMMANDS[0][1], "utf-8")
    name = next(word for word in COMMANDS[0][2].split() if "://" in word)
    (top,) = (block for block in blocks(PATH) if block.language == "sh")
    for each in shown(top.text.replace("NAME", name), is_console=False):
        (arguments,) = own_commands(each.command)
        assert main(arguments) == 0, each.command
    assert "azure_blob_resource_set" in capsys.readouterr().out


def test_every_file_of_rules_has_an_example_of_its_use(tmp_path: Path) -> None:
    texts = [found[2] for found in _BLOCK.finditer(PAGE) if found[1] in _FILES]
    assert len(texts) == len({text for _, text, _, _ in COMMANDS}) >= 7
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text, "utf-8")
        unconverted = "allButBlobs" in text
        assert len(load_rules(str(tmp_path / str(number))).warnings) == unconverted


def test_table_has_the_fields_of_rules() -> None:
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)
    found = {kind: ({*re.findall(r"`(\w+)`", always)}, {*re.findall(r"`(\w+)`", some)}) for kind, always, some in rows}
    assert found == {
        kind.value: ({*GUARANTEED_FIELDS[kind]}, {*names} - {*GUARANTEED_FIELDS[kind]})
        for kind, names in FIELDS.items()
    }
