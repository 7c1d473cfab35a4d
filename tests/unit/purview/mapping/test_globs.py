"""Globs that name parts, against a reader of globs that tries everything; and hostile names, which take linear time."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from sac_kafka.globs import flat, in_parts
from sac_kafka.purview.mapping.globs import problem, words
from sac_kafka.purview.mapping.rules import criterion
from tests.helpers.backtracking import growth
from tests.helpers.seeds import seed


def _slow(glob: str, text: str) -> bool:
    """Whether a glob of one part matches a text, by trying all there is; < stands for a word."""

    @cache
    def at(i: int, j: int) -> bool:
        if i == len(glob):
            return j == len(text)
        if glob[i] == "*":
            return at(i + 1, j) or (j < len(text) and at(i, j + 1))
        if glob[i] == "<":
            return j < len(text) and (at(i + 1, j + 1) or at(i, j + 1))
        return j < len(text) and glob[i] in ("?", text[j]) and at(i + 1, j + 1)

    return at(0, 0)


def _slow_in_parts(globs: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    if not globs:
        return not parts
    if globs[0] in ("**", "<<"):
        return any(_slow_in_parts(globs[1:], parts[i:]) for i in range(len(parts) + 1))
    return bool(parts) and _slow(globs[0], parts[0]) and _slow_in_parts(globs[1:], parts[1:])


def _with_words(glob: str) -> str:
    """< and << as words, each another one."""
    for number in range(glob.count("<")):
        glob = glob.replace("<<", f"{{m{number}**}}", 1) if "<<" in glob else glob.replace("<", f"{{w{number}}}", 1)
    return glob


DRAWN = pytest.mark.parametrize("draws", [1_500, pytest.param(10_000, marks=pytest.mark.nightly)])


@DRAWN
def test_globs_without_parts(draws: int) -> None:
    draw = random.Random(seed(41))
    matched = 0
    for _ in range(draws):
        glob = "".join(draw.choices("ab*?<", k=draw.randint(1, 7)))
        text = "".join(draw.choices("ab", k=draw.randint(0, 9)))
        if "<<" in glob:
            continue
        expected = _slow(glob, text)
        matched += expected
        assert bool(flat(_with_words(glob)).fullmatch(text)) is expected, (glob, text)
    assert draws / 10 < matched < draws * 9 / 10


@DRAWN
def test_globs_in_parts(draws: int) -> None:
    draw = random.Random(seed(42))
    matched = 0
    for _ in range(draws):
        globs = tuple(
            draw.choice(("**", "*", "<<", "<", "".join(draw.choices("ab*?", k=draw.randint(1, 4)))))
            for _ in range(draw.randint(1, 5))
        )
        parts = tuple("".join(draw.choices("ab", k=draw.randint(1, 4))) for _ in range(draw.randint(0, 6)))
        expected = _slow_in_parts(globs, parts)
        matched += expected
        name = "".join(part + "/" for part in parts)
        assert bool(in_parts(_with_words("/".join(globs)).split("/"), "/").fullmatch(name)) is expected, (globs, name)
    assert draws / 10 < matched < draws * 9 / 10


def test_what_words_stand_for_makes_the_name_again() -> None:
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
def test_what_a_glob_gives(name: str, glob: str, value: str, found: dict[str, str] | None) -> None:
    assert criterion(name, glob).match(value) == found


@pytest.mark.parametrize(
    ("glob", "said"),
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
def test_what_is_no_glob(glob: str, said: str) -> None:
    assert said in (problem(glob, has_parts=True) or "nothing")


def test_a_glob_of_what_has_no_parts_has_no_word_for_many() -> None:
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
