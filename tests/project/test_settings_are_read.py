"""Every setting is read by the code that it is for; an unread one has no effect.

An attribute counts as read from what is called or annotated as the setting's subject: `content.reads` and
`settings.content.reads` read a field of `Content`, `source.reads` does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.settings import SUBJECTS, Settings
from sac_kafka.settings.declarations.declaring import declared_settings
from tests.helpers.every_row import every_row

PACKAGE = Path(sac_kafka.__file__).parent
SUBJECT_NAMES = frozenset(subject.__name__ for _, subject in SUBJECTS)
SETTINGS = [(subject.__name__, name) for _, subject in SUBJECTS for name, _ in declared_settings(subject)]
CALLED = {str(each.type): each.name for each in fields(Settings) if each.type in SUBJECT_NAMES}
"""The fields of `Settings`, by the class of each."""

READ_OTHERWISE = {
    ("Rest", "enabled"): "as a key, by `Settings.read`",
    ("DriverBounds", "python"): "spark/java/driver/PythonProcess.java, from Spark's configuration",
}

Read = tuple[str, str]
"""A subject and a field."""


Nodes = tuple[ast.AST, ...]


def _nodes(text: str) -> Nodes:
    return tuple(ast.walk(ast.parse(text)))


@cache
def _modules() -> Mapping[Path, Nodes]:
    return {path: _nodes(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def _read() -> frozenset[Read]:
    """Return the fields that any module reads, also by `getattr` with a name of a table."""
    shared = {(name, subject) for subject, name in CALLED.items()}
    for nodes in _modules().values():
        shared.update(each for node in nodes if isinstance(node, ast.ClassDef) for each in _annotated(node.body))
    return frozenset(each for path, nodes in _modules().items() for each in _read_by(nodes, path, shared))


def _annotated(nodes: Iterable[ast.AST]) -> Iterator[Read]:
    """Yield the names that are annotated with a subject, and that subject."""
    for node in nodes:
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            name = node.arg if isinstance(node, ast.arg) else _name(node.target)
            yield from ((name, word) for word in map(_name, ast.walk(node.annotation)) if word in SUBJECT_NAMES)


def _read_by(nodes: Nodes, path: Path, shared: Iterable[Read]) -> Iterator[Read]:
    called = {*shared, *_annotated(nodes)}
    for node in nodes:  # `self._files = options.files`
        if isinstance(node, (ast.Assign, ast.NamedExpr)) and _name(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            called |= {(_name(target), subject) for name, subject in called if name == _name(node.value)}
    for holder, attribute in _attributes(nodes):
        yield from ((subject, attribute) for name, subject in called if name == holder)
    for cls in nodes:
        if isinstance(cls, ast.ClassDef) and cls.name in SUBJECT_NAMES:
            yield from ((cls.name, name) for holder, name in _attributes(ast.walk(cls)) if holder == "self")
    if path.parent.name != "settings":
        used = SUBJECT_NAMES & {node.id for node in nodes if isinstance(node, ast.Name)}
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        yield from ((subject, text) for subject in used for text in texts)


def _attributes(nodes: Iterable[ast.AST]) -> set[tuple[str, str]]:
    """Return the attributes that are read, each with the name of what holds it."""
    found = (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))
    return {(_name(node.value), node.attr) for node in found}


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@pytest.mark.slow
@every_row(
    "setting", [each for each in SETTINGS if each not in READ_OTHERWISE], label=lambda each: f"{each[0]}.{each[1]}"
)
def test_a_setting_is_read(setting: Read) -> None:
    assert setting in _read(), f"use {'.'.join(setting)} where it takes effect, or remove it"


def test_exceptions_are_settings() -> None:
    assert set(READ_OTHERWISE) - set(SETTINGS) == set()


def test_a_field_of_the_same_name_elsewhere_is_no_read() -> None:
    nodes = _nodes("def f(content: Content, source: Source): return content.views, source.reads")
    assert set(_read_by(nodes, Path("x.py"), frozenset())) == {("Content", "views")}
