"""The largest pieces that are handed to one call of C: such a call (`json`, `re`) holds the GIL until it is over.

Python code gives the GIL to others every 5 ms, so how long another thread has to wait depends on how much the largest of
these calls has to do. That is counted, and is the same on every machine: JSON values that one call reads, characters that one
writes as JSON, characters that one searches. What copies a text (`encode`, `replace`, a slice, the decoder within one JSON
text) takes a few ns a character, and does not count.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

LARGEST = {"read": 64 * 1024, "written": 2_000_000, "searched": 64 * 1024}
"""What one call may have to do: read the values of a line that is not read in pieces, write twice the longest message that a
server takes (what is longer than one is found out by writing it). None takes more than some 10 ms."""
_METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_WITH_REPLACEMENT = ("sub", "subn")


class Pieces:
    """The largest piece of each kind, and where the call was made, in threads whose names begin with `prefix`."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self.largest: dict[str, tuple[int, str]] = {}

    def note(self, kind: str, size: int) -> None:
        """Count a call."""
        if size > self.largest.get(kind, (-1, ""))[0] and threading.current_thread().name.startswith(self._prefix):
            self.largest[kind] = size, _caller()

    def assert_small(self) -> None:
        """Fail if any call had more to do than it may have."""
        for kind, (size, where) in self.largest.items():
            assert size <= LARGEST[kind], f"{where}: one call has {kind} {size:,}, at most {LARGEST[kind]:,}"


@contextmanager
def counted(prefix: str = "") -> Iterator[Pieces]:
    """Count the calls of `json` within the block, and those of `re` by modules of sac_kafka.

    Searches with a pattern that is not a global of the module are not counted.
    """
    pieces = Pieces(prefix)
    decode, encode = json.JSONDecoder.raw_decode, json.JSONEncoder.encode

    def raw_decode(decoder: json.JSONDecoder, text: str, idx: int = 0) -> tuple[Any, int]:
        found = decode(decoder, text, idx)
        pieces.note("read", _values(found[0]))
        return found

    def encoded(encoder: json.JSONEncoder, value: Any) -> str:
        text = encode(encoder, value)
        pieces.note("written", len(text))
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json.JSONDecoder, "raw_decode", raw_decode)
        patch.setattr(json.JSONEncoder, "encode", encoded)
        for name in _METHODS:
            patch.setattr(re, name, partial(_by_function, pieces, name))
        for module in [module for name, module in sys.modules.items() if name.startswith("sac_kafka")]:
            for name, value in list(vars(module).items()):
                if isinstance(value, re.Pattern):
                    patch.setattr(module, name, _Pattern(value, pieces))
        yield pieces


def _caller() -> str:
    """Return the line of the package that makes the call, else the line of the caller."""
    frame = sys._getframe(2)
    first = frame
    while frame is not None and "sac_kafka" not in frame.f_globals.get("__name__", ""):
        frame = frame.f_back
    at = frame or first
    return f"{at.f_code.co_filename}:{at.f_lineno}"


def _values(value: Any) -> int:
    """Return the number of values within a JSON value, itself included."""
    count, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if isinstance(each, (list, dict)):
            waiting += each.values() if isinstance(each, dict) else each
    return count


class _Pattern:
    """A pattern whose searches are counted."""

    def __init__(self, pattern: re.Pattern[str], pieces: Pieces) -> None:
        self._pattern = pattern
        self._pieces = pieces

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._pattern, name)
        return partial(_searched, self._pieces, name, method) if name in _METHODS else method


def _by_function(pieces: Pieces, name: str, pattern: Any, *arguments: Any, flags: int = 0, **named: Any) -> Any:
    """`re.search(pattern, text)` and the like; flags by position are none of ours."""
    compiled = pattern if isinstance(pattern, (re.Pattern, _Pattern)) else re.compile(pattern, flags)
    return getattr(_Pattern(compiled, pieces), name)(*arguments, **named)


def _searched(pieces: Pieces, name: str, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    found = method(*arguments, **named)
    text = named["string"] if "string" in named else arguments[name in _WITH_REPLACEMENT]
    start = arguments[1] if name not in (*_WITH_REPLACEMENT, "split") and len(arguments) > 1 else named.get("pos", 0)
    if name == "finditer":
        return _each(pieces, found, start, len(text))
    if isinstance(found, re.Match):
        pieces.note("searched", found.end() - start)
    elif name != "match":  # that has looked at the beginning only, and found it to be another
        pieces.note("searched", len(text) - start)
    return found


def _each(pieces: Pieces, found: Iterator[re.Match[str]], start: int, end: int) -> Iterator[re.Match[str]]:
    for each in found:
        pieces.note("searched", each.end() - start)
        start = each.end()
        yield each
    pieces.note("searched", end - start)
