"""Render lineage differences as text lines, or as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from sac_kafka.tools.graph.differences import DifferenceKind, LineageDifference

HEADINGS: Mapping[DifferenceKind, str] = MappingProxyType(
    {
        DifferenceKind.NEW_SOURCE: "Read for the first time",
        DifferenceKind.REMOVED_SOURCE: "No longer read",
        DifferenceKind.NEW_DATASET: "New datasets",
        DifferenceKind.REMOVED_DATASET: "Removed datasets",
        DifferenceKind.NEW_PROCESS: "New processes",
        DifferenceKind.REMOVED_PROCESS: "Removed processes",
        DifferenceKind.CHANGED_PROCESS: "Changed processes",
        DifferenceKind.NEW_EDGE: "New edges between datasets",
        DifferenceKind.REMOVED_EDGE: "Removed edges between datasets",
        DifferenceKind.NEW_COLUMN: "New columns",
        DifferenceKind.REMOVED_COLUMN: "Removed columns",
        DifferenceKind.CHANGED_COLUMN: "Changed columns",
        DifferenceKind.NEW_COLUMN_EDGE: "New edges between columns",
        DifferenceKind.REMOVED_COLUMN_EDGE: "Removed edges between columns",
    }
)
ALL = "--all"
"""The option of `diff` that lists every column edge."""
NONE = "The lineage is the same."
_SIGNS = {"new": "+", "removed": "-", "changed": "~"}
_MAX_ROWS = 100
"""Rows of one kind of difference in Markdown."""
_MAX_CHARACTERS = 60_000
"""Characters of the whole Markdown text: a GitHub comment may have 65,536."""
_CUT = "… truncated: the complete list is too long for a comment."
_WIDEST_CELL = 160
_BACKTICKS = re.compile(r"`+")


def difference_lines(found: Sequence[LineageDifference]) -> Iterator[str]:
    """Yield the lines: a heading per kind, a line per difference (`+` new, `-` removed, `~` changed), then the summary."""
    for kind, each in groupby(found, key=lambda one: one.kind):
        yield HEADINGS[kind]
        for one in each:
            yield f"  {_sign(one)} {_line(one, str)}"
    yield tally(found)
    yield from _summarized_note(found)


def markdown(found: Sequence[LineageDifference], title: str = "Lineage") -> Iterator[str]:
    """Yield Markdown lines: names are code spans, long lists and texts are truncated with a note."""
    room = _MAX_CHARACTERS
    for line in _markdown(found, title):
        room -= len(line) + 1
        if room < 0:
            yield ""
            yield _CUT
            return
        yield line


def _markdown(found: Sequence[LineageDifference], title: str) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    yield tally(found)
    yield from _summarized_note(found)
    for kind, each in groupby(found, key=lambda one: one.kind):
        listed = list(each)
        yield ""
        yield f"**{HEADINGS[kind]}** ({sum(one.number for one in listed):,})"
        yield ""
        for one in listed[:_MAX_ROWS]:
            yield f"* {_line(one, code)}"
        if len(listed) > _MAX_ROWS:
            yield f"* … and {len(listed) - _MAX_ROWS} more"


def tally(found: Sequence[LineageDifference]) -> str:
    """Return the number of differences as a sentence.

    >>> tally(())
    'The lineage is the same.'
    """
    if not found:
        return NONE
    numbers = {word: sum(each.number for each in found if each.kind.value.startswith(word)) for word in _SIGNS}
    parts = ", ".join(f"{number:,} {word}" for word, number in numbers.items() if number)
    number = sum(numbers.values())
    return f"{number:,} difference{'' if number == 1 else 's'}: {parts}."


def _summarized_note(found: Sequence[LineageDifference]) -> Iterator[str]:
    number = sum(each.number for each in found if each.number > 1)
    if number:
        yield f"{number:,} of them are summarized by dataset; {ALL} lists each."


def code(text: str) -> str:
    """Return a text as a Markdown code span, truncated if it is long.

    >>> code("a`b"), code("x | y")
    ('``a`b``', '`x | y`')
    """
    text = " ".join(text.split()) or " "
    text = text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 1]}…"
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _sign(one: LineageDifference) -> str:
    return _SIGNS[one.kind.value.partition("-")[0]]


def _line(one: LineageDifference, quoted: Callable[[str], str]) -> str:
    """Return a difference as one line, its names formatted by `quoted`."""
    name = quoted(one.name)
    if one.kind in (DifferenceKind.CHANGED_COLUMN, DifferenceKind.CHANGED_PROCESS):
        made = f" ◀─ {quoted(one.source)}" if one.source else ""
        return f"{name}{made}: {quoted(one.before)} is now {quoted(one.after)}"
    if one.source:
        number = f" ({one.number:,} between their columns)" if one.number > 1 else ""
        return f"{quoted(one.source)} ──▶ {name}{number}"
    return name
