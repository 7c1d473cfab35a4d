"""The judge of messages: every message that a test produces is held against `schemas/` and the rules of a sender.

The schemas say what JSON Schema can say; what relates one part of a message to another is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parent.parent / "schemas"

# R22: what Atlas indexes; a server trims what reaches 32,767 UTF-16 units.
INDEXED = {"qualifiedName", "name", "queryText", "owner", "description", "path", "type", "namespace", "doc"}
INDEXED_LIMIT = 32_766
CUSTOM_VALUE_LIMIT = 500

# R13: ends by which an owner lists its children, in all models that a server ships for the types we send.
CHILD_LISTS = {"columns", "tables", "fields", "sd", "processes", "columnLineages", "children", "contained", "schema"}


def validate_message(text: str | bytes) -> None:
    """Raise AssertionError with the place and the rule if a server would not do what the message is meant to do."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    assert text.isascii(), f"R26: a character that is not ASCII: {next(c for c in text if not c.isascii())!r}"
    message = json.loads(text, object_pairs_hook=_without_duplicates)
    error = best_match(_validator().iter_errors(message))
    assert error is None, f"{error.json_path}: {error.message}"
    entities = message["message"]["entities"]["entities"]
    _check_identities(entities)
    _check_references(entities)
    for entity in entities:
        _check_lengths(entity)
        lists = CHILD_LISTS & {*entity["attributes"], *entity.get("relationshipAttributes", ())}
        assert not lists, f"R13: {entity['typeName']} lists its children: {lists}"


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
    return Draft202012Validator({"$ref": (SCHEMAS / "envelope.schema.json").as_uri()}, registry=registry())


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
    before: set[str] = set()
    for entity in entities:
        for reference in references(entity):
            target = (reference["typeName"], reference["uniqueAttributes"]["qualifiedName"])
            guid, expected = reference.get("guid"), in_message.get(target)
            place = f"{entity['typeName']} {entity['attributes']['qualifiedName']} -> {target}"
            assert guid == expected, f"R10: {place}: guid {guid}, the message has {expected}"
            assert guid is None or guid in before, f"{place}: used before it is defined"
        before.add(entity["guid"])


def _check_lengths(entity: dict[str, Any]) -> None:
    for name in INDEXED & set(entity["attributes"]):
        length = _utf16_length(entity["attributes"][name])
        assert length <= INDEXED_LIMIT, f"R22: {entity['typeName']}.{name} has {length} UTF-16 units"
    for key, value in entity.get("customAttributes", {}).items():
        assert _utf16_length(value) <= CUSTOM_VALUE_LIMIT, f"R21: custom attribute {key}: {_utf16_length(value)} units"


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
