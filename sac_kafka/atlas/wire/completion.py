"""Add all referenced entities to a message in the V1 form, which can refer only to entities of the same message.

Source: `org.apache.atlas.v1.model.instance.Id` refers to an entity by guid only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId


def completed(entities: Iterable[AtlasEntity], bundle: EntityBundle) -> tuple[AtlasEntity, ...]:
    """Return the entities, each preceded by all entities that it references, directly or indirectly.

    Args:
        entities: The entities of a message.
        bundle: The bundle that they belong to, which contains every referenced entity.
    """
    by_id = {each.id: each for each in _all(bundle)}
    result: dict[AtlasObjectId, AtlasEntity] = {}
    for each in entities:
        _add(each, by_id, result)
    return tuple(result.values())


def _add(
    entity: AtlasEntity, by_id: dict[AtlasObjectId, AtlasEntity], result: dict[AtlasObjectId, AtlasEntity]
) -> None:
    """Add an entity after its references. Recursive: references are only a few levels deep."""
    if entity.id in result:
        return
    for target in _targets(entity):
        _add(by_id[target], by_id, result)
    result[entity.id] = entity


def _targets(entity: AtlasEntity) -> Iterator[AtlasObjectId]:
    for ends in entity.references.values():
        yield from (ends,) if isinstance(ends, AtlasObjectId) else ends


def _all(bundle: EntityBundle) -> Iterator[AtlasEntity]:
    for head in bundle.heads:
        yield from head
    for group in (*bundle.definitions, *bundle.lineage):
        yield from group.owners
        yield from group.members
    yield from bundle.flow
