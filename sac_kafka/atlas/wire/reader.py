"""Parse messages (HookNotifications in the V1 or V2 form, with or without envelope) to `notification` values.

Used by commands, `readable` and tests. Guids are resolved, so that a reference is the identity of its target; an entity that
is referenced only by a guid of the server is named by that guid. Compressed and split messages are rejected (`joining`
restores them). Relationships in partial updates are ignored; the hook sends none.

Source: `org.apache.atlas.notification.hook.HookMessageDeserializer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sac_kafka.atlas.model import GUID, UNKNOWN_TYPE, AtlasEntity, AtlasObjectId, Ends, is_assigned
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.errors import MessageError
from sac_kafka.settings.classifications import Classification, ValidityPeriod

_WHOLE = "$_Reference"


def nested_v1(given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the entities nested in the values of an entity, at any depth."""
    waiting: list[Mapping[str, Any]] = [given]
    while waiting:
        values = waiting.pop().get("values")
        for value in values.values() if isinstance(values, dict) else ():
            found = [each for each in (value if isinstance(value, list) else [value]) if is_nested_v1(each)]
            yield from found
            waiting += found


def is_nested_v1(value: object) -> bool:
    """Return True if a value is a whole entity, not only a reference."""
    if not isinstance(value, dict) or "typeName" not in value:
        return False
    return isinstance(value.get("values"), dict) or str(value.get("jsonClass")).endswith(_WHOLE)


_One = TypeVar("_One")
_BROKEN = (KeyError, TypeError, AttributeError, ValueError)
Guids = Mapping[str, AtlasObjectId]

_SIDES = frozenset({"inputs", "outputs"})
"""References that older hooks write among the attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMessage:
    """A parsed message: its type, its user and its creation time in epoch milliseconds.

    `skipped` contains the reason for each entity that could not be read.
    """

    type: str
    user: str
    notification: Notification
    created_ms: int | None = None
    skipped: tuple[str, ...] = ()


def json_problem(error: ValueError) -> str:
    """Return the reason why a text is not JSON, with a position in characters instead of line and column.

    >>> json_problem(json.JSONDecodeError("Unterminated string starting at", '"a', 0))
    'Unterminated string at character 1'
    """
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    return f"{error.msg.removesuffix(' starting at')} at character {error.pos + 1}"


def _each(
    found: Iterable[Mapping[str, Any]], read_one: Callable[[Mapping[str, Any]], _One], skipped: list[str]
) -> tuple[_One, ...]:
    """Read entities one by one, skipping invalid ones.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: All entities are invalid; the error is that of the last one.
    """
    whole: list[_One] = []
    for each in found:
        try:
            whole.append(read_one(each))
        except _BROKEN as error:  # noqa: PERF203 an invalid entity must not affect the others
            skipped.append(f"invalid entity: {type(error).__name__} {error}")
            last_error = error
    if skipped and not whole:
        raise last_error
    return tuple(whole)


def _ids_by_guid(
    found: Iterable[Mapping[str, Any]], id_of: Callable[[Mapping[str, Any]], tuple[Any, AtlasObjectId] | None]
) -> dict[str, AtlasObjectId]:
    """Return the identities of the message's entities by guid, without invalid entities."""
    guids: dict[str, AtlasObjectId] = {}
    for each in found:
        with suppress(*_BROKEN):
            if (pair := id_of(each)) is not None:
                guids[pair[0]] = pair[1]
    return guids


def _create_v2(body: Mapping[str, Any], skipped: list[str]) -> EntityCreate:
    content = body["entities"]
    found = [*content["entities"], *(content.get("referredEntities") or {}).values()]

    def id_of(each: Mapping[str, Any]) -> tuple[Any, AtlasObjectId] | None:
        guid = each.get("guid")
        return (guid, _entity_id(each, each.get("attributes"), guid)) if guid else None

    guids = _ids_by_guid(found, id_of)
    return EntityCreate(entities=_each(found, lambda each: _entity_v2(each, guids), skipped))


def _partial_v2(body: Mapping[str, Any], skipped: list[str]) -> EntityPartialUpdate:  # noqa: ARG001 (same signature for all readers)
    entity = body["entity"]["entity"]
    target = {"typeName": entity.get("typeName"), **body["entityId"]}
    return EntityPartialUpdate(id=_object_id(target, {}), attributes=dict(entity.get("attributes") or {}))


def _delete_v2(body: Mapping[str, Any], skipped: list[str]) -> EntityDelete:
    return EntityDelete(ids=_each(body["entities"], lambda each: _object_id(each, {}), skipped))


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
        classifications=tuple(map(_classification, entity.get("classifications") or ())),
    )


