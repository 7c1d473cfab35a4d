"""Keys of the commands' JSON output are those of schemas/commands.schema.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.test_main import WITHOUT_JSON, commands

ROOT = Path(__file__).parents[4]
DEMO = str(ROOT / "tests" / "fixtures" / "demo.jsonl")
COMMANDS: dict[str, tuple[str, ...]] = {
    "bridge": ("bridge", "--file", DEMO, "--conf", "atlas.client.type=memory"),
    "config": ("config", "--conf", "atlas.client.type=console"),
    "config --explain": ("config", "--conf", "atlas.client.type=console", "--explain", "a.b"),
    "cost": ("cost", DEMO),
    "coverage": ("coverage", DEMO),
    "diff": ("diff", DEMO, "other.jsonl"),
    "doctor": ("doctor", "--conf", "atlas.client.type=console"),
    "emit": ("emit", str(ROOT / "examples" / "emit" / "flows.toml"), "--conf", "atlas.client.type=memory"),
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


SCHEMAS = json.loads((ROOT / "schemas" / "commands.schema.json").read_text("utf-8"))["$defs"]


def _unknown(value: object, schema: dict[str, Any], place: str = "") -> Iterator[str]:
    """Yield the keys that the schema has not at this place; below a key without properties any are allowed."""
    if isinstance(value, list):
        for each in value:
            yield from _unknown(each, schema.get("items", {}), place)
    elif isinstance(value, dict):
        known = schema.get("properties")
        for key, each in value.items():
            below = schema.get("additionalProperties", {}) if known is None else known.get(key)
            if below is None:
                yield f"{place}{key}"
            else:
                yield from _unknown(each, below, f"{place}{key}.")


def _values(output: str) -> list[object]:
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(output.rstrip()):
        value, end = decoder.raw_decode(output, at)
        found.append(value)
        at = end + 1
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_key_is_documented(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path("mapping.toml").write_text('[mounts]\n"dbfs:/mnt/raw" = "abfss://a@b.dfs.core.windows.net"\n', "utf-8")
    Path("other.jsonl").write_text("".join(Path(DEMO).read_text("utf-8").splitlines(keepends=True)[:9]), "utf-8")
    status, output, _ = cli(*COMMANDS[command], "--json")
    assert (status in (0, 1), output.isascii()) == (True, True)
    values = _values(output)
    assert values
    assert {key for each in values for key in _unknown(each, SCHEMAS[command])} == set()
    assert set(SCHEMAS[command]["properties"]) >= {key for each in values for key in each}


def test_every_command_with_json_is_here() -> None:
    here = {each.partition(" --")[0] for each in COMMANDS}
    with_json = set(commands()) - set(WITHOUT_JSON)
    assert sorted(with_json - here - set(ELSEWHERE)) == [], "add its arguments to COMMANDS, or its test to ELSEWHERE"
    assert sorted({*here, *ELSEWHERE} - with_json) == [], "it is gone, or has no --json"


@pytest.mark.parametrize("command", ELSEWHERE)
def test_every_command_that_is_tested_elsewhere_is_documented(command: str) -> None:
    assert command in SCHEMAS, "add its keys to dev/schemas/commands.py"
    assert "--json" in (Path(__file__).parent / ELSEWHERE[command]).read_text("utf-8")
