"""Messages that refer to nothing outside themselves: the V1 form has no other way to refer to an entity.

Source: `org.apache.atlas.v1.model.instance.Id` names an entity by guid only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sac_kafka.atlas.flows.statement import Statement
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId


def completed(entities: Iterable[AtlasEntity], of: Statement) -> tuple[AtlasEntity, ...]:
    """The entities with everything that they refer to, directly or not, before them; it is all in the statement."""
    there = {each.id: each for each in _all(of)}
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


def _all(of: Statement) -> Iterator[AtlasEntity]:
    for head in of.heads:
        yield from head
    for group in (*of.definitions, *of.lineage):
        yield from group.owners
        yield from group.members
    yield from of.flow
