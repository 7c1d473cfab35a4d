"""Tables of figures with names behind them, for people and, in plain text, for everybody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sac_kafka.readable.widths import padded, width

_GAP = "  "


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column; `least` is how wide it is in plain text at least."""

    title: str
    is_right: bool = True
    least: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the last column has names, which may be long. `total` is the row that sums up, () without one."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()

    def all_rows(self) -> tuple[tuple[str, ...], ...]:
        """Give the rows, and the one that sums up."""
        return (*self.rows, *((self.total,) if self.total else ()))

    def with_cells(self, changed: Callable[[str], str]) -> Table:
        """Give the table with its cells changed."""
        rows = tuple(tuple(map(changed, row)) for row in self.rows)
        return Table(self.columns, rows, tuple(map(changed, self.total)))

    def widths(self, measure: Callable[[str], int] = width, *, is_titled: bool = True) -> list[int]:
        """Give how long, as it is measured, the longest cell of each column is, and its title if that stands above it."""
        rows = [*([tuple(column.title for column in self.columns)] if is_titled else ()), *self.all_rows()]
        return [max((measure(row[at]) for row in rows), default=0) for at in range(len(self.columns))]

    def aligned(self, *, is_plain: bool = False) -> Iterator[list[str]]:
        """Give the titles and then each row, all cells but the last one as wide as their columns."""
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
    """Figures before names: these may be long, and a narrow terminal breaks them only."""
    return (_GAP.join(cells) for cells in table.aligned(is_plain=True))
