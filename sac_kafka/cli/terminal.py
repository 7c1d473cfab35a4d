"""Decides whether a person looks at what is written, and gives what is written to a terminal its looks, by rich.

It is a person where the stream is a terminal, rich is installed (the extra `terminal`), and neither NO_COLOR
(https://no-color.org) nor TERM=dumb asks for plain text. Everything else gets plain text, as programs read it. Names are
data: no markup in them counts, and none is cut. Lines that are too long are continued at a blank; a word is left to the
terminal to break, which knows that it is one where somebody copies it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TextIO

from sac_kafka.cli.looks import Look, Marked, marked
from sac_kafka.cli.tables import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WORD = re.compile(r"\S+\s*")
_APART = re.compile(r"\s{2,}|\s(?=sac-kafka )")
"""What sets parts of a line apart from each other: several blanks, or one before a command that is to be copied."""
_INDENT = "  "
_GAP = 2
_MAX_HANGING = 0.4
"""Of the width: continued lines begin no further to the right."""
_FEW_FIGURES = 0.25
"""Of the width: behind figures that take no more, a long name begins in their line."""


def is_for_people(stream: TextIO | None) -> bool:
    """Whether what is written to the stream, None if it is closed, is looked at by a person, and may have looks."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") == "dumb":
        return False
    return stream is not None and _is_terminal(stream) and _has_rich()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # it is closed
        return False


@cache
def _has_rich() -> bool:
    try:
        import rich.console  # noqa: F401 # loaded only where it is used: it takes time
    except ImportError:
        return False
    return True


@lru_cache(maxsize=2)  # there are two streams, and lines may be many
def console_of(stream: TextIO) -> Console:
    """Give what writes to a terminal; nothing in a text is taken for markup, an emoji or a number to be coloured."""
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def write_line(line: str, look: Look, stream: TextIO) -> None:
    """Write a line to a terminal in its looks, in several where it is too long.

    Args:
        line: The line; what would steer a terminal is escaped in it.
        look: What it is.
        stream: A terminal, as `is_for_people` says.
    """
    console = console_of(stream)
    for each in _folded(marked(line, look), line, console.width):
        console.print(each, soft_wrap=True)


def write_table(table: Table, stream: TextIO) -> None:
    """Write a table to a terminal; where it is too wide, each name stands above its figures.

    Args:
        table: The table; what would steer a terminal is escaped in it.
        stream: A terminal, as `is_for_people` says.
    """
    from rich.cells import cell_len

    console = console_of(stream)
    widths = table.widths(cell_len)
    figures = sum(widths[:-1]) + _GAP * len(widths[:-1])
    if figures + widths[-1] <= console.width:
        _write_grid(table, console)
    elif figures <= console.width:
        _write_by_lines(table, console, is_beside=figures <= console.width * _FEW_FIGURES)
    else:
        _write_stacked(table, console)


# ---- lines


def _folded(looks: Marked, line: str, width: int) -> Iterator[Text]:
    from rich.cells import cell_len
    from rich.text import Text

    text = Text(line)
    for mark in looks.marks:
        text.stylize(mark.style, mark.start, mark.end)
    if cell_len(line) <= width:
        yield text
        return
    hang = looks.hang if looks.hang <= width * _MAX_HANGING else len(line) - len(line.lstrip()) + len(_INDENT)
    parts = text.divide(_breaks(line, width, min(hang, int(width * _MAX_HANGING))))
    for number, part in enumerate(parts):
        part.rstrip()
        yield Text.assemble(" " * hang, part) if number else part


def _breaks(line: str, width: int, hang: int) -> Iterator[int]:
    """Where a line is broken: before parts and words that do not fit any more; none is begun anew where it began already."""
    from rich.cells import cell_len

    start = used = len(line) - len(line.lstrip())
    parts = [start, *(gap.end() for gap in _APART.finditer(line, start)), len(line)]
    for begin, end in pairwise(parts):
        if begin > start and hang < used and used + cell_len(line[begin:end].rstrip()) > width:
            yield begin
            used = hang
        for word in _WORD.finditer(line, begin, end):
            if word.start() > start and hang < used and used + cell_len(word[0].rstrip()) > width:
                yield word.start()
                used = hang
            used += cell_len(word[0])


# ---- tables


def _write_grid(table: Table, console: Console) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for column in table.columns:
        grid.add_column(Text(column.title), justify="right" if column.is_right else "left", no_wrap=True)
    for row in table.rows:
        grid.add_row(*(_cell(cell) for cell in row[:-1]), Text(row[-1], "bold"))
    if table.total:
        grid.add_row(*(Text(cell, "bold") for cell in table.total[:-1]), Text(table.total[-1], "dim"))
    console.print(grid)


def _write_by_lines(table: Table, console: Console, *, is_beside: bool) -> None:
    """Figures below their titles, each name above them or, where they leave room, behind them."""
    from rich.text import Text

    titles, *rows = table.aligned()
    console.print(Text("  ".join(titles), "dim"), soft_wrap=True)
    for *cells, name in rows:
        figures = Text("  ").join(_cell(cell) for cell in cells)
        shown = Text(name, "bold")
        if is_beside:
            console.print(Text.assemble(figures, "  ", shown), soft_wrap=True)
        else:
            console.print(shown, soft_wrap=True)
            console.print(figures, soft_wrap=True)


def _write_stacked(table: Table, console: Console) -> None:
    """Each name above its figures, and each of these behind its title, in columns."""
    from rich.text import Text

    titles = tuple(column.title for column in table.columns[:-1])
    widths = [len(title) + 1 + width for title, width in zip(titles, table.widths(is_titled=False), strict=False)]
    across = max(1, (console.width - len(_INDENT)) // (max(widths) + _GAP))
    for row in table.all_rows():
        console.print(Text(row[-1], "bold"), soft_wrap=True)
        for start in range(0, len(titles), across):
            items = [
                Text.assemble((f"{title} ", "dim"), _cell(f"{cell:>{max(widths) - len(title) - 1}}"))
                for title, cell in zip(titles[start : start + across], row[start : start + across], strict=False)
            ]
            console.print(Text.assemble(_INDENT, Text("  ").join(items)), soft_wrap=True)


def _cell(text: str) -> Text:
    """A figure; one that says nothing is hardly seen."""
    from rich.text import Text

    return Text(text, "dim" if text.strip() == "0" else "")
