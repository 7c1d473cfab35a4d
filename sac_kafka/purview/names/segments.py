"""Encode the parts of a qualifiedName so that different names never collide."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})|/")
_ESCAPES = {"%": "%25", "/": "%2F"}


def segment(text: str) -> str:
    """A name between two slashes: one of its own is written as in URLs, and what looks like that, too.

    >>> segment("tablename.will.mark"), segment("in/out"), segment("in%2Fout")
    ('tablename.will.mark', 'in%2Fout', 'in%252Fout')
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def joined(*parts: str) -> str:
    """Join names by slashes."""
    return "/".join(map(segment, parts))


def dotted(*parts: str) -> str:
    """Names between dots; one with a dot of its own stands in backquotes, as Spark writes it.

    >>> dotted("sales", "orders"), dotted("sales", "orders.v2")
    ('sales.orders', 'sales.`orders.v2`')
    """
    return ".".join(f"`{part.replace('`', '``')}`" if "." in part or "`" in part else part for part in parts)
