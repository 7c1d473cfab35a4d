"""Validate a message: its envelope, its notification, and each of its entities."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.model import is_assigned
from sac_kafka.atlas.wire.reader import json_problem, nested_v1
from sac_kafka.catalog.json_values import as_object, objects_in
from sac_kafka.tools.validate.entities import MessageContext, not_unique, unknown_type, violations_of
from sac_kafka.tools.validate.kinds import check_envelope, check_notification, is_version
from sac_kafka.tools.validate.raw_entity import RawEntity, Violation, as_reference, entity_v1, entity_v2, violation
from sac_kafka.tools.validate.type_model import TypeModel

_VERSION = "1.0.0"
_BLANKS = " \t\r\n"
_MAX_EARLIER = 100_000
"""Maximum number of guids of earlier messages to remember; they only improve the text of a violation."""
_FIX = "send a HookNotification as described in docs/sender-rules.md"
_V1_CLASSES = ("$_Id", "$_Reference", "$_Struct")


class MessageValidator:
    """Validator of messages, in sending order, against a model; `entities` counts the validated entities."""

    def __init__(self, model: TypeModel) -> None:
        self._model = model
        self._earlier: set[str] = set()
        self.entities = 0

    def violations(self, text: str) -> Iterator[Violation]:
        """Yield the violations of a message."""
        duplicates: list[str] = []
        try:
            message, trailing = _parse(text, duplicates)
        except ValueError as error:
            yield violation(f"invalid JSON: {json_problem(error)}", _FIX, value=text)
            return
        except RecursionError:
            yield violation("nested too deeply", _FIX)
            return
        if not isinstance(message, dict):
            yield violation("not a JSON object", _FIX, value=message)
            return
        for key in duplicates[:1]:
            yield violation(
                "duplicate key in one object: only the last value counts", "send it once", "", key, is_doubt=True
            )
        if trailing:
            problem = "text after the message: the server ignores it"
            yield violation(problem, "remove it", value=trailing, is_doubt=True)
        yield from _envelope(message, text)
        body, place = (message["message"] if _has_envelope(message) else message), "message" * _has_envelope(message)
        if not isinstance(body, dict):
            yield violation("not a notification", _FIX, "", "message", body)
            return
        kind = body.get("type")
        validate = _KINDS.get(kind) if isinstance(kind, str) else None
        if validate is None:
            fix = f"send one of {', '.join(_KINDS)}"
            yield violation(
                "unknown type of notification: the server loses the message", fix, "", "message.type", kind, "R3"
            )
            return
        unreadable = list(check_notification(body, place))
        yield from unreadable
        if not unreadable:
            yield from validate(self, body)

    def _created_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        content = as_object(body.get("entities"))
        listed, referred = content.get("entities"), content.get("referredEntities")
        # A warning, because it may be the trial message of `sac-kafka doctor --send`: Atlas just commits its offset.
        if listed == []:
            problem = "no entities: the server ignores the message"
            yield violation(problem, "send an entity", "", "message.entities.entities", listed, is_doubt=True)
            return
        if not isinstance(listed, list):
            yield _missing("message.entities.entities", "a list of entities", listed)
            return
        given = [entity_v2(each) for each in objects_in(listed)]
        yield from self._check_creation(listed, given, _referenced_entities(listed, as_object(referred)))

    def _created_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        listed = body.get("entities")
        if not isinstance(listed, list) or not listed:
            yield _missing("message.entities", "a list of entities", listed)
            return
        given = [inner for each in objects_in(listed) for inner in (each, *nested_v1(each))]
        for each in given:
            yield from _classes(entity_v1(each))
        yield from self._check_creation(listed, [entity_v1(each) for each in given])

    def _check_creation(
        self, listed: list[object], given: list[RawEntity], referred: Iterable[RawEntity] = ()
    ) -> Iterator[Violation]:
        for each in listed:
            if not isinstance(each, dict):
                yield violation("an entity must be an object", _FIX, value=each)
        entities = [*given, *referred]
        self.entities += len(entities)
        for entity in entities:
            if entity.has_empty_guid:
                yield _empty_guid(entity)
        guids_and_keys = {str(each.guid) for each in entities}
        for entity in referred:
            if str(entity.own_guid) not in guids_and_keys:
                problem = "the server looks up a referred entity by its own guid, which no entity of the message has"
                yield violation(
                    problem, "send its key in referredEntities as its guid", entity, "guid", entity.own_guid, "R10"
                )
        yield from _identities(entities)
        guids = {str(each.guid): str(each.type_name) for each in entities if each.guid is not None}
        context = MessageContext(self._model, guids, self._earlier)
        for entity in entities:
            yield from violations_of(entity, context, is_whole=True)
        if len(self._earlier) > _MAX_EARLIER:
            self._earlier.clear()
        self._earlier.update(guids)

    def _partial_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        given = as_object(body.get("entity")).get("entity")
        if not isinstance(given, dict):
            yield _missing("message.entity.entity", "an entity", given)
            return
        yield from self._target(body.get("entityId"), "message.entityId", by_guid=True)
        yield from self._partial(entity_v2(given), body.get("entityId"))

    def _partial_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        given = body.get("entity")
        if not isinstance(given, dict):
            yield _missing("message.entity", "an entity", given)
            return
        yield from self._by_attribute(body)
        yield from self._partial(entity_v1(given), body)

    def _partial(self, entity: RawEntity, target: object) -> Iterator[Violation]:
        self.entities += 1
        type_name = as_object(target).get("typeName")
        if entity.has_empty_guid:
            yield _empty_guid(entity)
        if entity.type_name is None and isinstance(type_name, str):  # Atlas then uses the type of the updated entity.
            entity = replace(entity, type_name=type_name)
        if type_name != entity.type_name and not (type_name is None and _has_server_guid(target)):
            problem = f"the updated entity has another type, {str(type_name)[:60]}"
            yield violation(problem, "send the same type in both places", entity, "typeName", entity.type_name, "R12")
        yield from violations_of(entity, MessageContext(self._model), is_whole=False)

    def _deleted_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        listed = body.get("entities")
        if not isinstance(listed, list) or not listed:
            yield _missing("message.entities", "a list of references to the deleted entities", listed)
            return
        for each in listed:
            self.entities += 1
            yield from self._target(each, "message.entities")

    def _deleted_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        self.entities += 1
        yield from self._by_attribute(body)

    def _by_attribute(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        named = {
            "typeName": body.get("typeName"),
            "uniqueAttributes": {str(body.get("attribute")): body.get("attributeValue")},
        }
        yield from self._target(named, "message.typeName")

    def _target(self, given: object, place: str, *, by_guid: bool = False) -> Iterator[Violation]:
        """Yield the violations of a reference to an entity on the server, the target of an update or a delete.

        Servers find it by a unique attribute; with `by_guid` also by the guid that the server assigned.

        Source: `AtlasEntityStoreV2.updateEntity` uses a guid first, `NotificationHookConsumer` deletes by attributes only.
        """
        reference = as_reference(given, is_v1=False)
        if reference is None:
            yield _missing(place, "typeName and uniqueAttributes", given)
            return
        if by_guid and _has_server_guid(reference):
            return
        type_name, unique = reference.get("typeName"), reference.get("uniqueAttributes")
        if not isinstance(type_name, str) or not self._model.has(type_name):
            yield unknown_type(type_name, "", f"{place}.typeName")
            return
        names = self._model.unique(type_name)
        given_names = (
            {key for key, value in unique.items() if value is not None and not isinstance(value, (dict, list))}
            if isinstance(unique, dict)
            else set()
        )
        if names & given_names and isinstance(unique, dict) and len(names & given_names) < len(unique):
            yield not_unique(unique, names & given_names, type_name, f"{place}.uniqueAttributes")
        elif not names & given_names:
            fix = f"send uniqueAttributes with {' or '.join(sorted(names)) or 'one'}"
            yield violation(
                "no unique attribute identifies the entity", fix, type_name, f"{place}.uniqueAttributes", unique, "R10"
            )


_KINDS: Mapping[str, Callable[[MessageValidator, Mapping[str, Any]], Iterator[Violation]]] = {
    "ENTITY_CREATE_V2": MessageValidator._created_v2,
    "ENTITY_FULL_UPDATE_V2": MessageValidator._created_v2,
    "ENTITY_PARTIAL_UPDATE_V2": MessageValidator._partial_v2,
    "ENTITY_DELETE_V2": MessageValidator._deleted_v2,
    "ENTITY_CREATE": MessageValidator._created_v1,
    "ENTITY_FULL_UPDATE": MessageValidator._created_v1,
    "ENTITY_PARTIAL_UPDATE": MessageValidator._partial_v1,
    "ENTITY_DELETE": MessageValidator._deleted_v1,
}


def _has_server_guid(reference: object) -> bool:
    """Return True if a reference has a guid assigned by a server."""
    return is_assigned(as_object(reference).get("guid"))


def _parse(text: str, duplicates: list[str]) -> tuple[object, str]:
    """Return the JSON value at the beginning of a text, and the text after it, which servers ignore.

    A duplicate key of each object is added to `duplicates`.

    Raises:
        ValueError: The text does not begin with a JSON value.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: _object(pairs, duplicates), parse_constant=_refuse_constant
    )
    start = len(text) - len(text.lstrip(_BLANKS))
    found, end = decoder.raw_decode(text, start)
    return found, text[end:].strip(_BLANKS)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _has_envelope(message: Mapping[str, Any]) -> bool:
    """Return True if a message is in an envelope; as in Atlas, only the version decides."""
    return "message" in message and message.get("version") is not None


