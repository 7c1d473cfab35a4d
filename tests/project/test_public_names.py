"""The names that users may use: typed, documented, and few."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka import testing
from sac_kafka.stats import Completeness, Messages
from tests.unit.hook.plugins.building import blocks

PACKAGE = Path(sac_kafka.__file__).parent
SNIPPET = """
from __future__ import annotations

import json
from pathlib import Path

import sac_kafka
from sac_kafka import Flow, Flushed, Hook, Stats
from sac_kafka.testing import Lineage


def job(spark: object) -> str | None:
    with sac_kafka.attach(spark, job_name="daily", client_type="memory", **{"atlas.metadata.namespace": "dev"}) as hook:
        held: Hook = hook
        flushed: Flushed = held.flush(5.0)
        assert flushed and not flushed.kept, flushed.problem
        (flow,) = hook.lineage()
        first: Flow = flow
        assert first.columns["sales.report.total"] == ("sales.orders.amount",)
        kind: str = hook.messages()[0]["message"]["type"]
        stats: Stats = hook.stats()
        json.dumps(stats)
        delivered: int = stats["messages"]["delivered"]
        print(kind, delivered, stats["undelivered"], stats["spool"]["directory"], sac_kafka.flush().waiting)
    return hook.stats()["problem"]


def test_report(lineage: Lineage, tmp_path: Path) -> None:
    lineage.assert_flow(inputs=["sales.orders", tmp_path / "in"], output="sales.report")
    sources: frozenset[str] = lineage.columns("sales.report.total")
    assert sources | lineage.influences("report.n") == {"sales.orders.amount"}
    lineage.assert_column("report.total", made_of=["orders.amount"], influenced_by=[])
    flow: Flow = lineage.flows[0]
    print(flow.inputs)
    lineage.assert_golden("report")
"""


@pytest.mark.full  # mypy reads the whole package again, with users' settings
def test_a_users_code_is_strictly_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    files = {"job.py": SNIPPET, "plug_in.py": blocks("python")[0]}
    for name, code in files.items():
        (tmp_path / name).write_text(code)
    package = Path(sac_kafka.__file__).parents[1]
    on_path = {} if package.name == "site-packages" else {"MYPYPATH": str(package)}  # mypy finds what is installed
    options = ["--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", ""]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        capture_output=True,
        text=True,
        check=False,
        env={**on_path, "PATH": ""},
        cwd=tmp_path,
    )
    assert checked.stdout == "Success: no issues found in 2 source files\n", checked.stdout + checked.stderr


def test_public_members_of_a_hook_are_documented() -> None:
    shown = {name for name in dir(sac_kafka.Hook) if not name.startswith("_")}
    assert shown == {"detach", "flush", "is_active", "lineage", "messages", "stats", "transport", "verify"}
    assert all(inspect.getdoc(getattr(of, name)) for of in (sac_kafka, testing) for name in of.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        sac_kafka.Nothing  # noqa: B018


def test_the_page_has_all_keys_and_fields() -> None:
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
    shown = [name for name in dir(sac_kafka.Hook) if not name.startswith("_")]
    fields = [
        each.name
        for of in (sac_kafka.Flushed, sac_kafka.Flow, sac_kafka.Verification)
        for each in dataclasses.fields(of)
    ]
    for name in (*shown, *fields):
        assert re.search(rf"`{name}[`(]", page), name


@pytest.mark.parametrize("kind", [sac_kafka.Stats, Messages, Completeness])
def test_statistics_explain_all_keys(kind: type) -> None:
    text = f"{inspect.getdoc(kind)}"
    assert [name for name in kind.__annotations__ if not re.search(rf"\b{name}\b[^.]*:|`{name}`", text)] == []


def _types(tree: ast.Module) -> Iterator[str]:
    """Yield the classes of a module, and its names for types (`Made = Mapping[…]`), but for private ones."""
    for each in tree.body:
        names = [each.name] if isinstance(each, ast.ClassDef) else []
        if isinstance(each, ast.Assign):
            names = [target.id for target in each.targets if isinstance(target, ast.Name)]
        yield from (name for name in names if name[0].isupper() and not name.isupper())


@pytest.mark.slow
def test_no_two_types_have_one_name() -> None:
    """One word for a thing (docs/glossary.md): a name needs no look at its import."""
    places: dict[str, list[str]] = {}
    for module in sorted(PACKAGE.rglob("*.py")):
        for name in _types(ast.parse(module.read_text("utf-8"))):
            places.setdefault(name, []).append(str(module.relative_to(PACKAGE)))
    assert len(places) > 400
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
