"""Check the JSON types of a message's members: if one cannot be parsed, the server loses the whole message.

The tables mirror the classes that Atlas parses messages into; the predicates mirror what its JSON library accepts for their
members. For example, a number may be a string, and so may an object whose class has a constructor for strings. The values
themselves are checked by other modules.

Source: `org.apache.atlas.model.notification`, `.instance` and `org.apache.atlas.v1.model`, read by `AtlasJson`; compared with
the classes themselves by `tests/helpers/judge/test_validate_agrees.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sac_kafka.atlas.wire.reader import nested_v1
from sac_kafka.tools.validate.raw_entity import Violation, violation

_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_BOOLEANS = frozenset({"", "true", "True", "TRUE", "false", "False", "FALSE"})
_DATE = re.compile(r"-?\d+|\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII)
_STATES = ("ACTIVE", "DELETED", "PURGED")
_VERSION = re.compile(r"-?\d+(\.-?\d+)*", re.ASCII)
_CURRENT = (1, 0, 0)
_BITS_OF_INT, _BITS_OF_LONG = 32, 64
_FIX = "correct it, or the server loses the whole message"


@dataclass(frozen=True, slots=True)
class MemberKind:
    """Kind of a member: its description, its predicate, and the kinds of the members of the object or of each element."""

    description: str
    is_valid: Callable[[Any], bool]
    members: Mapping[str, MemberKind] | None = None


def _is_scalar(value: object) -> bool:
    return not isinstance(value, (dict, list))


def _is_map(value: object) -> bool:
    return value is None or isinstance(value, dict)


def _is_object_or_text(value: object) -> bool:
    return _is_map(value) or isinstance(value, str)


def _is_integer(bits: int) -> Callable[[Any], bool]:
    def is_valid(value: object) -> bool:
        if value is None or value == "":
            return True
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return False
        if isinstance(value, str) and not _INTEGER.fullmatch(value):
            return False
        number = int(value[:40]) if isinstance(value, str) else value
        return -(1 << bits - 1) <= number < 1 << bits - 1

    return is_valid


def _is_boolean(value: object) -> bool:
    return value is None or isinstance(value, int) or (isinstance(value, str) and value.strip() in _BOOLEANS)


def _is_date(value: object) -> bool:
    if value is None or value == "":
        return True
    if isinstance(value, str):
        return _DATE.fullmatch(value[:60].strip()) is not None
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63


def _one_of(*names: str) -> Callable[[Any], bool]:
    """Return the predicate of an enumeration; as in Jackson, a value may be its ordinal number."""

    def is_valid(value: object) -> bool:
        if value is None or value in names:
            return True
        if isinstance(value, str) and value.isdecimal():
            value = int(value[:10])
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names)

    return is_valid


def _list_of(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or (isinstance(value, list) and all(map(is_valid, value)))


def _map_of(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or (isinstance(value, dict) and all(map(is_valid, value.values())))


_TEXT = MemberKind("a string", _is_scalar)
_INT = MemberKind("a 32-bit integer", _is_integer(_BITS_OF_INT))
_LONG = MemberKind("a 64-bit integer", _is_integer(_BITS_OF_LONG))
_BOOLEAN = MemberKind("true or false", _is_boolean)
_WHEN = MemberKind("epoch milliseconds", _is_date)
_STATE = MemberKind(f"one of {', '.join(_STATES)}", _one_of(*_STATES))
_MAP = MemberKind("an object", _is_map)
_TEXTS = MemberKind("a list of strings", _list_of(_is_scalar))


def _object(members: Mapping[str, MemberKind]) -> MemberKind:
    return MemberKind("an object", _is_map, members)


def _object_or_text(members: Mapping[str, MemberKind]) -> MemberKind:
    """Return the kind of an object whose class has a constructor for strings."""
    return MemberKind("an object", _is_object_or_text, members)


def _each(kind: MemberKind) -> MemberKind:
    return MemberKind("a list of objects", _list_of(kind.is_valid), kind.members)


_OBJECT_ID = _object_or_text({"typeName": _TEXT, "guid": _TEXT, "uniqueAttributes": _MAP})
_CLASSIFICATION = _object_or_text(
    {
        "typeName": _TEXT,
        "attributes": _MAP,
        "entityGuid": _TEXT,
        "entityStatus": _STATE,
        "propagate": _BOOLEAN,
        "removePropagationsOnEntityDelete": _BOOLEAN,
        "validityPeriods": _each(_object({"startTime": _TEXT, "endTime": _TEXT, "timeZone": _TEXT})),
    }
)
_MEANING = _object({"termGuid": _TEXT, "relationGuid": _TEXT, "displayText": _TEXT, "confidence": _INT})
_ENTITY = _object_or_text(
    {
        "typeName": _TEXT,
        "guid": _TEXT,
        "homeId": _TEXT,
        "isIncomplete": _BOOLEAN,
        "provenanceType": _INT,
        "status": _STATE,
        "createdBy": _TEXT,
        "updatedBy": _TEXT,
        "createTime": _WHEN,
        "updateTime": _WHEN,
        "version": _LONG,
        "attributes": _MAP,
        "relationshipAttributes": _MAP,
        "customAttributes": MemberKind("an object with string values", _map_of(_is_scalar)),
        "labels": _TEXTS,
        "classifications": _each(_CLASSIFICATION),
        "meanings": _each(_MEANING),
    }
)
_REFERRED = MemberKind("an object with entities as values", _map_of(_is_object_or_text), _ENTITY.members)
_V1_ID = _object_or_text({"id": _TEXT, "typeName": _TEXT, "version": _INT, "state": _STATE})
_REFERENCEABLE = _object(
    {
        "typeName": _TEXT,
        "id": _V1_ID,
        "values": _MAP,
        "systemAttributes": _MAP,
        "traitNames": _TEXTS,
        "traits": MemberKind("an object with objects as values", _map_of(_is_object_or_text)),
    }
)
_NESTED = {"id": _MAP, "systemAttributes": _MAP}
"""Members of an entity nested in the values of another one, which Atlas parses with other code."""
_BY_ATTRIBUTE = {"typeName": _TEXT, "attribute": _TEXT, "attributeValue": _TEXT}
_CREATED = {"entities": _object({"entities": _each(_ENTITY), "referredEntities": _REFERRED})}
_CREATED_V1 = {"entities": _each(_REFERENCEABLE)}
_NOTIFICATIONS: Mapping[str, Mapping[str, MemberKind]] = {
    "ENTITY_CREATE_V2": _CREATED,
    "ENTITY_FULL_UPDATE_V2": _CREATED,
    "ENTITY_PARTIAL_UPDATE_V2": {
        "entityId": _OBJECT_ID,
        "entity": _object({"entity": _ENTITY, "referredEntities": _REFERRED}),
    },
    "ENTITY_DELETE_V2": {"entities": _each(_OBJECT_ID)},
    "ENTITY_CREATE": _CREATED_V1,
    "ENTITY_FULL_UPDATE": _CREATED_V1,
    "ENTITY_PARTIAL_UPDATE": {**_BY_ATTRIBUTE, "entity": _REFERENCEABLE},
    "ENTITY_DELETE": _BY_ATTRIBUTE,
}
_ENVELOPE: Mapping[str, MemberKind] = {
    "msgId": _TEXT,
    "msgCompressionKind": MemberKind("NONE for an uncompressed message", _one_of("NONE")),
    "msgSplitIdx": _INT,
    "msgSplitCount": _INT,
    "msgSourceIP": _TEXT,
    "msgCreatedBy": _TEXT,
    "msgCreationTime": _LONG,
    "spooled": _BOOLEAN,
    "source": _object_or_text({"source": _TEXT, "version": _TEXT}),
}


def check_envelope(message: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield a violation per member of an envelope that a server cannot parse."""
    yield from _members(message, _ENVELOPE, "")


