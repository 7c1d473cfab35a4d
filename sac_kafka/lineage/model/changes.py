"""Changes to a catalog (DDL): tables and databases defined, renamed and dropped."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.lineage.model.datasets import Database, TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefined:
    """A table or view was created, replaced or altered; `table` is its complete current definition."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRenamed:
    """A table was renamed; `old` only identifies it (catalog, database, name), `new` is its complete definition."""

    old: TableDataset
    new: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRenamed:
    """A column of a table was renamed; `table` is the complete definition with the new name."""

    table: TableDataset
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDropped:
    """A table or view was dropped; `table` only identifies it (catalog, database, name)."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDefined:
    """A database was created or altered; `database` is its complete definition."""

    database: Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDropped:
    """A database was dropped with all its tables."""

    database: Database


Change = TableDefined | TableRenamed | ColumnRenamed | TableDropped | DatabaseDefined | DatabaseDropped
"""Any change to a catalog."""
