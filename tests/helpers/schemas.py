"""The judge of messages: what a test reads is held against the rules of a sender, as `sac-kafka validate` knows them, and more.

`schemas/` is held against golden messages and those of each kind of dataset, so that it stays true.
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

from sac_kafka.atlas.catalog.definitions import RESET
from sac_kafka.atlas.types.definitions import BRIDGE, families, types_def
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.type_model import TypeModel
from tests.helpers.parallel_consumer import check_kept

SCHEMAS = Path(__file__).parents[2] / "schemas"
_ENVELOPE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$ref": (SCHEMAS / "envelope.schema.json").as_uri(),
}


def validate_message(text: str | bytes) -> None:
    """Raise AssertionError with the place and the rule if a server would not do what the message is meant to do."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    assert text.isascii(), f"R26: a character that is not ASCII: {next(c for c in text if not c.isascii())!r}"
    notification = json.loads(text, object_pairs_hook=_without_duplicates)["message"]
    wrong = [
        each for each in MessageValidator(_model()).violations(text) if each.rule != "R20"
    ]  # users' classifications
    assert wrong == [], f"sac-kafka validate does not agree: {wrong[0]}"
    if notification["type"] in ("ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2"):
        entities = notification["entities"]["entities"]
        _check_references(entities)
        _check_nulls(entities)
        check_kept(entities)


def fits_schemas(text: str) -> bool:
    """Return whether a message fits `schemas/`."""
    return _is_valid()(json.loads(text))


def assert_fits_schemas(text: str) -> None:
    """Raise AssertionError with the place if a message does not fit `schemas/`."""
    if not fits_schemas(text):
        error = best_match(_validator().iter_errors(json.loads(text)))
        assert error is None, f"{error.json_path}: {error.message}"
        raise AssertionError(f"the two validators of JSON Schema do not agree about {text[:2000]}")


@cache
def _model() -> TypeModel:
    return TypeModel(types_def((*families(), BRIDGE)))


def references(entity: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return all references of an entity."""
    for ends in entity.get("relationshipAttributes", {}).values():
        yield from ends if isinstance(ends, list) else (ends,)


@cache
def registry() -> Registry:
    """Return the schema files by URI, so that a relative $ref is a relative path."""
    return Registry().with_resources(
        (path.as_uri(), Resource.from_contents(json.loads(path.read_text("utf-8"))))
        for path in SCHEMAS.rglob("*.schema.json")
    )


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(_ENVELOPE, registry=registry())


@cache
def _is_valid() -> Callable[[object], bool]:
    """Return the fast validator's verdict; without a wheel of it, use the other one, which is a hundred times slower."""
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


def _check_nulls(entities: list[dict[str, Any]]) -> None:
    """Check nulls, which erase a server's values: only whole definitions reset, and only their own attributes."""
    for entity in entities:
        nulls = {name for name, value in entity["attributes"].items() if value is None}
        wrong = nulls - {*RESET.get(entity["typeName"], ())}
        assert not wrong, f"R28: {entity['typeName']} {entity['attributes']['qualifiedName']}: {sorted(wrong)} null"
