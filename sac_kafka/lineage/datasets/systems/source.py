"""What is known of a system that holds rows itself: how Spark names it, and which dataset is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.model import Column, Dataset

SourceOptions = Mapping[str, str]
_Naming = Callable[[SourceOptions, tuple[Column, ...]], Dataset | None]
_Reading = Callable[[Any, tuple[Column, ...]], Reading | Dataset | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system and how Spark names it.

    Attributes:
        names: What USING and `format` call it, short names and packages, in small letters.
        classes: The beginnings of the classes of its providers, and of its V2 tables.
        catalogs: The beginnings of the classes of catalogs over it: their tables are known by where they are.
        reads: What a relation or table of it is, by the class that `plan` or a plug-in declares for it.
        dataset: What options name, None where they name nothing; no function where options never do.
        columns: The only columns that it keeps, None for all.
        own_columns: Columns that it makes itself, whatever a query has under these names; in small letters.
        deletes: True for options of a `save` whose rows are those that go.
        unnamed: What is counted where a `save` does not say what it writes.
        path_is_a_name: The option `path` is no path.
        options: Of a plug-in: the keys of the options that name a dataset, which travel then. The hook's own stand in
            `plan.options`.
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
        """True for the columns that the system keeps."""
        return (self.columns is None or column in self.columns) and column.lower() not in self.own_columns

    def named(self, options: SourceOptions, of: tuple[Column, ...]) -> Dataset | None:
        """The dataset that options name, with those of the columns that it keeps."""
        return None if self.dataset is None else self.dataset(options, tuple(c for c in of if self.keeps(c.name)))
