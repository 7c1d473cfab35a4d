"""The keys that commands give as JSON are those of the table in docs/tools.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sac_kafka.tools.cli.main import main

ROOT = Path(__file__).parents[4]
DEMO = str(ROOT / "tests" / "fixtures" / "demo.jsonl")
GROWING = frozenset({"jobs", "reasons", "types", "attributes", "fields", "process", "change", "columns"})
"""Keys below which others are names of data, or are told elsewhere on the page."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "config": ("config", "--conf", "atlas.client.type=console"),
    "config --explain": ("config", "--conf", "atlas.client.type=console", "--explain", "a.b"),
    "cost": ("cost", DEMO),
    "coverage": ("coverage", DEMO),
    "diff": ("diff", DEMO, "other.jsonl"),
    "doctor": ("doctor", "--conf", "atlas.client.type=console"),
    "impact": ("impact", "sales.products", "--in", DEMO),
    "map check": ("map", "check", "mapping.toml"),
    "map explain": ("map", "explain", "sales.orders", "--rules", "mapping.toml"),
    "replay --to": ("replay", "other.jsonl", "--to", "file", "--to-conf", "atlas.client.file.path=out.jsonl"),
    "runner": ("runner",),
    "show": ("show", DEMO),
    "show --column": ("show", DEMO, "--column", "top_customers.percent"),
    "validate": ("validate", DEMO, "--max-bytes", "9000"),
    "view": ("view", DEMO),
}


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


def _values(said: str) -> list[object]:
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(said.rstrip()):
        value, end = decoder.raw_decode(said, at)
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
    said = capsys.readouterr().out
    assert said.isascii()
    keys = {re.sub(r"^percent_.*", "percent_…", key) for key in _keys(_values(said))}
    assert keys
    assert keys <= _documented()[command]
