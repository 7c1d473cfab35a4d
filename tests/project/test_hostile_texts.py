"""Nothing that reads texts from outside is worse than linear: steps are counted, on short texts that are made for that.

Patterns and readers are found by themselves: all that are compiled in the package, tried as its code uses them, and all
functions that take nothing but text. `python -m benchmarks.hostile_texts` measures the same with 100,000 characters.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.masking import mask_text
from sac_kafka.transport.kafka.errors.rules import RULES
from tests.helpers.backtracking import Steps, growth, shortened
from tests.helpers.every_row import every_row
from tests.helpers.hostile import fault, texts
from tests.helpers.seeds import seed
from tests.helpers.text_readers import (
    BOUND,
    BOUNDED,
    BY_HAND,
    CountedPattern,
    caches,
    counted_patterns,
    inside,
    patterns,
    readers,
)

ORDINARY = (
    *("a", "0", " ", "\n", "=", ",", ".", "/", "'", '"', "`", "\\", "(", "{", "["),
    *("://a:", "a ", "a=b,", "()", "''", "password=", "a\\\n"),
)
"""What functions of texts are tried with; those in BY_HAND with more."""


PACKAGE = Path(sac_kafka.__file__).parent
PARTS = sorted(path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_"))


def _part(name: str) -> str:
    """Return the part of the package that a place is in."""
    return re.split(r"[. :]", name)[1]


@pytest.fixture(scope="module")
def longest() -> Iterator[dict[str, int]]:
    """Have the package's patterns count, and yield what is the most that each of them was given."""
    with counted_patterns() as given:
        yield given


def _faults(read: Callable[[str], object], tried: list[tuple[str, str]]) -> list[str]:
    with contextlib.suppress(Exception):
        read("a")  # modules are imported, and tables are made
    found = []
    for head, unit in tried:
        _forget()
        found.append(fault(read, head, unit))
    return [each for each in found if each]


def _forget() -> None:
    """Clear the caches of the package that are bounded, as their keys are texts."""
    for each in caches():
        each.cache_clear()


@pytest.mark.full
@every_row("part", PARTS)
def test_patterns_are_linear(part: str) -> None:
    own = {name: each for name, each in patterns().items() if _part(name) == part and not name.startswith((*BOUNDED,))}
    found = {name: growth(pattern, method) for name, (pattern, methods) in own.items() for method in methods}
    assert [f"{name.partition(':')[0]}: {why}" for name, why in found.items() if why] == []


@pytest.mark.parametrize("place", BOUNDED)
def test_patterns_that_are_not_linear_are_given_short_texts(place: str, longest: dict[str, int]) -> None:
    own = [pattern for name, (pattern, _) in patterns().items() if name.startswith(place)]
    assert any(growth(pattern, method) for pattern in own for method in ("fullmatch", "sub"))
    longest.clear()
    for unit in ORDINARY:
        BOUNDED[place](unit * 2 * BOUND)
    assert all(0 < longest[pattern.pattern] <= BOUND for pattern in own)


@pytest.mark.full
@pytest.mark.usefixtures("longest")
@every_row("part", PARTS)
def test_functions_of_texts_are_linear(part: str) -> None:
    own = {name: read for name, read in readers().items() if _part(name) == part}
    found = {name: _faults(read, [("", unit) for unit in ORDINARY]) for name, read in own.items()}
    assert {name: why for name, why in found.items() if why} == {}


@pytest.mark.full
@pytest.mark.usefixtures("longest")
@every_row("name", BY_HAND)
def test_readers_of_hostile_texts_are_linear(name: str) -> None:
    tried = [*dict.fromkeys([*(("", unit) for unit in ORDINARY), *[*texts()][:: 1 if name == "mask_text" else 12]])]
    assert _faults(BY_HAND[name], tried) == []


def test_patterns_and_readers_are_found() -> None:
    names = " ".join([*patterns(), *readers()])
    for each in (
        "names.paths",
        "names.jdbc_urls",
        "masking.mask_text",
        "masking._without_users",
        "jdbc_urls.parse_jdbc_url",
    ):
        assert each in names
    assert len(patterns()) > 80
    of_kafka = {each.pattern for each in inside(RULES)}
    assert len(of_kafka) > 20
    assert of_kafka <= {pattern.pattern for pattern, _ in patterns().values()}
    assert {_part(name) for name in [*patterns(), *readers()]} <= {*PARTS}


