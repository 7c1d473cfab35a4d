"""Parse text files with messages: a message per line, the output of `sac-kafka spool show`, and exports of other tools.

Other tools write a message over several lines, a list of messages, the key before the message
(`kafka-console-consumer --property print.key=true`), or the record as an object (`kcat -J`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sac_kafka.tools.messages.reader import RawRecord

_BEFORE = re.compile(r"(?P<fields>[^{\[\"]*)\t(?=\{)")
"""Fields before a message in a line: optionally time, partition, offset, then the key."""
_NO_KEY = frozenset({"", "null", "None"})
_BRACKETS = re.compile(r"[{}\[\]]|\"(?:[^\"\\]|\\.)*\"?")
"""Brackets and strings of JSON; brackets within strings do not count."""
_WHOLE = ("{}", "[]")
"""First and last character of a line that has a whole value."""
_OF_A_RECORD = ("payload", "value")
_OF_A_MESSAGE = frozenset({"version", "message", "type", "msgSplitCount"})
_MAX_CHARACTERS = 64 * 1024 * 1024
"""The longest message over several lines."""


def parse_lines(lines: Iterable[str]) -> Iterator[RawRecord]:
    """Yield the records of the lines, each part of a spooled message separately; blank lines are skipped."""
    for number, text in _pieces(lines):
        place = f"line {number}"
        found = _BEFORE.match(text)
        key = found["fields"].rpartition("\t")[2].strip() if found else ""
        bare = text[found.end() :] if found else text
        values = list(_values(bare))
        for count, value in enumerate(values, 1):
            where = place if bare.lstrip()[:1] != "[" or len(values) == 1 else f"{place}, message {count}"
            yield RawRecord(where, value.encode("utf-8", "surrogatepass"), key="" if key in _NO_KEY else key)


@dataclass(slots=True)
class _Piece:
    """Candidate for JSON over several lines; `depth` is the number of open brackets."""

    number: int
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    characters: int = 0

    def take(self, line: str) -> None:
        self.lines.append(line)
        self.characters += len(line)
        for found in _BRACKETS.finditer(line):
            self.depth += (found[0] in "{[") - (found[0] in "}]") if len(found[0]) == 1 else 0

    def alone(self) -> Iterator[tuple[int, str]]:
        """Yield the lines separately, because together they are not JSON."""
        yield from ((number, line) for number, line in enumerate(self.lines, self.number) if line.strip())


def _pieces(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield texts with the numbers of their first lines: a line each, or as many as a value is written over."""
    piece: _Piece | None = None
    for number, line in enumerate(lines, 1):
        if piece is not None and not _begins_a_message(line, piece):
            piece.take(line)
        else:
            if piece is not None:  # A new message begins, so the open lines are not JSON.
                yield from piece.alone()
            if not _is_open(line):
                piece = None
                if line.strip():
                    yield number, line
                continue
            piece = _Piece(number)
            piece.take(line)
        if piece.depth <= 0:
            yield piece.number, "\n".join(piece.lines)
            piece = None
        elif piece.characters > _MAX_CHARACTERS:
            yield from piece.alone()
            piece = None
    if piece is not None:
        yield from piece.alone()


def _is_open(line: str) -> bool:
    """Return whether a value starts in this line and may end in a later one, judging by the first and last character."""
    text = line.strip()
    return (
        text[:1] in ("{", "[")
        and text[-1:] in ("{", "[", ",", "}", "]", '"', ":")
        and text[:1] + text[-1:] not in _WHOLE
    )


def _begins_a_message(line: str, piece: _Piece) -> bool:
    """Return whether a line is a whole message, and not an item of a list that began before."""
    text = line.strip()
    is_in_a_list = piece.lines[0].lstrip()[:1] == "["
    return not is_in_a_list and line[:1] == "{" and len(text) > 1 and text[-1] == "}"


def _values(text: str) -> Iterator[str]:
    if '"values"' in text and '"reason"' in text:
        try:
            values = json.loads(text)["values"]
            yield from [value if isinstance(value, str) else json.dumps(value) for value in values]
        except (ValueError, KeyError, TypeError, RecursionError):
            yield text
        return
    if text.lstrip()[:1] == "[" or any(f'"{each}"' in text for each in _OF_A_RECORD):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            yield text
            return
        listed = found if isinstance(found, list) else [found]
        if listed and all(isinstance(each, (dict, str)) for each in listed):
            yield from (_message(each) for each in listed)
            return
    yield text


def _message(found: dict[str, object] | str) -> str:
    """Return the text of a message; if a tool has written the record as an object, its value."""
    if isinstance(found, str):
        return found
    if _OF_A_MESSAGE.isdisjoint(found):
        value = next((found[name] for name in _OF_A_RECORD if isinstance(found.get(name), (str, dict))), found)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return json.dumps(found, ensure_ascii=False)
