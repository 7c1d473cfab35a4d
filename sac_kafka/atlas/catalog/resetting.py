"""A whole definition: what the catalog does not have is null, because a server keeps what a message leaves out (R28)."""

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
"""What a definition resets where it does not have it; not the description of a table or column: people may have written it."""


def with_resets(entity: AtlasEntity) -> Mapping[str, Value]:
    """All attributes of a whole definition: None for what it does not have."""
    return {**dict.fromkeys(RESET.get(entity.id.type_name, ())), **entity.attributes}


def as_whole(described: DatasetEntities) -> DatasetEntities:
    """The dataset, said as all that there is of it; not so the owners that it names."""

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
