"""Declare an external data system: Spark's names for it, and functions that identify its datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.model import Column, Dataset

SourceOptions = Mapping[str, str]
_Naming = Callable[[SourceOptions, tuple[Column, ...]], Dataset | None]
_Reading = Callable[[Any, tuple[Column, ...]], Reading | Dataset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An external data system.

    Attributes:
        names: Its names in USING and `format` (short names and packages), in lower case.
        classes: Prefixes of the classes of its providers and V2 tables.
        catalogs: Prefixes of the classes of catalogs over it, whose tables are named as datasets of this system.
        reads: Functions that identify a relation or table, by the class that `plan` or a plug-in declares for it.
        dataset: A function that identifies a dataset by options, or returns None if they do not name one; None if options
            never do.
        columns: The only columns that it stores, None for all.
        own_columns: Columns that it computes itself, even if a query has columns of these names; in lower case.
        deletes: A function that returns True if the options of a `save` request the deletion of its rows.
        unnamed: The reason to be counted if a `save` does not identify its dataset.
        path_is_a_name: True if the option `path` is not a path.
        options: Only for plug-ins: the keys of the options that identify a dataset, which the listener then captures. Those
            of the built-in systems are in `plan.options`.
    """

    names: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    reads: Mapping[type, _Reading] = field(default_factory=dict)
    dataset: _Naming | None = None
    columns: frozenset[str] | None = None
    own_columns: frozenset[str] = frozenset()
    deletes: Callable[[SourceOptions], bool] = lambda _: False
    unnamed: str | None = None
    path_is_a_name: bool = False
    options: tuple[str, ...] = ()

    def keeps(self, column: str) -> bool:
        """Return True if the system stores a column of a query."""
        return (self.columns is None or column in self.columns) and column.lower() not in self.own_columns

    def identify(self, options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
        """Return the dataset that options identify, with the columns that the system stores; None if they do not."""
        return None if self.dataset is None else self.dataset(options, tuple(c for c in columns if self.keeps(c.name)))
