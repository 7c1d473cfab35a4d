"""Schemas of the envelope and of every type of HookNotification."""

from __future__ import annotations

from dev.schemas.values import DIALECT, Schema, at, closed
from sac_kafka.atlas.types.sent import SENT


def envelope() -> Schema:
    """AtlasNotificationMessage."""
    return {
        "$schema": DIALECT,
        "title": "AtlasNotificationMessage",
        "description": "The value of a record of the topic ATLAS_HOOK.",
        **closed(
            {
                "source": {"description": "R2: a plain string", "const": "sac_kafka"},
                "version": {"description": "R1", "const": {"version": "1.0.0", "versionParts": [1]}},
                "msgCompressionKind": {"const": "NONE"},
                "msgSplitIdx": {"const": 1},
                "msgSplitCount": {"const": 1},
                "msgSourceIP": {"type": "string"},
                "msgCreatedBy": {"type": "string"},
                "msgCreationTime": {**at("date"), "minimum": 0},
                "spooled": {"type": "boolean"},
                "message": {
                    "description": "HookNotification; R3: only types that a server handles",
                    "type": "object",
                    "required": ["type"],
                    "properties": {"type": {"enum": list(NOTIFICATIONS)}},
                    "allOf": [
                        {"if": {"properties": {"type": {"const": name}}}, "then": {"$ref": f"#/$defs/{name}"}}
                        for name in NOTIFICATIONS
                    ],
                },
            }
        ),
        "$defs": NOTIFICATIONS,
    }


def _notification(name: str, title: str, **parts: Schema) -> Schema:
    fields = {"type": {"const": name}, "user": at("text"), **parts}
    return {"title": f"HookNotification.{title}", **closed(fields)}


def _many(items: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "items": items}


def _v2_create(name: str, title: str) -> Schema:
    return _notification(
        name,
        title,
        entities={
            "description": "AtlasEntitiesWithExtInfo",
            **closed(
                {
                    "referredEntities": {"type": "object", "maxProperties": 0},
                    "entities": _many({"$ref": "entity.schema.json"}),
                }
            ),
        },
    )


def _by_name() -> dict[str, Schema]:
    """Return how the older form names an entity."""
    return {
        "typeName": {"enum": list(SENT)},
        "attribute": {"const": "qualifiedName"},
        "attributeValue": at("indexedText"),
    }


def _object_id() -> Schema:
    """AtlasObjectId by its unique attribute: servers do not look at a guid here."""
    return closed({"typeName": {"enum": list(SENT)}, "uniqueAttributes": at("uniqueAttributes")})


NOTIFICATIONS: dict[str, Schema] = {
    "ENTITY_CREATE_V2": _v2_create("ENTITY_CREATE_V2", "EntityCreateRequestV2"),
    "ENTITY_FULL_UPDATE_V2": _v2_create("ENTITY_FULL_UPDATE_V2", "EntityUpdateRequestV2"),
    "ENTITY_PARTIAL_UPDATE_V2": _notification(
        "ENTITY_PARTIAL_UPDATE_V2",
        "EntityPartialUpdateRequestV2",
        entityId=_object_id(),
        entity={
            "description": "AtlasEntityWithExtInfo",
            **closed(
                {
                    "entity": {"$ref": "update.schema.json"},
                    "referredEntities": {"type": "object", "maxProperties": 0},
                }
            ),
        },
    ),
    "ENTITY_DELETE_V2": _notification("ENTITY_DELETE_V2", "EntityDeleteRequestV2", entities=_many(_object_id())),
    "ENTITY_CREATE": _notification(
        "ENTITY_CREATE", "EntityCreateRequest", entities=_many({"$ref": "referenceable.schema.json"})
    ),
    "ENTITY_FULL_UPDATE": _notification(
        "ENTITY_FULL_UPDATE", "EntityUpdateRequest", entities=_many({"$ref": "referenceable.schema.json"})
    ),
    "ENTITY_PARTIAL_UPDATE": _notification(
        "ENTITY_PARTIAL_UPDATE",
        "EntityPartialUpdateRequest",
        **_by_name(),
        entity={"$ref": "referenceable_update.schema.json"},
    ),
    "ENTITY_DELETE": _notification("ENTITY_DELETE", "EntityDeleteRequest", **_by_name()),
}
"""Type → schema; those that a server handles."""