def _classification(given: Mapping[str, Any]) -> Classification:
    attributes = {key: str(value) for key, value in (given.get("attributes") or {}).items()}
    periods = (
        ValidityPeriod(*(each.get(key) or "" for key in ("startTime", "endTime", "timeZone")))
        for each in given.get("validityPeriods") or ()
    )
    return Classification(given["typeName"], tuple(attributes.items()), bool(given.get("propagate")), tuple(periods))


def _object_id(target: Mapping[str, Any], guids: Guids) -> AtlasObjectId:
    """Return the identity of a reference; as in Atlas, a guid takes precedence over unique attributes."""
    if target.get("guid") in guids:
        return guids[target["guid"]]
    if is_assigned(target.get("guid")) and not target.get("uniqueAttributes"):
        return _by_guid(target, target["guid"])
    return _id(target["typeName"], target["uniqueAttributes"])


def _create_v1(body: Mapping[str, Any], skipped: list[str]) -> EntityCreate:
    entities = [inner for each in body["entities"] for inner in (each, *nested_v1(each))]
    guids = _ids_by_guid(entities, lambda each: (each["id"]["id"], _entity_id(each, each["values"], each["id"]["id"])))
    return EntityCreate(
        entities=_each(entities, lambda each: _entity_v1(each, guids), skipped),
        is_update=body["type"] == "ENTITY_FULL_UPDATE",
    )


def _partial_v1(body: Mapping[str, Any], skipped: list[str]) -> EntityPartialUpdate:  # noqa: ARG001 (as above)
    return EntityPartialUpdate(id=_by_attribute(body), attributes=dict(body["entity"]["values"]))


def _delete_v1(body: Mapping[str, Any], skipped: list[str]) -> EntityDelete:  # noqa: ARG001 (as above)
    return EntityDelete(ids=(_by_attribute(body),))


def _by_attribute(body: Mapping[str, Any]) -> AtlasObjectId:
    if body["attribute"] != "qualifiedName":
        raise ValueError(f"attribute = {body['attribute']!r}: must be qualifiedName")
    return _id(body["typeName"], {"qualifiedName": body["attributeValue"]})


def _entity_v1(entity: Mapping[str, Any], guids: Guids) -> AtlasEntity:
    values = entity["values"]
    related = {key: value for key, value in values.items() if _is_related(value)}
    return AtlasEntity(
        id=_entity_id(entity, values, entity["id"]["id"]),
        attributes={key: value for key, value in values.items() if key not in related and key != "qualifiedName"},
        references=_references(related, lambda each: _referenceable_id(each, guids)),
        classifications=tuple(map(Classification, entity.get("traitNames") or ())),
    )


def _is_related(value: object) -> bool:
    """Return True for a reference, a nested entity, or a list of these, recognized by the `jsonClass` (R25)."""
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
    """Return the identity of an entity of the message; without a qualifiedName it is named by its guid."""
    if guid and not (attributes or {}).get("qualifiedName"):
        return _by_guid(entity, guid)
    return _id(entity["typeName"], attributes or {})


def _by_guid(target: Mapping[str, Any], guid: object) -> AtlasObjectId:
    return AtlasObjectId(str(target.get("typeName") or UNKNOWN_TYPE), f"{GUID}{guid}")


def _id(type_name: object, attributes: Mapping[str, Any]) -> AtlasObjectId:
    name = attributes["qualifiedName"]
    if not isinstance(type_name, str) or not isinstance(name, str):
        raise TypeError(f"typeName = {type_name!r:.40}, qualifiedName = {name!r:.40}: both must be strings")
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


def read(text: str | bytes) -> ParsedMessage:
    """Parse the value of a record.

    Raises:
        MessageError: The text is not a HookNotification, its type is unsupported, it is compressed or split, or none of its
            entities can be read.
    """
    try:
        message = json.loads(text)
    except ValueError as e:
        raise MessageError(f"the message is not JSON: {json_problem(e)}") from e
    except RecursionError:
        raise MessageError("the message is nested too deeply") from None
    if not isinstance(message, dict):
        raise MessageError("the message is not a JSON object")
    if message.get("msgSplitCount", 1) != 1 or message.get("msgCompressionKind", "NONE") != "NONE":
        raise MessageError("the message is compressed or split: join and decompress it first")
    body = message.get("message", message)
    if not isinstance(body, dict) or body.get("type") is None:
        raise MessageError("message.type is missing: not a hook notification")
    kind = str(body["type"])
    if kind not in _READERS:
        raise MessageError(f"message.type = {kind!r}: must be one of {', '.join(sorted(_READERS))}")
    skipped: list[str] = []
    try:
        notification = _READERS[kind](body, skipped)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as e:
        raise MessageError(f"invalid message of type {kind}: {type(e).__name__} {e}") from e
    return ParsedMessage(
        type=kind,
        user=str(body.get("user") or "UNKNOWN"),
        notification=notification,
        created_ms=message.get("msgCreationTime"),
        skipped=tuple(skipped),
    )
