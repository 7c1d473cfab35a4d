"""Emit the definition of a view again under its new name when the view is renamed.

Definitions are forgotten when a table that they read changes: emitting one would recreate a dropped table on the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.catalog.databases import is_in
from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.model import (
    Change,
    ColumnRenamed,
    DatabaseDropped,
    Dataset,
    Process,
    TableDefined,
    TableDropped,
    TableRenamed,
)

MAX_VIEWS = 1_000
"""Views whose definition is remembered; the oldest is evicted first."""


class ViewDefinitions:
    """Definitions of views, updated by catalog changes in the order in which they are emitted."""

    def __init__(self) -> None:
        self._last: Bounded[str, Process] = Bounded(MAX_VIEWS)  # by the key of the view

    def remember(self, definition: Process) -> None:
        """Remember the definition of a view that is emitted now."""
        (view,) = definition.outputs
        self._last[view.key] = definition

    def after(self, change: Change) -> Iterator[Process]:
        """Yield the definition of a view under its new name if the change renames the view."""
        match change:
            case TableRenamed(old=old, new=new):
                renamed = self._last.get(old.key)
                self._forget({old.key, new.key})
                if renamed is not None and new.is_view:
                    yield substituted(renamed, {old.key: new})
            case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
                self._forget({table.key})
            case DatabaseDropped(database=database):
                everything = chain.from_iterable(_datasets_of(each) for each in self._last.values())
                self._forget({each.key for each in everything if is_in(each, database)})

    def _forget(self, keys: set[str]) -> None:
        """Forget the definitions of these datasets and of views that read them."""
        for view in [v for v, each in self._last.items() if any(d.key in keys for d in _datasets_of(each))]:
            del self._last[view]


def _datasets_of(definition: Process) -> Iterable[Dataset]:
    return (*definition.outputs, *definition.inputs)
