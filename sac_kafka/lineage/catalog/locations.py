"""One name for one thing: a path that is known to be a table's location is that table, whoever reads or writes it."""

from __future__ import annotations

import re

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.model import PathDataset, Process, TableDataset

MOST_LOCATIONS = 10_000
"""Tables whose location is remembered; the oldest is forgotten first."""

_BELOW = re.compile(r"[^=/]+=[^/]*|part-[^/]*")
"""A partition directory or a part file: what lies below a table's location and is the table."""


class TableLocations:
    """Where the tables lie that an application has seen."""

    def __init__(self) -> None:
        self._tables: Bounded[str, TableDataset] = Bounded(MOST_LOCATIONS, self._leave)  # by key
        self._at: dict[str, set[str]] = {}  # location -> keys

    def learn(self, table: TableDataset) -> None:
        """A table as it is defined now."""
        self.forget(table.key)
        if table.location is None or table.is_view:
            return
        self._tables[table.key] = table
        self._at.setdefault(_plain(table.location), set()).add(table.key)

    def learn_once(self, table: TableDataset) -> None:
        """A table as a plan shows it, if its location is news: events say more than plans."""
        known = self._tables.get(table.key)
        if known is None or known.location != table.location:
            self.learn(table)

    def forget_database(self, database: str) -> None:
        """All tables of a database of the session catalog."""
        for table in list(self._tables.values()):
            if table.catalog is None and table.database == database:
                self.forget(table.key)

    def forget(self, key: str) -> None:
        """A table that was dropped, renamed or moved."""
        known = self._tables.pop(key, None)
        if known is not None:
            self._leave(key, known)

    def _leave(self, key: str, table: TableDataset) -> None:
        assert table.location is not None
        keys = self._at[_plain(table.location)]
        keys.discard(key)
        if not keys:
            del self._at[_plain(table.location)]

    def table_of(self, path: PathDataset) -> TableDataset | None:
        """The one table at whose location, or in whose partitions, all of the concrete paths lie; None if there is none."""
        found = {self._key(location) for location in path.locations or (path.path,)}
        key = found.pop()
        return self._tables[key] if key is not None and not found else None

    def _key(self, location: str) -> str | None:
        at = _plain(location)
        while True:
            keys = self._at.get(at)
            if keys is not None:
                return next(iter(keys)) if len(keys) == 1 else None
            at, slash, last = at.rpartition("/")
            if not slash or not _BELOW.fullmatch(last):
                return None

    def renamed(self, process: Process) -> Process:
        """The process with tables for the paths that are tables, in its column lineage too."""
        tables = {
            d.key: found
            for d in (*process.inputs, *process.outputs)
            if isinstance(d, PathDataset) and (found := self.table_of(d)) is not None
        }
        return substituted(process, tables)


def _plain(location: str) -> str:
    """`file:///x/` and `file:/x` are one location."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:)///", r"\1/", location).rstrip("/")
