"""Find the places of tables and keys in a TOML file, which its parser does not report: `mapping.toml, line 3`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*([A-Za-z_][\w-]*(?:\s*\.\s*[A-Za-z_][\w-]*)?|"[^"]*"|'[^']*')\s*[=.]""")
_MAX_SEARCHED = 2_000
"""Maximum characters searched per line."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Line numbers, from 1, of the tables and keys of a file; each `[[rule]]` is a separate table."""

    tables: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]
    _places: Mapping[str, Sequence[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[str, list[int]] = {}
        for place, (name, _, _) in enumerate(self.tables):
            places.setdefault(name, []).append(place)
        object.__setattr__(self, "_places", places)

    def line_of(self, table: str, number: int = 0, count: int = 1, key: str = "") -> int | None:
        """Return the line of a key of a table, or of the table; None if it is uncertain.

        Args:
            table: The name of the table.
            number: The index among the tables of this name, from 0.
            count: The number of tables of this name; if the file has another number of headers, lines are uncertain.
            key: The dotted key: `match.host`.
        """
        own = self._places.get(table, ())
        if len(own) != count:
            return None
        first = own[number]
        last = own[number + 1] if number + 1 < count else len(self.tables)
        mine = [each for each in self.tables[first:last] if each[0] == table or each[0].startswith(f"{table}.")]
        for name, _, keys in mine:
            prefix = name.removeprefix(table).removeprefix(".")
            for written, line in keys:
                full = f"{prefix}.{written}" if prefix else written
                if key and (full == key or full.startswith(f"{key}.")):
                    return line
        above = key.rpartition(".")[0]
        return self.line_of(table, number, count, above) if above else mine[0][1]


def lines(text: str) -> Lines:
    """Find the tables and keys of a file."""
    tables: list[tuple[str, int, list[tuple[str, int]]]] = [("", 1, [])]
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.fullmatch(line[:_MAX_SEARCHED]):
            tables.append((header[2], number, []))
        elif key := _KEY.match(line[:_MAX_SEARCHED]):
            tables[-1][2].append(("".join(key[1].split()).strip("\"'"), number))
    return Lines(tuple((name, number, tuple(keys)) for name, number, keys in tables))


@dataclass(frozen=True, slots=True)
class RulePlaces:
    """Places of a file, or of one of its tables: index `number` (from 0) of `count` tables of this name.

    `problems` are sentences about the file, each with its place.
    """

    place: str
    lines: Lines
    table: str = ""
    number: int = 0
    count: int = 1
    problems: list[str] = field(default_factory=list)

    def of_table(self, table: str, number: int = 0, count: int = 1) -> RulePlaces:
        """Return the places of a table."""
        return RulePlaces(self.place, self.lines, table, number, count, self.problems)

    def report(self, problem: str, key: str = "") -> None:
        """Add a problem of a key, or of the table if no key is given."""
        self.problems.append(f"{self.place_of(key)}: {problem}")

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