@every_row(
    ("pattern", "method"),
    [
        (r"a*a*a*!", "search"),
        (r"a*a*a*!", "match"),
        (r"\s+x", "search"),
        (r"\s+x", "sub"),
        (r"a.*b.*c.*d", "search"),
        (r"a.*bc.*d", "match"),
        (r"(a+)+$", "search"),
        (r"(a+)+$", "match"),
        (r"(?:a|b|ab)*c", "match"),
        (r"(\w+)\s*=\s*x", "search"),
        (r"x[^y]*y", "finditer"),
        (r"--ab[^y]*y", "findall"),
        (r"[^ ]+$", "search"),
        (r"(?m)\d+$", "split"),
        (r".*\d+", "fullmatch"),
        (r"(?<!\w)key[^;]*;", "search"),
        (r"(?=.*!)a", "search"),
        (r"`(?:[^`]|``)*`\Z", "search"),
        (r"(?i:<)[^>]{1,2000}>", "search"),
        (r"(\w*)=\1x", "search"),
        (r"\d+\d*(?![\w.])", "match"),
        (r"\d+\d*\b", "match"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, method: str) -> None:
    assert growth(re.compile(pattern), method)


@every_row(
    ("pattern", "method"),
    [
        (r"^\s+x", "search"),
        (r"\s+x", "match"),
        (r"(\w+)\s*=\s*x", "match"),
        (r"(?<!\w)\w+=", "search"),
        (r"x[^xy]*y", "findall"),
        (r"\s{1,300}x", "search"),
        (r"[0-9a-f]{32}", "search"),
        (r".*\d", "fullmatch"),
        (r"(?s)x.*y?\Z", "search"),
        (r"'(?:[^'\\]|\\.)*'", "match"),
        (r"\S+\s*", "finditer"),
    ],
)
def test_a_pattern_that_is_linear_passes(pattern: str, method: str) -> None:
    assert growth(re.compile(pattern), method) is None


def test_counted_matching_equals_re() -> None:
    draw = random.Random(seed(51))
    matched = 0
    own = (
        r"(a|b)*?\1c*",
        r"(?i:A+)b|(?:ab?)+?c",
        r"(a*)*b",
        r"(?:a?b?){2,}c",
        r"(?<=ab)c|\bx+\B",
        r"(?:(?:a|b){1,2}c){2,3}",
    )
    for pattern in [*map(re.compile, own), *[pattern for pattern, _ in patterns().values()][::8]]:
        expected = shortened(pattern)
        words = [*re.findall(r"\w+", pattern.pattern), *"ab.c-/=: \n0123"]
        for method in ("search", "match", "fullmatch"):
            counted = Steps(pattern, method)
            for _ in range(10):
                text = "".join(draw.choices(words, k=draw.randint(0, 6)))
                found = getattr(expected, method)(text)
                matched += found is not None
                assert counted.matches(text) == ([found.span()] if found else []), (pattern, method, text)
    assert matched > 100


@pytest.mark.parametrize(
    "read",
    [
        lambda text: [text[at:] for at in range(len(text))],
        lambda text: ["".join(sorted(text[:at])) for at in range(len(text))],
        lambda text: sum(one == other for one in text for other in text),
        lambda text: [text.find("!", at) for at in range(len(text))],
    ],
)
def test_a_function_that_is_not_linear_is_found(read: Callable[[str], object]) -> None:
    assert any(fault(read, "", unit) for unit in ORDINARY)


def test_a_pattern_that_is_searched_repeatedly_is_found() -> None:
    pattern = CountedPattern(re.compile("!"), {})
    assert fault(lambda text: [pattern.search(text, at) for at in range(len(text))], "", "a")
    assert not fault(lambda text: [pattern.match(text, at) for at in range(len(text))], "", "a")


def test_a_pattern_that_counts_finds_the_same(longest: dict[str, int]) -> None:
    longest.clear()
    assert mask_text("password=a b; password=c") == "password=********; password=********"
    assert longest
