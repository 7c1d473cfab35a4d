"""What the tables of an application are by now: the last definition of each, from the moment on at which it is said."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Iterable

from sac_kafka.lineage.model import Change, Dataset, Process, TableDataset, TableDefined, TableDropped, TableRenamed

MOST_DEFINITIONS = 10_000
"""Tables whose definition is remembered; the oldest is forgotten first."""


class Definitions:
    """Takes the changes of the catalog in the order in which they are said."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, TableDataset] = OrderedDict()  # by key

    def take(self, change: Change) -> None:
        """A change that is said now."""
        if isinstance(change, TableDropped):
            self._last.pop(change.table.key, None)
        elif isinstance(change, TableRenamed):
            self._last.pop(change.old.key, None)
            self._keep(change.new)
        elif isinstance(change, TableDefined):
            self._keep(change.table)

    def applied(self, process: Process) -> Process:
        """The process with its tables as they are by now.

        A plan may show what a table was before the last change: Spark caches relations, and does not look again. Of a
        table that the statement itself makes it shows what the statement asked for.
        """
        return dataclasses.replace(
            process, inputs=self._current(process.inputs), outputs=self._current(process.outputs)
        )

    def _current(self, datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
        return tuple(self._last.get(dataset.key, dataset) for dataset in datasets)

    def _keep(self, table: TableDataset) -> None:
        self._last[table.key] = table
        self._last.move_to_end(table.key)
        if len(self._last) > MOST_DEFINITIONS:
            self._last.popitem(last=False)