def _object(pairs: list[tuple[str, Any]], duplicates: list[str]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        duplicates += sorted({key for key in names if names.count(key) > 1})[:1]
    return found


def _envelope(message: Mapping[str, Any], text: str) -> Iterator[Violation]:
    version = message.get("version")
    if ("message" in message or version is not None) and not is_version(version):
        given = version.get("version") if isinstance(version, dict) else version
        problem = "the server loses a message without a version, or with a later one"
        yield violation(problem, f"send {_VERSION}", "", "version.version", given, "R1")
    if _has_envelope(message):
        yield from check_envelope(message)
        parts = message.get("msgSplitCount")
        if isinstance(parts, int) and parts > 1:
            problem = "the message is whole: the server takes it for a part of one and loses it"
            yield violation(problem, "send 1, or the parts", "", "msgSplitCount", parts, "R24")
    if not text.isascii():
        other = next(each for each in text if not each.isascii())
        problem = "not an ASCII character: Atlas' own spool corrupts it on replay"
        yield violation(problem, "send it as escape \\u…", value=other, rule="R26", is_doubt=True)


def _identities(entities: list[RawEntity]) -> Iterator[Violation]:
    guids: dict[str, RawEntity] = {}
    names: dict[tuple[str, str], str] = {}
    for entity in entities:
        guid = str(entity.guid)
        if entity.guid is not None and guid in guids:
            problem = f"{guids[guid].label} has the same guid"
            yield violation(problem, "send a different guid for each entity", entity, "guid", entity.guid, "R27")
        guids.setdefault(guid, entity)
        name = (str(entity.type_name), str(entity.attributes.get("qualifiedName")))
        if entity.attributes.get("qualifiedName") is not None and name in names:
            yield violation("duplicate entity: only the last one counts", "send it once", entity, rule="R27")
        names.setdefault(name, guid)


def _referenced_entities(listed: list[object], further: Mapping[str, Any]) -> list[RawEntity]:
    """Return the unlisted entities that are referenced by guid; Atlas ignores all others."""
    found: dict[str, RawEntity] = {}
    waiting: list[object] = [*listed]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            guid = str(value.get("guid"))
            if guid in further and guid not in found and isinstance(further[guid], dict):
                found[guid] = entity_v2(further[guid], guid)
                waiting.append(further[guid])
            waiting += value.values()
    return list(found.values())


def _empty_guid(entity: RawEntity) -> Violation:
    return violation(
        "must not be empty or null", "send a guid that begins with -, or no guid", entity, "guid", rule="R27"
    )


def _classes(entity: RawEntity) -> Iterator[Violation]:
    """Yield violations of R25: nested objects of the V1 form must contain their class."""
    for value in entity.attributes.values():
        for each in value if isinstance(value, list) else [value]:
            is_nested = isinstance(each, dict) and "typeName" in each and ("id" in each or "values" in each)
            if is_nested and not str(each.get("jsonClass")).endswith(_V1_CLASSES):
                problem = "nested objects of the V1 form must state their class"
                yield violation(problem, "send jsonClass", entity, "values", each.get("jsonClass"), "R25")
                return


def _missing(place: str, required: str, value: object) -> Violation:
    return violation(f"must be {required}", "send it", "", place, value)
