"""Globs compared with an exhaustive matcher; hostile names take linear time."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

import pytest

from sac_kafka.globs import flat, in_parts
from sac_kafka.model import PathDataset, TableDataset, TopicDataset
from sac_kafka.names.paths import PLACEHOLDER_PATTERNS
from sac_kafka.settings.declarations.rules import rule
from sac_kafka.stages.filters.names import NAMES
from tests.helpers.backtracking import growth
from tests.helpers.every_row import every_row
from tests.helpers.seeds import seed
from tests.unit.lineage.filters.datasets import is_kept, path


def _slow(glob: str, text: str) -> bool:
    """Match a glob of one part exhaustively; < stands for a word."""

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
    """Replace < and << by words, each by a different one."""
    for number in range(glob.count("<")):
        glob = glob.replace("<<", f"{{m{number}**}}", 1) if "<<" in glob else glob.replace("<", f"{{w{number}}}", 1)
    return glob


DRAWN = pytest.mark.parametrize("draws", [2_000, pytest.param(20_000, marks=pytest.mark.nightly)])
WORDS = pytest.mark.parametrize("word", ["", "<"], ids=["without words", "with words"])


@WORDS
@DRAWN
def test_globs_without_parts(draws: int, word: str) -> None:
    draw = random.Random(seed(31))
    matched = 0
    for _ in range(draws):
        glob = re.sub("<+", "<", "".join(draw.choices(f"ab*?{word}", k=draw.randint(0, 7))))
        text = "".join(draw.choices("ab", k=draw.randint(0, 9)))
        expected = _slow(glob, text)
        matched += expected
        assert bool(flat(_with_words(glob)).fullmatch(text)) is expected, (glob, text)
        assert word or bool(flat(glob, PLACEHOLDER_PATTERNS).fullmatch(text)) is expected, (glob, text)
    assert draws / 10 < matched < draws * 9 / 10


@pytest.mark.slow
@WORDS
@DRAWN
def test_globs_in_parts(draws: int, word: str) -> None:
    draw = random.Random(seed(32))
    matched = 0
    whole = ("**", "*", *((word, word * 2) if word else ()))
    for _ in range(draws):
        globs = tuple(
            draw.choice((*whole, "".join(draw.choices("ab*?", k=draw.randint(1, 4)))))
            for _ in range(draw.randint(1, 5))
        )
        parts = tuple("".join(draw.choices("ab", k=draw.randint(1, 4))) for _ in range(draw.randint(0, 6)))
        name = "".join(part + "/" for part in parts)
        expected = _slow_in_parts(globs, parts)
        matched += expected
        assert bool(in_parts(_with_words("/".join(globs)).split("/"), "/").fullmatch(name)) is expected, (globs, name)
        assert word or bool(in_parts(globs, "/", PLACEHOLDER_PATTERNS).fullmatch(name)) is expected, (globs, name)
    assert draws / 10 < matched < draws * 9 / 10


def test_literal_name_matches_only_itself() -> None:
    draw = random.Random(seed(33))
    for _ in range(400):
        name = "/" + "/".join("".join(draw.choices("ab.+[]()^$|\\", k=draw.randint(1, 5))) for _ in range(3))
        dataset = path(f"file:{name}")
        literal = rule(f"path:{name}").text
        if dataset.path == f"file:{name}":
            assert not is_kept(dataset, exclude=literal)
            assert is_kept(path(f"file:{name}x"), exclude=literal)


@pytest.mark.parametrize(
    ("glob", "name", "is_matched"),
    [
        ("{run}", "app_1234567890", True),
        ("{run}", "app_12345678", False),
        ("{run}", "app_1234567890_1x", False),
        ("{run}*", "local-123456789_12-3", True),
        ("{run}*0", "app_1234567890", True),
        ("x*{run}*0", "x app_1234567890", True),
        ("{run}x*", "app_1234567890-1x", True),
        ("{run}*{run}", "job_123456789 job_1234567890", True),
        ("{run}?*1", "application_123456789_11", True),
    ],
)
def test_wildcard_is_as_long_as_the_rest_allows(glob: str, name: str, is_matched: bool) -> None:
    assert bool(flat(glob, PLACEHOLDER_PATTERNS).fullmatch(name)) is is_matched
    assert bool(in_parts([glob], "/", PLACEHOLDER_PATTERNS).fullmatch(f"{name}/")) is is_matched


GLOBS = (
    *("*a*a*a*b", "**/a*/**/a*/**/b", "a?*?*?*b", "*.*.*.x", "**", "a/**/b/**/c/**/*d", "*{uuid}*{uuid}*x"),
    *("{run}*{run}*x", "{run}*x", "{run}-?*0", "/{run}*/**/b*", "{date}*{date}*x"),
    *("/**/a/a/a/a/**/b", "s3a://*a*a/**/x", "`a`.*b*.c"),
)


@pytest.mark.full
@every_row("glob", GLOBS)
@pytest.mark.parametrize(
    "read", [NAMES[kind].glob for kind in (TableDataset, PathDataset, TopicDataset)], ids=["table", "path", "flat"]
)
def test_a_hostile_name_takes_linear_time(read: Callable[[str], re.Pattern[str]], glob: str) -> None:
    assert growth(read(glob), "fullmatch") is None
