"""Define kinds of setting values, which convert the text of a properties file to a Python value.

`Kind.read` raises ValueError with a message that states the allowed values; `Setting.value` adds place, key and value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from sac_kafka.masking import mask_text, mask_value

_MAX_GUESS_LENGTH = 100  # characters; difflib takes quadratic time
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NO_NAMESPACE = re.compile(r"[\x00-\x1f\x7f\s\"'#\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")  # org.apache.kafka.common.internals.Topic
EXPOSED = "looks like a secret and would be visible in messages; put secrets only into password and token settings"
_FILE_MODE = re.compile(r"0?6(00|4[04]|6[04])")
_PLACEHOLDER = re.compile(r"\{(?:date|uuid|run)\}")
_NO_GLOB = re.compile(r"[][{}\\]|^\^|\$$")
MAX_GLOB_LENGTH, MAX_GLOBS = 255, 100
"""Limits of a segment glob (characters) and of a setting (globs), because each segment is matched against each glob."""
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: `name` is its type in the documentation, `read` converts trimmed, non-empty text to the value.

    If a key is set several times, `is_list` joins all values; otherwise the first is used, as in Atlas' `getString`,
    `getBoolean` and `getInt`. `takes_last`: the last is used. `unit` is that of every value.
    """

    name: str
    read: Callable[[str], object]
    is_list: bool = False
    takes_last: bool = False
    unit: str = ""


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("must be true or false")
    return text.lower() == "true"


def _namespace(text: str) -> str:
    value = text.rpartition(",")[2].strip()
    if not value:
        raise ValueError("must not end with a comma")
    if _NO_NAMESPACE.search(value):
        raise ValueError(
            "must not contain blanks, quotes, # (comments must be on separate lines) or invisible characters"
        )
    return _path(value)


def _topic(text: str) -> str:
    value = text.partition(",")[0].strip()
    if not value:
        raise ValueError("must not begin with a comma")
    if not _TOPIC.fullmatch(value) or value in (".", ".."):
        raise ValueError("must be the name of a topic: 1 to 249 letters, digits, '.', '_' and '-'")
    return _name(value)


def _name(text: str) -> str:
    """Check a name that becomes part of messages: it must not look like a secret."""
    if mask_text(text) != text:
        raise ValueError(EXPOSED)
    return text


def _path(text: str) -> str:
    """Check a path or namespace: like `_name`, and `user:password@host` is not allowed either."""
    if mask_value(text) != text:
        raise ValueError(EXPOSED)
    return text


def _file_mode(text: str) -> int:
    if not _FILE_MODE.fullmatch(text):
        raise ValueError("must be 600, 640, 644, 660 or 664: its owner reads and writes it, and others do not write it")
    return int(text, 8)


def _patterns(text: str) -> tuple[str, ...]:
    patterns = tuple(filter(None, (part.strip() for part in split_outside_brackets(text))))
    for pattern in patterns:
        _check_pattern(pattern)
    return patterns


def _segments(text: str) -> tuple[str, ...]:
    globs = tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))
    if len(globs) > MAX_GLOBS:
        raise ValueError(
            f"{len(globs):,} globs are too many: at most {MAX_GLOBS:,}; use globs that match several names"
        )
    for glob in globs:
        _check_segment(glob)
    return globs


def _check_segment(glob: str) -> None:
    if mask_text(glob) != glob:
        raise ValueError(EXPOSED)
    if len(glob) > MAX_GLOB_LENGTH:
        raise ValueError(
            f"{glob[:40] + '…'!r} has {len(glob):,} characters; the name of a directory has at most {MAX_GLOB_LENGTH}"
        )
    if "/" in glob:
        raise ValueError(f"{glob!r} contains a slash, but a glob matches one path segment; write only the segment")
    if _NO_GLOB.search(_PLACEHOLDER.sub("", glob)):
        raise ValueError(
            f"{glob!r} is not a valid glob: * matches any text, ? one character, {{date}}, {{uuid}} and {{run}} the placeholders "
            "in names, everything else itself; write one glob per name"
        )


