r"""Writes .properties files so that their readers get back exactly the values that were meant.

Two readers differ: `java.util.Properties` (Kafka's server.properties) and commons-configuration 1.10 (Atlas' and this
project's atlas-application.properties), which splits a value at commas, unescapes it twice where it holds one, and
interpolates `${…}`.
"""

from __future__ import annotations

from collections.abc import Mapping

from stack.errors import StackError


def java_properties(values: Mapping[str, str]) -> str:
    """Return the text of a file for `java.util.Properties`."""
    return "".join(f"{key}={java_value(value)}\n" for key, value in values.items())


def atlas_properties(values: Mapping[str, str]) -> str:
    """Return the text of a file for commons-configuration 1.10."""
    return "".join(f"{key}={atlas_value(value)}\n" for key, value in values.items())


def java_value(value: str) -> str:
    r"""Escape a value for `java.util.Properties`.

    >>> print(java_value(r"C:\temp"))
    C:\\temp
    """
    return _ascii(_one_line(value).replace("\\", "\\\\"))


def atlas_value(value: str) -> str:
    r"""Escape a value for commons-configuration 1.10.

    >>> print(atlas_value(r"C:\temp"), atlas_value(r"a\b,c"))
    C:\\temp a\\\\b\,c
    """
    if "${" in _one_line(value):
        raise StackError(f"a value with '${{' cannot be written: the reader replaces it ({len(value)} characters)")
    unescaped_twice = "," in value
    escaped = value.replace("\\", "\\\\\\\\" if unescaped_twice else "\\\\").replace(",", "\\,")
    return _ascii(escaped)


def login_module(module: str, options: Mapping[str, str]) -> str:
    r"""Return a `sasl.jaas.config` value; every option is quoted.

    >>> print(login_module("a.Module", {"username": "$ConnectionString", "password": 'say "x"'}))
    a.Module required username="$ConnectionString" password="say \"x\"";
    """
    quoted = (
        f'{name}="' + _one_line(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
        for name, value in options.items()
    )
    return f"{module} required {' '.join(quoted)};"


def _one_line(value: str) -> str:
    """Refuse what readers trim away or would take for the end of the value."""
    if value != value.strip() or any(ord(character) < 32 for character in value):
        raise StackError("a value cannot be written: it begins or ends with a blank or holds a control character")
    return value


def _ascii(value: str) -> str:
    units = value.encode("utf-16-be")
    codes = (int.from_bytes(units[index : index + 2], "big") for index in range(0, len(units), 2))
    return "".join(chr(code) if code < 127 else f"\\u{code:04x}" for code in codes)
