"""Templates of names: text with `{field}`, `{path.2}`, `{host.1}`, `{schema | default dbo}`, `{table | upper}`.

`{{` and `}}` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote

from sac_kafka.config.values import did_you_mean

LONGEST = 4_000
"""Characters of a template."""

_PIECE = re.compile(r"(?P<text>[^{}]+|\{\{|\}\})|\{(?P<field>[^{}]*)\}|(?P<brace>[{}])")
_PART = re.compile(r"(?P<field>[A-Za-z]\w*)\.(?P<number>[1-9][0-9]?)")
_DEFAULT = "default"
_BETWEEN = {"host": "."}
"""What stands between the parts of a field, where it is no slash."""

FILTERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"lower": str.lower, "upper": str.upper, "quote": lambda text: quote(text, safe="", errors="surrogatepass")}
)
"""Functions allowed after a bar. `quote` is the encoding of URLs, a slash included."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A field that is filled in: `part` is the number of a part of it, 0 for all; `default` what stands for a missing one."""

    field: str
    part: int = 0
    default: str | None = None
    filters: tuple[str, ...] = ()

    def filled(self, values: Mapping[str, str]) -> str | None:
        """Return the text of the field, or None."""
        value = values.get(self.field)
        if value is not None and self.part:
            parts = value.split(_BETWEEN.get(self.field, "/"), self.part)
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
    """A template that has been read."""

    text: str
    pieces: tuple[str | Hole, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Required fields of the template."""
        return tuple(each.field for each in self.pieces if isinstance(each, Hole) and each.default is None)

    @property
    def needs(self) -> frozenset[tuple[str, int]]:
        """The fields, and the parts of fields, that it cannot do without."""
        return frozenset(
            (each.field, each.part) for each in self.pieces if isinstance(each, Hole) and each.default is None
        )

    def filled(self, values: Mapping[str, str]) -> str | None:
        """Return the text; None if a field is missing or the result is empty."""
        texts = [each if isinstance(each, str) else each.filled(values) for each in self.pieces]
        known = [each for each in texts if each is not None]
        if len(known) < len(texts):
            return None
        text = "".join(known)
        return (text if known[-1] else text.rstrip("/")) or None  # the root of a store has no path


def template(text: str, fields: Collection[str]) -> Template:
    """Read a template that may use these fields.

    >>> template("mssql://{host}/{schema | default dbo}", ("host", "schema")).filled({"host": "h"})
    'mssql://h/dbo'

    Raises:
        ValueError: It is none; the sentence says what to write, to be put behind the template.
    """
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text):,} characters; it may have {LONGEST:,}")
    if not text.strip():
        raise ValueError("is empty; say what the asset is called")
    if not text.isprintable():
        raise ValueError("has a character that cannot be seen; leave it out")
    return Template(text, tuple(_pieces(text, fields)))


def _pieces(text: str, fields: Collection[str]) -> Iterator[str | Hole]:
    for found in _PIECE.finditer(text):
        if found["brace"]:
            raise ValueError("has a brace without its other one; a brace that is meant itself is written twice")
        if found["text"] is not None:
            yield found["text"] if found["text"] not in ("{{", "}}") else found["text"][0]
        else:
            yield _hole(found["field"], fields)


def _hole(text: str, fields: Collection[str]) -> Hole:
    name, *behind = (each.strip() for each in text.split("|"))
    part = 0
    if (numbered := _PART.fullmatch(name)) and name not in fields:
        name, part = numbered["field"], int(numbered["number"])
    if name not in fields:
        meant = did_you_mean(name, fields) or f"; it may have {', '.join(fields)}"
        raise ValueError(
            f"has {{{name}}}, which is nothing that is known of it{meant}" if name else "has {} with nothing in it"
        )
    default, filters = None, []
    for each in behind:
        word, _, rest = each.partition(" ")
        if word == _DEFAULT and rest.strip() and default is None:
            default = rest.strip()
        elif each in FILTERS:
            filters.append(each)
        else:
            known = (*FILTERS, f"{_DEFAULT} TEXT")
            raise ValueError(
                f"has the filter {each!r}; there are {', '.join(known)}{did_you_mean(word, (*FILTERS, _DEFAULT))}"
            )
    return Hole(name, part, default, tuple(filters))
