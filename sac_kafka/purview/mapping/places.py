"""Where something stands in a file, in words."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.purview.mapping.lines import Lines


@dataclass(frozen=True, slots=True)
class RulePlaces:
    """The places of a file, or of one of its tables: the `number`-th of `count` of this name."""

    place: str
    lines: Lines
    table: str = ""
    number: int = 0
    count: int = 1

    def below(self, table: str, number: int = 0, count: int = 1) -> RulePlaces:
        """The places of a table."""
        return RulePlaces(self.place, self.lines, table, number, count)

    def of(self, key: str = "") -> str:
        """The place of a key, of the table without one: `mapping.toml, line 3`."""
        line = self.lines.of(key) if not self.table and key else None
        if line is None:
            line = self.lines.of(self.table, self.number, self.count, key)
        if line is None and self.count == 1:  # written in a line, without a header
            line = self.lines.of("", key=self.table)
        if line is not None and (self.table or key):
            return f"{self.place}, line {line}"
        return f"{self.place}, {self.table} {self.number + 1}" if self.count > 1 else self.place
