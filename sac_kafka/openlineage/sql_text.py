"""Mask literals and secrets in SQL and expressions of any dialect, and remove comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sac_kafka.masking import mask_text
from sac_kafka.stages.dbt import dbt_node

MAX_TEXT = 100_000
"""Limit of a text that is masked; the rest is omitted."""
_QUOTED_TEXT = frozenset({"bigquery", "databricks", "hive", "mysql", "spark", "sparksql", "mariadb", "singlestore"})
"""Dialects in which double quotes enclose literals."""
_START = re.compile(r"--|/\*|['\"`]|\$\w{0,30}\$|[^\W\d]\w*|\d\w*(?:\.\d+)?|\.\d+")
"""The beginnings of tokens that matter: comments, quotes, names and numbers."""
_LONGEST_NUMBER = 3
"""As in Spark's SQL, whole numbers of up to three digits stay."""
_ENDS = {
    quote: re.compile(rf"[^{quote}\\]*(?:(?:\\.|{quote}{quote})[^{quote}\\]*)*{quote}?", re.DOTALL) for quote in "'\""
}
"""The rest of a text in quotes, which backslashes or doubled quotes continue."""


def mask_sql(text: str, dialect: str = "") -> str:
    """Return SQL with `?` for its literals and without comments, but for that of a dbt model.

    >>> mask_sql("SELECT a, 'x' || b FROM t /* secret */ WHERE id = 12345 AND n > 3")
    'SELECT a, ? || b FROM t  WHERE id = ? AND n > 3'
    """
    node = dbt_node(text)
    rest = mask_text("".join(_mask(text[:MAX_TEXT], has_quoted_text=dialect.lower() in _QUOTED_TEXT)).strip())
    return f"/* dbt {node} */ {rest}" if node else rest


def _mask(text: str, *, has_quoted_text: bool) -> Iterator[str]:
    at = 0
    while (start := _START.search(text, at)) is not None:
        yield text[at : start.start()]
        word, at = start[0], _end(text, start)
        if word[0] in "-/":
            continue
        is_literal = word[0] in "'$" or (word == '"' and has_quoted_text) or _is_masked_number(word)
        yield "?" if is_literal else text[start.start() : at]
    yield text[at:]


def _is_masked_number(word: str) -> bool:
    return "." in word or (word[0].isdigit() and len(word) > _LONGEST_NUMBER)


def _end(text: str, start: re.Match[str]) -> int:
    """Return the end of a word; one without an end is the rest of the text."""
    word, at = start[0], start.end()
    if word in _ENDS:
        quoted = _ENDS[word].match(text, at)
        return quoted.end() if quoted else len(text)
    if word[0] not in "-/`$":
        return at
    closing = {"--": "\n", "/*": "*/"}.get(word, word)
    end = text.find(closing, at)
    return len(text) if end < 0 else end + (len(closing) if closing != "\n" else 0)
