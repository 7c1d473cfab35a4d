"""Describe places in a rule file: `mapping.toml, line 3`."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.purview.mapping.lines import Lines


@dataclass(frozen=True, slots=True)
class RulePlaces:
    """Places of a file, or of one of its tables: index `number` (from 0) of `count` tables of this name."""

    place: str
    lines: Lines
    table: str = ""
    number: int = 0
    count: int = 1

    def of_table(self, table: str, number: int = 0, count: int = 1) -> RulePlaces:
        """Return the places of a table."""
        return RulePlaces(self.place, self.lines, table, number, count)

    def place_of(self, key: str = "") -> str:
        """Return the place of a key, or of the table if no key is given: `mapping.toml, line 3`."""
        line = self.lines.line_of(key) if not self.table and key else None
        if line is None:
            line = self.lines.line_of(self.table, self.number, self.count, key)
        if line is None and self.count == 1:  # an inline table has no header
            line = self.lines.line_of("", key=self.table)
        if line is not None and (self.table or key):
            return f"{self.place}, line {line}"
        return f"{self.place}, {self.table} {self.number + 1}" if self.count > 1 else self.place
