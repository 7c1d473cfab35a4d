"""Divide and join requests of entities.

Within a request, entities refer to each other by negative guids. In separate requests they refer by type and qualified
name, which resolves if the target was sent before: so targets go first. A refused request is divided to find the refused
entities, so that the others get through; the entities of several messages are joined, as Purview limits requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from sac_kafka.transport.http.client import Answer, error_of
from sac_kafka.transport.http.data_map.requests import Bulk, Entity, EntityName, name_of
from sac_kafka.transport.http.failures import UNKNOWN_TYPE

Unit = tuple[Entity, ...]
"""Entities that refer to each other in a cycle, so that none can be sent first; mostly a single one."""
MAX_ENTITIES = 500
"""Maximum per request: Microsoft documents no limit, but requests of thousands were seen to time out."""
_WORD = re.compile(r"\w+")


def units_of(entities: Sequence[Entity]) -> tuple[Unit, ...]:
    """Divide entities into the smallest units that can be sent one after the other, targets of references first.

    These are the strongly connected components of the reference graph (Tarjan's algorithm, without recursion).
    """
    places = {guid_of(entity): place for place, entity in enumerate(entities) if guid_of(entity)}
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: dict[int, None] = {}
    units: list[Unit] = []
    for root in range(len(entities)):
        walk: list[tuple[int, Iterator[int]]] = [] if root in order else [(root, _targets(entities[root], places))]
        while walk:
            place, targets = walk[-1]
            if place not in order:
                order[place] = low[place] = len(order)
                on_stack[place] = None
            for target in targets:
                if target not in order:
                    walk.append((target, _targets(entities[target], places)))
                    break
                if target in on_stack:
                    low[place] = min(low[place], order[target])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[place])
                if low[place] == order[place]:
                    units.append(tuple(entities[each] for each in sorted(_pop_until(on_stack, place))))
    return tuple(units)


def detach(entities: Sequence[Entity], all_of_them: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return entities so that they can be sent without the others, with references to these by name."""
    own = {guid_of(entity) for entity in entities}
    others = {guid: name_of(each) for each in all_of_them if (guid := guid_of(each)) and guid not in own}
    return tuple(refer_by_name(entity, others) for entity in entities) if others else tuple(entities)


def refer_by_name(entity: Entity, names: Mapping[str, EntityName]) -> Entity:
    """Return the entity with its references by these guids replaced by references by name."""

    def reference(value: dict[str, Any]) -> dict[str, Any]:
        name = names.get(guid_of(value))
        if name is None:
            return value
        kept = {key: each for key, each in value.items() if key != "guid"}
        return kept | {"typeName": name.type_name, "uniqueAttributes": {"qualifiedName": name.qualified_name}}

    return _rewritten(entity, reference)


def renumber(entity: Entity, guids: Mapping[str, str]) -> Entity:
    """Return the entity with its own guid and those of its references replaced."""

    def reference(value: dict[str, Any]) -> dict[str, Any]:
        guid = guids.get(guid_of(value))
        return value if guid is None else value | {"guid": guid}

    return reference(dict(_rewritten(entity, reference)))


def guid_of(entity: Entity) -> str:
    """Return an entity's guid within its message, which is negative; "" if it has none, or one assigned by the server."""
    guid = entity.get("guid")
    return guid if isinstance(guid, str) and guid.startswith("-") else ""


def _pop_until(on_stack: dict[int, None], last: int) -> Iterator[int]:
    while True:
        place, _ = on_stack.popitem()
        yield place
        if place == last:
            return


def _targets(entity: Entity, places: Mapping[str, int]) -> Iterator[int]:
    waiting: list[Any] = [entity.get("attributes"), entity.get("relationshipAttributes")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            target = places.get(guid_of(value))
            if target is not None:
                yield target
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _rewritten(entity: Entity, reference: Callable[[dict[str, Any]], dict[str, Any]]) -> Entity:
    def of(value: Any) -> Any:  # noqa: ANN401 # any JSON
        if isinstance(value, dict):
            return reference({key: of(each) for key, each in value.items()})
        return [of(each) for each in value] if isinstance(value, list) else value

    places = ("attributes", "relationshipAttributes")
    return {key: of(value) if key in places else value for key, value in entity.items()}


def divide_to_limit(bulk: Bulk) -> tuple[Bulk, ...]:
    """Divide a request with too many entities."""
    if len(bulk.entities) <= MAX_ENTITIES:
        return (bulk,)
    parts: list[list[Entity]] = [[]]
    for unit in units_of(bulk.entities):
        if parts[-1] and len(parts[-1]) + len(unit) > MAX_ENTITIES:
            parts.append([])
        parts[-1] += unit
    return _bulks(parts, bulk)


def divide(bulk: Bulk, answer: Answer) -> tuple[Bulk, ...]:
    """Divide a refused request by the names in the error, or into halves; () if it cannot be divided."""
    units = units_of(bulk.entities)
    if len(units) == 1:
        return ()
    _, message = error_of(answer)
    named = [any(_is_named(entity, message) for entity in unit) for unit in units]
    if any(named) and not all(named):
        runs = [
            [unit for unit, _ in run] for _, run in groupby(zip(units, named, strict=True), key=lambda each: each[1])
        ]
    else:
        middle = len(units) // 2
        runs = [list(units[:middle]), list(units[middle:])]
    return _bulks(([*chain.from_iterable(run)] for run in runs), bulk)


def without_unknown_types(bulk: Bulk, answer: Answer) -> tuple[tuple[Entity, ...], Bulk | None]:
    """Return the entities of types that the error calls unknown, and the request for the others."""
    code, message = error_of(answer)
    if code != UNKNOWN_TYPE:
        return (), bulk
    words = set(_WORD.findall(message))
    unknown = tuple(entity for entity in bulk.entities if entity.get("typeName") in words)
    left = [entity for entity in bulk.entities if entity.get("typeName") not in words]
    return unknown, _bulks([left], bulk)[0] if left else None


def split_off(bulk: Bulk, chosen: Sequence[Entity]) -> tuple[tuple[Entity, ...], tuple[Entity, ...]]:
    """Return the chosen entities of a request and the others, so that each can be sent alone."""
    ids = {id(each) for each in chosen}
    others = [entity for entity in bulk.entities if id(entity) not in ids]
    return detach(chosen, bulk.entities), detach(others, bulk.entities)


def _bulks(parts: Iterable[Sequence[Entity]], bulk: Bulk) -> tuple[Bulk, ...]:
    return tuple(Bulk(detach(part, bulk.entities), bulk.collection) for part in parts)


def _is_named(entity: Entity, message: str) -> bool:
    """Return whether the error names the entity. A wrong match only costs requests."""
    qualified_name = name_of(entity).qualified_name
    return bool(qualified_name) and qualified_name in message


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entity as in its message, the names behind the guids there, and its guid in the request."""

    entity: Entity
    names: Mapping[str, EntityName]
    guid: str

    def is_same(self, entity: Entity, names: Mapping[str, EntityName]) -> bool:
        """Return whether the other entity is equal, apart from the guids of the two messages."""
        return _without_guid(refer_by_name(self.entity, self.names)) == _without_guid(refer_by_name(entity, names))


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
        self._entities += [renumber(each.entity, guids) for each in new.values()]
        return True


def _without_guid(entity: Entity) -> Entity:
    return {key: value for key, value in entity.items() if key != "guid"}
