"""Where tables lie, from run to run: what one application makes, another reads by its path.

Only names and places are kept, the newest table of a place; what was dropped, renamed or moved is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.model import TableDataset

MAX_PLACES = 5_000
"""TablePlaces that are kept; the one told of longest ago is forgotten first."""
_MAX_CHARACTERS = 1_000_000  # of places and names, of those that are kept

PlaceRow = Sequence[str | None]
"""Catalog, database, name, provider and type of a table."""


class TablePlaces:
    """The tables of earlier runs by their places, and what became of tables in this one; used by one thread."""

    def __init__(self, earlier: Mapping[str, PlaceRow] | None = None) -> None:
        self._earlier = dict(earlier or {})
        self._told: Bounded[str, TableDataset | None] = Bounded(MAX_PLACES)  # by key; None: it is gone

    def earlier(self) -> Iterator[TableDataset]:
        """The tables of earlier runs, those told of last at the end."""
        for location, row in self._earlier.items():
            yield _table(location, row)

    def learnt(self, table: TableDataset) -> None:
        """A table as it is by now."""
        if table.location is not None and not table.is_view:
            self._told[table.key] = table

    def gone(self, key: str) -> None:
        """A table that was dropped, renamed or moved."""
        self._told[key] = None

    def is_told(self, key: str) -> bool:
        """True for a table that this run knows better than an earlier one."""
        return key in self._told

    def with_news(self, theirs: Mapping[str, PlaceRow]) -> dict[str, PlaceRow]:
        """What all runs know: `theirs`, which others have kept meanwhile, and what this one was told."""
        known = {location: row for location, row in theirs.items() if _table(location, row).key not in self._told}
        for table in self._told.values():
            if table is not None and table.location is not None:
                known.pop(table.location, None)  # the newest at the end
                known[table.location] = (table.catalog, table.database, table.name, table.provider, table.table_type)
        room, kept = _MAX_CHARACTERS, dict[str, PlaceRow]()
        for location, row in list(known.items())[: -MAX_PLACES - 1 : -1]:
            room -= len(location) + sum(len(each or "") for each in row)
            if room < 0:
                break
            kept[location] = row
        return dict(reversed(kept.items()))


def read_rows(rows: Sequence[Sequence[str | None]]) -> dict[str, PlaceRow]:
    """The rows of a file, each a place and a `PlaceRow`.

    Raises:
        ValueError, TypeError: They are something else.
    """
    found: dict[str, PlaceRow] = {}
    for location, catalog, database, name, provider, table_type in rows:
        needed, other = (location, database, name), (catalog, provider, table_type)
        if not all(isinstance(each, str) for each in needed) or not all(isinstance(e, str | None) for e in other):
            raise TypeError("a place of a table without names")
        found[str(location)] = (catalog, database, name, provider, table_type)
    return found


def _table(location: str, row: PlaceRow) -> TableDataset:
    catalog, database, name, provider, table_type = row
    return TableDataset(
        catalog=catalog,
        database=database or "",
        name=name or "",
        provider=provider,
        table_type=table_type,
        location=location,
    )
