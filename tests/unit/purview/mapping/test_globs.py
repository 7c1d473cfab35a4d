"""Globs whose words capture parts of a name: captures and invalid globs; hostile names take linear time."""

from __future__ import annotations

import random
import re

import pytest

from sac_kafka.globs import flat, in_parts
from sac_kafka.purview.mapping.globs import problem, words
from sac_kafka.purview.mapping.rules import criterion
from tests.helpers.backtracking import growth
from tests.helpers.seeds import seed


def test_captures_reproduce_the_name() -> None:
    """Put back where the words stand, the parts that they were given are the path: none is lost, none comes twice."""
    draw = random.Random(seed(43))
    held = 0
    for _ in range(1_500):
        globs = [draw.choice(("a", "ab", "{w%d}", "x{w%d}", "{w%d**}")) for _ in range(draw.randint(1, 5))]
        glob = "/".join(part % number if "%d" in part else part for number, part in enumerate(globs))
        path = "/".join(draw.choices(("a", "ab", "xa", "b"), k=draw.randint(0, 6)))
        found = criterion("path", glob).match(path)
        if found is not None:
            held += 1
            whole = glob
            for word, part in found.items():
                whole = whole.replace(f"{{{word}**}}", part).replace(f"{{{word}}}", part)
            assert [each for each in whole.split("/") if each] == [each for each in path.split("/") if each]
    assert held > 150


@pytest.mark.parametrize(
    ("name", "glob", "value", "found"),
    [
        ("host", "*.BLOB.core.*", "a.blob.core.windows.net", {}),
        ("host", "{server}.example.org", "db1.example.org", {"server": "db1"}),
        ("host", "{server}.example.org", ".example.org", None),
        ("path", "Raw/**", "raw/x", None),
        ("path", "raw/**", "raw", {}),
        ("path", "raw/*", "raw", None),
        ("path", "", "", {}),
        ("path", "", "x", None),
        ("path", "{all**}", "", {"all": ""}),
        ("path", "{area}/{table}_v?/{rest**}", "sales/orders_v2/2026/x", {"area": "sales", "table": "orders", "rest": "2026/x"}),
        ("path", "**/{last}", "a/b/c", {"last": "c"}),
        ("path", "a.b[1]+/x", "a.b[1]+/x", {}),
        ("path", "a.b", "aXb", None),
        ("table", "tmp_*", "TMP_1", {}),
    ],
)  # fmt: skip
def test_captures_of_a_glob(name: str, glob: str, value: str, found: dict[str, str] | None) -> None:
    assert criterion(name, glob).match(value) == found


@pytest.mark.parametrize(
    ("glob", "message"),
    [
        ("a{", "an unbalanced brace"),
        ("}a", "an unbalanced brace"),
        ("{}", "the invalid word ''"),
        ("{a b}", "the invalid word 'a b'"),
        ("{_1}", "the invalid word '_1'"),
        ("{a}/{a}", "the word 'a' twice"),
        ("x{a**}", "as a whole segment of a path"),
        ("a\tb", "non-printable"),
        ("x" * 1_001, "1,001 characters"),
    ],
)
def test_invalid_glob(glob: str, message: str) -> None:
    assert message in (problem(glob, has_parts=True) or "nothing")


def test_glob_of_a_name_without_parts_has_no_double_wildcard() -> None:
    assert "allowed only in paths" in (problem("{a**}", has_parts=False) or "")
    assert problem("{a}.*", has_parts=False) is None
    assert words("{a**}/x{b}") == ("a", "b")


ANY = ("*a*a*a*b", "a?*?*?*b", "{x}a{y}a{z}b", "*{a}*{b}*{c}*x")
OF_PATHS = (
    "**/a*/**/a*/**/b",
    "{x**}/a/{y**}/a/{z}b",
    "**/a/a/a/a/**/b",
    "{a**}/{b**}/{c**}/x",
    "**/a*a/**/a*b/**/{x}c",
)


@pytest.mark.parametrize(
    "pattern",
    [*map(flat, ANY), *(in_parts(glob.split("/"), "/") for glob in (*ANY, *OF_PATHS))],
    ids=lambda each: each.pattern,
)
def test_a_hostile_name_takes_linear_time(pattern: re.Pattern[str]) -> None:
    assert growth(pattern, "fullmatch") is None
