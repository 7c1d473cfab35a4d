"""Find the places of tables and keys in a TOML file, which its parser does not report: `mapping.toml, line 3`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*([A-Za-z_][\w-]*(?:\s*\.\s*[A-Za-z_][\w-]*)?|"[^"]*"|'[^']*')\s*[=.]""")
_MAX_SEARCHED = 2_000
"""Maximum characters searched per line."""


Lines = Mapping[tuple[str, int], Mapping[str, int]]
"""Line numbers, from 1, of the keys of each table by its name and index, the header under the key ""."""


def lines(text: str) -> Lines:
    """Find the tables and keys of a file; a header below one of another table has keys of that table."""
    tables: dict[tuple[str, int], dict[str, int]] = {("", 0): {"": 1}}
    numbers: Counter[str] = Counter()
    current, prefix = tables["", 0], ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.fullmatch(line[:_MAX_SEARCHED]):
            above, _, below = header[2].partition(".")
            if below and numbers[above]:
                current, prefix = tables[above, numbers[above] - 1], f"{below}."
            else:
                current, prefix = tables.setdefault((header[2], numbers[header[2]]), {"": number}), ""
                numbers[header[2]] += 1
        elif key := _KEY.match(line[:_MAX_SEARCHED]):
            written = "".join(key[1].split()).strip("\"'")
            current.setdefault(f"{prefix}{written}", number)
    return tables


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
        line = self._line(key) if not self.table and key else None
        if line is None:
            line = self._line(self.table, self.number, self.count, key)
        if line is None and self.count == 1:  # an inline table has no header
            line = self._line("", key=self.table)
        if line is not None and (self.table or key):
            return f"{self.place}, line {line}"
        return f"{self.place}, {self.table} {self.number + 1}" if self.count > 1 else self.place

    def _line(self, table: str, number: int = 0, count: int = 1, key: str = "") -> int | None:
        """Return the line of a dotted key of a table, or of the table; None if the file has another number of headers."""
        if (table, count - 1) not in self.lines or (table, count) in self.lines:
            return None
        keys = self.lines[table, number]
        while key:
            for written, line in keys.items():
                if written == key or written.startswith(f"{key}."):
                    return line
            key = key.rpartition(".")[0]
        return keys[""]
