"""Rename catalogs as configured: one warehouse may have a different catalog name in each application."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from sac_kafka import model
from sac_kafka.model.substitution import substitute

_Named = TypeVar("_Named", model.TableDataset, model.Database)


def with_catalog_names(process: model.Process, names: Mapping[str, str]) -> model.Process:
    """Return a process with the names of catalogs replaced by `names`; the session catalog is `spark_catalog`."""
    if not names:
        return process
    tables = {
        d.key: _rename(d, names)
        for d in process.datasets
        if isinstance(d, model.TableDataset) and (d.catalog or model.SESSION_CATALOG) in names
    }
    return substitute(process, tables)


def change_with_catalog_names(change: model.Change, names: Mapping[str, str]) -> model.Change:
    """Return a change with the names of catalogs replaced, as in `with_catalog_names`."""
    if not names:
        return change
    match change:
        case (
            model.RowsRemoved(dataset=model.TableDataset() as table)
            | model.DatasetDescribed(dataset=model.TableDataset() as table)
        ):
            return dataclasses.replace(change, dataset=_rename(table, names))
        case model.TableDefined(table=table) | model.ColumnRenamed(table=table) | model.TableDropped(table=table):
            return dataclasses.replace(change, table=_rename(table, names))
        case model.TableRenamed(old=old, new=new):
            return dataclasses.replace(change, old=_rename(old, names), new=_rename(new, names))
        case model.DatabaseDefined(database=database) | model.DatabaseDropped(database=database):
            return dataclasses.replace(change, database=_rename(database, names))
    return change


def _rename(found: _Named, names: Mapping[str, str]) -> _Named:
    name = names.get(found.catalog or model.SESSION_CATALOG, found.catalog)
    return dataclasses.replace(found, catalog=None if name == model.SESSION_CATALOG else name)
