"""Divide a bundle of entities into messages within the size limits.

A bundle that fits is one message. A larger bundle is divided in this order:

1. columns, in messages that repeat the owners of their columns;
2. the process, with as much of its column lineage as fits;
3. the remaining column lineage, in messages that repeat the process and its datasets.

So each message contains the owners of its entities, referenced by negative guid (R6, R10), and is valid by itself even if
others are lost, spooled or reordered. Other entities are referenced by concrete type and unique attribute (R12). They exist
by then, because the messages of an application stay in order; for a missing one Atlas creates a shell entity, which a later
message completes.

An entity is never divided: a message with a single member and its owners may exceed the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, EntityGroup, GroupToken, each_once


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEntities:
    """Entities of one message, definitions before their users, with the tokens of the groups that they belong to."""

    entities: tuple[AtlasEntity, ...]
    tokens: tuple[GroupToken, ...]


def divide(
    bundle: EntityBundle, max_bytes: int, max_entities: int, size: Callable[[AtlasEntity], int]
) -> tuple[MessageEntities, ...]:
    """Divide a bundle into several messages of at most so many bytes of encoded entities and so many entities.

    `size` returns the encoded bytes of an entity, including its separator.
    """
    packing = _Packing(max_bytes, max_entities, size)
    datasets = each_once(each for head in bundle.heads for each in head)
    # Repeating datasets that fill more than half a message would leave too little room for column lineage.
    with_datasets = packing.fits((*datasets, *datasets, *bundle.flow))
    if not with_datasets:
        for head in bundle.heads:
            packing.add_owners(head)
    for definitions in bundle.definitions:
        packing.add(definitions)
    packing.close()
    if bundle.flow:
        # Each message with column lineage repeats the process, and its datasets if they fit.
        flow = (*datasets, *bundle.flow) if with_datasets else bundle.flow
        packing.add_owners(flow)
        for lineage in bundle.lineage:
            packing.add(replace(lineage, owners=flow))
    packing.close()
    return tuple(packing.parts)


class _Packing:
    """Packer of entities into messages, one message at a time."""

    def __init__(self, max_bytes: int, max_entities: int, size: Callable[[AtlasEntity], int]) -> None:
        self.parts: list[MessageEntities] = []
        self._max_bytes, self._max_entities = max_bytes, max_entities
        self._size = size
        self._sizes: dict[AtlasObjectId, int] = {}
        self._bytes = 0
        self._entities: dict[AtlasObjectId, AtlasEntity] = {}
        self._tokens: list[GroupToken] = []

    def fits(self, more: Iterable[AtlasEntity]) -> bool:
        """Return True if the open message has room for these entities."""
        more = tuple(more)
        return (
            len(self._entities) + len(more) <= self._max_entities
            and self._bytes + sum(map(self._size_of, more)) <= self._max_bytes
        )

    def add(self, group: EntityGroup) -> None:
        """Add the members of a group to as many messages as needed, and its owners to each of these."""
        start = 0
        owners = self._missing(group.owners)
        if not group.members:
            self.add_owners(group.owners)
        for position, member in enumerate(group.members):
            together = owners if member.id in self._entities else (*owners, member)
            if self._entities and not self.fits(together):
                self._cover(group, start, position)
                self.close()
                start = position
                together = each_once((*group.owners, member))
            self._put(together)
            owners = ()
        self._cover(group, start, len(group.members))

    def add_owners(self, owners: tuple[AtlasEntity, ...]) -> None:
        """Add entities that must be in the same message."""
        if self._entities and not self.fits(self._missing(owners)):
            self.close()
        self._put(self._missing(owners))

    def close(self) -> None:
        """Complete the open message, if it has entities, and start the next."""
        if self._entities:
            self.parts.append(MessageEntities(entities=tuple(self._entities.values()), tokens=tuple(self._tokens)))
        self._entities, self._tokens, self._bytes = {}, [], 0

    def _missing(self, entities: Iterable[AtlasEntity]) -> tuple[AtlasEntity, ...]:
        return tuple(each for each in each_once(entities) if each.id not in self._entities)

    def _put(self, entities: Iterable[AtlasEntity]) -> None:
        for entity in entities:
            self._entities[entity.id] = entity
            self._bytes += self._size_of(entity)

    def _cover(self, group: EntityGroup, start: int, stop: int) -> None:
        """Record that the open message carries the members `start` to `stop` (exclusive) of a group."""
        if stop > start or not group.members:
            self._tokens.append(group.token(start, stop))

    def _size_of(self, entity: AtlasEntity) -> int:
        if entity.id not in self._sizes:
            self._sizes[entity.id] = self._size(entity)
        return self._sizes[entity.id]
