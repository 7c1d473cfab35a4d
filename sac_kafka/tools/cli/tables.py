"""Format tables of figures with names in the last column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sac_kafka.tools.graph.drawing import padded, width

_GAP = "  "


@dataclass(frozen=True, slots=True)
class TableColumn:
    """Column of a table; `least` is its minimum width in plain text."""

    title: str
    is_right: bool = True
    least: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Table; its last column has names, which may be long. `total` is the row of totals, () for none."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()

    def all_rows(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows and the row of totals."""
        return (*self.rows, *((self.total,) if self.total else ()))

    def with_cells(self, changed: Callable[[str], str]) -> Table:
        """Return the table with all cells replaced."""
        rows = tuple(tuple(map(changed, row)) for row in self.rows)
        return Table(self.columns, rows, tuple(map(changed, self.total)))

    def widths(self, measure: Callable[[str], int] = width, *, is_titled: bool = True) -> list[int]:
        """Return the width of the longest cell of each column, with or without its title."""
        rows = [*([tuple(column.title for column in self.columns)] if is_titled else ()), *self.all_rows()]
        return [max((measure(row[at]) for row in rows), default=0) for at in range(len(self.columns))]

    def aligned(self, *, is_plain: bool = False) -> Iterator[list[str]]:
        """Yield the titles and the rows, with all cells but the last padded to the width of their column."""
        widths = [
            max(found, column.least) if is_plain else found
            for found, column in zip(self.widths(), self.columns, strict=True)
        ]
        for row in (tuple(column.title for column in self.columns), *self.all_rows()):
            cells = [
                padded(cell, cells, is_right=column.is_right)
                for cell, cells, column in zip(row, widths, self.columns, strict=True)
            ]
            yield [*cells[:-1], row[-1]]


def plain_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table in plain text."""
    return (_GAP.join(cells) for cells in table.aligned(is_plain=True))
