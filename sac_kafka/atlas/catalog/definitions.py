"""Complete definitions, and find those of views.

A definition has nulls for missing attributes, because Atlas keeps attributes absent from a message (R28). The definition of a
view is a process named after it, which must be deleted explicitly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import OWN_PROCESS, AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.qualified_name import definitions_of
from sac_kafka.atlas.types.sent import SPARK_TYPES

RESET: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "spark_db": ("description", "location", "owner", "ownerType", "parameters"),
        "spark_table": ("comment", "owner", "ownerType", "parameters", "partitionColumnNames", "viewOriginalText"),
        "spark_storagedesc": ("location", "inputFormat", "outputFormat", "serde"),
        "spark_column": ("comment",),
        OWN_PROCESS: ("engine", "engineVersion", "producer", "parentJob", "parentRunId", "runId", "started", "ended"),
    }
)
"""Attributes reset by a definition, or a run, that lacks them. Not descriptions of tables and columns: users may have edited
them."""


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


def definitions(views: Iterable[AtlasObjectId], remembered: Remembered, namespace: str) -> frozenset[AtlasObjectId]:
    """Return the remembered definitions that the views have or had."""
    named_by = definitions_of(views, namespace)
    return frozenset(owner for owner in remembered.owners(SPARK_TYPES.process) if named_by(owner.qualified_name))


def end_definitions(
    definitions: Iterable[AtlasObjectId], remembered: Remembered, now_ms: int
) -> tuple[AtlasObjectId, ...]:
    """Return the entities to delete for definitions, column lineage first, and forget them."""
    gone = sorted(definitions)
    if not gone:
        return ()
    lineage = sorted(member for id_ in gone for member in remembered.members(id_))
    remembered.drop(gone, now_ms)
    return (*lineage, *gone)
