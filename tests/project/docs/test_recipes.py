"""Each recipe of CONTRIBUTING.md lists as many files as it promises, and these and the tables that it names exist."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Mapping

import pytest

from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.transport.sinks.sink import Sink
from tests.helpers.every_row import every_row
from tests.project.docs.blocks import ROOT, blocks
from tests.project.docs.test_paths import FILES, NEW

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_STATED = re.compile(rf"\b({'|'.join(_NUMBERS)}) files\b", re.IGNORECASE)
_STEP = re.compile(r"^(\d)\. (.*(?:\n(?: +.*)?)*)", re.MULTILINE)
_PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|json|toml)|(?:[\w.-]+/)+)`")

WITH_OTHER_FILES = {
    "Adding a source": "its first paragraph counts the files of the common case; the steps are those of any other",
    "Adding a setting": "the module that uses a setting is any",
}
"""Recipes whose steps are not one file each."""


def _recipes() -> Mapping[str, str]:
    sections = re.split(r"^## ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.MULTILINE)
    found = dict(section.split("\n", 1) for section in sections)
    return {title: text for title, text in found.items() if title.startswith("Adding ")}


RECIPES = _recipes()


def test_there_is_one_recipe_for_each_extension() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [title for title in RECIPES if text.count(f"\n## {title}\n") > 1] == []
    wanted = (
        "a source",
        "an operator",
        "a function",
        "a kind of dataset",
        "a sink",
        "a setting",
        "a command",
        "a platform",
        "a fact",
        "a stage",
        "an input",
        "an output",
    )
    assert [each for each in wanted if f"Adding {each}" not in RECIPES] == []


@every_row("title", [title for title in RECIPES if title not in WITH_OTHER_FILES])
def test_a_recipe_has_a_step_for_each_file_that_it_promises(title: str) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", RECIPES[title], flags=re.MULTILINE | re.DOTALL)
    stated = [_NUMBERS.index(number.lower()) + 1 for number in _STATED.findall(text)]
    steps = [step for _, step in _STEP.findall(text)]
    assert stated, "state the number of files"
    assert len(steps) == max(stated)
    assert [step for step in steps if not _PATH.search(step)] == [], "name the file in each step"


@every_row("title", list(RECIPES))
def test_the_files_of_a_recipe_exist(title: str) -> None:
    named = {each.rstrip("/") for each in _PATH.findall(RECIPES[title])} - NEW
    assert [each for each in sorted(named) if not any(f == each or f.endswith(f"/{each}") for f in FILES)] == []


@pytest.mark.slow
@every_row("title", list(RECIPES))
def test_the_tables_of_a_recipe_are_in_its_files(title: str) -> None:
    """Look for a row of `SOURCES`, a column of `KINDS_OF_DATASET`: a renamed table makes the recipe wrong."""
    code = "".join(path.read_text("utf-8") for path in sorted(ROOT.glob("sac_kafka/**/*.py")))
    code += "".join(path.read_text("utf-8") for path in sorted(ROOT.glob("tests/**/*.py")))
    named = set(re.findall(r"`([A-Z][A-Z_]{4,})`", RECIPES[title]))
    assert [each for each in sorted(named) if not re.search(rf"^_?{each}\b", code, re.MULTILINE)] == []


def test_the_sketches_name_fields_that_exist() -> None:
    sketches = [block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.language == "python"]
    calls = [node for text in sketches for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for cls in (Source, Sink):
        fields = {each.name for each in dataclasses.fields(cls)}
        of_class = [call for call in calls if ast.unparse(call.func) == cls.__name__]
        assert of_class, f"no sketch of CONTRIBUTING.md shows a {cls.__name__}"
        named = {str(keyword.arg) for call in of_class for keyword in call.keywords}
        assert sorted(named - fields) == [], f"{cls.__name__} has no such field: correct the sketch in CONTRIBUTING.md"
