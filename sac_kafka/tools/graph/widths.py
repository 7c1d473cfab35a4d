"""Compute the display width of texts in terminal cells: East Asian wide characters take two, combining marks none."""

from __future__ import annotations

import unicodedata

_WIDE = frozenset({"W", "F"})
_WITHOUT_WIDTH = frozenset({"Mn", "Me", "Cf"})


def width(text: str) -> int:
    """Return the number of terminal cells that a text takes.

    >>> width("orders"), width("日報"), width("gro\u0308sse")
    (6, 4, 6)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def padded(text: str, cells: int, *, is_right: bool = False) -> str:
    """Pad a text with spaces to a number of cells: on the right, or on the left if `is_right`.

    >>> padded("日報", 6) + "|", padded("7", 3, is_right=True)
    ('日報  |', '  7')
    """
    blanks = " " * (cells - width(text))
    return f"{blanks}{text}" if is_right else f"{text}{blanks}"


def _cells(letter: str) -> int:
    if unicodedata.category(letter) in _WITHOUT_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in _WIDE else 1
