"""What was found in a query that another system runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.lineage.columns.combining import Sources
from sac_kafka.lineage.datasets.reading import ReadClause
from sac_kafka.lineage.model import ColumnSource, Dependency


class NotUnderstoodError(Exception):
    """A text is no query, or has what nobody here knows."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a query hands out: its name, None where the database gives it one; None for sources nobody knows."""

    name: str | None
    sources: Sources | None

    def of(self, name: str) -> Sources | None:
        """What a column of any name among these is made of."""
        del name
        return self.sources


@dataclass(frozen=True, slots=True)
class AllOf:
    """All columns of a table; nobody knows which these are."""

    table: str

    def of(self, name: str) -> Sources | None:
        """What a column of any name among these is made of."""
        return frozenset({ColumnSource(self.table, name, Dependency.IDENTITY)})


@dataclass(frozen=True, slots=True)
class SomeOf:
    """Columns of which neither the names are known nor which of them is which; None for sources nobody knows."""

    sources: Sources | None

    def of(self, name: str) -> Sources | None:
        """What a column of any name among these is made of."""
        del name
        return self.sources


Item = Output | AllOf | SomeOf


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuery:
    """A query that was understood. `tables`, and `dataset` of its sources, are names as SQL has them, in quotes or not."""

    tables: tuple[str, ...]
    items: tuple[Item, ...]
    clauses: tuple[ReadClause, ...]

    def columns(self, names: Sequence[str]) -> Mapping[str, Sources]:
        """What the columns that Spark sees are made of, by their names in small letters; those nobody knows are not there."""
        placed = self._by_place(names)
        found = zip(names, placed, strict=True) if placed else ((name, self._named(name)) for name in names)
        made = {name.lower(): item.of(name) for name, item in found if item is not None}
        return {name: sources for name, sources in made.items() if sources is not None}

    def _by_place(self, names: Sequence[str]) -> list[Item] | None:
        """The item of each column; None where places and names do not agree."""
        wide = [i for i, item in enumerate(self.items) if not isinstance(item, Output)]
        spread = len(names) - len(self.items) + 1 if wide else 0
        if len(wide) > 1 or spread < 0 or (not wide and len(names) != len(self.items)):
            return None
        placed: list[Item] = []
        for i, item in enumerate(self.items):
            placed += [item] * (spread if i in wide else 1)
        agree = all(_may_be(item, name) for item, name in zip(placed, names, strict=True))
        return placed if agree else None

    def _named(self, name: str) -> Item | None:
        same = [i for i in self.items if isinstance(i, Output) and i.name is not None and _may_be(i, name)]
        wide = [i for i in self.items if not isinstance(i, Output)]
        return same[0] if len(same) == 1 else wide[0] if not same and len(wide) == 1 else None


def _may_be(item: Item, name: str) -> bool:
    return not isinstance(item, Output) or item.name is None or item.name.lower() == name.lower()
