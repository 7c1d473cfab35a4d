"""Complete a definition with nulls for missing attributes, because Atlas keeps attributes absent from a message (R28)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.model import AtlasEntity, Value

RESET: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "spark_db": ("description", "location", "owner", "ownerType", "parameters"),
        "spark_table": ("comment", "owner", "ownerType", "parameters", "partitionColumnNames", "viewOriginalText"),
        "spark_storagedesc": ("location", "inputFormat", "outputFormat", "serde"),
        "spark_column": ("comment",),
    }
)
"""Attributes reset by a definition that lacks them. Not descriptions of tables and columns: users may have edited them."""


def with_resets(entity: AtlasEntity) -> Mapping[str, Value]:
    """Return all attributes of a complete definition, with None for missing ones."""
    return {**dict.fromkeys(RESET.get(entity.id.type_name, ())), **entity.attributes}


def as_whole(described: DatasetEntities) -> DatasetEntities:
    """Return the dataset as a complete definition; the owners that it references stay partial."""

    def whole(entity: AtlasEntity) -> AtlasEntity:
        return replace(entity, attributes=with_resets(entity))

    def own(entity: AtlasEntity) -> AtlasEntity:
        return whole(entity) if entity.id == described.id else entity

    return replace(
        described,
        head=tuple(map(own, described.head)),
        owners=tuple(map(own, described.owners)),
        details=tuple(map(whole, described.details)),
    )
