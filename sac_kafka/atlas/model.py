"""Atlas' words: entities and references to them, and the JSON that a server reads.

`datasets`, `processes` and `column_lineage` make entities, `notification` renders them. An entity holds no guid: guids
live as long as one message, so they are given when the message is rendered.

Source: `org.apache.atlas.model.instance.{AtlasEntity,AtlasObjectId,AtlasRelatedObjectId}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sac_kafka.atlas.relationships import RELATIONSHIPS

Value = str | int | bool | Sequence[str]
"""What an attribute holds: a date is epoch milliseconds, a long is an int (R7)."""


class AtlasObjectId(NamedTuple):
    """The identity of an entity: its concrete type, never a supertype (R12), and its unique attribute.

    A tuple, because there are several of them for every column: they are hashed, sorted and written as JSON by C.
    """

    type_name: str
    qualified_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasEntity:
    """An entity as it is sent: what is not known is absent, because null resets an attribute on the server (R28).

    `attributes` are without the qualifiedName. `references` name the ends of relationships; a relationship of
    cardinality SET has a tuple (R8). `custom_attributes` replace the server's whole map when there are any.
    """

    id: AtlasObjectId
    attributes: Mapping[str, Value]
    references: Mapping[str, AtlasObjectId | tuple[AtlasObjectId, ...]] = field(default_factory=dict)
    custom_attributes: Mapping[str, str] = field(default_factory=dict)


def known(**attributes: Value | None) -> dict[str, Value]:
    """The attributes that have a value; None and empty texts or lists are unknown, `False` and 0 are not."""
    return {name: value for name, value in attributes.items() if value not in (None, "", (), [])}


def to_json(entity: AtlasEntity, guids: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """The entity as the server's JSON object.

    `guids` are those of the message. A reference carries the guid of an entity that is in the message, and only the
    unique attribute of one that is not: a server drops the whole message for a negative guid that it cannot find in
    it, even with unique attributes beside it (R10).

    Raises:
        KeyError: a reference that is no relationship of the type (`relationships.RELATIONSHIPS`).
    """
    type_name = entity.id.type_name
    result: dict[str, Any] = {"typeName": type_name}
    if guid := guids.get(entity.id):
        result["guid"] = guid
    result["attributes"] = {"qualifiedName": entity.id.qualified_name, **entity.attributes}
    if entity.references:
        result["relationshipAttributes"] = {
            name: _related(ends, RELATIONSHIPS[type_name, name], guids)
            if isinstance(ends, AtlasObjectId)
            else [_related(target, RELATIONSHIPS[type_name, name], guids) for target in ends]
            for name, ends in entity.references.items()
        }
    if entity.custom_attributes:
        result["customAttributes"] = dict(entity.custom_attributes)
    return result


def _related(target: AtlasObjectId, relationship: str, guids: Mapping[AtlasObjectId, str]) -> dict[str, Any]:
    """AtlasRelatedObjectId."""
    result: dict[str, Any] = {
        "typeName": target.type_name,
        "uniqueAttributes": {"qualifiedName": target.qualified_name},
        "relationshipType": relationship,
    }
    if guid := guids.get(target):
        result["guid"] = guid
    return result
