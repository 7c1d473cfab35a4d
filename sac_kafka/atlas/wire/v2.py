"""Notifications in the form that servers have read since 1.0: AtlasEntity, AtlasObjectId, AtlasRelatedObjectId.

Source: `org.apache.atlas.model.notification.HookNotification`, `org.apache.atlas.model.instance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Ends
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification, guids
from sac_kafka.atlas.relationships import relationships

ENTITY_CREATE_V2 = "ENTITY_CREATE_V2"
ENTITY_PARTIAL_UPDATE_V2 = "ENTITY_PARTIAL_UPDATE_V2"
ENTITY_DELETE_V2 = "ENTITY_DELETE_V2"


@singledispatch
def to_v2(notification: Notification, user: str) -> dict[str, Any]:  # noqa: ARG001 # the registered ones use it
    """The notification as JSON; `user` becomes the entities' createdBy and updatedBy.

    Raises:
        TypeError: a class of notification that no function is registered for.
    """
    raise TypeError(f"no V2 form of a {type(notification).__name__}")


@to_v2.register
def _(notification: EntityCreate, user: str) -> dict[str, Any]:
    """EntityCreateRequestV2."""
    numbers = guids(entity.id for entity in notification.entities)
    return {
        "type": ENTITY_CREATE_V2,
        "user": user,
        "entities": {
            # Only entities that are listed are sure to be created, so nothing is put here.
            "referredEntities": {},
            "entities": [to_json(entity, numbers) for entity in notification.entities],
        },
    }


@to_v2.register
def _(notification: EntityPartialUpdate, user: str) -> dict[str, Any]:
    """EntityPartialUpdateRequestV2."""
    attributes = dict(notification.attributes)
    entity = {"typeName": notification.id.type_name, "guid": "-1", "attributes": attributes}
    return {
        "type": ENTITY_PARTIAL_UPDATE_V2,
        "user": user,
        "entityId": _object_id(notification.id),
        "entity": {"entity": entity, "referredEntities": {}},
    }


@to_v2.register
def _(notification: EntityDelete, user: str) -> dict[str, Any]:
    """EntityDeleteRequestV2."""
    return {"type": ENTITY_DELETE_V2, "user": user, "entities": [_object_id(each) for each in notification.ids]}


def to_json(entity: AtlasEntity, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """The entity as the server's JSON object.

    `numbers` are the guids of the message. A reference carries the guid of an entity that is in the message, and only
    the unique attribute of one that is not: a server drops the whole message for a negative guid that it cannot find
    in it, even with unique attributes beside it (R10).

    Raises:
        KeyError: a reference that is no relationship of the type (`relationships`).
    """
    type_name = entity.id.type_name
    result: dict[str, Any] = {"typeName": type_name}
    if guid := numbers.get(entity.id):
        result["guid"] = guid
    sides = {name: [_end(target, numbers) for target in ends] for name, ends in entity.sides.items()}
    result["attributes"] = {"qualifiedName": entity.id.qualified_name, **entity.attributes, **sides}
    if entity.references:
        result["relationshipAttributes"] = _related_ends(type_name, entity.references, numbers, entity.relationships)
    if entity.custom_attributes:
        result["customAttributes"] = dict(entity.custom_attributes)
    if entity.labels:
        result["labels"] = list(entity.labels)
    if entity.classifications:
        # Without `propagate` a server of 2.x keeps the classification where it is.
        propagation = {"propagate": True} if entity.propagates else {}
        result["classifications"] = [{"typeName": name, **propagation} for name in entity.classifications]
    return result


def _related_ends(
    type_name: str,
    references: Mapping[str, Ends],
    numbers: Mapping[AtlasObjectId, str],
    named: Mapping[str, str],
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, ends in references.items():
        relationship = named[name] if name in named else relationships()[type_name, name]
        result[name] = (
            _related(ends, relationship, numbers)
            if isinstance(ends, AtlasObjectId)
            else [_related(target, relationship, numbers) for target in ends]
        )
    return result


def _related(target: AtlasObjectId, relationship: str, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """AtlasRelatedObjectId; without the name of its relationship where the server finds that by the attribute."""
    named = {"relationshipType": relationship} if relationship else {}
    return {**_object_id(target), **named, **_guid(target, numbers)}


def _end(target: AtlasObjectId, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """AtlasObjectId as an attribute holds it."""
    return {**_object_id(target), **_guid(target, numbers)}


def _guid(target: AtlasObjectId, numbers: Mapping[AtlasObjectId, str]) -> dict[str, str]:
    return {"guid": guid} if (guid := numbers.get(target)) else {}


def _object_id(target: AtlasObjectId) -> dict[str, Any]:
    """AtlasObjectId by its unique attribute."""
    return {"typeName": target.type_name, "uniqueAttributes": {"qualifiedName": target.qualified_name}}
