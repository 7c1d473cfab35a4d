"""Mask literals and secrets in SQL and expressions of any dialect, and remove comments."""

from __future__ import annotations

import re

from sac_kafka.masking import mask_text
from sac_kafka.stages.dbt import dbt_node

MAX_TEXT = 100_000
"""Limit of a text that is masked; the rest is omitted."""
_QUOTED_TEXT = frozenset({"bigquery", "databricks", "hive", "mysql", "spark", "sparksql", "mariadb", "singlestore"})
"""Dialects in which double quotes enclose literals."""
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<literal>'(?:[^'\\]|\\.|'')*(?:'|\Z)|\$(?P<tag>\w{0,30})\$.*?(?:\$(?P=tag)\$|\Z))"""
    r"""|(?P<double>"(?:[^"\\]|\\.|"")*(?:"|\Z))"""
    r"""|(?P<name>`[^`]*(?:`|\Z)|\[[A-Za-z_][\w ]*\]|[^\W\d]\w*)"""
    r"""|(?P<number>\d{4,}(?:\.\d*)?|\d+\.\d+|\.\d+)"""
    r"""|(?P<digits>\w+)""",
    re.DOTALL,
)
"""Tokens that matter; as in Spark's SQL, numbers of up to three digits stay."""


def mask_sql(text: str, dialect: str = "") -> str:
    """Return SQL with `?` for its literals and without comments, but for that of a dbt model.

    >>> mask_sql("SELECT a, 'x' || b FROM t /* secret */ WHERE id = 12345 AND n > 3")
    'SELECT a, ? || b FROM t  WHERE id = ? AND n > 3'
    """
    has_quoted_text = dialect.lower() in _QUOTED_TEXT

    def masked(token: re.Match[str]) -> str:
        kind = token.lastgroup
        if kind == "comment":
            return ""
        is_literal = kind in ("literal", "tag", "number") or (kind == "double" and has_quoted_text)
        return "?" if is_literal else token[0]

    node = dbt_node(text)
    rest = mask_text(_TOKEN.sub(masked, text[:MAX_TEXT]).strip())
    return f"/* dbt {node} */ {rest}" if node else rest
