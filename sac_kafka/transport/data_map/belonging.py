"""Find the entities that must be sent together, and rewrite references between those that are sent separately.

Within a request, entities refer to each other by negative guids. In separate requests they refer by type and qualified
name, which resolves if the target was sent before: so targets go first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sac_kafka.transport.data_map.requests import Entity, EntityName, name_of

Unit = tuple[Entity, ...]
"""Entities that refer to each other in a cycle, so that none can be sent first; mostly a single one."""


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
                    units.append(tuple(entities[each] for each in sorted(_popped(on_stack, place))))
    return tuple(units)


def detached(entities: Sequence[Entity], all_of_them: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return entities so that they can be sent without the others, with references to these by name."""
    own = {guid_of(entity) for entity in entities}
    others = {guid: name_of(each) for each in all_of_them if (guid := guid_of(each)) and guid not in own}
    return tuple(renamed(entity, others) for entity in entities) if others else tuple(entities)


def renamed(entity: Entity, names: Mapping[str, EntityName]) -> Entity:
    """Return the entity with its references by these guids replaced by references by name."""

    def reference(value: dict[str, Any]) -> dict[str, Any]:
        name = names.get(guid_of(value))
        if name is None:
            return value
        kept = {key: each for key, each in value.items() if key != "guid"}
        return kept | {"typeName": name.type_name, "uniqueAttributes": {"qualifiedName": name.qualified_name}}

    return _rewritten(entity, reference)


def renumbered(entity: Entity, guids: Mapping[str, str]) -> Entity:
    """Return the entity with its own guid and those of its references replaced."""

    def reference(value: dict[str, Any]) -> dict[str, Any]:
        guid = guids.get(guid_of(value))
        return value if guid is None else value | {"guid": guid}

    return reference(dict(_rewritten(entity, reference)))


def guid_of(entity: Entity) -> str:
    """Return an entity's guid within its message, which is negative; "" if it has none, or one assigned by the server."""
    guid = entity.get("guid")
    return guid if isinstance(guid, str) and guid.startswith("-") else ""


def _popped(on_stack: dict[int, None], last: int) -> Iterator[int]:
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
