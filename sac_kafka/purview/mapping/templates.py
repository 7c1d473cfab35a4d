"""Parse and fill templates of names: `{field}`, `{path.2}`, `{host.1}`, `{schema | default dbo}`, `{table | upper}`.

`{{` and `}}` are literal braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote

from sac_kafka.settings.declarations.values import did_you_mean

MAX_LENGTH = 4_000
"""Maximum characters of a template."""

_PIECE = re.compile(r"(?P<text>[^{}]+|\{\{|\}\})|\{(?P<field>[^{}]*)\}|(?P<brace>[{}])")
_PART = re.compile(r"(?P<field>[A-Za-z]\w*)\.(?P<number>[1-9][0-9]?)")
_DEFAULT = "default"
_SEPARATORS = {"host": "."}
"""Separators of the parts of fields; a slash for all others."""

FILTERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"lower": str.lower, "upper": str.upper, "quote": lambda text: quote(text, safe="", errors="surrogatepass")}
)
"""Functions allowed after a bar; `quote` is URL encoding, including slashes."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Placeholder of a field, or of its `part` (from 1; 0 is the whole field); `default` replaces a missing or empty value."""

    field: str
    part: int = 0
    default: str | None = None
    filters: tuple[str, ...] = ()

    def fill(self, values: Mapping[str, str]) -> str | None:
        """Return the text of the field; None if it is missing and has no default."""
        value = values.get(self.field)
        if value is not None and self.part:
            parts = value.split(_SEPARATORS.get(self.field, "/"), self.part)
            value = parts[self.part - 1] if self.part <= len(parts) else None
        if not value and self.default is not None:
            value = self.default
        if value is None or (self.part and not value):
            return None
        for name in self.filters:
            value = FILTERS[name](value)
        return value


@dataclass(frozen=True, slots=True)
class Template:
    """Parsed template: literal texts and placeholders."""

    text: str
    pieces: tuple[str | Placeholder, ...]

    @property
    def needs(self) -> frozenset[tuple[str, int]]:
        """Required fields with their parts."""
        return frozenset(
            (piece.field, piece.part)
            for piece in self.pieces
            if isinstance(piece, Placeholder) and piece.default is None
        )

    def fill(self, values: Mapping[str, str]) -> str | None:
        """Return the filled text; None if a required field is missing or the result is empty."""
        texts = [piece if isinstance(piece, str) else piece.fill(values) for piece in self.pieces]
        known = [text for text in texts if text is not None]
        if len(known) < len(texts):
            return None
        text = "".join(known)
        return (text if known[-1] else text.rstrip("/")) or None  # the root of a store has an empty path


def template(text: str, fields: Collection[str]) -> Template:
    """Parse a template that may use these fields.

    >>> template("mssql://{host}/{schema | default dbo}", ("host", "schema")).fill({"host": "h"})
    'mssql://h/dbo'

    Raises:
        ValueError: The template is invalid; the message is worded to follow the template.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"has {len(text):,} characters; the maximum is {MAX_LENGTH:,}")
    if not text.strip():
        raise ValueError("is empty; state the name of the asset")
    if not text.isprintable():
        raise ValueError("contains a non-printable character; remove it")
    return Template(text, tuple(_pieces(text, fields)))


def _pieces(text: str, fields: Collection[str]) -> Iterator[str | Placeholder]:
    for found in _PIECE.finditer(text):
        if found["brace"]:
            raise ValueError("has an unbalanced brace; write {{ or }} for a literal brace")
        if found["text"] is not None:
            yield found["text"] if found["text"] not in ("{{", "}}") else found["text"][0]
        else:
            yield _placeholder(found["field"], fields)


def _placeholder(text: str, fields: Collection[str]) -> Placeholder:
    name, *options = (choice.strip() for choice in text.split("|"))
    part = 0
    if (numbered := _PART.fullmatch(name)) and name not in fields:
        name, part = numbered["field"], int(numbered["number"])
    if name not in fields:
        hint = did_you_mean(name, fields) or f"; available: {', '.join(fields)}"
        raise ValueError(f"has the unknown field {{{name}}}{hint}" if name else "has {} without a field")
    default, filters = None, []
    for option in options:
        word, _, rest = option.partition(" ")
        if word == _DEFAULT and rest.strip() and default is None:
            default = rest.strip()
        elif option in FILTERS:
            filters.append(option)
        else:
            known = (*FILTERS, f"{_DEFAULT} TEXT")
            raise ValueError(
                f"has the unknown filter {option!r}; available: {', '.join(known)}{did_you_mean(word, (*FILTERS, _DEFAULT))}"
            )
    return Placeholder(name, part, default, tuple(filters))
