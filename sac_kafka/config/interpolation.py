"""Replaces `${name}` in values, as the StrSubstitutor of commons-lang 2 does for commons-configuration 1.10."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 256 * 1024
"""Characters of a value: values that refer to each other twice over would otherwise fill the memory."""


def interpolate(text: str, lookup: Callable[[str], str | None], _within: tuple[str, ...] = ()) -> str:
    """Replace each `${name}` by what `lookup` gives, itself interpolated; an unknown name stays as it is.

    `$${` stands for a literal `${`, also where the first `$` is the end of what was put in; names are not nested.

    Raises:
        ValueError: A value refers to itself, directly or through others, or gets too long.
    """
    done = ""
    position = 0
    while (start := text.find("${", position)) >= 0:
        before = done + text[position:start]
        if before.endswith("$"):
            done = before[:-1] + "${"
            position = start + 2
            continue
        end = text.find("}", start + 2)
        if end < 0:
            break
        name = text[start + 2 : end]
        if name in _within:
            raise ValueError("a value refers to itself: " + " -> ".join((*_within, name)))
        value = lookup(name)
        done = before + (text[start : end + 1] if value is None else interpolate(value, lookup, (*_within, name)))
        position = end + 1
        if len(done) > LONGEST:
            raise ValueError(f"it gets longer than {LONGEST} characters")
    return done + text[position:]
