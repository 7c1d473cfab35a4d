"""Find the reads that data was made from: by values that it shares with them, and by the names of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from sac_kafka.spark.calls.values import SeenColumn, SeenValues, value_hash

VALUES, NAMES = "values of it", "columns of its names"
"""The evidence that data was made from a read."""

Reads = Mapping[int, SeenValues]
"""The values of reads by their numbers, the oldest first."""


@dataclass(frozen=True, slots=True)
class Proven:
    """A read that data was made from, and the evidence; `alike` are others with the same evidence: it is one of these."""

    read: int
    how: str
    alike: tuple[int, ...] = ()


class Evidence:
    """What proves that data was `made` from some `reads`; `whole` are those known to be used already.

    Attributes:
        proven: The reads with evidence.
        in_question: Reads that cannot be excluded.
    """

    def __init__(self, reads: Reads, made: SeenValues, whole: Reads) -> None:
        self._reads, self._made = reads, made
        self._used = dict(whole)
        read = {value_hash(shared_object) for values in reads.values() for shared_object in made.shared_objects(values)}
        self._literals = made.literals - read
        self.proven: list[Proven] = []
        left = made.telling - self._literals - _telling(self._used)
        self._add(by_values({n: v for n, v in reads.items() if n not in whole}, made, left))
        self._columns = self._open_columns()
        while (found := self._by_names()) is not None:
            self._add([found])
            self._columns = {n: each for n, each in self._columns.items() if n not in _names({0: reads[found.read]})}
        is_open = bool(self._columns) or not made.is_known
        self.in_question = [n for n in reads if n not in self._used and (is_open or self._has_literals(n))]

    def _add(self, found: Iterator[Proven] | Sequence[Proven]) -> None:
        for each in found:
            self.proven.append(each)
            self._used.update((number, self._reads[number]) for number in (each.read, *each.alike))

    def _open_columns(self) -> dict[str, SeenColumn]:
        """Return the columns that the used reads do not explain: by their values, or by the name of the column.

        Small values are explained if no other read has them all, too, or a column of that name.
        """
        telling, names = _telling(self._used), _names(self._used)
        plain = set().union(*(values.plain for values in self._used.values()))
        others = [values for number, values in self._reads.items() if number not in self._used]
        found = {}
        for name, column in self._made.columns.items():
            left = SeenColumn(column.telling - self._literals - telling, column.plain - self._literals)
            if name and name in names:
                continue
            is_small = not column.telling and bool(left.plain or (name and column.has_flags))
            are_alike = is_small and any(_may_have(other, name, left) for other in others)
            if left.telling or not left.plain <= plain or are_alike:
                found[name] = left
        return found

    def _by_names(self) -> Proven | None:
        """Return the read with the names of most of the open columns; None if the evidence is too weak.

        Names alone count if the data has them itself, and at least half of its columns are then known; else the column must
        have small values of the read, all of them.
        """
        columns = {name: each for name, each in self._columns.items() if name}
        shared = {
            number: {name for name, column in columns.items() if self._is_of(name, column, values)}
            for number, values in self._reads.items()
            if number not in self._used
        }
        best = max(reversed(shared), key=lambda number: len(shared[number]), default=None)
        if best is None or not shared[best]:
            return None
        alike = [n for n in shared if shared[n] == shared[best]]
        by_values = [n for n in alike if all(_has_plain(columns[name], self._reads[n], name) for name in shared[best])]
        names = self._made.names & self._made.columns.keys()
        known = len(names) - len(names & columns.keys()) + len(names & shared[best])
        if not by_values and (2 * known < len(names) or not names):
            return None
        *others, best = by_values or alike
        return Proven(best, VALUES if by_values else NAMES, tuple(others))

    def _is_of(self, name: str, column: SeenColumn, read: SeenValues) -> bool:
        return name in read.names and (name in self._made.names or _has_plain(column, read, name))

    def _has_literals(self, number: int) -> bool:
        """Return whether a read has all the values that the program may have written, if nothing else is known."""
        values = self._reads[number]
        return bool(self._literals) and not self._used and self._literals <= values.telling | values.plain


def by_values(reads: Reads, made: SeenValues, left: Set[int]) -> Iterator[Proven]:
    """Yield the fewest reads that cover the values which data shares with any; those with most values first.

    Keys and states are values of many tables; a read is not used because it has some of them, too.
    """
    telling = {number: values.telling for number, values in reads.items()}
    left = set(left)
    while left:
        shared = {number: telling[number] & left for number in telling}
        best = max(reversed(shared), key=lambda number: len(shared[number]), default=None)
        if best is None or not shared[best]:
            return
        yield _proven([n for n in shared if shared[n] == shared[best]], reads, made)
        left -= shared[best]


def _proven(alike: Sequence[int], reads: Reads, made: SeenValues) -> Proven:
    """Return the evidence of reads that have the same values: the very objects decide, then the names of columns."""
    objects = [n for n in alike if any(True for _ in made.shared_objects(reads[n]))]
    alike = objects or alike
    names = {n: len(made.columns.keys() & reads[n].names) for n in alike}
    *others, best = [n for n in alike if names[n] == max(names.values())]
    return Proven(best, VALUES, tuple(others))


def _telling(reads: Reads) -> Set[int]:
    return set().union(*(values.telling for values in reads.values()))


def _names(reads: Reads) -> Set[str]:
    return set().union(*(values.names for values in reads.values()))


def _may_have(read: SeenValues, name: str, column: SeenColumn) -> bool:
    """Return whether small values may be of a read as well: it has all of them, or a column of that name."""
    return (bool(name) and name in read.names) or (bool(column.plain) and column.plain <= read.plain)


def _has_plain(column: SeenColumn, read: SeenValues, name: str) -> bool:
    """Return whether a column has small values and nothing else, and the read's column of that name has all of them."""
    known = read.columns.get(name)
    return bool(column.plain) and not column.telling and known is not None and column.plain <= known.plain
