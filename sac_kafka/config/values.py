"""Kinds of setting values: how the text of a properties file becomes a Python value.

A kind's `read` raises ValueError with a sentence that says what is allowed; `settings` adds the place, key and value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from sac_kafka.config.secrets import mask_text, mask_value

_LONGEST_GUESS = 100  # characters of what may be a misspelt word
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NO_NAMESPACE = re.compile(r"[\s\"'#\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")  # org.apache.kafka.common.internals.Topic
EXPOSED = "looks like a secret, and would be seen by everybody; secrets belong in passwords and tokens"
_PLACEHOLDER = re.compile(r"\{(?:date|uuid|run)\}")
_NO_GLOB = re.compile(r"[][{}\\]|^\^|\$$")
LONGEST_GLOB, MAX_GLOBS = 255, 100
"""Characters of a glob of segments, and globs of a setting: each segment is held against each of them."""
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: `name` is its type in the documentation, `read` turns trimmed, non-empty text into the value.

    `is_list`: a key that is set several times has all of its values; of the others the first counts, as in Atlas'
    `getString`, `getBoolean` and `getInt`. `takes_last`: only the last of them counts.
    """

    name: str
    read: Callable[[str], object]
    is_list: bool = False
    takes_last: bool = False


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
            "must have no blanks, quotes or # (a comment stands on a line of its own), nor invisible characters"
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
    """A name that is sent, shown and part of other names; what is plainly a secret is none."""
    if mask_text(text) != text:
        raise ValueError(EXPOSED)
    return text


def _path(text: str) -> str:
    """As `_name`; `user:password@host`, which a job may be called, is neither a path nor a namespace."""
    if mask_value(text) != text:
        raise ValueError(EXPOSED)
    return text


def _patterns(text: str) -> tuple[str, ...]:
    patterns = tuple(filter(None, (part.strip() for part in split_outside_brackets(text))))
    for pattern in patterns:
        _check_pattern(pattern)
    return patterns


def _segments(text: str) -> tuple[str, ...]:
    globs = tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))
    if len(globs) > MAX_GLOBS:
        raise ValueError(f"{len(globs):,} globs are too many: {MAX_GLOBS:,} at most; let one stand for several names")
    for glob in globs:
        _check_segment(glob)
    return globs


def _check_segment(glob: str) -> None:
    if mask_text(glob) != glob:
        raise ValueError(EXPOSED)
    if len(glob) > LONGEST_GLOB:
        raise ValueError(
            f"{glob[:40] + '…'!r} has {len(glob):,} characters; the name of a directory has at most {LONGEST_GLOB}"
        )
    if "/" in glob:
        raise ValueError(f"{glob!r} has a slash, but is a glob of one segment of a path; write the segment alone")
    if _NO_GLOB.search(_PLACEHOLDER.sub("", glob)):
        raise ValueError(
            f"{glob!r} is no glob: * is anything, ? is one character, {{date}}, {{uuid}} and {{run}} are what they stand for "
            "in names, all else is itself; write a glob for each name"
        )


def _folded_segments(text: str) -> tuple[str, ...]:
    globs = _segments(text)
    for glob in globs:
        if not glob.strip("*"):
            raise ValueError(
                f"{glob!r} is every segment, and all paths would be one dataset; write what is to be left out"
            )
    return globs


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"{pattern!r} is not a regular expression: {error}; in a properties file every backslash is doubled"
        ) from None


BOOLEAN = Kind("true or false", _boolean)
TEXT = Kind("text", str)
NAME = Kind("text", _name)
PATH = Kind("text", _path)
TEXTS = Kind("text", str, is_list=True)  # who uses it splits it at the commas
TOPIC = Kind("name of a topic", _topic)  # of a list Atlas' `getString` takes the first element
# of a key that is set several times Atlas takes the last value here (AtlasHook, since 2.2)
NAMESPACE = Kind("text without blanks, quotes and #", _namespace, is_list=True, takes_last=True)
SEGMENTS = Kind("globs, separated by commas", _segments, is_list=True)
FOLDED_SEGMENTS = Kind("globs, separated by commas", _folded_segments, is_list=True)
PATTERNS = Kind("regular expressions, separated by commas", _patterns, is_list=True)


def integer(least: int, most: int) -> Kind:
    """Make the kind of integers from `least` to `most`, both included."""

    def read(text: str) -> int:
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"must be an integer from {least} to {most}")
        if len(text) > 20 or not least <= int(text) <= most:
            raise ValueError(f"must be from {least} to {most}")
        return int(text)

    return Kind(f"integer, {least:,} to {most:,}", read)


def seconds(least: float, most: float) -> Kind:
    """Make the kind of durations in seconds from `least` to `most`, both included; decimals are allowed."""

    def read(text: str) -> float:
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"must be a number of seconds from {_plain(least)} to {_plain(most)}, without a unit")
        if not least <= float(text) <= most:
            raise ValueError(f"must be from {_plain(least)} to {_plain(most)} seconds")
        return float(text)

    return Kind(f"number, {_plain(least, ',')} to {_plain(most, ',')}", read)


def _plain(number: float, thousands: str = "") -> str:
    """A number as a person writes it, without an exponent, with what is to stand between its thousands."""
    return f"{number:{thousands}.0f}" if number == int(number) else f"{number:g}"


def nearest(text: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the one of the names that is nearest to a text, None where none is as near as `cutoff` (0 to 1) says."""
    found = difflib.get_close_matches(text[:_LONGEST_GUESS], names, n=1, cutoff=cutoff)
    return found[0] if found else None


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Suggest the one of the names that is nearest to a text, "" where none is near.

    >>> did_you_mean("kafak", ["kafka", "rest"])
    ' (did you mean kafka?)'
    """
    meant = nearest(text, names)
    return f" (did you mean {meant}?)" if meant else ""


def choice(*names: str) -> Kind:
    """Make the kind that takes one of `names`, case-insensitively."""

    def read(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(f"must be one of {', '.join(names)}{did_you_mean(text.lower(), names)}")
        return text.lower()

    return Kind(" or ".join(f"`{name}`" for name in names), read)


def one_of(values: type[Enum], *, by_itself: str | None = None) -> Kind:
    """Make the kind that takes the text of one of `values` and gives that; `by_itself` is the text that leaves it open: None."""
    meant: dict[str, Enum | None] = {str(each.value): each for each in values}
    texts = choice(*({by_itself: None} if by_itself is not None else {}), *meant)
    return Kind(texts.name, lambda text: meant.get(str(texts.read(text))))


def switched(values: type[Enum], *, on: Enum, off: Enum) -> Kind:
    """Make the kind of `one_of` that takes `true` and `false`, too: another hook's switch for the same thing."""
    named = one_of(values)
    switches = {"true": on, "false": off}
    return Kind(named.name, lambda text: switches.get(text.lower()) or named.read(text))


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
