"""On which line of a TOML file something stands: its parser does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*([A-Za-z_][\w-]*(?:\s*\.\s*[A-Za-z_][\w-]*)?|"[^"]*"|'[^']*')\s*[=.]""")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file by table: of `[[rule]]` the first, the second …, of other tables one. Lines count from 1."""

    tables: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]
    _places: Mapping[str, Sequence[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[str, list[int]] = {}
        for place, (name, _, _) in enumerate(self.tables):
            places.setdefault(name, []).append(place)
        object.__setattr__(self, "_places", places)

    def of(self, table: str, number: int = 0, count: int = 1, key: str = "") -> int | None:
        """The line of a key of a table, or of the table; None where that is not certain.

        Args:
            table: The name of the table.
            number: Which of the tables of this name, from 0 on.
            count: How many of them there are: where so many headers are not found, they are written in another way.
            key: The key, with a dot before what it holds: `match.host`.
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
        return self.of(table, number, count, above) if above else mine[0][1]


def lines(text: str) -> Lines:
    """Find the tables and keys of a file."""
    tables: list[tuple[str, int, list[tuple[str, int]]]] = [("", 1, [])]
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.fullmatch(line[:_LONGEST]):
            tables.append((header[2], number, []))
        elif key := _KEY.match(line[:_LONGEST]):
            tables[-1][2].append(("".join(key[1].split()).strip("\"'"), number))
    return Lines(tuple((name, number, tuple(keys)) for name, number, keys in tables))


_LONGEST = 2_000
"""Characters of a line that are looked at."""
