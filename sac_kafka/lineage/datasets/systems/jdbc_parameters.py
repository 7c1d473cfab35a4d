"""Split JDBC URLs into location and parameters, and look up names in the parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.lineage.datasets.systems.jdbc_forms import UrlForm
from sac_kafka.lineage.datasets.systems.jdbc_spelling import first_in_search_path, in_quotes, search_path_of

_TO_PATH = re.compile(r"(?:[a-z-]+:)?//[^/]*/")


def split_parameters(rest: str, form: UrlForm) -> tuple[str, dict[str, str]]:
    """Return the location, and the parameters by lower-case name."""
    # A colon ends the location only after the database: //host:50000/db:user=me
    start = 0
    if ":" in form.starts:
        m = _TO_PATH.match(rest)
        start = m.end() if m else 0
    at = next((i for i in range(start, len(rest)) if rest[i] in form.starts), len(rest))
    return rest[:at], parameters_of(rest[at + 1 :], form)


def parameters_of(text: str, form: UrlForm) -> dict[str, str]:
    """Return the parameters by lower-case name; the first one of each name."""
    found: dict[str, str] = {}
    for part in _outside_braces(text, form.separators + form.starts, form.quote):
        key, equals, value = part.partition("=")
        if equals:
            value = value.strip()
            is_braced = value[:1] == "{" and value[-1:] == "}"
            found.setdefault(key.strip().lower(), value[1:-1].replace("}}", "}") if is_braced else value)
    return found


def _outside_braces(text: str, separators: str, quote: str) -> Iterator[str]:
    """Split a text at separators, except within `{…}` and quotes."""
    last = {"}": text.rfind("}"), quote: text.rfind(quote) if quote else -1}
    start = at = 0
    while at < len(text):
        end = "}" if text[at] == "{" else quote if text[at] == quote else ""
        if end and at < last[end]:
            at = text.find(end, at + 1)
            while text.startswith(end * 2, at) and text.find(end, at + 2) > 0:
                at = text.find(end, at + 2)
        elif text[at] in separators:
            yield text[start:at]
            start = at + 1
        at += 1
    yield text[start:]


def first(parameters: Mapping[str, str], keys: Sequence[str]) -> str | None:
    """Return the value of the first of these parameters that is set; None if none is."""
    return next((parameters[k] for k in keys if parameters.get(k)), None)


def quoted_levels(parameters: Mapping[str, str], form: UrlForm) -> tuple[tuple[str, str], ...]:
    """Return the levels (`database`, `schema`) whose names are quoted in parameters, with the quoted text."""
    named = {"database": first(parameters, form.databases), "schema": schema_of(parameters, form)}
    quoted = ((level, in_quotes(text)) for level, text in named.items() if text)
    return tuple((level, text) for level, text in quoted if text is not None)


def schema_of(parameters: Mapping[str, str], form: UrlForm) -> str | None:
    """Return the schema in the parameters as written; of a search path, the first one."""
    named = first(parameters, form.schemas) or search_path_of(parameters.get(form.options))
    return first_in_search_path(named)
