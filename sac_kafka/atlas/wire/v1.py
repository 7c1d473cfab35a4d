"""Serialize notifications in the V1 form (Referenceable), as hooks wrote them before Atlas 1.0.

Atlas converts them to the V2 form. The V1 form has no labels and no custom attributes, so these are omitted. It refers to
entities of the same message only, so `messages` adds all referenced entities to it. Nested objects need a `jsonClass`, or
Atlas drops the message (R25).

Source: `org.apache.atlas.v1.model.notification.HookNotificationV1`, `org.apache.atlas.v1.model.instance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Ends
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.v2 import guids

ENTITY_CREATE = "ENTITY_CREATE"
ENTITY_FULL_UPDATE = "ENTITY_FULL_UPDATE"
ENTITY_PARTIAL_UPDATE = "ENTITY_PARTIAL_UPDATE"
ENTITY_DELETE = "ENTITY_DELETE"

JSON_CLASS = "org.apache.atlas.typesystem.json.InstanceSerialization$_"
"""Prefix of the `jsonClass` of nested objects."""


def to_v1(notification: Notification, user: str) -> tuple[dict[str, Any], ...]:
    """Return the notification as JSON objects (`EntityCreateRequest` …): one per entity for a delete, otherwise one.

    Raises:
        KeyError: An entity referenced by a created one is missing from the message.
    """
    match notification:
        case EntityCreate(entities=created, is_update=is_update):
            numbers = guids(entity.id for entity in created)
            kind = ENTITY_FULL_UPDATE if is_update else ENTITY_CREATE
            entities = [_referenceable(entity, numbers) for entity in created]
            return ({"type": kind, "user": user, "entities": entities},)
        case EntityPartialUpdate(id=target, attributes=attributes):
            referenceable = _referenceable(AtlasEntity(id=target, attributes=attributes), {target: "-1"})
            referenceable["values"] = dict(attributes)
            return ({"type": ENTITY_PARTIAL_UPDATE, "user": user, **_by_name(target), "entity": referenceable},)
        case EntityDelete(ids=ids):
            return tuple({"type": ENTITY_DELETE, "user": user, **_by_name(id_)} for id_ in ids)


def _by_name(target: AtlasObjectId) -> dict[str, Any]:
    return {"typeName": target.type_name, "attribute": "qualifiedName", "attributeValue": target.qualified_name}


def _referenceable(entity: AtlasEntity, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    values: dict[str, Any] = {"qualifiedName": entity.id.qualified_name, **entity.attributes}
    for name, ends in entity.references.items():
        values[name] = _ends(ends, numbers)
    return {
        "jsonClass": f"{JSON_CLASS}Reference",
        "typeName": entity.id.type_name,
        "id": _id(entity.id, numbers),
        "values": values,
        "traits": {
            classification.name: {
                "jsonClass": f"{JSON_CLASS}Struct",
                "typeName": classification.name,
                "values": dict(classification.attributes),
            }
            for classification in entity.classifications
        },
        "traitNames": [classification.name for classification in entity.classifications],
    }


def _ends(ends: Ends, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any] | list[dict[str, Any]]:
    if isinstance(ends, AtlasObjectId):
        return _id(ends, numbers)
    return [_id(end, numbers) for end in ends]


def _id(target: AtlasObjectId, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    return {
        "jsonClass": f"{JSON_CLASS}Id",
        "id": numbers[target],
        "typeName": target.type_name,
        "version": 0,
        "state": "ACTIVE",
    }


def complete(entities: Iterable[AtlasEntity], bundle: EntityBundle) -> tuple[AtlasEntity, ...]:
    """Return the entities, each preceded by all those of their bundle that it references, directly or indirectly."""
    by_id = {each.id: each for each in _all(bundle)}
    result: dict[AtlasObjectId, AtlasEntity] = {}
    for entity in entities:
        _add(entity, by_id, result)
    return tuple(result.values())


def _add(
    entity: AtlasEntity, by_id: dict[AtlasObjectId, AtlasEntity], result: dict[AtlasObjectId, AtlasEntity]
) -> None:
    """Add an entity after its references. Recursive: references are only a few levels deep."""
    if entity.id in result:
        return
    for target in entity.targets:
        _add(by_id[target], by_id, result)
    result[entity.id] = entity


def _all(bundle: EntityBundle) -> Iterator[AtlasEntity]:
    for head in bundle.heads:
        yield from head
    for group in (*bundle.definitions, *bundle.lineage):
        yield from group.owners
        yield from group.members
    yield from bundle.flow
