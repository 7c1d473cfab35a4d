"""Rename catalogs as configured: one warehouse may have a different catalog name in each application."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from sac_kafka.lineage.catalog.substitution import substituted
from sac_kafka.lineage.datasets.tables import SESSION_CATALOG
from sac_kafka.lineage.model import (
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Outcome,
    Process,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)

_Named = TypeVar("_Named", TableDataset, Database)


def with_catalog_names(outcome: Outcome, names: Mapping[str, str]) -> Outcome:
    """Return an outcome with Spark's catalog names replaced by `names`; the session catalog is `spark_catalog`."""
    if not names:
        return outcome
    match outcome:
        case Process():
            tables = {
                d.key: _renamed(d, names)
                for d in outcome.datasets
                if isinstance(d, TableDataset) and (d.catalog or SESSION_CATALOG) in names
            }
            return substituted(outcome, tables)
        case RowsRemoved(dataset=TableDataset() as table):
            return dataclasses.replace(outcome, dataset=_renamed(table, names))
        case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
            return dataclasses.replace(outcome, table=_renamed(table, names))
        case TableRenamed(old=old, new=new):
            return dataclasses.replace(outcome, old=_renamed(old, names), new=_renamed(new, names))
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            return dataclasses.replace(outcome, database=_renamed(database, names))
    return outcome


def _renamed(found: _Named, names: Mapping[str, str]) -> _Named:
    name = names.get(found.catalog or SESSION_CATALOG, found.catalog)
    return dataclasses.replace(found, catalog=None if name == SESSION_CATALOG else name)
