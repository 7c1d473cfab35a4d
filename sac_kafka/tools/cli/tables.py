"""Format tables of figures with names in the last column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sac_kafka.tools.graph.drawing import pad, width

GAP = "  "
"""Between two columns."""


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
