"""Format tables, and write styled lines and tables to an interactive terminal with rich.

A stream is interactive if it is a terminal, rich is installed (the extra `tools`), and neither NO_COLOR
(https://no-color.org) nor TERM=dumb asks for plain text. All other streams get plain text. The text is the same in both:
names are never interpreted as markup, truncated or wrapped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TextIO

from sac_kafka.tools.cli.styles import LineStyle, style_line
from sac_kafka.tools.graph.drawing import pad, width

if TYPE_CHECKING:
    from rich.console import Console

GAP = "  "
"""Between two columns."""


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
    """Write a styled line to a terminal."""
    from rich.text import Text

    text = Text(line)
    for span in style_line(line, style):
        text.stylize(span.style, span.start, span.end)
    console_of(stream).print(text, soft_wrap=True)


def write_table(table: Table, stream: TextIO) -> None:
    """Write a table to a terminal, one line per row."""
    from rich.text import Text

    titles, *rows = table.align()
    console = console_of(stream)
    console.print(Text(GAP.join(titles), "dim"), soft_wrap=True)
    for *cells, name in rows:
        console.print(Text.assemble(*(f"{cell}{GAP}" for cell in cells), (name, "bold")), soft_wrap=True)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """Column of a table; `least` is its minimum width."""

    title: str
    is_right: bool = True
    least: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Table; its last column has names, which may be long. `total` is the row of totals, () for none."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()

    def with_cells(self, changed: Callable[[str], str]) -> Table:
        """Return the table with all cells replaced."""
        rows = tuple(tuple(map(changed, row)) for row in self.rows)
        return Table(self.columns, rows, tuple(map(changed, self.total)))

    def align(self) -> Iterator[list[str]]:
        """Yield the titles and the rows, with all cells but the last padded to the width of their column."""
        rows = (tuple(column.title for column in self.columns), *self.rows, *((self.total,) if self.total else ()))
        widths = [max(column.least, *(width(row[at]) for row in rows)) for at, column in enumerate(self.columns)]
        for row in rows:
            cells = [
                pad(cell, cells, is_right=column.is_right)
                for cell, cells, column in zip(row, widths, self.columns, strict=True)
            ]
            yield [*cells[:-1], row[-1]]


def plain_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table in plain text."""
    return (GAP.join(cells) for cells in table.align())
