"""Reads messages: both forms of HookNotifications, with or without their envelope, as `notification` values.

For what looks at messages instead of sending them: `readable/`, which draws them, and the tests. Guids are resolved, so
a reference is the identity of what it refers to; what only a guid of the server names, as in messages of others, is called by
it. A compressed or split message is refused. The relationships of a partial update are not read: none is sent.

Source: `org.apache.atlas.notification.hook.HookMessageDeserializer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sac_kafka.atlas.model import GUID, UNKNOWN_TYPE, AtlasEntity, AtlasObjectId, Ends, is_assigned
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.nested import nested_v1
from sac_kafka.errors import MessageError

_One = TypeVar("_One")
_BROKEN = (KeyError, TypeError, AttributeError, ValueError)
Guids = Mapping[str, AtlasObjectId]

_SIDES = frozenset({"inputs", "outputs"})
"""What older hooks write among the attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A message that was read: `type` as it was named, `user` as whom, `created_ms` when (epoch milliseconds).

    `unread` says of each entity that was left out why.
    """

    type: str
    user: str
    notification: Notification
    created_ms: int | None = None
    unread: tuple[str, ...] = ()


def json_problem(error: ValueError) -> str:
    """Say why a text is no JSON, in words for people who see it as one line.

    >>> json_problem(json.JSONDecodeError("Unterminated string starting at", '"a', 0))
    'Unterminated string at character 1'
    """
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    return f"{error.msg.removesuffix(' starting at')} at character {error.pos + 1}"


def read(text: str | bytes) -> Read:
    """Read a record's value.

    Raises:
        MessageError: It is no message, or one of a kind or form that is not read here; the error names the place.
    """
    try:
        message = json.loads(text)
    except ValueError as e:
        raise MessageError(f"the message is not JSON: {json_problem(e)}") from e
    except RecursionError:
        raise MessageError("the message is nested too deeply") from None
    if not isinstance(message, dict):
        raise MessageError("the message is no JSON object")
    if message.get("msgSplitCount", 1) != 1 or message.get("msgCompressionKind", "NONE") != "NONE":
        raise MessageError("the message is compressed or one of several parts: join and unpack it first")
    body = message.get("message", message)
    if not isinstance(body, dict) or body.get("type") is None:
        raise MessageError("it has no message.type: it is none of a hook's messages")
    kind = str(body["type"])
    if kind not in _READERS:
        raise MessageError(f"message.type = {kind!r}: must be one of {', '.join(sorted(_READERS))}")
    unread: list[str] = []
    try:
        notification = _READERS[kind](body, unread)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as e:
        raise MessageError(f"a message of type {kind} without what it must have: {type(e).__name__} {e}") from e
    return Read(
        type=kind,
        user=str(body.get("user") or "UNKNOWN"),
        notification=notification,
        created_ms=message.get("msgCreationTime"),
        unread=tuple(unread),
    )


def _each(
    found: Iterable[Mapping[str, Any]], read_one: Callable[[Mapping[str, Any]], _One], unread: list[str]
) -> tuple[_One, ...]:
    """Read entities one by one; what cannot be read is left out, unless that is all.

    Raises:
        ValueError: None of them can be read, or an error of the kind that the first one has.
    """
    whole: list[_One] = []
    for each in found:
        try:
            whole.append(read_one(each))
        except _BROKEN as error:  # noqa: PERF203 one broken entity is not the end
            unread.append(f"an entity without what it must have: {type(error).__name__} {error}")
            first = error
    if unread and not whole:
        raise first
    return tuple(whole)


def _ids_by_guid(
    found: Iterable[Mapping[str, Any]], id_of: Callable[[Mapping[str, Any]], tuple[Any, AtlasObjectId] | None]
) -> dict[str, AtlasObjectId]:
    """Return what the guids of a message stand for; those of broken entities for nothing."""
    guids: dict[str, AtlasObjectId] = {}
    for each in found:
        with suppress(*_BROKEN):
            if (pair := id_of(each)) is not None:
                guids[pair[0]] = pair[1]
    return guids


def _create_v2(body: Mapping[str, Any], unread: list[str]) -> EntityCreate:
    content = body["entities"]
    found = [*content["entities"], *(content.get("referredEntities") or {}).values()]

    def id_of(each: Mapping[str, Any]) -> tuple[Any, AtlasObjectId] | None:
        guid = each.get("guid")
        return (guid, _entity_id(each, each.get("attributes"), guid)) if guid else None

    guids = _ids_by_guid(found, id_of)
    return EntityCreate(entities=_each(found, lambda each: _entity_v2(each, guids), unread))


def _partial_v2(body: Mapping[str, Any], unread: list[str]) -> EntityPartialUpdate:  # noqa: ARG001 (all have one signature)
    entity = body["entity"]["entity"]
    target = {"typeName": entity.get("typeName"), **body["entityId"]}
    return EntityPartialUpdate(id=_object_id(target, {}), attributes=dict(entity.get("attributes") or {}))


def _delete_v2(body: Mapping[str, Any], unread: list[str]) -> EntityDelete:
    return EntityDelete(ids=_each(body["entities"], lambda each: _object_id(each, {}), unread))


def _entity_v2(entity: Mapping[str, Any], guids: Guids) -> AtlasEntity:
    attributes = dict(entity.get("attributes") or {})
    sides = {
        side: tuple(_object_id(each, guids) for each in attributes.pop(side) or ())
        for side in _SIDES & attributes.keys()
    }
    return AtlasEntity(
        id=_entity_id(entity, attributes, entity.get("guid")),
        attributes={key: value for key, value in attributes.items() if key != "qualifiedName"},
        sides={side: ids for side, ids in sides.items() if ids},
        references=_references(entity.get("relationshipAttributes") or {}, lambda each: _object_id(each, guids)),
        custom_attributes={key: str(value) for key, value in (entity.get("customAttributes") or {}).items()},
        labels=tuple(entity.get("labels") or ()),
        classifications=tuple(each["typeName"] for each in entity.get("classifications") or ()),
    )


def _object_id(target: Mapping[str, Any], guids: Guids) -> AtlasObjectId:
    """By guid where there is one: it wins over the unique attributes beside it."""
    if target.get("guid") in guids:
        return guids[target["guid"]]
    if is_assigned(target.get("guid")) and not target.get("uniqueAttributes"):
        return _by_guid(target, target["guid"])
    return _id(target["typeName"], target["uniqueAttributes"])


def _create_v1(body: Mapping[str, Any], unread: list[str]) -> EntityCreate:
    entities = [inner for each in body["entities"] for inner in (each, *nested_v1(each))]
    guids = _ids_by_guid(entities, lambda each: (each["id"]["id"], _entity_id(each, each["values"], each["id"]["id"])))
    return EntityCreate(
        entities=_each(entities, lambda each: _entity_v1(each, guids), unread),
        is_update=body["type"] == "ENTITY_FULL_UPDATE",
    )


def _partial_v1(body: Mapping[str, Any], unread: list[str]) -> EntityPartialUpdate:  # noqa: ARG001 (as above)
    return EntityPartialUpdate(id=_by_attribute(body), attributes=dict(body["entity"]["values"]))


def _delete_v1(body: Mapping[str, Any], unread: list[str]) -> EntityDelete:  # noqa: ARG001 (as above)
    return EntityDelete(ids=(_by_attribute(body),))


def _by_attribute(body: Mapping[str, Any]) -> AtlasObjectId:
    if body["attribute"] != "qualifiedName":
        raise ValueError(f"attribute = {body['attribute']!r}: only qualifiedName names an entity")
    return _id(body["typeName"], {"qualifiedName": body["attributeValue"]})


def _entity_v1(entity: Mapping[str, Any], guids: Guids) -> AtlasEntity:
    values = entity["values"]
    related = {key: value for key, value in values.items() if _is_related(value)}
    return AtlasEntity(
        id=_entity_id(entity, values, entity["id"]["id"]),
        attributes={key: value for key, value in values.items() if key not in related and key != "qualifiedName"},
        references=_references(related, lambda each: _referenceable_id(each, guids)),
        classifications=tuple(entity.get("traitNames") or ()),
    )


def _is_related(value: object) -> bool:
    """An Id or a Referenceable, or a list of them: nested objects say their class (R25)."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and str(first.get("jsonClass", "")).endswith(("$_Id", "$_Reference"))


