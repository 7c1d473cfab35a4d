"""Validate a message: its envelope, its notification, and each of its entities."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.model import is_assigned
from sac_kafka.atlas.validating.entities import MessageContext, not_unique, unknown_type, violations_of
from sac_kafka.atlas.validating.given import GivenEntity, as_reference, entity_v1, entity_v2
from sac_kafka.atlas.validating.kinds import is_version, of_envelope, of_notification
from sac_kafka.atlas.validating.type_model import TypeModel
from sac_kafka.atlas.validating.violation import Violation, shown
from sac_kafka.atlas.wire.nested import nested_v1
from sac_kafka.atlas.wire.reader import json_problem

_VERSION = "1.0.0"
_BLANKS = " \t\r\n"
_MAX_EARLIER = 100_000
"""Maximum number of guids of earlier messages to remember; they only improve the text of a violation."""
_READ = "write it as HookNotification is, docs/sender-rules.md says how"


class MessageValidator:
    """Validator of messages, in sending order, against a model; `entities` counts the validated entities.

    Args:
        model: The types of the server.
    """

    def __init__(self, model: TypeModel) -> None:
        self._model = model
        self._earlier: set[str] = set()
        self.entities = 0

    def violations(self, text: str) -> Iterator[Violation]:
        """Yield the violations of a message."""
        doubled: list[str] = []
        try:
            message, behind = _parsed(text, doubled)
        except ValueError as error:
            yield Violation(f"it is no JSON: {json_problem(error)}", _READ, value=shown(text))
            return
        except RecursionError:
            yield Violation("it is nested too deeply", _READ)
            return
        if not isinstance(message, dict):
            yield Violation("it is no JSON object", _READ, value=shown(message))
            return
        for key in doubled[:1]:
            yield Violation(
                "a key stands twice in one object: the last one counts", "send it once", "", key, is_doubt=True
            )
        if behind:
            yield Violation(
                "a server passes over what is behind the message", "leave it out", value=shown(behind), is_doubt=True
            )
        yield from _envelope(message, text)
        body, place = (message["message"] if _has_envelope(message) else message), "message" * _has_envelope(message)
        if not isinstance(body, dict):
            yield Violation("it is no notification", _READ, "", "message", shown(body))
            return
        kind = body.get("type")
        look = _KINDS.get(kind) if isinstance(kind, str) else None
        if look is None:
            fix = f"send one of {', '.join(_KINDS)}"
            yield Violation("a server takes no such notification", fix, "", "message.type", shown(kind), "R3")
            return
        unreadable = list(of_notification(body, place))
        yield from unreadable
        if not unreadable:
            yield from look(self, body)

    def _created_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        content = body.get("entities")
        content = content if isinstance(content, dict) else {}
        listed, referred = content.get("entities"), content.get("referredEntities")
        if listed == []:  # what `sac-kafka doctor --send` sends; Atlas' consumer commits it, and does nothing
            problem = "it names no entity: a server passes it over"
            yield Violation(problem, "send what has one", "", "message.entities.entities", "[]", is_doubt=True)
            return
        if not isinstance(listed, list):
            yield _without("message.entities.entities", "a list of entities", listed)
            return
        further = referred if isinstance(referred, dict) else {}
        yield from self._created(listed, [entity_v2(each) for each in _objects(listed)], _referred(listed, further))

    def _created_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        listed = body.get("entities")
        if not isinstance(listed, list) or not listed:
            yield _without("message.entities", "a list of entities", listed)
            return
        given = [inner for each in _objects(listed) for inner in (each, *nested_v1(each))]
        for each in given:
            yield from _classes(entity_v1(each))
        yield from self._created(listed, [entity_v1(each) for each in given])

    def _created(
        self, listed: list[object], given: list[GivenEntity], referred: Iterable[GivenEntity] = ()
    ) -> Iterator[Violation]:
        for each in listed:
            if not isinstance(each, dict):
                yield Violation("an entity must be an object", _READ, value=shown(each))
        entities = [*given, *referred]
        self.entities += len(entities)
        for entity in entities:
            if entity.lacks_guid:
                yield _without_guid(entity)
        there = {str(each.guid) for each in entities}
        for entity in referred:
            if str(entity.own_guid) not in there:
                problem = "a server looks for it by its own guid, and finds nothing"
                yield Violation(
                    problem,
                    "give it the guid that it is referred by",
                    entity.shown,
                    "guid",
                    shown(entity.own_guid),
                    "R10",
                )
        yield from _identities(entities)
        guids = {str(each.guid): str(each.type_name) for each in entities if each.guid is not None}
        around = MessageContext(self._model, guids, self._earlier)
        for entity in entities:
            yield from violations_of(entity, around, is_whole=True)
        if len(self._earlier) > _MAX_EARLIER:
            self._earlier.clear()
        self._earlier.update(guids)

    def _partial_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        wrapped = body.get("entity")
        given = wrapped.get("entity") if isinstance(wrapped, dict) else None
        if not isinstance(given, dict):
            yield _without("message.entity.entity", "an entity", given)
            return
        yield from self._named(body.get("entityId"), "message.entityId", by_guid=True)
        yield from self._partial(entity_v2(given), body.get("entityId"))

    def _partial_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        given = body.get("entity")
        if not isinstance(given, dict):
            yield _without("message.entity", "an entity", given)
            return
        yield from self._by_attribute(body)
        yield from self._partial(entity_v1(given), body)

    def _partial(self, entity: GivenEntity, target: object) -> Iterator[Violation]:
        self.entities += 1
        of = target.get("typeName") if isinstance(target, dict) else None
        if entity.lacks_guid:
            yield _without_guid(entity)
        if entity.type_name is None and isinstance(of, str):  # then it is of the type of what it changes
            entity = replace(entity, type_name=of)
        if of != entity.type_name and not (of is None and _has_server_guid(target)):
            problem = f"the update is of another type than what it changes, a {str(of)[:60]}"
            yield Violation(problem, "name one type", entity.shown, "typeName", shown(entity.type_name), "R12")
        yield from violations_of(entity, MessageContext(self._model), is_whole=False)

    def _deleted_v2(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        listed = body.get("entities")
        if not isinstance(listed, list) or not listed:
            yield _without("message.entities", "a list of what is deleted", listed)
            return
        for each in listed:
            self.entities += 1
            yield from self._named(each, "message.entities")

    def _deleted_v1(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        self.entities += 1
        yield from self._by_attribute(body)

    def _by_attribute(self, body: Mapping[str, Any]) -> Iterator[Violation]:
        named = {
            "typeName": body.get("typeName"),
            "uniqueAttributes": {str(body.get("attribute")): body.get("attributeValue")},
        }
        yield from self._named(named, "message.typeName")

    def _named(self, given: object, place: str, *, by_guid: bool = False) -> Iterator[Violation]:
        """What a message is about without being sent: found by a unique attribute, `by_guid` also by a guid of the server.

        Source: `AtlasEntityStoreV2.updateEntity` looks for a guid first, `NotificationHookConsumer` deletes by attributes alone.
        """
        reference = as_reference(given, is_v1=False)
        if reference is None:
            yield _without(place, "typeName and uniqueAttributes", given)
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
            yield Violation("it names no entity", fix, type_name, f"{place}.uniqueAttributes", shown(unique), "R10")


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
    """Whether a reference has a guid that a server has given."""
    return isinstance(reference, dict) and is_assigned(reference.get("guid"))


def _parsed(text: str, doubled: list[str]) -> tuple[object, str]:
    """Return the JSON value at the beginning of a text, and what is behind it, which a server does not look at.

    Raises:
        ValueError: There is none.
    """
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _object(pairs, doubled), parse_constant=_refuse_constant)
    start = len(text) - len(text.lstrip(_BLANKS))
    found, end = decoder.raw_decode(text, start)
    return found, text[end:].strip(_BLANKS)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def _has_envelope(message: Mapping[str, Any]) -> bool:
    """Return whether a message is in an envelope: a server looks for its version alone."""
    return "message" in message and message.get("version") is not None


def _object(pairs: list[tuple[str, Any]], doubled: list[str]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        doubled += sorted({key for key in names if names.count(key) > 1})[:1]
    return found


def _envelope(message: Mapping[str, Any], text: str) -> Iterator[Violation]:
    version = message.get("version")
    if ("message" in message or version is not None) and not is_version(version):
        given = version.get("version") if isinstance(version, dict) else version
        problem = "a server loses a message of a later version, or of none"
        yield Violation(problem, f"send {_VERSION}", "", "version.version", shown(given), "R1")
    if _has_envelope(message):
        yield from of_envelope(message)
    if not text.isascii():
        foreign = next(each for each in text if not each.isascii())
        problem = "a character that is not ASCII: a replay of Atlas' own spool garbles it"
        yield Violation(problem, "write it as \\u…", value=shown(foreign), rule="R26", is_doubt=True)


def _identities(entities: list[GivenEntity]) -> Iterator[Violation]:
    guids: dict[str, GivenEntity] = {}
    names: dict[tuple[str, str], str] = {}
    for each in entities:
        guid = str(each.guid)
        if each.guid is not None and guid in guids:
            problem = f"{guids[guid].shown} has this guid, too"
            yield Violation(problem, "give each entity a guid of its own", each.shown, "guid", shown(each.guid), "R27")
        guids.setdefault(guid, each)
        name = (str(each.type_name), str(each.attributes.get("qualifiedName")))
        if each.attributes.get("qualifiedName") is not None and name in names:
            yield Violation(
                "it stands twice in the message: the last one counts", "send it once", each.shown, rule="R27"
            )
        names.setdefault(name, guid)


def _objects(listed: list[object]) -> list[Mapping[str, Any]]:
    return [each for each in listed if isinstance(each, dict)]


def _referred(listed: list[object], further: Mapping[str, Any]) -> list[GivenEntity]:
    """Return the unlisted entities that are referenced by guid; Atlas ignores all others."""
    found: dict[str, GivenEntity] = {}
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


def _without_guid(entity: GivenEntity) -> Violation:
    return Violation(
        "must be a guid", "send one that begins with a -, or none at all", entity.shown, "guid", rule="R27"
    )


_V1_CLASSES = ("$_Id", "$_Reference", "$_Struct")


def _classes(entity: GivenEntity) -> Iterator[Violation]:
    """Yield violations of R25: nested objects of the V1 form must contain their class."""
    for value in entity.attributes.values():
        for each in value if isinstance(value, list) else [value]:
            if _is_reference(each) and not str(each.get("jsonClass")).endswith(_V1_CLASSES):
                problem = "an object of the older form says its class"
                yield Violation(problem, "send jsonClass", entity.shown, "values", shown(each.get("jsonClass")), "R25")
                return


def _is_reference(value: object) -> bool:
    return isinstance(value, dict) and "typeName" in value and ("id" in value or "values" in value)


def _without(place: str, what: str, given: object) -> Violation:
    return Violation(f"must be {what}", "send it", "", place, shown(given))