def _folded_segments(text: str) -> tuple[str, ...]:
    globs = _segments(text)
    for glob in globs:
        if not glob.strip("*"):
            raise ValueError(
                f"{glob!r} matches every segment, so that all paths would be one dataset; write a more specific glob"
            )
    return globs


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"{pattern!r} is not a regular expression: {error}; in a properties file every backslash must be doubled"
        ) from None


BOOLEAN = Kind("true or false", _boolean)
TEXT = Kind("text", str)
NAME = Kind("text", _name)
PATH = Kind("text", _path)
TEXTS = Kind("text", str, is_list=True)  # not split at commas here
TOPIC = Kind("name of a topic", _topic)  # the first element of a list, like Atlas' `getString`
# If the key is set several times, AtlasHook uses the last value (since 2.2).
NAMESPACE = Kind("text without blanks, quotes and #", _namespace, is_list=True, takes_last=True)
SEGMENTS = Kind("globs, separated by commas", _segments, is_list=True)
FOLDED_SEGMENTS = Kind("globs, separated by commas", _folded_segments, is_list=True)
FILE_MODE = Kind("600, 640, 644, 660 or 664", _file_mode)
PATTERNS = Kind("regular expressions, separated by commas", _patterns, is_list=True)


def integer(least: int, most: int, unit: str = "") -> Kind:
    """Return the kind of integers from `least` to `most`, both included."""

    def read(text: str) -> int:
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"must be an integer from {least} to {most}")
        if len(text) > 20 or not least <= int(text) <= most:
            raise ValueError(f"must be from {least} to {most}")
        return int(text)

    return Kind(f"integer, {least:,} to {most:,}", read, unit=unit)


def seconds(least: float, most: float) -> Kind:
    """Return the kind of durations in seconds from `least` to `most`, both included; decimals are allowed."""

    def read(text: str) -> float:
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"must be a number of seconds from {_plain(least)} to {_plain(most)}, without a unit")
        if not least <= float(text) <= most:
            raise ValueError(f"must be from {_plain(least)} to {_plain(most)} seconds")
        return float(text)

    return Kind(f"number, {_plain(least, ',')} to {_plain(most, ',')}", read, unit="seconds")


def _plain(number: float, thousands: str = "") -> str:
    """Format a number without an exponent; `thousands` is the thousands separator."""
    return f"{number:{thousands}.0f}" if number == int(number) else f"{number:g}"


def nearest(text: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name most similar to a text, None if no similarity reaches `cutoff` (0 to 1)."""
    found = difflib.get_close_matches(text[:_MAX_GUESS_LENGTH], names, n=1, cutoff=cutoff)
    return found[0] if found else None


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return a suggestion with the name most similar to a text, "" if none is similar.

    >>> did_you_mean("kafak", ["kafka", "rest"])
    ' (did you mean kafka?)'
    """
    suggestion = nearest(text, names)
    return f" (did you mean {suggestion}?)" if suggestion else ""


def one_of(values: type[Enum], *, automatic: str | None = None) -> Kind:
    """Return the kind of an enumeration, case-insensitive. The text `automatic` is read as None: derived from other settings."""
    members: dict[str, Enum | None] = {} if automatic is None else {automatic: None}
    members |= {str(value.value): value for value in values}

    def read(text: str) -> Enum | None:
        if text.lower() not in members:
            raise ValueError(f"must be one of {', '.join(members)}{did_you_mean(text.lower(), members)}")
        return members[text.lower()]

    return Kind(" or ".join(f"`{name}`" for name in members), read)


def switch(values: type[Enum], *, on: Enum, off: Enum) -> Kind:
    """Return the kind of an enumeration that also accepts `true` and `false`, the values of another hook's key."""
    named = one_of(values)
    switches = {"true": on, "false": off}
    return Kind(named.name, lambda text: switches.get(text.lower()) or named.read(text))


def split_outside_brackets(text: str) -> list[str]:
    r"""Split at commas that are not inside (), [] or {} or after a backslash, so that `\d{4,6}` is not split.

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