def _referenceable_id(target: Mapping[str, Any], guids: Guids) -> AtlasObjectId:
    if "values" in target:
        return _entity_id(target, target["values"], target["id"]["id"])
    guid = target["id"]
    return _by_guid(target, guid) if guid not in guids and is_assigned(guid) else guids[guid]


def _references(related: Mapping[str, Any], one: Callable[[Mapping[str, Any]], AtlasObjectId]) -> dict[str, Ends]:
    return {
        name: tuple(map(one, ends)) if isinstance(ends, list) else one(ends)
        for name, ends in related.items()
        if ends is not None
    }


def _entity_id(entity: Mapping[str, Any], attributes: Mapping[str, Any] | None, guid: object) -> AtlasObjectId:
    """Return the id of an entity that a message has: an update may say no more of it than its guid.

    An entity that is called by another unique attribute is known by its guid alone, also one that counts in the message only.
    """
    if guid and not (attributes or {}).get("qualifiedName"):
        return _by_guid(entity, guid)
    return _id(entity["typeName"], attributes or {})


def _by_guid(target: Mapping[str, Any], guid: object) -> AtlasObjectId:
    return AtlasObjectId(str(target.get("typeName") or UNKNOWN_TYPE), f"{GUID}{guid}")


def _id(type_name: object, attributes: Mapping[str, Any]) -> AtlasObjectId:
    name = attributes["qualifiedName"]
    if not isinstance(type_name, str) or not isinstance(name, str):
        raise TypeError(f"typeName = {type_name!r:.40}, qualifiedName = {name!r:.40}: both must be texts")
    return AtlasObjectId(type_name, name)


_READERS: Mapping[str, Callable[[Mapping[str, Any], list[str]], Notification]] = {
    "ENTITY_CREATE_V2": _create_v2,
    "ENTITY_FULL_UPDATE_V2": _create_v2,
    "ENTITY_PARTIAL_UPDATE_V2": _partial_v2,
    "ENTITY_DELETE_V2": _delete_v2,
    "ENTITY_CREATE": _create_v1,
    "ENTITY_FULL_UPDATE": _create_v1,
    "ENTITY_PARTIAL_UPDATE": _partial_v1,
    "ENTITY_DELETE": _delete_v1,
}
