"""Parse and match the patterns of custom resource set rules: `{folder:string}/{{region:string}}/file-{number:int}.csv`.

Matching is per folder and without backtracking, so no pattern takes exponential time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

MAX_NAME_LENGTH = 255
"""Maximum length of a file or folder name in Azure (path segments of ADLS Gen2); longer names match no pattern."""

_REPLACER = re.compile(r"(\{\{[^{}]*\}\}|\{[^{}]*\})")
_GUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
_DATES = ("[0-9]{8}", "[0-9]{6}", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[0-9]{2})?")
"""Formats of the documentation, and `01-01-2020`, which occurs only in its examples."""
_TIMES = ("[0-9]{4}", "[0-9]{6}", "[0-9]{2}:[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}")
_TIMESTAMPS = (
    *("[0-9]{12}", "[0-9]{14}"),
    *(f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9]{{2}}:[0-9]{{2}}{seconds}" for seconds in ("", ":[0-9]{2}")),
)
_LOCALES = tuple(
    f"[A-Za-z]{{{letters}}}{script}{region}"
    for letters in (2, 3)
    for script in ("", "[-_][A-Za-z]{4}")
    for region in ("", "[-_][A-Za-z]{2}", "[-_][0-9]{3}")
)

PatternEnds = Callable[[str, int], Iterable[int]]
"""Function from a text and a start index to the indices at which a value of a replacer can end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternToken:
    """Token of a pattern: a replacer with its name and type, or literal text, for which `type_name` is "".

    `is_static`: written in double brackets; the value stays in the name.
    """

    text: str
    type_name: str = ""
    is_static: bool = False


def _string(text: str, begin: int) -> Iterable[int]:
    return range(begin + 1, len(text) + 1)


def _run_of(characters: frozenset[str]) -> PatternEnds:
    def ends(text: str, begin: int) -> Iterator[int]:
        for i in range(begin, len(text)):
            if text[i] not in characters:
                return
            yield i + 1

    return ends


def _one_of(*patterns: str) -> PatternEnds:
    compiled = tuple(re.compile(pattern) for pattern in patterns)

    def ends(text: str, begin: int) -> Iterator[int]:
        return (found.end() for each in compiled if (found := each.match(text, begin)) is not None)

    return ends


_digits = _run_of(frozenset("0123456789"))


def _number(text: str, begin: int) -> Iterator[int]:
    """Yield the ends of digits, a fraction, or both."""
    end = begin
    for end in _digits(text, begin):
        yield end
    if text.startswith(".", end):
        yield from _digits(text, end + 1)


TYPES: Mapping[str, PatternEnds] = {
    "string": _string,
    "int": _digits,
    "guid": _one_of("[0-9A-Fa-f]{32}", _GUID),
    "date": _one_of(*_DATES),
    "time": _one_of(*_TIMES),
    "timestamp": _one_of(*_TIMESTAMPS),
    "boolean": _one_of("(?i:true)", "(?i:false)"),
    "number": _number,
    "hex": _run_of(frozenset("0123456789ABCDEFabcdef")),
    "locale": _one_of(*_LOCALES),
}
"""Types of replacers, with the functions that find the possible ends of their values."""


def parsed(pattern: str) -> tuple[tuple[PatternToken, ...], ...]:
    """Return the tokens of a pattern by folder.

    Raises:
        ValueError: The pattern is invalid; the message follows the pattern's name.
    """
    folders = tuple(tuple(_tokens(folder)) for folder in pattern.strip("/").split("/"))
    if not all(folders):
        raise ValueError("has a folder without a name")
    return folders


def matched(tokens: tuple[PatternToken, ...], text: str) -> tuple[str, ...] | None:
    """Return the values of the tokens in a file or folder name; None if the name does not match.

    >>> matched(parsed("file-{n:int}.csv")[0], "file-12.csv")
    ('file-', '12', '.csv')
    """
    if len(text) > MAX_NAME_LENGTH:
        return None
    # Dynamic programming from the last token: fits[i] is True if the remaining tokens match text[i:].
    fits = [False] * len(text) + [True]
    by_token = [fits]
    for token in reversed(tokens):
        fits = [any(fits[end] for end in _ends(token, text, i)) for i in range(len(text) + 1)]
        by_token.append(fits)
    return _values(tokens, text, by_token[-2::-1]) if fits[0] else None


def _values(tokens: tuple[PatternToken, ...], text: str, rests: Iterable[list[bool]]) -> tuple[str, ...]:
    """Return the values of a matching text, each as long as the following tokens allow."""
    found: list[str] = []
    begin = 0
    for token, fits in zip(tokens, rests, strict=True):
        end = max(end for end in _ends(token, text, begin) if fits[end])
        found.append(text[begin:end])
        begin = end
    return tuple(found)


def _ends(token: PatternToken, text: str, begin: int) -> Iterable[int]:
    if token.type_name:
        return TYPES[token.type_name](text, begin)
    return (begin + len(token.text),) if text.startswith(token.text, begin) else ()


def _tokens(folder: str) -> list[PatternToken]:
    parts = _REPLACER.split(folder)
    if any("{" in text or "}" in text for text in parts[::2]):
        raise ValueError("has an unbalanced bracket")
    return [_token(part) if i % 2 else PatternToken(text=part) for i, part in enumerate(parts) if part]


def _token(part: str) -> PatternToken:
    is_static = part.startswith("{{")
    name, colon, type_name = part.strip("{}").partition(":")
    if not colon or type_name.strip().lower() not in TYPES:
        raise ValueError(f"has {part}, which must be {{name:type}} with one of the types {', '.join(TYPES)}")
    return PatternToken(text=name.strip(), type_name=type_name.strip().lower(), is_static=is_static)
