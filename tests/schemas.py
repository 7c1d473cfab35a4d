"""The judge of messages: every message that a test produces is held against `schemas/` and the rules of a sender.

The schemas say what JSON Schema can say; what relates one part of a message to another is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from sac_kafka.atlas.limits import INDEXED_LIMIT
from sac_kafka.atlas.relationships import relationships
from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.atlas.validating.notifications import MessageValidator
from sac_kafka.atlas.validating.type_model import TypeModel
from tests.parallel_consumer import check_kept
from tools.schemas.types import attributes

SCHEMAS = Path(__file__).parent.parent / "schemas"
_ENVELOPE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$ref": (SCHEMAS / "envelope.schema.json").as_uri(),
}

CUSTOM_VALUE_LIMIT = 500


def validate_message(text: str | bytes) -> None:
    """Raise AssertionError with the place and the rule if a server would not do what the message is meant to do."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    assert text.isascii(), f"R26: a character that is not ASCII: {next(c for c in text if not c.isascii())!r}"
    message = json.loads(text, object_pairs_hook=_without_duplicates)
    if not _is_valid()(message):
        error = best_match(_validator().iter_errors(message))
        assert error is None, f"{error.json_path}: {error.message}"
        raise AssertionError(f"the two validators of JSON Schema do not agree about {text[:2000]}")
    notification = message["message"]
    match notification["type"]:
        case "ENTITY_CREATE_V2" | "ENTITY_FULL_UPDATE_V2":
            _check_created(notification["entities"]["entities"])
            check_kept(notification["entities"]["entities"])
        case "ENTITY_CREATE" | "ENTITY_FULL_UPDATE":
            _check_created([_as_v2(each) for each in notification["entities"]])
        case "ENTITY_PARTIAL_UPDATE_V2":
            entity = notification["entity"]["entity"]
            assert notification["entityId"]["typeName"] == entity["typeName"], "the update is of another type"
            _check_lengths(entity)
        case "ENTITY_PARTIAL_UPDATE":
            entity = _as_v2(notification["entity"])
            assert notification["typeName"] == entity["typeName"], "the update is of another type"
            _check_lengths(entity)
    wrong = [
        each for each in MessageValidator(_model()).violations(text) if each.rule != "R20"
    ]  # users' classifications
    assert wrong == [], f"sac-kafka validate does not agree: {wrong[0]}"


@cache
def _model() -> TypeModel:
    return TypeModel(types_def())


def _check_created(entities: list[dict[str, Any]]) -> None:
    _check_identities(entities)
    _check_references(entities)
    for entity in entities:
        _check_lengths(entity)


def _as_v2(referenceable: dict[str, Any]) -> dict[str, Any]:
    """An entity of the older form in the newer one; its references have guids only."""
    type_name, values = referenceable["typeName"], referenceable["values"]
    links = {name: value for name, value in values.items() if (type_name, name) in relationships()}
    return {
        "typeName": type_name,
        "guid": referenceable["id"]["id"],
        "attributes": {name: value for name, value in values.items() if name not in links},
        "relationshipAttributes": {
            name: [
                {"typeName": end["typeName"], "guid": end["id"]} for end in (ends if isinstance(ends, list) else [ends])
            ]
            for name, ends in links.items()
        },
    }


def references(entity: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All references of an entity."""
    for ends in entity.get("relationshipAttributes", {}).values():
        yield from ends if isinstance(ends, list) else (ends,)


@cache
def registry() -> Registry:
    """The schema files, by their URIs, so that a relative $ref is a relative path."""
    return Registry().with_resources(
        (path.as_uri(), Resource.from_contents(json.loads(path.read_text("utf-8"))))
        for path in SCHEMAS.rglob("*.schema.json")
    )


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(_ENVELOPE, registry=registry())


@cache
def _is_valid() -> Callable[[object], bool]:
    """The quick one says yes or no, a hundred times as fast; where there is no wheel of it, the other one does."""
    try:
        import jsonschema_rs
    except ImportError:
        return _validator().is_valid
    resources = [(uri, registry().contents(uri)) for uri in registry()]
    return jsonschema_rs.validator_for(_ENVELOPE, registry=jsonschema_rs.Registry(resources)).is_valid


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    assert len(result) == len(pairs), f"a key stands twice in one object: {[key for key, _ in pairs]}"
    return result


def _check_identities(entities: list[dict[str, Any]]) -> None:
    guids = [entity["guid"] for entity in entities]
    assert len(set(guids)) == len(guids), "two entities have one guid"
    names = [(entity["typeName"], entity["attributes"]["qualifiedName"]) for entity in entities]
    assert len(set(names)) == len(names), (
        f"R27: an entity stands twice: {sorted(n for n in names if names.count(n) > 1)}"
    )


def _check_references(entities: list[dict[str, Any]]) -> None:
    in_message = {(e["typeName"], e["attributes"]["qualifiedName"]): e["guid"] for e in entities}
    types = {e["guid"]: e["typeName"] for e in entities}
    before: set[str] = set()
    for entity in entities:
        for reference in references(entity):
            guid = reference.get("guid")
            place = f"{entity['typeName']} {entity['attributes']['qualifiedName']} -> {reference}"
            if "uniqueAttributes" in reference:
                expected = in_message.get((reference["typeName"], reference["uniqueAttributes"]["qualifiedName"]))
                assert guid == expected, f"R10: {place}: guid {guid}, the message has {expected}"
            assert guid is None or types.get(guid) == reference["typeName"], f"R10: {place}: no such entity"
            assert guid is None or guid in before, f"{place}: used before it is defined"
        before.add(entity["guid"])


def _check_lengths(entity: dict[str, Any]) -> None:
    """R21, R22, as Java counts."""
    declared = attributes(entity["typeName"])
    for name, value in entity["attributes"].items():
        if isinstance(value, str) and declared[name]["isIndexable"]:
            length = _utf16_length(value)
            assert length <= INDEXED_LIMIT, f"R22: {entity['typeName']}.{name} has {length} UTF-16 units"
    for key, value in entity.get("customAttributes", {}).items():
        assert _utf16_length(value) <= CUSTOM_VALUE_LIMIT, f"R21: custom attribute {key}: {_utf16_length(value)} units"


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
