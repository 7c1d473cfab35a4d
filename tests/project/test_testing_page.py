"""docs/testing.md names every marker and every variable of the tests."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "testing.md").read_text("utf-8")
SOURCES = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "stack").rglob("*.py"), ROOT / "Makefile"]


def test_every_variable_of_the_tests_is_on_the_page() -> None:
    named = {name for file in SOURCES for name in re.findall(r"SAC_KAFKA_[A-Z_]*[A-Z]", file.read_text("utf-8"))}
    ours = {"SAC_KAFKA_AUTO", "SAC_KAFKA_JAR"}  # the package's own
    assert named - ours == set(re.findall(r"SAC_KAFKA_[A-Z_]*[A-Z]", PAGE))


def test_every_marker_is_on_the_page() -> None:
    table = PAGE.partition("## Markers")[2].partition("\n## ")[0]
    named = {name for row in re.findall(r"^\|([^|]*)\|", table, re.M) for name in re.findall(r"`(\w+)`", row)}
    markers = (ROOT / "pyproject.toml").read_text("utf-8").partition("\nmarkers = [")[2].partition("\n]")[0]
    assert named == set(re.findall(r'^    "(\w+)', markers, re.M))
