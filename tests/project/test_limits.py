"""The limits of `.ci/limits.toml`: what exceeds one is named with its file and its rule."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import pytest

from dev.limits import SIZES, updated, violations

LIMITS: Mapping[str, Any] = {
    "lines": {"limit": 10},
    "fields": {"limit": 1, "above": {"a.py Old": 2}},
    **{rule: {"limit": 1} for rule in ("imports", "attributes")},
}
CODE = """
from sac_kafka.a import b, c
import sac_kafka.d, os

@dataclass(frozen=True)
class Frozen:
    one: int
    two: int

class Changing:
    def set(self, one):
        self.one, self.two = one, one
        other.three = self.four
"""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("imports", [("", 2)]),
        ("fields", [("Frozen", 2)]),
        ("attributes", [("Changing", 2)]),
    ],
)
def test_sizes_are_counted_by_each_rule(rule: str, expected: list[tuple[str, int]]) -> None:
    assert list(SIZES[rule](ast.parse(CODE))) == expected


@pytest.mark.parametrize(
    ("lines", "size", "expected"),
    [
        (10, ("fields", "a.py Old", 2), []),
        (11, ("fields", "a.py Old", 2), ["lines: 11 are more than the limit of 10"]),
        (10, ("fields", "a.py Old", 3), ["a.py Old: 3 fields are more than the limit of 2"]),
        (10, ("fields", "a.py Old", 1), []),
    ],
)
def test_an_exceeded_limit_is_named(lines: int, size: tuple[str, str, int], expected: list[str]) -> None:
    found = list(violations(LIMITS, {"lines": lines}, [size]))
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True))


def test_other_places_have_the_general_limit() -> None:
    sizes = [("fields", "a.py Old", 2), ("attributes", "b.py New", 2)]
    assert list(violations(LIMITS, {}, sizes)) == [
        "b.py New: 2 attributes are more than the limit of 1; "
        "split it, or raise the limit in .ci/limits.toml and state why in the commit"
    ]


def test_ceilings_only_decrease() -> None:
    text = "[lines]\nlimit = 10\ntoday = 1\n" + "".join(f"[{rule}]\nlimit = 1\n" for rule in SIZES)
    text += '[fields.above]\n"a.py Kept" = 3\n"a.py Lower" = 3\n"a.py Gone" = 3\n'
    sizes = [("fields", "a.py Kept", 4), ("fields", "a.py Lower", 2), ("fields", "a.py Gone", 1)]
    now = updated(text, {"lines": 7}, sizes)
    assert "today = 7\n" in now
    assert now.endswith('[fields.above]\n"a.py Kept" = 3\n"a.py Lower" = 2\n')
