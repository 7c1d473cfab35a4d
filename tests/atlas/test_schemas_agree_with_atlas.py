"""The schemas and the table of relationships say what Atlas' own model files say (2.1.0, the oldest with Spark's types).

A wrong name would be ignored by a server without a word, so nothing else would notice.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sac_kafka.atlas.relationships import RELATIONSHIPS
from tests.schemas import SCHEMAS, registry

MODELS = Path(__file__).parents[3] / "shared" / "atlas_models"
TYPES = sorted(file.name.removesuffix(".schema.json") for file in (SCHEMAS / "entities").glob("*.json"))
JSON_TYPES = {"string": "string", "boolean": "boolean", "date": "integer", "long": "integer", "array<string>": "array"}

needs_models = pytest.mark.skipif(not MODELS.is_dir(), reason=f"Atlas' model files are not at {MODELS}")
versions = pytest.mark.parametrize("version", ["2.1.0", "2.5.0"])


class Models:
    """The types of a release, patches applied as far as they add attributes or supertypes."""

    def __init__(self, folder: Path) -> None:
        self.entities: dict[str, dict] = {}
        self.relationships: dict[str, dict] = {}
        files = [json.loads(file.read_text("utf-8")) for file in sorted(folder.rglob("*.json"))]
        for model in files:
            self.entities.update({each["name"]: each for each in model.get("entityDefs", ())})
            self.relationships.update({each["name"]: each for each in model.get("relationshipDefs", ())})
        for patch in (patch for model in files for patch in model.get("patches", ())):
            entity = self.entities.get(patch["typeName"])
            if entity and patch["action"] == "ADD_ATTRIBUTE":
                entity.setdefault("attributeDefs", []).extend(patch["attributeDefs"])

    def lineage(self, name: str) -> set[str]:
        """The type and all its supertypes."""
        found = {name}
        for supertype in self.entities[name].get("superTypes", ()):
            found |= self.lineage(supertype) if supertype in self.entities else {supertype}
        return found

    def attributes(self, name: str) -> dict[str, dict]:
        definitions = [self.entities[each] for each in self.lineage(name) if each in self.entities]
        return {a["name"]: a for definition in definitions for a in definition.get("attributeDefs", ())}


@cache
def _models(version: str) -> Models:
    return Models(MODELS / version)


def _schema(name: str) -> dict:
    return json.loads((SCHEMAS / "entities" / f"{name}.schema.json").read_text("utf-8"))


def _resolved(schema: dict) -> dict:
    if "$ref" not in schema:
        return schema
    resolver = registry().resolver((SCHEMAS / "entities" / "any.schema.json").as_uri())
    return resolver.lookup(schema["$ref"]).contents


@pytest.mark.parametrize("file", sorted(SCHEMAS.rglob("*.json")), ids=lambda file: file.name)
def test_schema_is_a_valid_schema(file):
    schema = json.loads(file.read_text("utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_every_type_has_a_schema_that_is_asked():
    known = json.loads((SCHEMAS / "entity.schema.json").read_text("utf-8"))
    assert sorted(known["properties"]["typeName"]["enum"]) == TYPES
    assert sorted(case["if"]["properties"]["typeName"]["const"] for case in known["allOf"]) == TYPES


def test_relationships_of_schemas_are_those_of_the_table():
    in_schemas = {}
    for name in TYPES:
        links = _schema(name)["properties"].get("relationshipAttributes", {"properties": {}})["properties"]
        for attribute, schema in links.items():
            one = schema.get("items", schema)
            in_schemas[name, attribute] = one["properties"]["relationshipType"]["const"]
    assert in_schemas == dict(RELATIONSHIPS)


@needs_models
@versions
@pytest.mark.parametrize("name", TYPES)
def test_attributes_are_the_types(version, name):
    defined = _models(version).attributes(name)
    attributes = _schema(name)["properties"]["attributes"]
    for attribute, schema in attributes["properties"].items():
        resolved = _resolved(schema)
        json_type = resolved.get("type", "string")  # a constant or a further reference is a text
        assert json_type == JSON_TYPES[defined[attribute]["typeName"]], attribute
    mandatory = {attribute for attribute, definition in defined.items() if not definition["isOptional"]}
    assert mandatory <= set(attributes["required"])


@needs_models
@versions
@pytest.mark.parametrize(("name", "attribute"), RELATIONSHIPS, ids=lambda part: part)
def test_relationship_is_the_types(version, name, attribute):
    definition = _models(version).relationships[RELATIONSHIPS[name, attribute]]
    ends = [definition["endDef1"], definition["endDef2"]]
    (near,) = (end for end in ends if end["name"] == attribute and end["type"] in _models(version).lineage(name))
    (far,) = (end for end in ends if end is not near)
    schema = _schema(name)["properties"]["relationshipAttributes"]["properties"][attribute]
    assert ("items" in schema) == (near["cardinality"] == "SET")
    for target in schema.get("items", schema)["properties"]["typeName"]["enum"]:
        assert far["type"] in _models(version).lineage(target)


@needs_models
@versions
@pytest.mark.parametrize("name", TYPES)
def test_child_of_a_composition_must_name_its_owner(version, name):
    required = set(_schema(name)["properties"].get("relationshipAttributes", {}).get("required", ()))
    owners = {
        child["name"]
        for each in _models(version).relationships.values()
        if each["relationshipCategory"] == "COMPOSITION"
        for owner, child in ((each["endDef1"], each["endDef2"]), (each["endDef2"], each["endDef1"]))
        if owner.get("isContainer") and child["type"] in _models(version).lineage(name)
    }
    assert owners <= required
