"""Texts that forge, hide or reorder what a log or a terminal shows, as names and answers of others may contain them."""

from __future__ import annotations

import unicodedata

_UNSAFE = (
    *(chr(code) for code in range(0x20)),
    *"\x7f\x80\x85\x9b\x9d\x9f\xad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029",
    *"\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\u3164\ud800\udfff\ufe0f\ufeff\U000e0041",
)
FORGING = (
    *(f"orders{unsafe}sac_kafka: FAKE lineage delivered" for unsafe in _UNSAFE),
    "\r\nsac_kafka: FAKE",
    "\x1b[2J\x1b[1;31mFAKE\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
    "a\x08\x08\x08b",
    "\u202egnp.exe\u2066",
    "100%s %d %(name)s\n{x}",
)


def is_forged(text: str) -> bool:
    """Return whether a text, without the line end that closes it, has a character that no log may contain."""
    return any(_is_unsafe(character) for character in text.removesuffix("\n"))


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _UNSAFE
