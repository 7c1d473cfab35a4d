"""Track the tables that an application has seen, with their database and location, and find the table of a path.

A path that is the location of a table is reported as that table in all reads and writes.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from sac_kafka.model import Column, Database, Dataset, PathDataset, Process, TableDataset
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.substitution import substitute
from sac_kafka.names.aliases import Aliases
from sac_kafka.names.paths import canonical_place, is_part
from sac_kafka.stages.table_places import TablePlaces


def is_in(dataset: Dataset, database: Database) -> bool:
    """Return whether a dataset is a table of a database or of a namespace within it."""
    if not isinstance(dataset, TableDataset) or dataset.catalog != database.catalog:
        return False
    return dataset.database == database.name or dataset.database.startswith(f"{database.name}.")


MAX_TABLES = 10_000
"""Tables that are remembered; the one seen longest ago is evicted first."""

_BEGINNING = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)(?://(?=/))?(?=/)(//[^/]*)?")
_IS_WHOLE = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:")
_ONE_STORE = {"s3:": "s3a:", "s3n:": "s3a:", "abfs:": "abfss:", "wasb:": "wasbs:"}
"""Aliases of URI schemes of one store, by driver."""


def add_location(table: TableDataset, shown: TableDataset) -> TableDataset:
    """Return a table with the location that it was shown with: CREATE TABLE of a V2 catalog need not state one."""
    is_news = table.location is None and shown.location is not None and not table.is_view
    return dataclasses.replace(table, location=shown.location) if is_news else table


class Tables:
    """The known tables of an application, by name and by location."""

    def __init__(self, aliases: Aliases | None = None, places: TablePlaces | None = None) -> None:
        self._aliases = aliases or Aliases()
        self._places = places or TablePlaces()
        self._tables: Bounded[str, TableDataset] = Bounded(MAX_TABLES, self._remove_place)  # by key
        self._at: dict[str, dict[str, None]] = {}  # location -> keys, the one that was defined last at the end
        self._partitions: Bounded[str, str] = Bounded(MAX_TABLES)  # location of a partition -> key of its table
        self._earlier: dict[str, TableDataset] = {}  # tables of earlier runs, by location
        for table in self._places.earlier():
            self._earlier[self._normalize(table.location or "")] = table

    def learn(self, table: TableDataset) -> None:
        """Remember the current definition of a table."""
        known = self._tables.pop(table.key, None)
        if known is not None:
            table = add_location(table, known)
        self._places.current[table.key] = None if table.is_view else table
        at = self._place(table)
        if known is not None and self._place(known) != at:
            self._remove_place(table.key, known)
        self._tables[table.key] = table
        if at is not None:
            self._at.setdefault(at, {}).setdefault(table.key)

    def add_partitions(self, key: str, locations: Iterable[str]) -> None:
        """Remember the locations of partitions that differ from their table's."""
        known = self._tables.get(key)
        own = "" if known is None or known.location is None else known.location.rstrip("/")
        for location in locations:
            if _IS_WHOLE.match(location):
                self._partitions[self._normalize(location)] = key
            elif own:
                self._partitions[self._normalize(f"{own}/{location}")] = key

    def forget_partitions(self, key: str) -> None:
        """Forget the locations of all partitions of a table: the event does not list those that are left."""
        for location in [at for at, table_key in self._partitions.items() if table_key == key]:
            del self._partitions[location]

    def add_seen(self, table: TableDataset) -> None:
        """Add a table as a plan shows it; it is remembered if new or if its location differs, else events take precedence."""
        known = self._tables.get(table.key)
        if known is None or table.location not in (None, known.location):
            self.learn(table)
        else:
            self._tables.move_to_end(table.key)

    def columns_of(self, table: TableDataset) -> tuple[Column, ...]:
        """Return the columns of a table or view as last defined or seen; none if it never was."""
        known = self._tables.get(table.key)
        return known.columns if known is not None else ()

    def forget_database(self, database: Database) -> tuple[TableDataset, ...]:
        """Forget a database that was dropped.

        Returns:
            The tables that were in it, those seen last at the end.
        """
        inside = tuple(table for table in self._tables.values() if is_in(table, database))
        for table in inside:
            self.forget(table.key)
        return inside

    def forget(self, key: str) -> None:
        """Forget a table that was dropped, renamed or moved."""
        self._places.current[key] = None
        self.forget_partitions(key)
        known = self._tables.pop(key, None)
        if known is not None:
            self._remove_place(key, known)

    def _remove_place(self, key: str, table: TableDataset) -> None:
        at = self._place(table)
        if at is None:
            return
        keys = self._at[at]
        keys.pop(key, None)
        if not keys:
            del self._at[at]

    def _place(self, table: TableDataset) -> str | None:
        return None if table.location is None or table.is_view else self._normalize(table.location)

    def table_of(self, path: PathDataset) -> TableDataset | None:
        """Return the table at whose location, or in whose partitions, all of the concrete paths are; None without one.

        If several tables have one location, this is the one that was defined last.
        """
        found = {self._at_or_above(location) for location in path.locations or (path.path,)}
        table = found.pop()
        return table if not found else None

    def _at_or_above(self, location: str) -> TableDataset | None:
        at = self._normalize(location)
        while True:
            keys = self._at.get(at)
            if keys is not None:
                return self._tables[next(reversed(keys))]
            parted = self._tables.get(self._partitions.get(at, ""))
            if parted is not None:
                return parted
            earlier = self._earlier.get(at)
            if earlier is not None and not self._places.is_current(earlier.key):
                return earlier
            at, slash, last = at.rpartition("/")
            if not slash or not is_part(last):
                return None

    def _normalize(self, location: str) -> str:
        """Return one spelling for `file:///x/`, `file:/x` and `/x`, and for the drivers, hosts and ports of one store."""
        m = _BEGINNING.match(location)
        scheme, authority = (m[1].lower(), m[2] or "") if m else ("file:", "")
        if authority:
            scheme, authority = canonical_place(scheme, authority)
        rest = authority + location[m.end() :] if m else location
        at = f"{_ONE_STORE.get(scheme, scheme)}{rest}" if m or location.startswith("/") else location
        at = at.rstrip("/")
        return self._aliases.resolve(at) if self._aliases.targets else at

    def substitute_paths(self, process: Process) -> Process:
        """Return a process with paths replaced by the tables at their location, in its column lineage too."""
        tables = {
            d.key: found if found.columns else dataclasses.replace(found, columns=d.columns)
            for d in process.datasets
            if isinstance(d, PathDataset) and (found := self.table_of(d)) is not None
        }
        return substitute(process, tables)
