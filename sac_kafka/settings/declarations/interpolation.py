"""Replace `${name}` in values like the StrSubstitutor of commons-lang 2, which commons-configuration 1.10 uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sac_kafka.errors import ConfigurationError

MAX_LENGTH = 256 * 1024
"""Maximum length of a value in characters: chains of values that each refer twice to the next grow exponentially."""

_OUTSIDE = re.compile(r"\$\{(?:env|sys):[\w.:-]+\}")


def interpolate(text: str, lookup: Callable[[str], str | None], _within: tuple[str, ...] = ()) -> str:
    """Replace each `${name}` by the interpolated result of `lookup`; unknown names are kept unchanged.

    `$${` stands for a literal `${`, even if the first `$` is the end of an inserted value. Names cannot be nested.

    Raises:
        ValueError: A value refers to itself, directly or indirectly, or becomes too long.
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
        if len(done) > MAX_LENGTH:
            raise ValueError(f"the value becomes longer than {MAX_LENGTH} characters")
    return done + text[position:]


def interpolate_value(text: str, lookup: Callable[[str], str | None], place: str, key: str) -> str:
    """Interpolate the value of a key, and name place and key in errors.

    Raises:
        ConfigurationError: The value refers to itself or becomes too long.
    """
    try:
        return interpolate(text, lookup)
    except ValueError as error:
        raise ConfigurationError(f"{place}: {key}: {error}; write the value out") from None
    except RecursionError:
        raise ConfigurationError(
            f"{place}: {key}: references to other values are nested too deeply; write the value out"
        ) from None


def from_outside(name: str, system_property: Callable[[str], str | None], environment: Mapping[str, str]) -> str | None:
    """Look up `env:NAME` or `sys:name`; return None for other names and if it is not set."""
    source, _, rest = name.partition(":")
    if not rest:  # System.getProperty("") throws
        return None
    if source == "env":
        return environment.get(rest)
    return system_property(rest) if source == "sys" else None


def first_reference(text: str) -> str | None:
    """Return the first `${env:NAME}` or `${sys:name}` that remains in a text because it is not set, else None."""
    found = _OUTSIDE.search(text)
    return found[0] if found else None
