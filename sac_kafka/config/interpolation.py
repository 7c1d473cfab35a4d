"""Replaces `${name}` in values, as the StrSubstitutor of commons-lang 2 does for commons-configuration 1.10."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sac_kafka.errors import ConfigurationError

LONGEST = 256 * 1024
"""Characters of a value: values that refer to each other twice over would otherwise fill the memory."""

_OUTSIDE = re.compile(r"\$\{(?:env|sys):[\w.:-]+\}")


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


def interpolated(text: str, lookup: Callable[[str], str | None], place: str, key: str) -> str:
    """Give what `interpolate` gives; where it refuses, say of what.

    Raises:
        ConfigurationError: The value refers to itself or gets too long; the message names place and key.
    """
    try:
        return interpolate(text, lookup)
    except ValueError as error:
        raise ConfigurationError(f"{place}: {key}: {error}; write the value out") from None
    except RecursionError:
        raise ConfigurationError(
            f"{place}: {key}: it refers to a value that refers to another, and so on too often; write the value out"
        ) from None


def from_outside(name: str, system_property: Callable[[str], str | None], environment: Mapping[str, str]) -> str | None:
    """Look up `env:NAME` or `sys:name`; None for other names and where it is not set."""
    source, _, rest = name.partition(":")
    if not rest:  # Java asks for no property without a name
        return None
    if source == "env":
        return environment.get(rest)
    return system_property(rest) if source == "sys" else None


def unresolved(text: str) -> str | None:
    """Give the first `${env:NAME}` or `${sys:name}` that is left in a text because nothing of the name is set."""
    found = _OUTSIDE.search(text)
    return found[0] if found else None
