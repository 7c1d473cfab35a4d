"""Write styled lines and tables to an interactive terminal with rich.

A stream is interactive if it is a terminal, rich is installed (the extra `terminal`), and neither NO_COLOR
(https://no-color.org) nor TERM=dumb asks for plain text. All other streams get plain text. Names are never interpreted as
markup and never truncated. Long lines are wrapped at blanks only: a long word is left to the terminal, which still copies it
as one word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TextIO

from sac_kafka.tools.cli.styles import LineStyle, StyledLine, styled
from sac_kafka.tools.cli.tables import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WORD = re.compile(r"\S+\s*")
_APART = re.compile(r"\s{2,}|\s(?=sac-kafka )")
"""Preferred place to wrap a line: several blanks, or one before a command that users copy."""
_INDENT = "  "
_GAP = 2
_MAX_HANGING = 0.4
"""Maximum indentation of continuation lines, as a fraction of the width."""
_FEW_FIGURES = 0.25
"""Maximum width of figures that share their line with a long name, as a fraction of the width."""


def is_interactive(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that may be styled; None is a closed stream."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") == "dumb":
        return False
    return stream is not None and _is_terminal(stream) and _has_rich()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


@cache
def _has_rich() -> bool:
    try:
        import rich.console  # noqa: F401 # imported late because it is slow
    except ImportError:
        return False
    return True


@lru_cache(maxsize=2)  # standard output and standard error
def console_of(stream: TextIO) -> Console:
    """Return a console of rich that interprets no markup or emoji and highlights no numbers."""
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def write_line(line: str, style: LineStyle, stream: TextIO) -> None:
    """Write a styled line to a terminal, wrapped to its width.

    Args:
        line: The line, with control characters escaped.
        style: Its style.
        stream: An interactive terminal.
    """
    console = console_of(stream)
    for each in _wrapped(styled(line, style), line, console.width):
        console.print(each, soft_wrap=True)


def write_table(table: Table, stream: TextIO) -> None:
    """Write a table to a terminal; if it is too wide, each name is written above its figures.

    Args:
        table: The table, with control characters escaped.
        stream: An interactive terminal.
    """
    from rich.cells import cell_len

    console = console_of(stream)
    widths = table.widths(cell_len)
    figures = sum(widths[:-1]) + _GAP * len(widths[:-1])
    if figures + widths[-1] <= console.width:
        _write_grid(table, console)
    elif figures <= console.width:
        _write_by_lines(table, console, names_last=figures <= console.width * _FEW_FIGURES)
    else:
        _write_stacked(table, console)


# ---- lines


def _wrapped(parts: StyledLine, line: str, width: int) -> Iterator[Text]:
    from rich.cells import cell_len
    from rich.text import Text

    text = Text(line)
    for span in parts.spans:
        text.stylize(span.style, span.start, span.end)
    if cell_len(line) <= width:
        yield text
        return
    hang = parts.hang if parts.hang <= width * _MAX_HANGING else len(line) - len(line.lstrip()) + len(_INDENT)
    pieces = text.divide(_breaks(line, width, min(hang, int(width * _MAX_HANGING))))
    for number, piece in enumerate(pieces):
        piece.rstrip()
        yield Text.assemble(" " * hang, piece) if number else piece


def _breaks(line: str, width: int, hang: int) -> Iterator[int]:
    """Yield the positions at which a line is wrapped: before parts and words that do not fit, never at a line's start."""
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


def _write_by_lines(table: Table, console: Console, *, names_last: bool) -> None:
    """Write figures below their titles, with each name after its figures or else in a line above them."""
    from rich.text import Text

    titles, *rows = table.aligned()
    console.print(Text("  ".join(titles), "dim"), soft_wrap=True)
    for *cells, name in rows:
        figures = Text("  ").join(_cell(cell) for cell in cells)
        shown = Text(name, "bold")
        if names_last:
            console.print(Text.assemble(figures, "  ", shown), soft_wrap=True)
        else:
            console.print(shown, soft_wrap=True)
            console.print(figures, soft_wrap=True)


def _write_stacked(table: Table, console: Console) -> None:
    """Write each name above its figures, each figure after its title, in columns."""
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
    """Return a figure; zeros are dimmed."""
    from rich.text import Text

    return Text(text, "dim" if text.strip() == "0" else "")
