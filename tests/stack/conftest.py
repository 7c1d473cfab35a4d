"""What tests of the stack have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

import stack.java


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with no Java at all; gives the folder into which one is fetched."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(stack.java, "FETCHED", tmp_path / "fetched-java")
    return tmp_path / "fetched-java"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The stack changes seldom, and its tests are dear: none of them runs every day."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.full)
