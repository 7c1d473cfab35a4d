"""Every setting is read by the code that it is for; one that nobody reads has no effect."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import sac_kafka
from sac_kafka.settings import SUBJECTS
from sac_kafka.settings.declarations.declaring import declared
from tests.helpers.every_row import every_row

PACKAGE = Path(sac_kafka.__file__).parent
SETTINGS = [(subject, name) for _, subject in SUBJECTS for name, _ in declared(subject)]


@cache
def _names_read() -> frozenset[str]:
    """Return the names of attributes that any module reads, also by `getattr` with a name of a table."""
    found: set[str] = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        is_declaration = path.parent.name == "settings"
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_declaration:
                found.add(node.value)
    return frozenset(found)


@every_row("setting", SETTINGS, label=lambda each: f"{each[0].__name__}.{each[1]}")
def test_a_setting_is_read(setting: tuple[type, str]) -> None:
    subject, name = setting
    assert name in _names_read(), f"use {subject.__name__}.{name} where it takes effect, or remove it"
