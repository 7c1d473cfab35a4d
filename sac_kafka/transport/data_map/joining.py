"""Join several messages into one request: Purview's limits count requests, and each takes time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.transport.data_map.belonging import guid_of, renamed, renumbered
from sac_kafka.transport.data_map.dividing import MAX_ENTITIES
from sac_kafka.transport.data_map.requests import Bulk, Entity, EntityName, name_of


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entity as in its message, the names behind the guids there, and its guid in the request."""

    entity: Entity
    names: Mapping[str, EntityName]
    guid: str

    def is_same(self, entity: Entity, names: Mapping[str, EntityName]) -> bool:
        """Return whether the other entity is equal, apart from the guids of the two messages."""
        return _without_guid(renamed(self.entity, self.names)) == _without_guid(renamed(entity, names))


class JoinedBulk:
    """The entities of consecutive messages, with new guids.

    An entity in several messages is included once. If they differ, the later message is not added: a request must not
    contain an entity twice, because which of them counts is not documented.
    """

    def __init__(self) -> None:
        self._entities: list[Entity] = []
        self._placed: dict[EntityName, _Placed] = {}

    @property
    def bulk(self) -> Bulk:
        """All entities as one request."""
        return Bulk(tuple(self._entities))

    def add(self, bulk: Bulk) -> bool:
        """Add a message if it fits. Return whether it does."""
        names = {guid: name_of(each) for each in bulk.entities if (guid := guid_of(each))}
        guids: dict[str, str] = {}
        new: dict[EntityName, _Placed] = {}
        for entity in bulk.entities:
            name, guid = name_of(entity), guid_of(entity)
            known = self._placed.get(name)
            if not guid or name in new or (known is not None and not known.is_same(entity, names)):
                return False
            guids[guid] = known.guid if known is not None else f"-{len(self._entities) + len(new) + 1}"
            if known is None:
                new[name] = _Placed(entity, names, guids[guid])
        if self._entities and len(self._entities) + len(new) > MAX_ENTITIES:
            return False
        self._placed |= new
        self._entities += [renumbered(each.entity, guids) for each in new.values()]
        return True


def _without_guid(entity: Entity) -> Entity:
    return {key: value for key, value in entity.items() if key != "guid"}
