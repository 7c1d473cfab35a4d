"""Encode the parts of a qualifiedName so that different names never collide."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})|/")
_ESCAPES = {"%": "%25", "/": "%2F"}


def segment(text: str) -> str:
    """Encode the slashes of a name, and percent signs that look like an encoding, as in URLs.

    >>> segment("tablename.will.mark"), segment("in/out"), segment("in%2Fout")
    ('tablename.will.mark', 'in%2Fout', 'in%252Fout')
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def joined(*parts: str) -> str:
    """Join the encoded names by slashes."""
    return "/".join(map(segment, parts))


def dotted(*parts: str) -> str:
    """Join names by dots; names that contain a dot are enclosed in backquotes, as in Spark.

    >>> dotted("sales", "orders"), dotted("sales", "orders.v2")
    ('sales.orders', 'sales.`orders.v2`')
    """
    return ".".join(f"`{part.replace('`', '``')}`" if "." in part or "`" in part else part for part in parts)
