"""Tokenize text like `java.io.StreamTokenizer` as configured by Kafka's `JaasConfig`: words, numbers, quotes, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LETTER = r"A-Za-z_$\u00a0-\U0010ffff"
_TOKEN = re.compile(
    r"(?P<blank>[\x00-\x20]+)|"
    # slashSlashComments, slashStarComments, and `/` itself, which is the commentChar: it also skips the next character
    r"(?P<comment>/\*.*?(?:\*/|\Z)|/.?[^\r\n]*)|"
    r"""(?P<quote>["'])(?P<quoted>(?:\\(?:.|\Z)|(?!(?P=quote))[^\\\r\n])*)(?P=quote)?|"""
    r"(?P<number>-?(?=[.0-9])[0-9]*\.?[0-9]*)|"
    rf"(?P<word>[{_LETTER}][{_LETTER}0-9.-]*)|"
    r"(?P<sign>.)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:(?P<octal>[0-3][0-7]{0,2}|[4-7][0-7]?)|(?P<character>.?))", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_IN_QUOTES = re.compile(r"""(["'])(?:\\[\\"']|(?!\1)[^\\])*(?:(\\)|\1|\Z)""", re.DOTALL)


class Token(NamedTuple):
    """A token: `kind` is "word", "number", "quoted" or the character itself; `text` is the content of words and quotes."""

    kind: str
    text: str | None


def has_lost_backslash(text: str) -> bool:
    r"""Return whether a quoted value contains a backslash that the tokenizer drops: only \\, \" and \' keep their meaning.

    >>> has_lost_backslash(r'm required password="ab\cd";'), has_lost_backslash(r'm required password="ab\\cd\"";')
    (True, False)
    """
    return any(found[2] for found in _IN_QUOTES.finditer(text))


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text."""
    for found in _TOKEN.finditer(text):
        match found.lastgroup:
            case "word":
                yield Token("word", found[0])
            case "quoted":
                yield Token("quoted", _ESCAPE.sub(_unescape, found["quoted"]))
            case "number":
                yield Token("number", None)
            case "sign":
                yield Token(found[0], None)


def _unescape(escape: re.Match[str]) -> str:
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    character = escape["character"] or "\uffff"  # Java reads (char) -1 at the end
    return _ESCAPES.get(character, character)
