"""Which entity goes into which message.

A bundle that fits is one message. A larger one is divided: columns first, in messages that each repeat the owners
of their columns; then the process with as much of its column lineage as fits; then further column lineage, in messages
that repeat the process and its datasets. So the owner of everything is in the same message, by negative guid (R6,
R10), and each message makes sense on its own if it is lost, spooled or reordered. What a message does not have is
referred to by its concrete type and unique attribute (R12), and exists by then: messages of one application keep
their order. Should it not exist after all, the server makes a shell that the later entity completes.

An entity cannot be divided: a limit that is smaller than one member with its owners is exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.groups import EntityGroup, GroupToken
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, each_once


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a message may have: `max_bytes` of entities (what is around them not counted), and so many entities."""

    max_bytes: int
    max_entities: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEntities:
    """The entities of one message, definitions before users, and which groups they are of."""

    entities: tuple[AtlasEntity, ...]
    tokens: tuple[GroupToken, ...]


def whole(bundle: EntityBundle) -> MessageEntities:
    """Everything in one message."""
    definitions = (each for group in bundle.definitions for each in (*group.owners, *group.members))
    lineage = (each for group in bundle.lineage for each in group.members)
    return MessageEntities(
        entities=each_once((*definitions, *_flow(bundle, with_datasets=True), *lineage)),
        tokens=tuple(each.token(0, len(each.members)) for each in (*bundle.definitions, *bundle.lineage)),
    )


def divide(bundle: EntityBundle, limits: Limits, size: Callable[[AtlasEntity], int]) -> tuple[MessageEntities, ...]:
    """Divide a bundle into several messages; `size` returns the bytes of an entity, including its separator."""
    packing = _Packing(limits, size)
    datasets = each_once(each for head in bundle.heads for each in head)
    # Beside datasets that fill more than half a message too little room would be left for what they are repeated for.
    with_datasets = packing.holds((*datasets, *datasets, *bundle.flow))
    if not with_datasets:
        for head in bundle.heads:
            packing.add_owners(head)
    for definitions in bundle.definitions:
        packing.add(definitions)
    packing.close()
    if bundle.flow:
        flow = _flow(bundle, with_datasets=with_datasets)
        packing.add_owners(flow)
        for lineage in bundle.lineage:
            packing.add(replace(lineage, owners=flow))
    packing.close()
    return tuple(packing.parts)


def _flow(bundle: EntityBundle, *, with_datasets: bool) -> tuple[AtlasEntity, ...]:
    """What column lineage leans on."""
    datasets = [each for head in bundle.heads for each in head] if with_datasets else []
    return (*datasets, *bundle.flow)


class _Packing:
    """Messages being filled one after the other."""

    def __init__(self, limits: Limits, size: Callable[[AtlasEntity], int]) -> None:
        self.parts: list[MessageEntities] = []
        self._limits = limits
        self._size = size
        self._sizes: dict[AtlasObjectId, int] = {}
        self._bytes = 0
        self._entities: dict[AtlasObjectId, AtlasEntity] = {}
        self._tokens: list[GroupToken] = []

    def holds(self, more: Iterable[AtlasEntity]) -> bool:
        """True where these would fit beside what the open message has."""
        more = tuple(more)
        return (
            len(self._entities) + len(more) <= self._limits.max_entities
            and self._bytes + sum(map(self._size_of, more)) <= self._limits.max_bytes
        )

    def add(self, group: EntityGroup) -> None:
        """All members, spread over as many messages as it takes, the owners in each."""
        start = 0
        owners = self._missing(group.owners)
        if not group.members:
            self.add_owners(group.owners)
        for position, member in enumerate(group.members):
            together = (*owners, *self._missing((member,)))
            if self._entities and not self.holds(together):
                self._cover(group, start, position)
                self.close()
                start = position
                together = each_once((*group.owners, member))
            self._put(together)
            owners = ()
        self._cover(group, start, len(group.members))

    def add_owners(self, owners: tuple[AtlasEntity, ...]) -> None:
        """Entities that stay together, in one message."""
        if self._entities and not self.holds(self._missing(owners)):
            self.close()
        self._put(self._missing(owners))

    def close(self) -> None:
        """The open message is full."""
        if self._entities:
            self.parts.append(MessageEntities(entities=tuple(self._entities.values()), tokens=tuple(self._tokens)))
        self._entities, self._tokens, self._bytes = {}, [], 0

    def _missing(self, entities: Iterable[AtlasEntity]) -> tuple[AtlasEntity, ...]:
        return tuple(each for each in each_once(entities) if each.id not in self._entities)

    def _put(self, entities: Iterable[AtlasEntity]) -> None:
        for each in entities:
            self._entities[each.id] = each
            self._bytes += self._size_of(each)

    def _cover(self, group: EntityGroup, start: int, stop: int) -> None:
        if stop > start or not group.members:
            self._tokens.append(group.token(start, stop))

    def _size_of(self, entity: AtlasEntity) -> int:
        if entity.id not in self._sizes:
            self._sizes[entity.id] = self._size(entity)
        return self._sizes[entity.id]
