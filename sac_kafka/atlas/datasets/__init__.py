"""Convert datasets to entities by the function of their class; datasets of the same name are merged.

Tables of the Hive model always have the names of the Hive hook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from sac_kafka import model
from sac_kafka.atlas.datasets import models, paths, sac, services, tables
from sac_kafka.atlas.datasets.description import DatasetEntities
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.naming import Naming
from sac_kafka.model.cache import Cache
from sac_kafka.model.merging import merge
from sac_kafka.settings.declarations.choices import TableModel

__all__ = ["DatasetEntities", "database", "described", "entities"]

ENTITIES: Mapping[type[model.Dataset], Callable[[Any, Naming], DatasetEntities]] = MappingProxyType(
    {
        model.TableDataset: tables.table,
        model.PathDataset: paths.path,
        model.TopicDataset: services.topic,
        model.RdbmsDataset: services.rdbms_table,
        model.HBaseDataset: services.hbase_table,
        model.OtherDataset: services.other,
        model.ModelDataset: models.model,
    }
)
"""By class of dataset the function that returns its entities."""

SAC_ENTITIES: Mapping[type[model.Dataset], Callable[[Any, Naming], DatasetEntities]] = MappingProxyType(
    {
        **ENTITIES,
        model.TableDataset: sac.table,
        model.PathDataset: sac.path,
        model.TopicDataset: sac.topic,
        model.RdbmsDataset: sac.rdbms_table,
        model.ModelDataset: models.sac_model,
    }
)
"""The same under `compat = sac`, for which the Spark Atlas Connector has other names of some."""


def entities(dataset: model.Dataset, naming: Naming) -> DatasetEntities:
    """Return the entities of a dataset.

    Raises:
        TypeError: The class of the dataset has no row.
    """
    is_hive = naming.table_model is TableModel.HIVE
    if is_hive and isinstance(dataset, model.TableDataset) and naming.is_hive(dataset.catalog):
        return tables.hive_table(dataset, naming)
    return model.row_of(SAC_ENTITIES if naming.is_sac else ENTITIES, dataset, "ENTITIES")(dataset, naming)


def database(db: model.Database, naming: Naming) -> AtlasEntity:
    """Return the entity of a database with all known attributes."""
    if naming.is_hive(db.catalog):
        return tables.hive_database(db, naming)
    return sac.database(db, naming) if naming.is_sac else tables.database(db, naming)


def describe(used: Iterable[model.Dataset], naming: Naming, cache: Cache | None = None) -> dict[str, DatasetEntities]:
    """Return the entities by dataset key, with the descriptions from all uses of a dataset merged; `cache` as in `Context`.

    Several keys may denote the same entity, which they then share: a topic with two lists of brokers, or table names in a Hive
    metastore that differ only in case.
    """
    by_key: dict[str, model.Dataset] = {}
    for dataset in used:
        seen = by_key.get(dataset.key)
        by_key[dataset.key] = merge(seen, dataset) if seen else dataset

    def make(dataset: model.Dataset) -> DatasetEntities:
        build = partial(entities, dataset, naming)
        return build() if cache is None else cache.get(dataset, build, lambda built: 1 + len(built.details))

    by_dataset = {key: make(dataset) for key, dataset in by_key.items()}
    by_id: dict[AtlasObjectId, model.Dataset] = {}
    for key, dataset in by_key.items():
        other = by_id.get(by_dataset[key].id)
        by_id[by_dataset[key].id] = merge(other, dataset) if other else dataset
    if len(by_id) == len(by_dataset):
        return by_dataset
    of_all_keys = {identity: make(dataset) for identity, dataset in by_id.items()}
    return {key: of_all_keys[part.id] for key, part in by_dataset.items()}
