"""What happened to a catalog (DDL)."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.lineage.model.datasets import Database, TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefined:
    """A table or view was created, replaced or altered: `table` is the whole definition as the catalog has it now."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRenamed:
    """A table was renamed: of `old` only catalog, database and name count, `new` is the whole definition."""

    old: TableDataset
    new: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRenamed:
    """A column of a table was renamed; `table` is the whole definition, with the new name."""

    table: TableDataset
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDropped:
    """A table or view was dropped: of `table` only catalog, database and name count."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDefined:
    """A database was created or altered: `database` is the whole definition."""

    database: Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDropped:
    """A database was dropped, with what was in it."""

    database: Database


Change = TableDefined | TableRenamed | ColumnRenamed | TableDropped | DatabaseDefined | DatabaseDropped
"""What happened to a catalog (DDL)."""
