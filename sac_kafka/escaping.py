"""Escape characters that forge, hide or reorder text in a log, a terminal or an error: names and texts of others contain them."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters, line ends, bidirectional controls, characters without width, and lone surrogates."""


def escape(text: str) -> str:
    r"""Return a text with unsafe characters written as Python escapes.

    >>> print(escape("sales\x1b[2J\u202e\nforged"))
    sales\x1b[2J\u202e\nforged
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda unsafe: unsafe[0].encode("unicode_escape").decode(), text)
