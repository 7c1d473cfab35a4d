"""Split qualified SQL names of tables into their parts, which may be quoted."""

from __future__ import annotations

import re

_PART = r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[(?:[^\]]|\]\])+\]|[^.]*'
_NAME = re.compile(rf"\s*({_PART})\s*(\.|$)")


def name_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a qualified name without quotes.

    >>> name_parts('"Sales"."Big.Orders"'), name_parts("[dbo].[t]"), name_parts("shop..t")
    (('Sales', 'Big.Orders'), ('dbo', 't'), ('shop', '', 't'))
    """
    return tuple(map(_unquoted, _written(name)))


def are_quoted(name: str) -> tuple[bool, ...]:
    """Return for each part of a qualified name whether it is quoted.

    >>> are_quoted('Sales."Orders"')
    (False, True)
    """
    return tuple(part != _unquoted(part) for part in _written(name))


def _written(name: str) -> tuple[str, ...]:
    """Return the parts as written; a name that cannot be split is one part."""
    parts: list[str] = []
    at = 0
    while True:
        m = _NAME.match(name, at)
        if m is None:
            return (name,)
        parts.append(m[1].strip())
        at = m.end()
        if not m[2]:
            return tuple(parts)


def _unquoted(part: str) -> str:
    if len(part) > 1 and part[0] == part[-1] and part[0] in '"`':
        return part[1:-1].replace(part[0] * 2, part[0])
    return part[1:-1].replace("]]", "]") if part[:1] == "[" and part[-1:] == "]" else part
