"""Import hooks: a module is reported once it is loaded; nothing is imported for that."""

from __future__ import annotations

import importlib
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.spark.calls.instrumentor import Instrumentor, ModuleFinder

NAME = "heavy_module_of_a_test"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop(NAME, None)
    importlib.invalidate_caches()


def test_reports_a_module_after_it_has_run(folder: Path) -> None:
    (folder / f"{NAME}.py").write_text("whole = True\n")
    calls: list[bool] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.on_import(NAME, lambda: calls.append(sys.modules[NAME].whole))
    assert NAME not in sys.modules
    assert calls == []
    module = importlib.import_module(NAME)
    assert calls == [True]
    assert type(module.__loader__).__module__ != ModuleFinder.__module__
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
    instrumentor.on_import(NAME, lambda: calls.append(False))  # already loaded
    instrumentor.restore()
    assert calls == [True, False]
    assert not any(isinstance(each, ModuleFinder) for each in sys.meta_path)


def test_in_a_zip_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(folder / "modules.zip", "w") as made:
        made.writestr(f"{NAME}.py", "whole = True\n")
    monkeypatch.syspath_prepend(folder / "modules.zip")
    calls: list[str] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.on_import(NAME, lambda: calls.append("loaded"))
    importlib.import_module(NAME)
    instrumentor.restore()
    assert calls == ["loaded"]


def test_missing_or_failing_module_is_not_reported(folder: Path) -> None:
    calls: list[str] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.on_import(NAME, lambda: calls.append("loaded"))
    with pytest.raises(ModuleNotFoundError, match=NAME):
        importlib.import_module(NAME)
    (folder / f"{NAME}.py").write_text("1 / 0\n")
    importlib.invalidate_caches()
    with pytest.raises(ZeroDivisionError):
        importlib.import_module(NAME)
    assert calls == []
    instrumentor.restore()


def test_reports_nothing_after_restore(folder: Path) -> None:
    (folder / f"{NAME}.py").write_text("")
    calls: list[str] = []
    instrumentor = Instrumentor(Guard())
    instrumentor.on_import(NAME, lambda: calls.append("loaded"))
    instrumentor.restore()
    importlib.import_module(NAME)
    assert calls == []


@pytest.mark.planted
def test_internal_error_does_not_fail_the_import(folder: Path) -> None:
    (folder / f"{NAME}.py").write_text("whole = True\n")
    guard = Guard()
    instrumentor = Instrumentor(guard)
    instrumentor.on_import(NAME, lambda: {}["missing"])
    assert importlib.import_module(NAME).whole
    instrumentor.restore()
    assert guard.counts == {"call: KeyError": 1}
