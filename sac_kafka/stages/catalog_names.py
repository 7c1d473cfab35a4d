"""Rename catalogs as configured: one warehouse may have a different catalog name in each application."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from sac_kafka.model import (
    SESSION_CATALOG,
    Change,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Process,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.substitution import substituted

_Named = TypeVar("_Named", TableDataset, Database)


def with_catalog_names(process: Process, names: Mapping[str, str]) -> Process:
    """Return a process with the names of catalogs replaced by `names`; the session catalog is `spark_catalog`."""
    if not names:
        return process
    tables = {
        d.key: _renamed(d, names)
        for d in process.datasets
        if isinstance(d, TableDataset) and (d.catalog or SESSION_CATALOG) in names
    }
    return substituted(process, tables)


def change_with_catalog_names(change: Change, names: Mapping[str, str]) -> Change:
    """Return a change with the names of catalogs replaced, as in `with_catalog_names`."""
    if not names:
        return change
    match change:
        case RowsRemoved(dataset=TableDataset() as table):
            return dataclasses.replace(change, dataset=_renamed(table, names))
        case TableDefined(table=table) | ColumnRenamed(table=table) | TableDropped(table=table):
            return dataclasses.replace(change, table=_renamed(table, names))
        case TableRenamed(old=old, new=new):
            return dataclasses.replace(change, old=_renamed(old, names), new=_renamed(new, names))
        case DatabaseDefined(database=database) | DatabaseDropped(database=database):
            return dataclasses.replace(change, database=_renamed(database, names))
    return change


def _renamed(found: _Named, names: Mapping[str, str]) -> _Named:
    name = names.get(found.catalog or SESSION_CATALOG, found.catalog)
    return dataclasses.replace(found, catalog=None if name == SESSION_CATALOG else name)