def check_notification(body: Mapping[str, Any], place: str) -> Iterator[Violation]:
    """Yield a violation per member of a notification, including its entities, that a server cannot parse."""
    yield from _members(body, {"user": _TEXT, **_NOTIFICATIONS.get(str(body.get("type")), {})}, place)
    for given in (body.get("entities"), body.get("entity")):
        for each in given if isinstance(given, list) else [given]:
            if isinstance(each, dict):
                for nested in nested_v1(each):
                    yield from _members(nested, _NESTED, f"{place}.values" if place else "values")


def is_version(given: object) -> bool:
    """Return True for a version that servers accept: 1.0.0 or earlier."""
    if isinstance(given, dict):
        given = given.get("version", "1.0.0")
        given = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(given, str) or not _VERSION.fullmatch(given[:60]):
        return False
    parts = tuple(map(int, given.split(".")))
    return parts + (0,) * (len(_CURRENT) - len(parts)) <= _CURRENT


def _members(given: Mapping[str, Any], kinds: Mapping[str, MemberKind], place: str) -> Iterator[Violation]:
    for name, kind in kinds.items():
        if name not in given:
            continue
        value, where = given[name], f"{place}.{name}" if place else name
        if not kind.is_valid(value):
            yield violation(f"must be {kind.description}", _FIX, "", where, value)
        elif kind.members is not None:
            yield from _inside(value, kind, where)


def _inside(value: object, kind: MemberKind, place: str) -> Iterator[Violation]:
    members = kind.members or {}
    if isinstance(value, list):
        for number, each in enumerate(value):
            if isinstance(each, dict):
                yield from _members(each, members, f"{place}[{number}]")
    elif kind is _REFERRED and isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, dict):
                yield from _members(each, members, f"{place}.{key[:60]}")
    elif isinstance(value, dict):
        yield from _members(value, members, place)
