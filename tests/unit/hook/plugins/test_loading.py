"""Plug-in discovery: valid plug-ins are called, broken ones are logged once, and neither affects the others.

The examples of docs/plugins.md are run here.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.plugins import loading
from sac_kafka.lineage.datasets import sources
from sac_kafka.model import RdbmsDataset
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.specification import specification
from tests.unit.hook.plugins import building

GOOD = """
from sac_kafka.plugins import RdbmsDataset, Source, spark_class

@spark_class("com.{name}.Table")
class Table:
    host: str

def table(options, columns):
    return RdbmsDataset(rdbms_type="{name}", database="d", table=options["{name}.table"], columns=columns)

SOURCES = Source(
    names=frozenset({{"{name}"}}), classes=("com.{name}.",), options=("{name}.table",), dataset=table,
    reads={{Table: lambda found, columns: table({{"{name}.table": found.host}}, columns)}},
)
"""
Taking = Callable[..., tuple[tuple[str, ...], Guard]]


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Taking]:
    """Load the plug-ins below `tmp_path`, without any loaded before."""
    monkeypatch.setattr(sources, "_all", sources.SOURCES)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(DECLARED)

    def taken() -> tuple[tuple[str, ...], Guard]:
        importlib.invalidate_caches()
        guard = Guard()
        return loading.load_all(entry_points(group=loading.GROUP), guard), guard

    yield taken
    DECLARED.clear()
    DECLARED.update(before)


def good(folder: Path, name: str, code: str = "") -> None:
    building.install(
        folder, name, GOOD.format(name=name) + code, name=f"{name}-lineage", entry=f"{name} = {name}:SOURCES"
    )


def broken(folder: Path, name: str, code: str, value: str = "SOURCES") -> None:
    building.install(folder, name, code, name=f"{name}-lineage", entry=f"{name} = {name}:{value}")


def test_plugin_is_called_like_a_built_in_system(take: Taking, tmp_path: Path) -> None:
    good(tmp_path, "bravo1")
    options, guard = take()
    assert (options, guard.counts) == (("bravo1.table",), {})
    expected = RdbmsDataset(rdbms_type="bravo1", database="d", table="t")
    assert sources.external_dataset("bravo1", {"bravo1.table": "t"}, ()) == expected
    reading = sources.source_reading(DECLARED["com.bravo1.Table"](host="t"), ())
    assert reading is not None and reading.datasets == (expected,)
    lines = specification(options).splitlines()
    assert "class\tcom.bravo1.Table" in lines
    assert "field\thost\thost\tidentity\t" in lines


BROKEN = {
    "no module": ("", "SOURCES.x", "AttributeError"),
    "import error": ("import nothing_of_that_name", "SOURCES", "ModuleNotFoundError"),
    "an error": ("1 / 0", "SOURCES", "ZeroDivisionError"),
    "leaves": ("raise SystemExit(3)", "SOURCES", "PluginError"),
    "wrong object": ("SOURCES = 'acme'", "SOURCES", "PluginError"),
}


@pytest.mark.planted
@pytest.mark.parametrize(("code", "value", "error"), BROKEN.values(), ids=BROKEN)
def test_broken_plugin_is_logged_once_and_does_not_affect_others(
    take: Taking,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    code: str,
    value: str,
    error: str,
) -> None:
    name = f"broken{list(BROKEN.values()).index((code, value, error))}"
    good(tmp_path, f"a{name}")
    broken(tmp_path, name, code, value)
    good(tmp_path, f"z{name}")
    options, guard = take()
    assert options == (f"a{name}.table", f"z{name}.table")
    called = f"the plug-in {name} = {name}:{value} ({name}-lineage 1.0)"
    assert guard.counts == {f"{called}: {error}": 1}
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(warnings) == 1 and called in warnings[0] and error in warnings[0]
    assert sources.source_of(f"z{name}") is not None


@pytest.mark.planted
def test_plugin_whose_import_hangs_is_left_behind(
    take: Taking, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "MAX_SECONDS", 0.1)
    broken(tmp_path, "hangs", "import threading\nthreading.Event().wait()")
    options, guard = take()
    called = "the plug-in hangs = hangs:SOURCES (hangs-lineage 1.0)"
    assert (options, guard.counts) == ((), {f"{called}: LateError": 1})
    assert f"{called}, the job goes on: LateError: no answer within 0.1 seconds" in caplog.text


def test_first_of_two_plugins_for_a_system_is_called(take: Taking, tmp_path: Path) -> None:
    good(tmp_path, "twice")
    building.install(
        tmp_path,
        "zz",
        GOOD.format(name="twice").replace('database="d"', 'database="e"'),
        name="zz",
        entry="zz = zz:SOURCES",
    )
    good(tmp_path, "kafka", "\nimport dataclasses\nSOURCES = dataclasses.replace(SOURCES, names=frozenset({'kafka'}))")
    options, guard = take()
    assert (set(options), guard.counts) == ({"twice.table", "kafka.table"}, {})
    assert sources.external_dataset("twice", {"twice.table": "t"}, ()).database == "d"
    assert sources.source_of("kafka") in sources.SOURCES


@pytest.mark.planted
def test_option_that_looks_like_a_secret_is_logged_and_not_captured(
    take: Taking, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    more = "import dataclasses\nSOURCES = dataclasses.replace(SOURCES, options=('keeps.table', 'keeps.password'))"
    good(tmp_path, "keeps", more)
    options, guard = take()
    assert options == ("keeps.table",)
    assert sum(guard.counts.values()) == 1
    assert "keeps.password looks like a secret" in caplog.text
    assert sources.source_of("keeps") is not None


@pytest.mark.planted
def test_discovery_runs_once_and_its_error_is_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = []

    def fails(group: str) -> None:
        calls.append(group)
        raise OSError("planted")

    monkeypatch.setattr(loading, "entry_points", fails)
    monkeypatch.setattr(loading, "_options", None)
    monkeypatch.setattr(loading, "_guard", Guard())
    assert [loading.load(), loading.load()] == [(), ()]
    assert calls == [loading.GROUP]
    assert list(loading.errors()) == ["finding plug-ins (sac_kafka.plugins): OSError"]


def test_the_package_of_the_page_is_one(take: Taking, tmp_path: Path) -> None:
    building.install_the_example(tmp_path)
    options, guard = take()
    assert (options, guard.counts) == (("acme.host", "acme.table"), {})
    for code in building.blocks("python")[1:]:
        exec(code, {})
