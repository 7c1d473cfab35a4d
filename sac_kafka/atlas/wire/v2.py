"""Serialize notifications in the V2 form (AtlasEntity, AtlasObjectId, AtlasRelatedObjectId), read since Atlas 1.0.

Source: `org.apache.atlas.model.notification.HookNotification`, `org.apache.atlas.model.instance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.types.definitions import TypeDefinition
from sac_kafka.atlas.types.inheritance import SINGLE, ends
from sac_kafka.atlas.types.sent import SENT, SPARK_TYPES
from sac_kafka.settings.classifications import Classification, ValidityPeriod

# A list replaces that of the server, which deletes children missing from it (R13). So only lists whose members are all known
# are sent.
_LISTS = {("Process", "inputs"), ("Process", "outputs"), ("avro_schema", "associatedEntities")}
# Neither end of an association owns the other, so either could hold the reference; these ends do.
_ASSOCIATIONS = {("avro_schema", "associatedEntities"), ("spark_storagedesc", "table")}
# A spark_application inherits from Process, but with inputs or outputs it would appear in the lineage graph.
_NOT_A_FLOW = SPARK_TYPES.application


@cache
def relationships() -> Mapping[tuple[str, str], str]:
    """Return the name of the relationshipDef by type and attribute, for the references that are sent.

    Atlas silently uses the first relationship with the attribute's name if the relationshipDef is wrong. So tests compare the
    definitions with Atlas' model files.
    """
    return MappingProxyType(
        {
            # If several share the attribute (hive_column.table: columns or partition keys), the first one is the default.
            (type_name, attribute): found[0][0]["name"]
            for type_name in SENT
            for attribute, found in ends(type_name).items()
            if _is_sent(type_name, *found[0][:2])
        }
    )


def _is_sent(type_name: str, relationship: TypeDefinition, end: TypeDefinition) -> bool:
    side = (end["type"], end["name"])
    if relationship["relationshipCategory"] == "ASSOCIATION":
        return side in _ASSOCIATIONS
    if end["cardinality"] == SINGLE:
        return not end["isContainer"]
    return side in _LISTS and type_name != _NOT_A_FLOW


ENTITY_CREATE_V2 = "ENTITY_CREATE_V2"
ENTITY_PARTIAL_UPDATE_V2 = "ENTITY_PARTIAL_UPDATE_V2"
ENTITY_DELETE_V2 = "ENTITY_DELETE_V2"


def guids(ids: Iterable[AtlasObjectId]) -> dict[AtlasObjectId, str]:
    """Assign negative guids, which mark entities as not stored yet and are valid within one message only (R11)."""
    return {id_: f"-{number}" for number, id_ in enumerate(ids, start=1)}


def to_v2(notification: Notification, user: str) -> dict[str, Any]:
    """Return the notification as JSON object (`EntityCreateRequestV2` …); Atlas stores `user` as createdBy and updatedBy."""
    match notification:
        case EntityCreate(entities=entities):
            numbers = guids(entity.id for entity in entities)
            # Atlas creates referredEntities only if they are referenced, so all are listed below.
            content = {"referredEntities": {}, "entities": [to_json(entity, numbers) for entity in entities]}
            return {"type": ENTITY_CREATE_V2, "user": user, "entities": content}
        case EntityPartialUpdate(id=target, attributes=attributes):
            entity = {"typeName": target.type_name, "guid": "-1", "attributes": dict(attributes)}
            return {
                "type": ENTITY_PARTIAL_UPDATE_V2,
                "user": user,
                "entityId": _object_id(target),
                "entity": {"entity": entity, "referredEntities": {}},
            }
        case EntityDelete(ids=ids):
            return {"type": ENTITY_DELETE_V2, "user": user, "entities": [_object_id(id_) for id_ in ids]}


def to_json(entity: AtlasEntity, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """Return the entity as JSON object (AtlasEntity).

    Args:
        entity: The entity.
        numbers: The guids of the message's entities. Only references to these contain a guid: Atlas drops a message with
            an unknown negative guid, even if the reference also has unique attributes (R10).

    Raises:
        KeyError: A reference is not a relationship of the type (`relationships`).
    """
    type_name = entity.id.type_name
    result: dict[str, Any] = {"typeName": type_name}
    if guid := numbers.get(entity.id):
        result["guid"] = guid
    sides = {name: [_relate(target, "", numbers) for target in ends] for name, ends in entity.sides.items()}
    result["attributes"] = {"qualifiedName": entity.id.qualified_name, **entity.attributes, **sides}
    if entity.references:
        related = result["relationshipAttributes"] = {}
        for name, ends in entity.references.items():
            named = entity.relationships
            relationship = named[name] if name in named else relationships()[type_name, name]
            related[name] = (
                _relate(ends, relationship, numbers)
                if isinstance(ends, AtlasObjectId)
                else [_relate(target, relationship, numbers) for target in ends]
            )
    if entity.custom_attributes:
        result["customAttributes"] = dict(entity.custom_attributes)
    if entity.labels:
        result["labels"] = list(entity.labels)
    if entity.classifications:
        result["classifications"] = [
            _classification(classification, can_propagate=entity.can_propagate)
            for classification in entity.classifications
        ]
    return result


def _classification(given: Classification, *, can_propagate: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"typeName": given.name}
    if can_propagate:  # Without `propagate` Atlas 2.x does not propagate the classification along lineage.
        result["propagate"] = given.propagates
    if given.attributes:
        result["attributes"] = dict(given.attributes)
    if given.periods:
        result["validityPeriods"] = [_period(period) for period in given.periods]
    return result


def _period(given: ValidityPeriod) -> dict[str, str]:
    times = {"startTime": given.start, "endTime": given.end, "timeZone": given.zone}
    return {name: text for name, text in times.items() if text}


def _relate(target: AtlasObjectId, relationship: str, numbers: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """Return an AtlasRelatedObjectId; with an empty `relationship` Atlas derives it from the attribute."""
    result: dict[str, Any] = {
        "typeName": target.type_name,
        "uniqueAttributes": {"qualifiedName": target.qualified_name},
    }
    if relationship:
        result["relationshipType"] = relationship
    if guid := numbers.get(target):
        result["guid"] = guid
    return result


def _object_id(target: AtlasObjectId) -> dict[str, Any]:
    """Return an AtlasObjectId that refers by unique attribute."""
    return {"typeName": target.type_name, "uniqueAttributes": {"qualifiedName": target.qualified_name}}
