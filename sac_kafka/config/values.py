"""Kinds of setting values: how the text of a properties file becomes a Python value.

A kind's `read` raises ValueError with a sentence that says what is allowed; `settings` adds the place, key and value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: `name` is its type in the documentation, `read` turns trimmed, non-empty text into the value.

    `is_list`: a key that is set several times has all of its values; of the others the first counts, as in Atlas'
    `getString`, `getBoolean` and `getInt`.
    """

    name: str
    read: Callable[[str], object]
    is_list: bool = False


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("must be true or false")
    return text.lower() == "true"


def _last(text: str) -> str:
    value = text.rpartition(",")[2].strip()
    if not value:
        raise ValueError("must not end with a comma")
    return value


def _first(text: str) -> str:
    value = text.partition(",")[0].strip()
    if not value:
        raise ValueError("must not begin with a comma")
    return value


def _patterns(text: str) -> tuple[str, ...]:
    patterns = tuple(filter(None, (part.strip() for part in split_outside_brackets(text))))
    for pattern in patterns:
        _check_pattern(pattern)
    return patterns


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"{pattern!r} is not a regular expression: {error}; in a properties file every backslash is doubled"
        ) from None


BOOLEAN = Kind("true or false", _boolean)
TEXT = Kind("text", str)
TEXTS = Kind("text", str, is_list=True)  # who uses it splits it at the commas
FIRST = Kind("text", _first)  # of a list Atlas' `getString` takes the first element
# of a key that is set several times Atlas takes the last value here (AtlasHook, since 2.2)
LAST = Kind("text", _last, is_list=True)
PATTERNS = Kind("regular expressions, separated by commas", _patterns, is_list=True)


def integer(least: int, most: int) -> Kind:
    """Make the kind of integers from `least` to `most`, both included."""

    def read(text: str) -> int:
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"must be an integer from {least} to {most}")
        if len(text) > 20 or not least <= int(text) <= most:
            raise ValueError(f"must be from {least} to {most}")
        return int(text)

    return Kind(f"integer, {least} to {most}", read)


def seconds(least: float, most: float) -> Kind:
    """Make the kind of durations in seconds from `least` to `most`, both included; decimals are allowed."""

    def read(text: str) -> float:
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"must be a number of seconds from {least:g} to {most:g}, without a unit")
        if not least <= float(text) <= most:
            raise ValueError(f"must be from {least:g} to {most:g} seconds")
        return float(text)

    return Kind(f"number, {least:g} to {most:g}", read)


def choice(*names: str) -> Kind:
    """Make the kind that takes one of `names`, case-insensitively."""

    def read(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return text.lower()

    return Kind(" or ".join(f"`{name}`" for name in names), read)


def one_of(values: type[Enum], *more: str) -> Kind:
    """Make the kind that takes one of `more` or the text of one of `values`; it gives the text."""
    return choice(*more, *(str(each.value) for each in values))


def split_outside_brackets(text: str) -> list[str]:
    r"""Split at commas, but not inside (), [] or {} nor after a backslash, so that `\d{4,6}` stays whole.

    >>> split_outside_brackets(r"a\d{1,2},[,;]b,c")
    ['a\\d{1,2}', '[,;]b', 'c']
    """
    parts = [""]
    depth = 0
    escaped = False
    for character in text:
        if character == "," and not escaped and depth <= 0:
            parts.append("")
            continue
        parts[-1] += character
        if not escaped:
            depth += (character in "([{") - (character in ")]}")
        escaped = character == "\\" and not escaped
    return parts
