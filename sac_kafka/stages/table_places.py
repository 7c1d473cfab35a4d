"""Persist the locations of tables between runs: one application creates a table, another reads it by its path.

Only names and locations are stored, the newest table per location; tables that were dropped, renamed or moved are removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.model import TableDataset
from sac_kafka.model.bounds import Bounded

MAX_PLACES = 5_000
"""Locations that are stored; the oldest is dropped first."""
_MAX_CHARACTERS = 1_000_000
"""Total length of the locations and names that are stored."""

PlaceRow = Sequence[str | None]
"""Catalog, database, name, provider and type of a table."""


class TablePlaces:
    """The table locations of earlier runs, and the changes of this one. Used by one thread.

    Attributes:
        current: The tables of this run, by key; None for one that was dropped, renamed or moved, and for a view.
    """

    def __init__(self, earlier: Mapping[str, PlaceRow] | None = None) -> None:
        self._earlier = dict(earlier or {})
        self.current: Bounded[str, TableDataset | None] = Bounded(MAX_PLACES)

    def earlier(self) -> Iterator[TableDataset]:
        """Yield the tables of earlier runs, the newest last."""
        for location, row in self._earlier.items():
            yield _table(location, row)

    @property
    def has_changed(self) -> bool:
        """Whether this run has seen a table, or its removal."""
        return bool(self.current)

    def is_current(self, key: str) -> bool:
        """Return whether this run knows the state of a table, which then takes precedence over earlier runs."""
        return key in self.current

    def merged_with(self, stored: Mapping[str, PlaceRow]) -> dict[str, PlaceRow]:
        """Return the rows to store: `stored` (which other runs may have written meanwhile), updated by this run."""
        known = {location: row for location, row in stored.items() if _table(location, row).key not in self.current}
        for table in self.current.values():
            if table is not None and table.location is not None:
                known.pop(table.location, None)  # move to the end, as the newest
                known[table.location] = (table.catalog, table.database, table.name, table.provider, table.table_type)
        room, kept = _MAX_CHARACTERS, dict[str, PlaceRow]()
        for location, row in list(known.items())[: -MAX_PLACES - 1 : -1]:
            room -= len(location) + sum(len(each or "") for each in row)
            if room < 0:
                break
            kept[location] = row
        return dict(reversed(kept.items()))


def parse_rows(rows: Sequence[Sequence[str | None]]) -> dict[str, PlaceRow]:
    """Parse the rows of a file, each a location and a `PlaceRow`.

    Raises:
        ValueError, TypeError: A row has another form.
    """
    found: dict[str, PlaceRow] = {}
    for location, catalog, database, name, provider, table_type in rows:
        needed, other = (location, database, name), (catalog, provider, table_type)
        if not all(isinstance(each, str) for each in needed) or not all(isinstance(e, str | None) for e in other):
            raise TypeError("a table location without the name of its table")
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
