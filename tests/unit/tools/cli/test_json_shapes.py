"""Keys of the commands' JSON output are those of the table in docs/tools.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import main
from tests.unit.tools.cli.test_main import WITHOUT_JSON, commands

ROOT = Path(__file__).parents[4]
DEMO = str(ROOT / "tests" / "fixtures" / "demo.jsonl")
GROWING = frozenset({"jobs", "reasons", "types", "attributes", "fields", "process", "change", "columns"})
"""Keys below which others are names of data, or documented elsewhere on the page."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "config": ("config", "--conf", "atlas.client.type=console"),
    "config --explain": ("config", "--conf", "atlas.client.type=console", "--explain", "a.b"),
    "cost": ("cost", DEMO),
    "coverage": ("coverage", DEMO),
    "diff": ("diff", DEMO, "other.jsonl"),
    "doctor": ("doctor", "--conf", "atlas.client.type=console"),
    "impact": ("impact", DEMO, "sales.products"),
    "jar": ("jar",),
    "map check": ("map", "check", "mapping.toml"),
    "map explain": ("map", "explain", "sales.orders", "--rules", "mapping.toml"),
    "replay --to": ("replay", "other.jsonl", "--to", "file", "--to-conf", "atlas.client.file.path=out.jsonl"),
    "runner": ("runner",),
    "show": ("show", DEMO),
    "show --column": ("show", DEMO, "--column", "top_customers.percent"),
    "show --dataset": ("show", DEMO, "--dataset", "sales.products"),
    "validate": ("validate", DEMO, "--max-bytes", "9000"),
    "view": ("view", DEMO),
}
ELSEWHERE = {
    "pack": "test_pack_command.py",
    "spool list": "test_spool_command.py",
    "spool purge": "test_spool_command.py",
    "spool replay": "test_spool_command.py",
    "tail": "test_tail_command.py",
    "types apply": "test_types_command.py",
    "types diff": "test_types_command.py",
    "verify": "test_verify_topic.py",
}
"""Commands that need a server, a spool or an environment: the file of tests that runs them with --json."""


def _documented() -> dict[str, set[str]]:
    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| (.*) \|$", page, re.M)
    return {command: set(re.findall(r"`([a-z_…]+)`", keys)) for command, keys in rows}


def _keys(value: object) -> set[str]:
    if isinstance(value, list):
        return {key for each in value for key in _keys(each)}
    if not isinstance(value, dict):
        return set()
    below = {key for name, each in value.items() if name not in GROWING for key in _keys(each)}
    return set(value) | below


def _values(output: str) -> list[object]:
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(output.rstrip()):
        value, end = decoder.raw_decode(output, at)
        found.append(value)
        at = end + 1
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_key_is_documented(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path("mapping.toml").write_text('[mounts]\n"dbfs:/mnt/raw" = "abfss://a@b.dfs.core.windows.net"\n', "utf-8")
    Path("other.jsonl").write_text("".join(Path(DEMO).read_text("utf-8").splitlines(keepends=True)[:9]), "utf-8")
    assert main([*COMMANDS[command], "--json"]) in (0, 1)
    output = capsys.readouterr().out
    assert output.isascii()
    keys = {re.sub(r"^percent_.*", "percent_…", key) for key in _keys(_values(output))}
    assert keys
    assert keys <= _documented()[command]


def test_every_command_with_json_is_here() -> None:
    here = {each.partition(" --")[0] for each in COMMANDS}
    with_json = set(commands()) - set(WITHOUT_JSON)
    assert sorted(with_json - here - set(ELSEWHERE)) == [], "add its arguments to COMMANDS, or its test to ELSEWHERE"
    assert sorted({*here, *ELSEWHERE} - with_json) == [], "it is gone, or has no --json"


@pytest.mark.parametrize("command", ELSEWHERE)
def test_every_command_that_is_tested_elsewhere_is_documented(command: str) -> None:
    assert command in _documented(), "add its keys to the table of docs/tools.md"
    assert "--json" in (Path(__file__).parent / ELSEWHERE[command]).read_text("utf-8")
