"""Rename catalogs as configured: one warehouse may have a different catalog name in each application."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.datasets.tables import SESSION_CATALOG
from sac_kafka.lineage.model import (
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)


def with_catalog_names(outcome: Outcome, names: Mapping[str, str]) -> Outcome:
    """Return an outcome with Spark's catalog names replaced by `names`; the session catalog is `spark_catalog`."""
    if not names:
        return outcome
    match outcome:
        case Process():
            tables = {
                d.key: _table(d, names)
                for d in outcome.datasets
                if isinstance(d, TableDataset) and (d.catalog or SESSION_CATALOG) in names
            }
            return substituted(outcome, tables)
        case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
            return dataclasses.replace(outcome, table=_table(table, names))
        case TableRenamed(old=old, new=new):
            return dataclasses.replace(outcome, old=_table(old, names), new=_table(new, names))
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            return dataclasses.replace(outcome, database=_database(database, names))


def _table(table: TableDataset, names: Mapping[str, str]) -> TableDataset:
    return dataclasses.replace(table, catalog=_catalog(table.catalog, names))


def _database(database: Database, names: Mapping[str, str]) -> Database:
    return dataclasses.replace(database, catalog=_catalog(database.catalog, names))


def _catalog(catalog: str | None, names: Mapping[str, str]) -> str | None:
    name = names.get(catalog or SESSION_CATALOG, catalog)
    return None if name == SESSION_CATALOG else name
