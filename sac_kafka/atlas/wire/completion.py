"""Messages that refer to nothing outside themselves: the V1 form has no other way to refer to an entity.

Source: `org.apache.atlas.v1.model.instance.Id` names an entity by guid only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId


def completed(entities: Iterable[AtlasEntity], bundle: EntityBundle) -> tuple[AtlasEntity, ...]:
    """The entities with everything that they refer to, directly or not, before them; it is all in the statement."""
    there = {each.id: each for each in _all(bundle)}
    result: dict[AtlasObjectId, AtlasEntity] = {}
    for each in entities:
        _add(each, there, result)
    return tuple(result.values())


def _add(
    entity: AtlasEntity, there: dict[AtlasObjectId, AtlasEntity], result: dict[AtlasObjectId, AtlasEntity]
) -> None:
    """Depth first; owners and flows are a few levels at most."""
    if entity.id in result:
        return
    for target in _targets(entity):
        _add(there[target], there, result)
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
