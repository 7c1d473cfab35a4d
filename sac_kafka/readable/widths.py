"""How wide texts are in a terminal: letters of East Asia take two cells there, marks that stand over others none."""

from __future__ import annotations

import unicodedata

_WIDE = frozenset({"W", "F"})
_WITHOUT_WIDTH = frozenset({"Mn", "Me", "Cf"})


def width(text: str) -> int:
    """Give how many cells a text takes.

    >>> width("orders"), width("日報"), width("gro\u0308sse")
    (6, 4, 6)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def padded(text: str, cells: int, *, is_right: bool = False) -> str:
    """Give a text with blanks behind it, or before it where it `is_right`, so that it takes so many cells at least.

    >>> padded("日報", 6) + "|", padded("7", 3, is_right=True)
    ('日報  |', '  7')
    """
    blanks = " " * (cells - width(text))
    return f"{blanks}{text}" if is_right else f"{text}{blanks}"


def _cells(letter: str) -> int:
    if unicodedata.category(letter) in _WITHOUT_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in _WIDE else 1
