"""Tokenize text like `java.io.StreamTokenizer` as configured by Kafka's `JaasConfig`: words, numbers, quotes, comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_DIGITS = frozenset("0123456789")
_OCTAL = frozenset("01234567")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LINE_ENDS = "\r\n"


class Token(NamedTuple):
    """A token: `kind` is "word", "number", "quoted" or the character itself; `text` is the content of words and quotes."""

    kind: str
    text: str | None


def has_lost_backslash(text: str) -> bool:
    r"""Return whether a quoted value contains a backslash that the tokenizer drops: only \\, \" and \' keep their meaning.

    >>> has_lost_backslash(r'm required password="ab\cd";'), has_lost_backslash(r'm required password="ab\\cd\"";')
    (True, False)
    """
    quote, position = "", 0
    while position < len(text):
        character = text[position]
        if quote and character == "\\":
            if text[position + 1 : position + 2] not in ("\\", '"', "'"):
                return True
            position += 1
        elif character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote = character
        position += 1
    return False


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text."""
    position = 0
    while position < len(text):
        character = text[position]
        if ord(character) <= 32:
            position += 1
        elif character == "/":  # slashSlashComments, slashStarComments, and '/' itself is StreamTokenizer's commentChar
            position = _after_comment(text, position)
        elif character in "\"'":
            position, quoted = _quoted(text, position)
            yield Token("quoted", quoted)
        elif _starts_number(text, position):
            position = _after_number(text, position)
            yield Token("number", None)
        elif _is_letter(character):
            end = position
            while end < len(text) and (_is_letter(text[end]) or text[end] in _DIGITS or text[end] in ".-"):
                end += 1
            yield Token("word", text[position:end])
            position = end
        else:
            yield Token(character, None)
            position += 1


def _is_letter(character: str) -> bool:
    return character in _LETTERS or ord(character) >= 160


def _starts_number(text: str, position: int) -> bool:
    if text[position] == "-":
        following = text[position + 1 : position + 2]
        return following == "." or following in _DIGITS
    return text[position] == "." or text[position] in _DIGITS


def _after_number(text: str, position: int) -> int:
    position += text[position] == "-"
    seen_point = False
    while position < len(text) and (text[position] in _DIGITS or (text[position] == "." and not seen_point)):
        seen_point = seen_point or text[position] == "."
        position += 1
    return position


def _after_comment(text: str, position: int) -> int:
    if text.startswith("/*", position):
        end = text.find("*/", position + 2)
        return len(text) if end < 0 else end + 2
    position += 2  # StreamTokenizer skips the character after a single slash as well, even a line end
    while position < len(text) and text[position] not in _LINE_ENDS:
        position += 1
    return position


def _quoted(text: str, position: int) -> tuple[int, str]:
    quote = text[position]
    position += 1
    result = []
    while position < len(text) and text[position] != quote and text[position] not in _LINE_ENDS:
        if text[position] == "\\":
            position, character = _escaped(text, position + 1)
            result.append(character)
        else:
            result.append(text[position])
            position += 1
    closed = position < len(text) and text[position] == quote
    return position + closed, "".join(result)


def _escaped(text: str, position: int) -> tuple[int, str]:
    if position == len(text):
        return position, "\uffff"  # Java reads (char) -1 at the end
    if text[position] not in _OCTAL:
        return position + 1, _ESCAPES.get(text[position], text[position])
    most = 3 if text[position] <= "3" else 2
    end = position
    while end < len(text) and end < position + most and text[end] in _OCTAL:
        end += 1
    return end, chr(int(text[position:end], 8))
